//===- Graph/Literals.cpp - dtypes of C++ numbers among operands ----------===//
#include "Graph/Literals.h"

#include <initializer_list>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "graphc/Config.h"
#include "graphc/Status.h"

namespace graphc {

namespace {

/// An integer literal: int64 values and uint64 values above them.
struct Integer {
  bool large;
  int64_t value;

  explicit Integer(const Tensor &tensor)
      : large(tensor.dtype() == DType::UInt64), value(large ? 0 : tensor.item<int64_t>()) {}

  DType alone() const { return large ? DType::UInt64 : DType::Int64; }

  /// Whether every bit of it fits into this integer dtype.
  bool fits(DType dtype) const {
    if (dtype == DType::UInt64)
      return large || value >= 0;
    if (large)
      return false;
    int bits = bitWidth(dtype);
    if (isUnsignedInt(dtype))
      return value >= 0 && value < int64_t(1) << bits;
    return bits == 64 || (value >= -(int64_t(1) << (bits - 1)) && value < int64_t(1) << (bits - 1));
  }
};

} // namespace

/// The widest of the float dtypes among these, and of the parts of complex ones, if any.
static std::optional<DType> widestFloat(absl::Span<const DType> dtypes) {
  std::optional<DType> widest;
  for (DType given : dtypes)
    if (DType dtype = realDType(given); isFloat(dtype))
      widest = widest ? promote(*widest, dtype) : dtype;
  return widest;
}

static DType integerDType(const Integer &literal, absl::Span<const DType> operands) {
  if (operands.empty())
    return literal.alone();
  DType promoted = promote(operands);
  absl::InlinedVector<DType, 8> all(operands.begin(), operands.end());
  all.push_back(literal.alone());
  if (promote(all) == promoted)
    return literal.alone();
  if (std::optional<DType> widest = widestFloat(operands))
    return *widest;
  // A number next to truth values counts: bool does not hold it.
  if (isInteger(promoted) && literal.fits(promoted))
    return promoted;
  for (DType dtype : {DType::Int8, DType::Int16, DType::Int32, DType::Int64})
    if (literal.fits(dtype))
      return dtype;
  return DType::UInt64;
}

absl::StatusOr<Tensor> wrapLiteral(const Tensor &value, absl::Span<const DType> operands,
                                   Literals rule) {
  bool isFloatLiteral = isFloat(value.dtype());
  if (rule == Literals::Int64) {
    if (isFloatLiteral || isComplex(value.dtype()))
      return makeError(ErrorKind::TypeError, value.str() +
                                                 (isFloatLiteral ? " is a float" : " is complex") +
                                                 " where a size or an index is needed");
    if (value.dtype() == DType::UInt64)
      return makeError(ErrorKind::ValueError, value.str() + " does not fit into int64");
    return value;
  }
  if (isComplex(value.dtype()))
    return value.cast(complexDType(widestFloat(operands).value_or(floatX())));
  if (isFloatLiteral)
    return value.cast(widestFloat(operands).value_or(floatX()));
  return value.cast(integerDType(Integer(value), operands));
}

} // namespace graphc
