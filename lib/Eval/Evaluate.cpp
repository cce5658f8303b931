//===- Evaluate.cpp - running an emission ----------------------------------===//
#include "Evaluate.h"

#include <algorithm>

#include "Emit/NestCost.h"
#include "NestEval.h"
#include "Runtime/RunError.h"
#include "absl/strings/str_replace.h"

namespace graphc {
namespace {

class EmissionEval {
public:
  EmissionEval(const Emission &emission, const ErrorContext &context, EvaluationBudget *budget,
               int64_t *flops)
      : emission_(emission), context_(context), budget_(budget), flops_(flops),
        arrays_(emission.arrays.size()), sizes_(emission.sizes.size(), 0),
        known_(emission.sizes.size(), false), checked_(emission.sizeChecks.size(), false) {
    for (size_t id = 0; id < arrays_.size(); ++id)
      arrays_[id] = emission.arrays[id].constant;
  }

  absl::Status set(Array array, const Tensor &value) {
    arrays_[array.id] = value.contiguous();
    if (value.defined() && !arrays_[array.id].defined())
      return makeError(ErrorKind::OutOfMemory, "no memory for a row-major copy of " +
                                                   Type(value.dtype(), value.shape()).brief());
    return absl::OkStatus();
  }
  const Tensor &get(Array array) const { return arrays_[array.id]; }
  absl::Status run(absl::Span<const Array> results);

private:
  std::vector<bool> neededSteps(absl::Span<const Array> results) const;
  absl::Status solveSizes();
  std::optional<SizeValue> known(int32_t size) const;
  std::optional<SizeValue> solve(const SizeNode &node) const;
  std::optional<SizeValue> element(const SizeNode &node) const;
  absl::StatusOr<Tensor> allocate(int32_t array);
  absl::StatusOr<std::vector<int64_t>> shapeOf(int32_t array) const;
  absl::Status spend(const Nest &nest);
  absl::Status runLoops(const Step &step, int32_t number);
  absl::Status runView(const Step &step);
  absl::Status runHost(const Step &step);
  absl::Status explain(const absl::Status &error, int32_t node) const {
    return context_ && !error.ok() ? context_(error, node) : error;
  }

  const Emission &emission_;
  const ErrorContext &context_;
  EvaluationBudget *budget_;
  int64_t *flops_;
  std::vector<Tensor> arrays_;
  std::vector<SizeValue> sizes_;
  std::vector<bool> known_; // those of sizes_ that are there
  std::vector<bool> checked_;
};

std::optional<SizeValue> EmissionEval::known(int32_t size) const {
  return known_[size] ? std::optional(sizes_[size]) : std::nullopt;
}

std::optional<SizeValue> EmissionEval::element(const SizeNode &node) const {
  const Tensor &array = arrays_[node.a];
  if (!array.defined() || !known_[node.b])
    return std::nullopt;
  SizeValue index = sizes_[node.b];
  if (index < 0 || index >= array.numElements())
    return std::nullopt;
  return readInteger(array.dtype(), array.data(), int64_t(index));
}

std::optional<SizeValue> EmissionEval::solve(const SizeNode &node) const {
  if (node.op == SizeOp::Element)
    return element(node);
  if (node.op != SizeOp::Dim)
    return sizeValue(node, [&](int32_t size) { return known(size); });
  const Tensor &array = arrays_[node.a];
  return array.defined() ? std::optional<SizeValue>(array.shape()[node.b]) : std::nullopt;
}

/// Solves what can be solved by now, and checks it.
absl::Status EmissionEval::solveSizes() {
  for (size_t id = 0; id < sizes_.size(); ++id)
    if (!known_[id])
      if (std::optional<SizeValue> value = solve(emission_.sizes[id])) {
        sizes_[id] = *value;
        known_[id] = true;
      }
  for (size_t k = 0; k < checked_.size(); ++k) {
    const SizeCheck &check = emission_.sizeChecks[k];
    if (check.predicate == Predicate::Fits) // its array is allocated
      continue;
    if (checked_[k] || !known_[check.a] || !known_[check.b])
      continue;
    checked_[k] = true;
    SizeValue a = sizes_[check.a], b = sizes_[check.b];
    if (!holds(check.predicate, a, b))
      return explain(makeError(check.kind, failureText(check.message, a, b)), check.node);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> EmissionEval::shapeOf(int32_t array) const {
  std::vector<SizeValue> shape;
  for (int32_t id : emission_.arrays[array].shape) {
    if (!known_[id])
      return makeError(ErrorKind::Internal, "emission: an extent is not known where it is needed");
    shape.push_back(sizes_[id]);
  }
  int64_t elementBytes = byteSize(emission_.arrays[array].dtype);
  if (absl::Status status = shapeBytes(elementBytes, shape).status(); !status.ok())
    return status;
  return std::vector<int64_t>(shape.begin(), shape.end());
}

absl::StatusOr<Tensor> EmissionEval::allocate(int32_t array) {
  auto shape = shapeOf(array);
  if (!shape.ok())
    return shape.status();
  return Tensor::allocate(emission_.arrays[array].dtype, *shape);
}

absl::Status EmissionEval::spend(const Nest &nest) {
  if (!budget_)
    return absl::OkStatus();
  int64_t iterations = 1;
  bool tooMany = false;
  for (int32_t id : nest.extents)
    tooMany |=
        __builtin_mul_overflow(iterations, std::max<int64_t>(1, int64_t(sizes_[id])), &iterations);
  if (tooMany || iterations > budget_->iterations)
    return makeError(ErrorKind::NotSupported,
                     "needs more than " + std::to_string(budget_->iterations) + " iterations");
  budget_->iterations -= iterations;
  return absl::OkStatus();
}

absl::Status EmissionEval::runLoops(const Step &step, int32_t number) {
  int32_t id = step.outputs[0];
  if (absl::Status s = spend(step.nest); !s.ok())
    return explain(s, step.node);
  auto result = allocate(id);
  if (!result.ok())
    return explain(result.status(), step.node);
  std::vector<int64_t> sizes;
  for (SizeValue size : sizes_)
    sizes.push_back(int64_t(size));
  NestInputs inputs{sizes, arrays_, {}};
  for (const ElementCheck &check : emission_.elementChecks)
    if (check.step == number)
      inputs.checks.push_back(&check);
  const ElementCheck *failed = nullptr;
  if (absl::Status s = runNest(step.nest, inputs, *result, failed); !s.ok()) {
    if (!failed)
      return explain(s, step.node);
    if (failed->extent < 0)
      return explain(s, failed->node);
    const Tensor &indices = arrays_[failed->indices];
    int64_t extent = int64_t(sizes_[failed->extent]);
    std::string index = indexText(indices.data(), indices.dtype(), indices.numElements(), extent);
    std::string text = absl::StrReplaceAll(failed->message, {{"{index}", index}});
    return explain(makeError(failed->kind, failureText(text, extent, extent)), failed->node);
  }
  arrays_[id] = *std::move(result);
  if (flops_) {
    int64_t iterations = 1;
    for (int32_t extent : step.nest.extents)
      iterations *= sizes[size_t(extent)];
    *flops_ += iterations * flopsOf(step.nest);
  }
  return absl::OkStatus();
}

absl::Status EmissionEval::runView(const Step &step) {
  auto shape = shapeOf(step.outputs[0]);
  if (!shape.ok())
    return explain(shape.status(), step.node);
  auto view = arrays_[step.inputs[0]].reshape(*shape);
  if (!view.ok())
    return explain(view.status(), step.node);
  arrays_[step.outputs[0]] = *std::move(view);
  return absl::OkStatus();
}

absl::Status EmissionEval::runHost(const Step &step) {
  std::vector<Tensor> inputs, outputs;
  for (int32_t id : step.inputs)
    inputs.push_back(arrays_[id]);
  for (int32_t id : step.outputs) {
    auto output = allocate(id);
    if (!output.ok())
      return explain(output.status(), step.node);
    outputs.push_back(*std::move(output));
  }
  if (absl::Status s = step.host.run(inputs, absl::MakeSpan(outputs), 1); !s.ok()) {
    bool isForeign = errorKind(s) == ErrorKind::Internal; // as compiled programs say it
    return explain(isForeign ? makeError(ErrorKind::RuntimeError, std::string(s.message())) : s,
                   step.node);
  }
  for (size_t k = 0; k < outputs.size(); ++k)
    arrays_[step.outputs[k]] = outputs[k];
  return absl::OkStatus();
}

/// The steps that results and sizes need, and those that check or call something (as Fusion has
/// them).
std::vector<bool> EmissionEval::neededSteps(absl::Span<const Array> results) const {
  std::vector<bool> isLive(arrays_.size()), isNeeded(emission_.steps.size());
  for (Array result : results)
    isLive[size_t(result.id)] = true;
  for (const SizeNode &node : emission_.sizes)
    if (node.op == SizeOp::Element || node.op == SizeOp::Dim)
      isLive[size_t(node.a)] = true;
  for (const ElementCheck &check : emission_.elementChecks)
    isNeeded[size_t(check.step)] = true;
  for (size_t k = isNeeded.size(); k-- > 0;) {
    const Step &step = emission_.steps[k];
    isNeeded[k] = isNeeded[k] || step.kind == Step::Kind::Host ||
                  std::ranges::any_of(step.outputs, [&](int32_t id) { return isLive[size_t(id)]; });
    if (!isNeeded[k])
      continue;
    for (int32_t id : step.inputs)
      isLive[size_t(id)] = true;
    for (const ScalarNode &n : step.nest.body) // the plain loops make unused ones, too
      if (n.op == ScalarOp::Load)
        isLive[size_t(n.loadArray())] = true;
  }
  return isNeeded;
}

absl::Status EmissionEval::run(absl::Span<const Array> results) {
  // Element sizes are solved again once their array is there.
  std::vector<bool> isRead(arrays_.size(), false);
  for (const SizeNode &node : emission_.sizes)
    if (node.op == SizeOp::Element)
      isRead[node.a] = true;
  if (absl::Status s = solveSizes(); !s.ok())
    return s;
  const std::vector<bool> isNeeded = neededSteps(results);
  for (size_t k = 0; k < emission_.steps.size(); ++k) {
    if (!isNeeded[k])
      continue;
    const Step &step = emission_.steps[k];
    absl::Status s = step.kind == Step::Kind::Loops  ? runLoops(step, int32_t(k))
                     : step.kind == Step::Kind::View ? runView(step)
                                                     : runHost(step);
    if (!s.ok())
      return s;
    for (int32_t id : step.outputs)
      if (isRead[id])
        if (absl::Status solved = solveSizes(); !solved.ok())
          return solved;
  }
  return absl::OkStatus();
}

} // namespace

TensorsOr evaluate(const Emission &emission, absl::Span<const Array> operands,
                   absl::Span<const Tensor> values, absl::Span<const Array> results,
                   const ErrorContext &context, EvaluationBudget *budget, int64_t *flops) {
  EmissionEval eval(emission, context, budget, flops);
  for (size_t i = 0; i < operands.size(); ++i)
    if (absl::Status s = eval.set(operands[i], values[i]); !s.ok())
      return s;
  if (absl::Status s = eval.run(results); !s.ok())
    return s;
  std::vector<Tensor> tensors;
  for (Array result : results)
    tensors.push_back(eval.get(result));
  return tensors;
}

} // namespace graphc
