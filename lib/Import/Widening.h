//===- Import/Widening.h - arrays made wider or cut at their ends ---*- C++ -*-===//
#pragma once

#include "Import/ShapeTerms.h"

namespace graphc {

/// What stands in front of and behind each axis of an operand: numbers, or 0-d Variables; of
/// negative ones so much is cut off.
struct Widths {
  Terms front, back;
  /// Nothing yet, of `rank` axes.
  explicit Widths(int rank)
      : front(size_t(rank), Operand(int64_t(0))), back(size_t(rank), Operand(int64_t(0))) {}
};

/// x made wider. Constant, Edge, Reflect and Wrap.
Variable widened(OnnxNode &n, Variable x, const Widths &widths, const PadOptions &options);

/// A term as a 0-d int64 Variable.
Variable wholeNumber(OnnxNode &n, const Operand &term);
bool isNumber(const Operand &term);

} // namespace graphc
