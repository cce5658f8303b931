//===- NodeRunner.h - runs that look at every node ----------------*- C++ -*-===//
#pragma once

#include <memory>
#include <vector>

#include "API/Runner.h"

namespace graphc {

/// `module` with the outputs of all nodes, in toposort order, before its own.
GraphModule withAllOutputs(const GraphModule &module);
/// The same from the last to the first, so that code computes the nodes in another order.
GraphModule withAllOutputsReversed(const GraphModule &module);

/// Runs code that gives what every node computes, and looks at it: the modes debug and nanguard.
class NodeRunner : public Runner {
public:
  /// `all` runs withAllOutputs(module).
  NodeRunner(GraphModule module, std::unique_ptr<const Runner> all);

  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                   OutputMemory memory, const Lending *lending) const final;
  bool direct(detail::BoundCall &) const final { return false; }
  bool canFail() const final { return true; }
  void free() const override { all_->free(); }
  Function::Counters counters() const final { return all_->counters(); }

protected:
  /// Before anything runs; OK to go on.
  virtual absl::Status checkBefore(absl::Span<const Tensor> arguments) const = 0;
  /// After the run; `values` are those of all nodes, then the outputs.
  virtual absl::Status checkRun(absl::Span<const Tensor>, absl::Span<const Tensor>) const {
    return absl::OkStatus();
  }
  /// `results` of `node` for these operands.
  virtual absl::Status checkNode(const Apply &node, absl::Span<const Tensor> operands,
                                 absl::Span<const Tensor> results) const = 0;

  /// `checkNode` for every node.
  absl::Status checkNodes(absl::Span<const Tensor> arguments,
                          absl::Span<const Tensor> values) const;

  const GraphModule &module() const { return module_; }
  const Runner &all() const { return *all_; }
  /// The node that computes value `i`, and the number of its output; none beyond them.
  std::optional<std::pair<Apply, int>> nodeOf(size_t i) const;

private:
  GraphModule module_;
  std::vector<Apply> nodes_;
  std::unique_ptr<const Runner> all_;
};

/// For messages: "`z`", "result 0".
std::string nameOf(const Apply &node, int output);

} // namespace graphc
