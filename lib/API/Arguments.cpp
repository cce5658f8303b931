//===- Arguments.cpp ------------------------------------------------------===//
#include "Arguments.h"

#include "Support/Text.h"
#include "graphc/Config.h"

namespace graphc {
namespace {

std::string described(const Tensor &value) {
  if (!value.defined())
    return "an undefined Tensor";
  return Type(value.dtype(), value.shape()).brief();
}

/// "F: argument 0 ('x') ..."
absl::Status argumentError(ErrorKind kind, const Signature &s, size_t position,
                           const std::string &what) {
  std::string message = s.function.empty() ? "function" : s.function;
  message += ": argument " + std::to_string(position);
  if (!s.names[position].empty())
    message += " ('" + s.names[position] + "')";
  return makeError(kind, message + " " + what);
}

/// Whether a 0-d value has exactly the same value in `dtype`.
bool isExactIn(const Tensor &value, DType dtype) {
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

/// F-040 to F-043: which dtypes a value may have for an input, nothing said about casts.
bool isConvertible(const Tensor &value, DType dtype) {
  if (canCastSafely(value.dtype(), dtype))
    return true;
  if (value.rank() != 0) // arrays: no look at the elements
    return false;
  if (isInteger(value.dtype()))
    return isExactIn(value, dtype);
  if (isFloat(value.dtype()) && isFloat(dtype))
    return value.dtype() == DType::Float64 && dtype == floatX();
  return isFloat(value.dtype()) && isInteger(dtype) && isExactIn(value, dtype);
}

absl::StatusOr<Tensor> convert(const Signature &s, size_t position, const Tensor &value) {
  const Type &type = s.types[position];
  auto wanted = [&] { return "wants " + type.brief() + " but got " + described(value); };
  if (!value.defined() || value.rank() != type.rank())
    return argumentError(ErrorKind::TypeError, s, position, wanted());
  if (value.dtype() != type.dtype() && !isConvertible(value, type.dtype()))
    return argumentError(ErrorKind::TypeError, s, position,
                         wanted() + ": a cast to " + std::string(dtypeName(type.dtype())) +
                             " could lose values; cast the value");
  for (int axis = 0; axis < type.rank(); ++axis)
    if (type.extent(axis) != kDynamic && type.extent(axis) != value.shape()[axis])
      return argumentError(ErrorKind::TypeError, s, position,
                           wanted() + ": its type says that axis " + std::to_string(axis) +
                               " has extent " + std::to_string(type.extent(axis)));
  return value.dtype() == type.dtype() ? value : value.cast(type.dtype());
}

std::string listNames(const Signature &s) {
  std::vector<std::string> known;
  size_t unnamed = 0;
  for (const std::string &name : s.names)
    if (name.empty())
      ++unnamed;
    else
      known.push_back("'" + name + "'");
  std::string text = known.empty() ? "no input has a name" : "its inputs are " + join(known, ", ");
  if (unnamed && !known.empty())
    text += " and " + std::to_string(unnamed) + " without a name";
  return text;
}

} // namespace

bool fit(const Signature &s, absl::Span<const Tensor> values) {
  if (values.size() != s.types.size())
    return false;
  for (size_t i = 0; i < values.size(); ++i) {
    const Tensor &value = values[i];
    if (!value.defined() || value.dtype() != s.types[i].dtype())
      return false;
    absl::Span<const int64_t> wanted = s.types[i].shape(), given = value.shape();
    if (given.size() != wanted.size())
      return false;
    for (size_t axis = 0; axis < wanted.size(); ++axis)
      if (wanted[axis] != kDynamic && wanted[axis] != given[axis])
        return false;
  }
  return true;
}

absl::StatusOr<std::vector<Tensor>> bindArguments(const Signature &s,
                                                  std::vector<Tensor> positional,
                                                  absl::Span<const NamedValue> named) {
  std::string function = s.function.empty() ? "function" : s.function;
  size_t count = s.types.size();
  if (positional.size() > count)
    return makeError(ErrorKind::TypeError, function + ": takes " + counted(count, "argument") +
                                               " but got " + std::to_string(positional.size()) +
                                               "; " + listNames(s));
  std::vector<bool> given(count, false);
  std::fill_n(given.begin(), positional.size(), true);
  std::vector<Tensor> values = std::move(positional);
  values.resize(count);
  for (const NamedValue &argument : named) {
    size_t found = count;
    for (size_t i = 0; i < count; ++i) {
      if (s.names[i] != argument.name || argument.name.empty())
        continue;
      if (found != count)
        return makeError(ErrorKind::TypeError,
                         function + ": the name '" + std::string(argument.name) +
                             "' is ambiguous: inputs " + std::to_string(found) + " and " +
                             std::to_string(i) + " have it; give them by position");
      found = i;
    }
    if (found == count)
      return makeError(ErrorKind::TypeError, function + ": no input is called '" +
                                                 std::string(argument.name) + "'; " + listNames(s));
    if (given[found])
      return argumentError(ErrorKind::TypeError, s, found, "is given twice");
    given[found] = true;
    values[found] = argument.value;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!given[i])
      return argumentError(ErrorKind::TypeError, s, i, "is missing");
    absl::StatusOr<Tensor> value = convert(s, i, values[i]);
    if (!value.ok())
      return value.status();
    values[i] = *std::move(value);
  }
  return values;
}

} // namespace graphc
