//===- RandomProgram.h - programs of many ops, shapes and dtypes -----------===//
//
// A graph of random ops over inputs with values. Every step is run by the evaluator when it is
// made: what fails is left out, and what it gives tells the shapes and magnitudes that later steps
// choose by.
//
// There are two kinds. In exact programs all numbers are integers of a few bits, whatever their
// dtype: no sum and no product of them rounds, in any order, so that compiled code must give the
// evaluator's bits, and ops that jump (sorts, comparisons) may read results of arithmetic. In
// smooth ones functions keep values near 1, and nothing jumps.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "RandomGraph.h"
#include "graphc/Ops.h"

namespace graphc::random {

/// A Variable of the program, and what it is for the program's values.
struct Value {
  Variable variable;
  Tensor number;
  int rank() const { return number.rank(); }
  DType dtype() const { return number.dtype(); }
  int64_t extent(int axis) const { return number.shape()[size_t(axis)]; }
};
using Values = std::vector<Value>;

/// Whether floats or complex numbers: what has gradients.
bool isInexact(DType dtype);

struct Program {
  Variables inputs, outputs;
  std::vector<Tensor> values;
  bool isExact = false;
};

Program randomProgram(uint64_t seed);

/// A step that the ops may refuse; `build` is empty where nothing fits.
Step randomStep(Numbers &random, const Values &values, bool isExact);

// Parts of it, in files of their own.

/// Chooses operands and parameters.
class Chooser {
public:
  Chooser(Numbers &random, const Values &values, bool isExact)
      : random(random), values(values), isExact(isExact) {}

  template <class Fits> std::optional<size_t> where(Fits fits) {
    std::vector<size_t> all;
    for (size_t i = 0; i < values.size(); ++i)
      if (fits(values[i]))
        all.push_back(i);
    if (all.empty())
      return std::nullopt;
    // Later ones more often: graphs are deep rather than wide.
    return all[std::max(random.below(all.size()), random.below(all.size()))];
  }
  std::optional<size_t> inexact() {
    return where([](const Value &v) { return isInexact(v.dtype()); });
  }
  std::optional<size_t> integer() {
    return where([](const Value &v) { return isInteger(v.dtype()); });
  }
  /// Another of this shape, or what broadcasts to it.
  size_t beside(size_t a);
  /// Of a value that has axes.
  int axisOf(size_t a) { return int(random.below(size_t(values[a].rank()))); }
  /// Some of its axes, perhaps none or all.
  std::vector<int> axesOf(size_t a);
  int64_t from(int64_t low, int64_t high) {
    return low + int64_t(random.below(size_t(high - low + 1)));
  }

  Numbers &random;
  const Values &values;
  bool isExact;
};

inline Variables list(const Variable &v) { return {v}; }
/// x[:, :, ...], so many, to be followed by an index.
inline std::vector<Index> wholeAxes(int count) {
  return std::vector(size_t(count), Index(Slice()));
}

Step elementwiseStep(Chooser &c);
Step reductionStep(Chooser &c);
Step movingStep(Chooser &c);
Step joiningStep(Chooser &c);
/// A reduction with extents of 1 left, joined to what it reduces, or put or added there.
Step besideStep(Chooser &c);
Step indexStep(Chooser &c);
Step orderStep(Chooser &c);
Step productStep(Chooser &c);
Step windowStep(Chooser &c);
Step controlStep(Chooser &c);

} // namespace graphc::random
