//===- Branch.cpp - one of two bodies --------------------------------------===//
#include <algorithm>

#include "Control/Control.h"
#include "Eval/Evaluate.h"

namespace graphc {

namespace {

/// The body that runs for `inputs`, the first of which says which.
absl::StatusOr<std::vector<Tensor>> runTaken(const Control &control,
                                             absl::Span<const Tensor> inputs) {
  const FrozenGraph &body = control.bodies[inputs[0].item<int64_t>() != 0 ? 0 : 1];
  return evaluate(body.outputs(), body.inputs(), inputs.subspan(1));
}

/// Runs the body for the extents of its results alone, one after the other.
Array extentsByRunning(const std::shared_ptr<const Control> &control, Emitter &e,
                       const Arrays &operands) {
  int64_t count = 0;
  for (const Type &type : control->results)
    count += type.rank();
  HostFunction host = [control](absl::Span<const Tensor> inputs,
                                absl::Span<Tensor> outputs) -> absl::Status {
    absl::StatusOr<std::vector<Tensor>> results = runTaken(*control, inputs);
    if (!results.ok())
      return results.status();
    absl::Span<int64_t> extents = outputs[0].mutableFlat<int64_t>();
    auto next = extents.begin();
    for (const Tensor &result : *results)
      next = std::ranges::copy(result.shape(), next).out;
    return absl::OkStatus();
  };
  return e.hostCall(host, operands, {{DType::Int64, {e.size(count)}}},
                    controlStep(*control, /*givesExtents=*/true))[0];
}

} // namespace

Arrays emitBranch(const std::shared_ptr<const Control> &control, Emitter &e, const Arrays &in) {
  Array chosen = e.define(
      {}, [&](Indices) { return cast(cast(e.load(in[0], {}), DType::Bool), DType::Int64); });
  Extent first = e.element(chosen);
  Arrays operands = in;
  operands[0] = chosen;
  auto dimOf = [&](size_t input, int axis) { return e.dim(in[input + 1], axis); };
  std::vector<Extents> shapes[2];
  for (size_t k = 0; k < 2; ++k)
    shapes[k] = shapesOfResults(e, control->bodies[k], dimOf);
  std::optional<Array> extents;
  int64_t position = 0;
  std::vector<std::pair<DType, Extents>> results;
  for (size_t r = 0; r < control->results.size(); ++r) {
    Extents shape;
    for (size_t axis = 0; axis < shapes[0][r].size(); ++axis, ++position) {
      Extent x = shapes[0][r][axis], y = shapes[1][r][axis];
      if (!x.emitter() || !y.emitter()) {
        if (!extents)
          extents = extentsByRunning(control, e, operands);
        shape.push_back(e.element(*extents, position));
      } else {
        shape.push_back(x.id() == y.id() ? x : select(first, x, y));
      }
    }
    results.emplace_back(control->results[r].dtype(), shape);
  }
  HostFunction host = [control](absl::Span<const Tensor> inputs,
                                absl::Span<Tensor> outputs) -> absl::Status {
    absl::StatusOr<std::vector<Tensor>> results = runTaken(*control, inputs);
    if (!results.ok())
      return results.status();
    for (size_t k = 0; k < outputs.size(); ++k)
      outputs[k] = std::move((*results)[k]);
    return absl::OkStatus();
  };
  return e.hostCall(host, operands, results, controlStep(*control));
}

} // namespace graphc
