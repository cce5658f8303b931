//===- InterpretedRunner.h - graphs run by the evaluator ----------*- C++ -*-===//
#pragma once

#include <atomic>
#include <memory>

#include "API/Runner.h"
#include "Eval/Evaluate.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace graphc {

/// Modes interpreter and monitor.
class InterpretedRunner : public Runner {
public:
  InterpretedRunner(GraphModule module, std::shared_ptr<ProfilePart> profile,
                    MonitorOptions monitor = {});

  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                   OutputMemory memory, const Lending *lending) const override;
  bool direct(detail::BoundCall &) const override { return false; }
  bool canFail() const override;
  Function::Counters counters() const override;
  std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile, bool) const override {
    return std::make_unique<InterpretedRunner>(module_, std::move(profile), monitor_);
  }

private:
  bool isMonitored() const { return monitor_.before || monitor_.after; }
  NodeWatch watch(RunProfile *profile) const;
  bool programCanFail() const;

  GraphModule module_;
  std::shared_ptr<ProfilePart> profile_; // null for none
  MonitorOptions monitor_;
  // Where somebody is told of nodes:
  absl::flat_hash_map<const void *, int32_t> numbers_; // in an order of the graph, by node
  absl::flat_hash_set<const void *> isOutput_;         // by Variable's node
  mutable std::atomic<int64_t> calls_{0};
  mutable std::atomic<int> canFail_{-1}; // -1: nobody has asked yet
};

} // namespace graphc
