//===- Program.cpp ----------------------------------------------------------===//
#include "Runtime/Program.h"

#include "Runtime/Taps.h"
#include "graphc/Type.h"

namespace graphc {

std::vector<int64_t> staticShape(const Program &program, const Program::Array &array) {
  std::vector<int64_t> shape;
  for (int32_t size : array.shape) {
    const SizeNode &extent = program.sizes[size_t(size)];
    shape.push_back(extent.op == SizeOp::Constant ? extent.value : kDynamic);
  }
  return shape;
}

Type typeOf(const Program &program, const Program::Output &output) {
  const Program::Array &array = program.arrays[size_t(output.array)];
  std::vector<int64_t> shape = staticShape(program, array);
  if (!output.isComplex)
    return Type(array.dtype, shape);
  shape.pop_back();
  return Type(complexDType(array.dtype), shape);
}

int32_t ownerOf(const Program &program, int32_t array) {
  while (program.arrays[size_t(array)].storage == Program::Array::Storage::Same &&
         !program.arrays[size_t(array)].isPart())
    array = program.arrays[size_t(array)].number;
  return array;
}

int64_t beginOf(const Program &program, int32_t array, absl::Span<const SizeValue> sizes) {
  SizeValue sum = 0; // within an array, if that fits into memory
  forEachBegin(program, array,
               [&](int32_t begin) { sum = exactSize(SizeOp::Add, sum, sizes[size_t(begin)]); });
  return int64_t(sum);
}

int32_t rootOf(const Program &program, int32_t array) {
  while (program.arrays[size_t(array)].storage == Program::Array::Storage::Same)
    array = program.arrays[size_t(array)].number;
  return array;
}

int32_t Program::Control::history(size_t state) const { return historyOf(states[state]); }
bool Program::Control::hasHistoryAxis(size_t state) const {
  return graphc::hasHistoryAxis(states[state]);
}
int64_t Program::Control::lead(size_t sequence) const { return leadOf(sequences[sequence]); }
int64_t Program::Control::margin(size_t sequence) const { return marginOf(sequences[sequence]); }

} // namespace graphc
