//===- Arguments.h - values for a function's inputs ---------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "API/ConvertValue.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Function.h"

namespace graphc {

/// What the arguments of a call are checked against.
struct Signature {
  std::string function; // "" has no name
  std::vector<std::string> names;
  std::vector<Type> types;
  std::vector<Place> places; // where the Variables were made
  std::vector<ValueRules> rules;
  std::vector<bool> mayBeMissing;
  /// F-201: inputs that take no argument, for the message that says so.
  std::vector<std::string> implicitNames;
};

/// Whether positional values can be taken as they are: as many as inputs, of just their types.
bool fit(const Signature &signature, absl::Span<const Tensor> values);

/// F-201: one value per input from positional and named ones; each converted as F-039 to F-045
/// say, or refused where it must be taken as it is (F-199); undefined where it may be missing and
/// is. TypeError.
absl::StatusOr<std::vector<Tensor>> bindArguments(const Signature &signature,
                                                  std::vector<Tensor> positional,
                                                  absl::Span<const NamedValue> named,
                                                  bool asTheyAre);

} // namespace graphc
