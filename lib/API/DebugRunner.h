//===- DebugRunner.h - compiled code checked by the interpreter ---*- C++ -*-===//
#pragma once

#include "API/NodeRunner.h"
#include "graphc/Rewrite.h"

namespace graphc {

/// Runs the nodes of a graph and compares each with the evaluator's: a DebugRunner's second graph.
class ComparedNodes : public NodeRunner {
public:
  using NodeRunner::NodeRunner;
  std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile,
                                     bool sharesMemory) const override {
    return std::make_unique<ComparedNodes>(module(), all().with(std::move(profile), sharesMemory));
  }

protected:
  absl::Status checkBefore(absl::Span<const Tensor>) const override { return absl::OkStatus(); }
  absl::Status checkNode(const Apply &node, absl::Span<const Tensor> operands,
                         absl::Span<const Tensor> results) const override;
};

/// Computes each node again with the evaluator, on the operands that compiled code gave it: so no
/// error of one node counts against another, and each op's own bound holds. Where a result differs
/// by more, a call fails with DebugMismatch at the node's place; so where code writes to arguments,
/// gives results that share memory, leaves elements of a result as they were, or gives others when
/// it runs again, when arguments and memory for results are strided, or when nodes are computed in
/// another order (F-345, F-346).
class DebugRunner : public ComparedNodes {
public:
  /// `reversed` runs withAllOutputsReversed(module). With a mode each call also checks what the
  /// rewrites that it selects would do, and runs `rewritten`, the nodes of the graph after them.
  DebugRunner(GraphModule module, std::unique_ptr<const Runner> all,
              std::unique_ptr<const Runner> reversed, std::optional<Mode> mode,
              std::unique_ptr<const Runner> rewritten)
      : ComparedNodes(std::move(module), std::move(all)), reversed_(std::move(reversed)),
        mode_(std::move(mode)), rewritten_(std::move(rewritten)) {}
  std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile,
                                     bool sharesMemory) const override {
    return std::make_unique<DebugRunner>(module(), all().with(std::move(profile), sharesMemory),
                                         reversed_->with(nullptr, sharesMemory), mode_,
                                         rewritten_ ? rewritten_->with(nullptr, sharesMemory)
                                                    : nullptr);
  }
  void free() const override {
    ComparedNodes::free();
    reversed_->free();
    if (rewritten_)
      rewritten_->free();
  }

protected:
  absl::Status checkBefore(absl::Span<const Tensor> arguments) const override;
  absl::Status checkRun(absl::Span<const Tensor> arguments,
                        absl::Span<const Tensor> values) const override;

private:
  absl::Status checkMemory(absl::Span<const Tensor> arguments,
                           absl::Span<const Tensor> values) const;
  absl::Status checkAgain(absl::Span<const Tensor> arguments,
                          absl::Span<const Tensor> values) const;
  absl::Status checkLayouts(absl::Span<const Tensor> arguments,
                            absl::Span<const Tensor> values) const;
  absl::Status checkOrder(absl::Span<const Tensor> arguments) const;
  absl::Status checkRewritten(absl::Span<const Tensor> arguments) const;
  absl::Status fail(size_t value, const std::string &what) const;
  std::unique_ptr<const Runner> reversed_;
  std::optional<Mode> mode_;
  std::unique_ptr<const Runner> rewritten_; // null for none
};

/// OK if `got`, one result of `node` for these operands, is as near to `wanted`, the evaluator's,
/// as the op promises; else DebugMismatch that tells the first element that is off.
absl::Status checkResult(const Apply &node, int output, absl::Span<const Tensor> operands,
                         const Tensor &got, const Tensor &wanted);

} // namespace graphc
