//===- Sequences.cpp - losses of unsegmented sequences, complex recurrences ----===//
//
// Loops over times. Connectionist temporal classification is lib/Routines/Ctc.cpp's recurrences on
// all sequences of the batch at once: sums over paths, in logarithms, of the labels with blanks
// around them, each with its derivative in a direction where one is given.
//
//===----------------------------------------------------------------------===//
#include <limits>

#include "Export/ExportRules.h"
#include "Ops/Build.h"
#include "graphc/Indexing.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

V never() { return number(-std::numeric_limits<double>::infinity()); }
V isNever(const V &x) { return eq(x, never()); }

//===--- numbers with derivatives -----------------------------------------------------===//

/// Logarithms, and their derivatives if there is a direction.
using Dual = Vs;

Dual plus(const Dual &x, const Dual &y) {
  Dual sum;
  for (size_t k = 0; k < x.size(); ++k)
    sum.push_back(add(x[k], y[k]));
  return sum;
}
Dual logSum(const Dual &x, const Dual &y) {
  V most = maximum(x[0], y[0]), isNone = isNever(most);
  V distance = where(logicalOr(isNever(x[0]), isNever(y[0])), never(), neg(abs(sub(x[0], y[0]))));
  distance = where(eq(x[0], y[0]), number(0), distance);
  V value = where(isNone, never(), add(where(isNone, number(0), most), log1p(exp(distance))));
  if (x.size() == 1)
    return {value};
  auto part = [&](const Dual &d) {
    V isOut = logicalOr(isNone, isNever(d[0]));
    return where(isOut, number(0), mul(exp(sub(where(isOut, number(0), d[0]), value)), d[1]));
  };
  return {value, add(part(x), part(y))};
}
/// x where the mask says so, else y.
Dual chosen(const V &mask, const Dual &x, const Dual &y) {
  Dual result;
  for (size_t k = 0; k < x.size(); ++k)
    result.push_back(where(mask, x[k], y[k]));
  return result;
}

//===--- paths ------------------------------------------------------------------------===//

class Paths {
public:
  explicit Paths(const Apply &n);
  V loss() const { return neg(total(run(false).last)[0]); }
  V gradient() const;

private:
  struct Sums {
    Dual all;  // (times, batch, states)
    Dual last; // (batch, states)
  };
  /// Probability 1 in one state, and 0 in all others.
  Dual startingIn(const V &state) const;
  Dual moved(const Dual &x, int64_t by) const;
  Dual at(const Vs &rows) const;
  Sums run(bool isBackward) const;
  Dual total(const Dual &last) const;

  Vs logs_;              // and the direction, (times, batch, classes)
  V times_;              // (batch, 1)
  V labels_;             // with blanks, (batch, states)
  V states_, positions_; // their number, and 0, 1, ...
  V last_;               // the state at the end, (batch, 1)
  V mayJump_;            // whether a path may come there from two before, (batch, states)
};

Paths::Paths(const Apply &n) {
  int64_t blank = n.op().attributes().integer("blank");
  logs_ = {cast(n.input(0), DType::Float64)};
  if (n.numInputs() > 4)
    logs_.push_back(cast(n.input(4), DType::Float64));
  V labels = cast(n.input(1), DType::Int64);
  times_ = expandDims(cast(n.input(2), DType::Int64), Axis(1));
  last_ = mul(expandDims(cast(n.input(3), DType::Int64), Axis(1)), 2);
  // One blank behind all, of which there may be none.
  V blanks = second(last_, constant(Tensor(blank)));
  states_ = add(mul(shape(labels, 1), 2), 1);
  positions_ = arange(states_);
  V isLabel = eq(mod(positions_, 2), 1);
  V all = take(concatenate({labels, blanks}, 1), intDiv(positions_, 2), TakeOptions{.axis = 1});
  labels_ = where(isLabel, all, blanks);
  V before = sliceAlong(concatenate({blanks, blanks, labels_}, 1), 1, Slice(0, states_));
  mayJump_ = logicalAnd(isLabel, logicalAnd(neq(labels_, before), ge(positions_, 2)));
}

Dual Paths::startingIn(const V &state) const {
  Dual result = {where(eq(positions_, state), number(0), never())};
  if (logs_.size() > 1)
    result.push_back(zerosLike(result[0]));
  return result;
}

/// What stands `by` states before each one; -inf before the first and behind the last.
Dual Paths::moved(const Dual &x, int64_t by) const {
  Dual result;
  for (size_t k = 0; k < x.size(); ++k) {
    V edge = second(last_, k == 0 ? never() : number(0));
    V wider = concatenate({edge, edge, x[k], edge, edge}, 1);
    result.push_back(sliceAlong(wider, 1, Slice(2 - by, add(states_, 2 - by))));
  }
  return result;
}

/// Of one time.
Dual Paths::at(const Vs &rows) const {
  Dual result;
  for (const V &row : rows)
    result.push_back(takeAlongAxis(row, labels_, {.axis = 1}));
  return result;
}

/// Forward: by time and state, the sum over all paths up to there. Backward: of what comes after,
/// without the time's own.
Paths::Sums Paths::run(bool isBackward) const {
  std::vector<ScanSequence> sequences = {ScanSequence(arange(shape(logs_[0], 0)))};
  for (const V &row : logs_)
    sequences.push_back(ScanSequence(row));
  Dual start = startingIn(isBackward ? last_ : zerosLike(last_));
  std::vector<ScanOutput> outputs;
  for (const V &part : start)
    outputs.push_back(ScanOutput(part));
  for (size_t k = 0; isBackward && k < start.size(); ++k)
    outputs.push_back(ScanOutput::none());
  const int64_t side = isBackward ? -1 : 1;
  V mayJump = mayJump_;
  if (isBackward)
    mayJump = logicalNot(isNever(moved({where(mayJump_, number(0), never())}, 2 * side)[0]));
  ScanResult loop = scan(
      [&](const Vs &v) {
        const size_t parts = logs_.size();
        Vs rows(v.begin() + 1, v.begin() + 1 + ptrdiff_t(parts));
        Dual before(v.begin() + 1 + ptrdiff_t(parts), v.end());
        Dual sum = logSum(before, moved(before, side));
        sum = chosen(mayJump, logSum(sum, moved(before, 2 * side)), sum);
        V isInside = lt(v[0], times_);
        Dual next = chosen(isInside, plus(sum, at(rows)), before);
        if (isBackward)
          next.insert(next.end(), sum.begin(), sum.end());
        return ScanStep(next);
      },
      {.sequences = sequences, .outputs = outputs, .goBackwards = isBackward});
  Sums sums;
  for (size_t k = 0; k < start.size(); ++k) {
    V all = loop.outputs[isBackward ? start.size() + k : k];
    sums.all.push_back(isBackward ? sliceAlong(all, 0, Slice(kEnd, kEnd, -1)) : all);
    sums.last.push_back(loop.last[k]);
  }
  return sums;
}

/// Of the paths that end in the last two states.
Dual Paths::total(const Dual &last) const {
  auto of = [&](const V &state) {
    V isIt = eq(positions_, state);
    Dual result = {max(where(isIt, last[0], never()), Axis(1))};
    if (last.size() > 1)
      result.push_back(sum(where(isIt, last[1], number(0)), Axis(1)));
    return result;
  };
  return logSum(of(last_), of(sub(last_, 1)));
}

V Paths::gradient() const {
  Sums before = run(false), after = run(true);
  Dual all = total(before.last); // (batch)
  V isNone = expandDims(isNever(all[0]), Axis(1)), timesOf = arange(shape(logs_[0], 0));
  V isInside = lt(expandDims(timesOf, Axes({1, 2})), times_);
  auto rest = [&](size_t k) {
    V own = expandDims(where(isNever(all[0]), number(0), all[k]), Axis(1));
    return sub(add(before.all[k], after.all[k]), own);
  };
  V share = where(logicalOr(isNone, logicalNot(isInside)), number(0), exp(rest(0)));
  if (logs_.size() > 1)
    share = where(eq(share, 0.0), number(0), mul(share, rest(1)));
  V classes = arange(shape(logs_[0], 2));
  V isClass = cast(eq(expandDims(labels_, Axis(2)), classes), DType::Float64);
  V sums = matmul(expandDims(share, Axis(2)), isClass); // (times, batch, 1, classes)
  return neg(squeeze(sums, Axis(2)));
}

Vs composeCtc(const Apply &n) { return {Paths(n).loss()}; }
Vs composeCtcGradient(const Apply &n) { return {Paths(n).gradient()}; }

//===--- recurrences of complex numbers -----------------------------------------------===//

/// Nothing stands before the first: an infinite factor there makes no NaN.
Vs composeComplexRecurrence(const Apply &n) {
  const Attributes &attributes = n.op().attributes();
  int axis = int(axisOf(n));
  bool isReverse = attributes.boolean("reverse"), isShifted = attributes.boolean("shifted");
  auto turned = [&](const V &x) { return isReverse ? sliceAlong(x, 0, Slice(kEnd, kEnd, -1)) : x; };
  std::vector<ScanSequence> parts;
  V none;
  for (int i = 0; i < 4; ++i) {
    V x = turned(moveaxis(cast(n.input(i), DType::Float64), {axis}, {0}));
    if (i == 0)
      none = broadcastTo(number(0), ShapeList(subtensor(shape(x), {Index(Slice(1, kEnd))})));
    V rest = isShifted ? sliceAlong(x, 0, Slice(0, -1)) : sliceAlong(x, 0, Slice(1, kEnd));
    if (i < 2)
      x = concatenate({zerosLike(sliceAlong(x, 0, Slice(0, 1))), rest}, 0);
    parts.push_back(ScanSequence(x));
  }
  ScanResult loop = scan(
      [](const Vs &v) { // factor, term, state
        V re = sub(mul(v[0], v[4]), mul(v[1], v[5])), im = add(mul(v[0], v[5]), mul(v[1], v[4]));
        return ScanStep({add(v[2], re), add(v[3], im)});
      },
      {.sequences = parts, .outputs = {ScanOutput(none), ScanOutput(none)}});
  Vs results;
  for (const V &part : loop.outputs)
    results.push_back(moveaxis(turned(part), {0}, {axis}));
  return results;
}

} // namespace

absl::Span<const ExportRule> sequenceExports() {
  static constexpr ExportRule kTable[] = {
      composed("ctcLoss", composeCtc),
      composed("ctcGradient", composeCtcGradient),
      composed("ctcGradientAlong", composeCtcGradient),
      composed("complexRecurrence", composeComplexRecurrence),
  };
  return kTable;
}

} // namespace graphc
