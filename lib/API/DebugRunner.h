//===- DebugRunner.h - compiled code checked by the interpreter ---*- C++ -*-===//
#pragma once

#include "API/Runner.h"

namespace graphc {

/// Runs `all`, which gives the outputs of every node of `module` in toposort order and then the
/// module's own, and computes each node again with the evaluator, on the operands that compiled
/// code gave it: so no error of one node counts against another, and each op's own bound holds.
/// Where a result differs by more, a call fails with DebugMismatch at the node's place.
class DebugRunner : public Runner {
public:
  /// `checksRules`: each call also checks what the rules of mode fast_run would do.
  DebugRunner(GraphModule module, std::unique_ptr<const Runner> all, bool checksRules);

  /// `module` with the outputs of all nodes before its own.
  static GraphModule withAllOutputs(const GraphModule &module);

  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                   OutputMemory memory) const override;
  bool direct(detail::BoundCall &) const override { return false; }
  bool canFail() const override { return true; }
  Function::Counters counters() const override { return all_->counters(); }
  std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile) const override {
    return std::make_unique<DebugRunner>(module_, all_->with(std::move(profile)), checksRules_);
  }

private:
  GraphModule module_;
  std::vector<Apply> nodes_;
  std::unique_ptr<const Runner> all_;
  bool checksRules_;
};

/// OK if `got`, one result of `node` for these operands, is as near to `wanted`, the evaluator's,
/// as the op promises; else DebugMismatch that tells the first element that is off.
absl::Status checkResult(const Apply &node, int output, absl::Span<const Tensor> operands,
                         const Tensor &got, const Tensor &wanted);

} // namespace graphc
