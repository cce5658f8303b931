//===- NodeEval.cpp - running nodes ----------------------------------------===//
#include "NodeEval.h"

#include "Emit/EmitNode.h"
#include "Graph/CalledAs.h"
#include "Support/BroadcastHint.h"
#include "Support/Text.h"

namespace graphc {
namespace {

/// "add: extents differ ...", and a second line with the shapes of all inputs.
absl::Status explainNode(const absl::Status &error, const Apply &node,
                         absl::Span<const Tensor> inputs) {
  absl::string_view message = error.message();
  std::string text(calledName(node.op()));
  text += ": " + withoutHint({message.data(), message.size()}, node.place()) + "\n  " +
          calledText(node.op()) + "(";
  text += join(inputs, ", ", [](const Tensor &t) { return Type(t.dtype(), t.shape()).brief(); });
  return makeError(errorKind(error), text + ")", node.place());
}

} // namespace

absl::StatusOr<NodeEval> NodeEval::create(const Apply &node, absl::Span<const Tensor> inputs,
                                          const std::vector<bool> &isNeeded) {
  if (!node.op().def().emit)
    return makeError(ErrorKind::MethodNotDefined,
                     std::string(node.op().name()) + ": the op does not say what it computes",
                     node.place());
  NodeEval eval(node);
  Emitter e;
  Arrays operands;
  for (int i = 0; i < node.numInputs(); ++i) {
    Variable input = node.input(i);
    if (std::optional<Constant> constant = Constant::from(input)) {
      operands.push_back(e.constant(constant->data()));
      continue;
    }
    operands.push_back(e.operand(input.type()));
    eval.read_.push_back(size_t(i));
    eval.operands_.push_back(e.interleaved(operands.back()));
  }
  Arrays results = emitNode(e, node, 0, operands);
  std::vector<bool> areComplex;
  for (Array &result : results) {
    areComplex.push_back(e.status().ok() && isComplex(e.dtype(result)));
    result = e.interleaved(result);
  }
  absl::StatusOr<Emission> emission = e.finish();
  if (!emission.ok()) // there may be other results than outputs
    return explainNode(emission.status(), node, inputs);
  for (size_t o = 0; o < results.size(); ++o) {
    if (!isNeeded.empty() && !isNeeded[o])
      continue;
    eval.results_.push_back(results[o]);
    eval.made_.push_back(o);
    eval.areComplex_.push_back(areComplex[o]);
  }
  eval.emission_ = *std::move(emission);
  return eval;
}

TensorsOr NodeEval::run(absl::Span<const Tensor> inputs, EvaluationBudget *budget,
                        int64_t *flops) const {
  std::vector<Tensor> values; // the evaluator knows pairs in the place of complex numbers
  for (size_t i : read_)
    values.push_back(inputs[i].realView());
  auto context = [&](const absl::Status &error, int32_t) {
    return explainNode(error, node_, inputs);
  };
  TensorsOr made = evaluate(emission_, operands_, values, results_, context, budget, flops);
  if (!made.ok())
    return made;
  std::vector<Tensor> all(size_t(node_.numOutputs()));
  for (size_t k = 0; k < made_.size(); ++k) {
    Tensor &result = all[made_[k]];
    result = std::move((*made)[k]);
    if (!areComplex_[k])
      continue;
    absl::StatusOr<Tensor> numbers = result.contiguous().complexView();
    if (!numbers.ok())
      return numbers.status();
    result = *std::move(numbers);
  }
  return all;
}

TensorsOr evaluate(const Apply &node, absl::Span<const Tensor> inputs, EvaluationBudget *budget,
                   int64_t *flops, const std::vector<bool> &isNeeded) noexcept {
  absl::StatusOr<NodeEval> eval = NodeEval::create(node, inputs, isNeeded);
  return eval.ok() ? eval->run(inputs, budget, flops) : eval.status();
}

TensorsOr evaluate(const Op &op, absl::Span<const Tensor> inputs) noexcept {
  std::vector<Operand> operands;
  for (const Tensor &input : inputs)
    operands.emplace_back(input);
  auto node = op.makeNode(operands);
  if (!node.ok())
    return node.status();
  return evaluate(*node, inputs);
}

} // namespace graphc
