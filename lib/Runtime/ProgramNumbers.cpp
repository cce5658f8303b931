//===- ProgramNumbers.cpp -------------------------------------------------===//
#include "Runtime/ProgramNumbers.h"

#include <string>

namespace graphc {

using Storage = Program::Array::Storage;

absl::Status malformed(const char *what) {
  return makeError(ErrorKind::Internal, std::string("malformed program: ") + what);
}

namespace {

/// Whether it can be done on the step's arrays.
bool isWellFormed(const Program &p, const Program::Step &step, const HostCall &host) {
  return (host.callback || host.routine) && hasLevels(p, step, host.numLevels, host.levels);
}

bool isWellFormed(const KeptForm &form, int32_t numInputs) {
  constexpr int32_t kMostColumns = 1024; // far more than any tile has
  return form.input >= -1 && form.input < numInputs && form.columns >= 0 &&
         form.columns <= kMostColumns &&
         (form.columns == 0 || form.elementBytes == 2 || form.elementBytes == 4 ||
          form.elementBytes == 8);
}

/// Whether the last axis has the parts of complex numbers.
bool isOfPairs(const Program &p, int32_t array) {
  const Program::Array &a = p.arrays[size_t(array)];
  if ((a.dtype != DType::Float32 && a.dtype != DType::Float64) || a.shape.empty())
    return false;
  const SizeNode &last = p.sizes[size_t(a.shape.back())];
  return last.op == SizeOp::Constant && last.value == 2;
}

} // namespace

absl::Status checkNumbers(const Program &p) {
  auto inside = [](int32_t i, const auto &table) { return i >= 0 && size_t(i) < table.size(); };
  auto isReal = [](DType dtype) { return unsigned(dtype) < unsigned(kNumRealDTypes); };
  for (size_t id = 0; id < p.sizes.size(); ++id) {
    const SizeNode &n = p.sizes[id];
    bool good = true;
    if (n.op == SizeOp::Dim)
      good = inside(n.a, p.inputs) && inside(n.b, p.inputs[n.a].shape);
    else if (n.op == SizeOp::Element)
      good = inside(n.a, p.arrays) && n.b >= 0 && size_t(n.b) < id;
    else if (n.op != SizeOp::Constant)
      good = n.a >= 0 && size_t(n.a) < id && n.b >= 0 && size_t(n.b) < id &&
             (n.c < 0 ? n.op != SizeOp::Select : size_t(n.c) < id);
    if (!good)
      return malformed("a size");
  }
  for (size_t id = 0; id < p.arrays.size(); ++id) {
    const Program::Array &a = p.arrays[id];
    bool good = a.storage == Storage::Arena ||
                (a.storage == Storage::Input && inside(a.number, p.inputs)) ||
                (a.storage == Storage::Constant && inside(a.number, p.constants)) ||
                (a.storage == Storage::Output && inside(a.number, p.outputs)) ||
                (a.storage == Storage::Same && a.number >= 0 && size_t(a.number) < id);
    for (int32_t s : a.shape)
      good &= inside(s, p.sizes);
    good &= a.begin == -1 || (a.storage == Storage::Same && inside(a.begin, p.sizes));
    if (!good || !isReal(a.dtype))
      return malformed("an array");
  }
  for (const Program::Step &step : p.steps) {
    bool good = step.numInputs >= 0 && size_t(step.numInputs) <= step.arrays.size();
    if (step.kind == Program::Step::Kind::Kernel)
      good &= inside(step.callee, p.kernels);
    else if (step.kind == Program::Step::Kind::Host)
      good &= inside(step.callee, p.hosts) && step.failures.size() == 1;
    else if (step.kind == Program::Step::Kind::Control)
      good &= inside(step.callee, p.controls) && step.failures.size() == 1;
    else
      good &= step.arrays.size() == 2;
    for (int32_t a : step.arrays)
      good &= inside(a, p.arrays);
    if (step.kind == Program::Step::Kind::Host)
      good = good && isWellFormed(p, step, p.hosts[size_t(step.callee)]);
    if (step.kind == Program::Step::Kind::Control)
      good = good && isWellFormed(p, step, p.controls[size_t(step.callee)]);
    for (const Program::Step::Scratch &scratch : step.scratch)
      good &= isReal(scratch.dtype) && isWellFormed(scratch.kept, step.numInputs);
    for (int32_t f : step.failures)
      good = good && inside(f, p.failures) &&
             p.failures[size_t(f)].indices < int32_t(step.arrays.size());
    if (!good)
      return malformed("a step");
    sizesOfStep(p, step, [&](int32_t s) { good &= inside(s, p.sizes); });
    if (!good)
      return malformed("a step's sizes");
  }
  for (const Program::Failure &failure : p.failures)
    if ((failure.extent >= 0 || failure.indices >= 0) && !inside(failure.extent, p.sizes))
      return malformed("a failure");
  for (const Program::SizeCheck &check : p.checks) {
    bool good = true;
    sizesOfCheck(check, [&](int32_t s) { good &= inside(s, p.sizes); });
    if (!good)
      return malformed("a check");
  }
  for (const Program::Input &input : p.inputs)
    if (unsigned(input.dtype) >= unsigned(kNumDTypes))
      return malformed("an input");
  for (const Program::Output &output : p.outputs)
    if (!inside(output.array, p.arrays) || (output.isComplex && !isOfPairs(p, output.array)))
      return malformed("an output");
  return absl::OkStatus();
}

} // namespace graphc
