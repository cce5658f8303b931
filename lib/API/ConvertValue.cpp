//===- ConvertValue.cpp ---------------------------------------------------===//
#include "ConvertValue.h"

#include "graphc/Config.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

std::string described(const Tensor &value) {
  if (!value.defined())
    return "an undefined Tensor";
  return Type(value.dtype(), value.shape()).brief();
}

/// Whether a 0-d value has exactly the same value in `dtype`.
bool isExactIn(const Tensor &value, DType given) {
  DType dtype = realDType(given);
  Tensor there = value.cast(dtype);
  Tensor before = value.cast(DType::Float64), after = there.cast(DType::Float64);
  // The largest integers of 64 bits are rounded to 2^63 and 2^64, which saturate to them again.
  DType integer = isFloat(dtype) ? value.dtype() : dtype;
  double limit = isSignedInt(integer) ? 0x1p63 : 0x1p64;
  if ((isFloat(dtype) || isFloat(value.dtype())) && after.item<double>() >= limit)
    return false;
  // The two 64-bit dtypes wrap to each other, so the sign is compared as well.
  return there.cast(value.dtype()).identical(value) && after == before;
}

/// F-040 to F-043: which dtypes a value may have, nothing said about casts.
bool isConvertible(const Tensor &value, DType dtype, const ValueRules &rules) {
  if (rules.strict)
    return value.dtype() == dtype;
  if (isComplex(value.dtype()) && !isComplex(dtype)) // F-044, F-046
    return false;
  if (rules.allowDowncast.value_or(false) || canCastSafely(value.dtype(), dtype))
    return true;
  if (value.rank() != 0) // arrays: no look at the elements
    return false;
  if (isInteger(value.dtype()))
    return isExactIn(value, dtype);
  if (isFloat(value.dtype()) && isFloat(dtype))
    return !rules.allowDowncast && value.dtype() == DType::Float64 && dtype == floatX();
  return isFloat(value.dtype()) && isInteger(dtype) && isExactIn(value, dtype);
}

} // namespace

bool isOfType(const Tensor &value, const Type &type) {
  if (!value.defined() || value.dtype() != type.dtype())
    return false;
  absl::Span<const int64_t> wanted = type.shape(), given = value.shape();
  if (given.size() != wanted.size())
    return false;
  for (size_t axis = 0; axis < wanted.size(); ++axis)
    if (wanted[axis] != kDynamic && wanted[axis] != given[axis])
      return false;
  return true;
}

absl::StatusOr<Tensor> convertValue(const Tensor &value, const Type &type,
                                    const ValueRules &rules) {
  auto refused = [&](const std::string &why) {
    return makeError(ErrorKind::TypeError,
                     "wants " + type.brief() + " but got " + described(value) + why);
  };
  if (!value.defined() || value.rank() != type.rank())
    return refused("");
  if (value.dtype() != type.dtype() && !isConvertible(value, type.dtype(), rules))
    return refused(rules.strict ? ": it is strict about the dtype; cast the value"
                                : ": a cast to " + std::string(dtypeName(type.dtype())) +
                                      " could lose values; cast the value");
  for (int axis = 0; axis < type.rank(); ++axis)
    if (type.extent(axis) != kDynamic && type.extent(axis) != value.shape()[axis])
      return refused(": its type says that axis " + std::to_string(axis) + " has extent " +
                     std::to_string(type.extent(axis)));
  Tensor converted = value.cast(type.dtype());
  if (!converted.defined())
    return makeError(ErrorKind::OutOfMemory,
                     "wants " + type.brief() + ": no memory to convert " + described(value));
  return converted;
}

} // namespace graphc
