//===- EmitHost.cpp - steps of the host -----------------------------------===//
#include <algorithm>
#include <bit>

#include "EmitterState.h"

namespace graphc {

/// A step of the host; inputs and results have hidden axes where an operand has them. Complex ones
/// are arrays of pairs.
static Arrays hostStep(Emitter &e, HostCall call, const Arrays &given,
                       const std::vector<std::pair<DType, Extents>> &results) {
  Emitter::State &s = e.state();
  Arrays in;
  for (Array a : given)
    in.push_back(e.interleaved(a));
  Step step{Step::Kind::Host, {}, {}, {}, std::move(call), s.node};
  uint32_t levels = 0;
  for (Array a : in) {
    s.array(a);
    step.inputs.push_back(a.id);
    levels |= s.levels(a);
  }
  if (levels) {
    step.host.numLevels = std::popcount(levels);
    for (Array a : in) {
      uint32_t has = 0;
      for (size_t level = 0, bit = 0; level < s.mapCounts.size(); ++level)
        if (levels >> level & 1)
          has |= (s.levels(a) >> level & 1) << bit++;
      step.host.levels.push_back(has);
    }
  }
  Arrays arrays;
  for (const auto &[dtype, shape] : results) {
    Numbers extents = s.withHidden(levels, s.own(shape));
    if (isComplex(dtype))
      extents.push_back(s.sizes.constant(2));
    int32_t made = s.newArray(realDType(dtype), extents, int32_t(s.record.steps.size()));
    s.setLevels(made, levels);
    step.outputs.push_back(made);
    arrays.push_back(isComplex(dtype) ? s.newComplex({.pairs = made}) : Array{made});
  }
  s.record.steps.push_back(std::move(step));
  return arrays;
}

/// A callback for complex tensors as one for their pairs: of its inputs, then its outputs, which
/// are complex.
static HostFunction onComplexTensors(HostFunction host, std::vector<bool> areComplex) {
  return [host = std::move(host), areComplex = std::move(areComplex)](
             absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs) {
    std::vector<Tensor> tensors(inputs.begin(), inputs.end());
    tensors.insert(tensors.end(), outputs.begin(), outputs.end());
    for (size_t i = 0; i < tensors.size(); ++i)
      if (areComplex[i])
        tensors[i] = *tensors[i].complexView(); // row-major pairs
    absl::Span<Tensor> results = absl::MakeSpan(tensors).subspan(inputs.size());
    absl::Status status = host(absl::MakeConstSpan(tensors).first(inputs.size()), results);
    for (size_t i = 0; i < results.size(); ++i)
      outputs[i] = results[i].realView();
    return status;
  };
}

Arrays Emitter::hostCall(HostFunction host, const Arrays &in,
                         const std::vector<std::pair<DType, Extents>> &results,
                         std::shared_ptr<const ControlStep> control) {
  if (!host)
    state_->fail("a host call without a function");
  std::vector<bool> areComplex;
  for (Array a : in)
    areComplex.push_back(isComplex(dtype(a)));
  for (const auto &[dtype, shape] : results)
    areComplex.push_back(isComplex(dtype));
  if (std::ranges::count(areComplex, true)) // bodies with code know pairs
    host = onComplexTensors(std::move(host), std::move(areComplex));
  return hostStep(*this, {.callback = std::move(host), .control = std::move(control)}, in, results);
}

Arrays Emitter::routine(const Routine &routine, std::vector<int64_t> parameters, const Arrays &in,
                        const std::vector<std::pair<DType, Extents>> &results) {
  return hostStep(*this, {.routine = &routine, .parameters = std::move(parameters)}, in, results);
}

} // namespace graphc
