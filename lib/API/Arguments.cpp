//===- Arguments.cpp ------------------------------------------------------===//
#include "Arguments.h"

#include <algorithm>

#include "Support/Text.h"

namespace graphc {
namespace {

/// "F: argument 0 ('x') ...", at the place where x was made.
absl::Status argumentError(ErrorKind kind, const Signature &s, size_t position,
                           const std::string &what) {
  std::string message = s.function.empty() ? "function" : s.function;
  message += ": argument " + std::to_string(position);
  if (!s.names[position].empty())
    message += " ('" + s.names[position] + "')";
  return makeError(kind, message + " " + what, s.places[position]);
}

absl::StatusOr<Tensor> convert(const Signature &s, size_t position, const Tensor &value,
                               bool asItIs) {
  if (asItIs && value.defined() && value.dtype() != s.types[position].dtype())
    return argumentError(ErrorKind::TypeError, s, position,
                         "wants " + s.types[position].brief() + " but got " +
                             Type(value.dtype(), value.shape()).brief() +
                             ", and trustInput is set: nothing is converted");
  absl::StatusOr<Tensor> converted = convertValue(value, s.types[position], s.rules[position]);
  if (!converted.ok())
    return argumentError(errorKind(converted.status()), s, position,
                         std::string(converted.status().message()));
  return converted;
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
  for (size_t i = 0; i < values.size(); ++i)
    if (!isOfType(values[i], s.types[i]))
      return false;
  return true;
}

absl::StatusOr<std::vector<Tensor>> bindArguments(const Signature &s,
                                                  std::vector<Tensor> positional,
                                                  absl::Span<const NamedValue> named,
                                                  bool asTheyAre) {
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
    if (found == count && std::find(s.implicitNames.begin(), s.implicitNames.end(),
                                    argument.name) != s.implicitNames.end())
      return makeError(ErrorKind::TypeError,
                       function + ": '" + std::string(argument.name) +
                           "' takes no argument: its value is stored; set it with f[\"" +
                           std::string(argument.name) + "\"].set");
    if (found == count)
      return makeError(ErrorKind::TypeError, function + ": no input is called '" +
                                                 std::string(argument.name) + "'; " + listNames(s));
    if (given[found])
      return argumentError(ErrorKind::TypeError, s, found, "is given twice");
    given[found] = true;
    values[found] = argument.value;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!given[i] && s.mayBeMissing[i])
      continue;
    if (!given[i])
      return argumentError(ErrorKind::TypeError, s, i, "is missing");
    absl::StatusOr<Tensor> value = convert(s, i, values[i], asTheyAre);
    if (!value.ok())
      return value.status();
    values[i] = *std::move(value);
  }
  return values;
}

} // namespace graphc
