//===- NanGuardRunner.h - the first node that makes NaN -----------*- C++ -*-===//
#pragma once

#include "API/NodeRunner.h"

namespace graphc {

/// F-347: looks for NaN, infinities and huge numbers in arguments and in what each node computes;
/// a call fails with NanGuard at the place of the first node that computes one from none.
class NanGuardRunner : public NodeRunner {
public:
  NanGuardRunner(GraphModule module, std::unique_ptr<const Runner> all,
                 const NanGuardOptions &options)
      : NodeRunner(std::move(module), std::move(all)), options_(options) {}
  std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile,
                                     bool sharesMemory) const override {
    return std::make_unique<NanGuardRunner>(module(), all().with(std::move(profile), sharesMemory),
                                            options_);
  }

protected:
  absl::Status checkBefore(absl::Span<const Tensor> arguments) const override;
  absl::Status checkNode(const Apply &node, absl::Span<const Tensor> operands,
                         absl::Span<const Tensor> results) const override;

private:
  NanGuardOptions options_;
};

} // namespace graphc
