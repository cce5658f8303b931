//===- Quantization.cpp - integers that stand for real numbers ---------------------------===//
#include <cmath>

#include "Build.h"
#include "CallScope.h"
#include "Rules.h"
#include "graphc/Neural.h"

namespace graphc {
namespace {

/// A parameter for each slice along the axis; one for all, or arrays of x's rank, as they are.
Variable besideAxis(const Variable &parameter, const Variable &x, int axis) {
  if (parameter.rank() != 1)
    return parameter;
  std::vector<int> order(size_t(x.rank()), -1);
  order[size_t(axis < 0 ? axis + x.rank() : axis)] = 0;
  return dimshuffle(parameter, order);
}

/// What is wrong with the operands, or nothing.
std::string mistake(const Variable &x, const Variable &scale, const Variable &zero,
                    const Variable &integers, int axis) {
  auto fits = [&](const Variable &v) { return v.rank() <= 1 || v.rank() == x.rank(); };
  if (!isFloat(scale.dtype()) || !isInteger(zero.dtype()) || !fits(scale) || !fits(zero))
    return "scale is a float, zero an integer: numbers, vectors, or arrays of x's rank";
  if (!isInteger(integers.dtype()) || byteSize(integers.dtype()) > 4)
    return "the integers have 8, 16 or 32 bits, not " + std::string(dtypeName(integers.dtype()));
  if ((scale.rank() == 1 || zero.rank() == 1) && (axis < -x.rank() || axis >= x.rank()))
    return "x has no axis " + std::to_string(axis);
  return {};
}

/// The least and the greatest number of an integer dtype.
std::pair<double, double> rangeOf(DType dtype) {
  int bits = 8 * int(byteSize(dtype));
  if (isSignedInt(dtype))
    return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  return {0, std::ldexp(1.0, bits) - 1};
}

} // namespace

Variable quantize(const Operand &operand, const Operand &scaleOperand, const Operand &zeroOperand,
                  int axis) {
  CallScope scope(operand);
  Variable x = asVariable(operand), scale = asVariable(scaleOperand),
           zero = asVariable(zeroOperand);
  for (const Variable &v : {x, scale, zero})
    if (!v.ok())
      return v;
  if (std::string why = mistake(x, scale, zero, zero, axis); !why.empty() || !isFloat(x.dtype()))
    return invalidAt(operand, ErrorKind::TypeError, "quantize", why.empty() ? "x is a float" : why);
  // In float64 every integer of 32 bits is exact, in float32 those of 16.
  DType inner =
      byteSize(zero.dtype()) > 2 ? DType::Float64 : computeDType(promote(x.dtype(), scale.dtype()));
  Variable wide = cast(x, inner) / cast(besideAxis(scale, x, axis), inner);
  Variable moved = roundHalfToEven(wide) + cast(besideAxis(zero, x, axis), inner);
  auto [low, high] = rangeOf(zero.dtype());
  return cast(clip(moved, low, high), zero.dtype());
}

Variable dequantize(const Operand &operand, const Operand &scaleOperand, const Operand &zeroOperand,
                    int axis) {
  CallScope scope(operand);
  Variable x = asVariable(operand), scale = asVariable(scaleOperand),
           zero = asVariable(zeroOperand);
  for (const Variable &v : {x, scale, zero})
    if (!v.ok())
      return v;
  if (std::string why = mistake(x, scale, zero, x, axis); !why.empty())
    return invalidAt(operand, ErrorKind::TypeError, "dequantize", why);
  DType whole = byteSize(x.dtype()) > 2 ? DType::Int64 : DType::Int32,
        inner = computeDType(scale.dtype());
  Variable offset = cast(x, whole) - cast(besideAxis(zero, x, axis), whole);
  return cast(cast(offset, inner) * cast(besideAxis(scale, x, axis), inner), scale.dtype());
}

Variable matmulInteger(const Operand &first, const Operand &second, const Operand &zeroOfX,
                       const Operand &zeroOfY) {
  CallScope scope(first);
  Variable x = asVariable(first), y = asVariable(second), zx = asVariable(zeroOfX),
           zy = asVariable(zeroOfY);
  for (const Variable &v : {x, y, zx, zy})
    if (!v.ok())
      return v;
  for (const Variable &v : {x, y})
    if (!isInteger(v.dtype()) || byteSize(v.dtype()) > 2)
      return invalidAt(first, ErrorKind::TypeError, "matmulInteger",
                       "the matrices are integers of 8 or 16 bits, not " +
                           std::string(dtypeName(v.dtype())));
  if ((zx.rank() == 1 && x.rank() < 2) || (zy.rank() == 1 && y.rank() < 1))
    return invalidAt(first, ErrorKind::TypeError, "matmulInteger",
                     "a vector of zeros is for the rows or columns of a matrix");
  auto centred = [](const Variable &v, const Variable &zero, int axis) {
    Variable wide = cast(zero, DType::Int32);
    return cast(v, DType::Int32) - (zero.rank() == 1 ? besideAxis(wide, v, axis) : wide);
  };
  return matmul(Operand(centred(x, zx, -2), first.place()), centred(y, zy, -1));
}

} // namespace graphc
