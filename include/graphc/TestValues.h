//===- graphc/TestValues.h - example values while building ------*- C++ -*-===//
#pragma once

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "graphc/Tensor.h"
#include "graphc/Variable.h"

namespace graphc {

struct FunctionOptions;
struct GraphModule;

/// F-350: while one lives, nodes that its thread makes are computed at once, by the reference
/// evaluator, for example values of the inputs: a mistake of shapes, indices or arguments is the
/// error of the very Variable that it was made with, at its place, and not of a call later on.
///
///   TestValues values;
///   absl::Status known = values.set(x, Tensor({1.0, 2.0}));
///   Variable y = x + w;     // invalid, and y.status() says why, if w has three elements
///
/// Constants have their data, and shared variables the value that they have when a node reads them.
/// A node of which an operand has no value has none, and is not looked at.
/// `function` also makes the rewrites of its mode on these values, where all inputs have one, and
/// fails with DebugMismatch at the first that would give a Variable another shape or dtype.
///
/// Others may live within it, which have values of their own alone. To be destroyed by the thread
/// that made it, the last one first. Its functions are not thread-safe.
class TestValues {
public:
  TestValues();
  ~TestValues();
  TestValues(const TestValues &) = delete;
  TestValues &operator=(const TestValues &) = delete;

  /// For nodes that are made from now on. TypeError for a value that is not of the Variable's type,
  /// and where that has no tensor type.
  absl::Status set(const Variable &v, const Tensor &value);
  /// Nothing where there is none.
  std::optional<Tensor> find(const Variable &v) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace graphc
