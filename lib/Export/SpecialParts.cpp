//===- SpecialParts.cpp ------------------------------------------------------===//
#include "Export/SpecialParts.h"

#include <numbers>

#include "graphc/Scan.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

const double kHalfLogTwoPi = 0.918938533204672741780329736405617640;

} // namespace

//===--- iteration ------------------------------------------------------------------===//

WideOperands::WideOperands(const Apply &node) {
  isNan = isnan(wide(node, 0));
  for (int i = 1; i < node.numInputs(); ++i)
    isNan = logicalOr(isNan, isnan(wide(node, i)));
  for (int i = 0; i < node.numInputs(); ++i)
    x.push_back(second(isNan, wide(node, i)));
}

Vs WideOperands::where(const V &isRegular) const {
  Vs chosen;
  for (const V &operand : x)
    chosen.push_back(graphc::where(isRegular, operand, number(0.5)));
  return chosen;
}

Vs iterated(const V &isActive, const Vs &start, int64_t most,
            const std::function<Iterated(const V &k, const Vs &states)> &step) {
  std::vector<Operand> initial = {isActive, number(0)};
  for (const V &state : start)
    initial.push_back(second(isActive, state));
  ScanResult loop = whileLoop([](const Vs &v) { return gt(sum(cast(v[0], DType::Int64)), 0); },
                              [&](const Vs &v) {
                                Vs states(v.begin() + 2, v.end());
                                Iterated after = step(v[1], states);
                                Vs next = {logicalAnd(v[0], after.goesOn), add(v[1], 1.0)};
                                for (size_t i = 0; i < states.size(); ++i)
                                  next.push_back(where(v[0], after.states[i], states[i]));
                                return ScanStep(next);
                              },
                              initial, {.maxSteps = Operand(most)});
  return Vs(loop.outputs.begin() + 2, loop.outputs.end());
}

//===--- logarithms of gamma and beta functions ---------------------------------------===//

V logRest(const V &m, const V &ratio) {
  // log(1 + m) = 2 artanh(s): the powers of s^2 <= 1/9 fall below 1e-17 after the sixteenth.
  constexpr double kOdd[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                             1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25,
                             1.0 / 27, 1.0 / 29, 1.0 / 31, 1.0 / 33, 1.0 / 35};
  V isNear = lt(abs(m), 0.5), near = where(isNear, m, number(0));
  V s = trueDiv(near, add(near, 2.0)), square = mul(s, s);
  V series = sub(mul(near, s), mul(mul(mul(s, square), 2.0), polynomial(kOdd, square)));
  return where(isNear, series, sub(m, log(where(isNear, number(1), ratio))));
}

V betalnAbove(const V &a, const V &b) {
  constexpr double kFar = 10;
  V least = minimum(a, b), most = maximum(a, b), sum = add(a, b);
  // Both far: Stirling's formula, of which large terms cancel.
  V farLeast = maximum(least, kFar), farMost = maximum(most, kFar);
  V farSum = add(farLeast, farMost);
  V rests = sub(add(stirlingRest(farLeast), stirlingRest(farMost)), stirlingRest(farSum));
  V shares = add(mul(sub(farLeast, 0.5), log1p(trueDiv(farMost, farLeast))),
                 mul(farMost, log1p(trueDiv(farLeast, farMost))));
  V far = add(sub(sub(number(kHalfLogTwoPi), shares), mul(log(farMost), 0.5)), rests);
  // One of them: of the difference of the other two.
  V near = minimum(least, kFar), ofNear = gammalnAbove(near), nearSum = add(near, farMost);
  V difference = sub(sub(near, mul(sub(farMost, 0.5), log1p(trueDiv(near, farMost)))),
                     mul(near, log(nearSum)));
  V one = add(ofNear, add(difference, sub(stirlingRest(farMost), stirlingRest(nearSum))));
  // None: of a quotient, whose logarithm is next to 0 where that is.
  V small = minimum(most, kFar);
  V none = add(ofNear, log(trueDiv(gammaAbove(small), gammaAbove(add(near, small)))));
  return where(ge(least, kFar), far, where(ge(most, kFar), one, none));
}

} // namespace graphc
