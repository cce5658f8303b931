//===- Import/Broadcast.h - broadcasting that the run decides -------*- C++ -*-===//
//
// ONNX broadcasts an axis where an extent is 1, known or not; graphc's ops where a type says 1
// (F-019). Where an unknown extent may be 1 and another operand's need not be, the operand is read
// by `take` along the axis: at 0 everywhere if its extent is 1, else at each position.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>

#include "Import/OnnxNode.h"
#include "Ops/StaticShapes.h"

namespace graphc {

/// Extents of a graph's Variables as sizes that can be compared.
class SymbolicExtents {
public:
  /// Whether the two are the same in every run that does not fail. Keeps both Variables.
  bool surelyEqual(const Variable &a, int axisA, const Variable &b, int axisB);
  /// The same for an extent and a 0-d integer Variable; a number is not compared.
  bool surelyEqual(const Variable &x, int axis, const Operand &extent);
  /// The value of a 0-d integer or Bool that follows from static extents.
  std::optional<int64_t> number(const Variable &v);

private:
  Extent extentOf(const Variable &v, int axis);

  Emitter emitter_;
  OperandEmitter operands_{emitter_, OperandEmitter::Follow::Everything};
  Variables kept_;
};

/// The operands such that graphc's ops broadcast them as ONNX says, but for the last `numOwn` axes
/// of each, which do not broadcast.
Variables broadcastTogether(OnnxNode &n, Variables operands, int numOwn = 0);

/// An operand's axis.
struct OperandAxis {
  Variable *of;
  int number;
  int64_t extent() const { return of->type().extent(number); }
};
/// These axes, of operands that become such that graphc's ops broadcast the axes among each other.
void broadcastAxes(OnnxNode &n, std::vector<OperandAxis> axes);

/// v such that graphc's ops broadcast it to x, which stays as it is.
Variable broadcastInto(OnnxNode &n, const Variable &v, const Variable &x);
/// The same of a vector that has an element for each slice of x along an axis.
Variable stretchedAlong(OnnxNode &n, const Variable &vector, const Variable &x, int axis);

/// x such that broadcastTo makes it of `shape`, which becomes what ONNX's Expand means by it.
Variable expandable(OnnxNode &n, const Variable &x, std::vector<Operand> &shape);

} // namespace graphc
