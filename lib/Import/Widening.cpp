//===- Widening.cpp - arrays made wider or cut at their ends ----------------===//
#include "Import/Widening.h"

namespace graphc {

bool isNumber(const Operand &term) { return term.isWeak(); }

Variable wholeNumber(OnnxNode &n, const Operand &term) {
  if (term.isWeak())
    return n.adopt(term.weakValue().cast(DType::Int64));
  return cast(term, DType::Int64);
}

namespace {

int64_t numberOf(const Operand &term) { return term.weakValue().item<int64_t>(); }

/// How much an end is cut, or widened.
Operand cutOf(OnnxNode &n, const Operand &width) {
  if (isNumber(width))
    return Operand(std::max<int64_t>(0, -numberOf(width)));
  return n.at(maximum(n.at(neg(width)), 0));
}
Operand addedOf(OnnxNode &n, const Operand &width) {
  if (isNumber(width))
    return Operand(std::max<int64_t>(0, numberOf(width)));
  return n.at(maximum(width, 0));
}

/// x without what negative widths cut off.
Variable cut(OnnxNode &n, const Variable &x, const Widths &widths) {
  std::vector<Index> kept;
  bool any = false;
  for (int k = 0; k < x.rank(); ++k) {
    Operand front = cutOf(n, widths.front[size_t(k)]), back = cutOf(n, widths.back[size_t(k)]);
    Operand stop(kEnd);
    if (!isNumber(back))
      stop = n.at(sub(n.at(wholeNumber(n, extentTerm(n, x, k))), back));
    else if (numberOf(back) > 0)
      stop = Operand(-numberOf(back));
    any |= !isNumber(front) || numberOf(front) > 0 || !isNumber(back) || numberOf(back) > 0;
    kept.emplace_back(Slice(front, stop));
  }
  return any ? subtensor(n.at(x), kept) : x;
}

/// Which element of an axis of `extent` stands at `at`, which may lie outside.
Variable sourceOf(OnnxNode &n, PadMode mode, const Variable &at, const Variable &extent) {
  Variable last = sub(n.at(extent), 1);
  switch (mode) {
  case PadMode::Wrap:
    return mod(n.at(at), extent);
  case PadMode::Reflect: {
    Variable there = mul(n.at(maximum(n.at(last), 0)), 2);
    Variable k = mod(n.at(at), maximum(n.at(there), 1));
    return minimum(n.at(k), sub(n.at(there), k));
  }
  default:
    return clip(n.at(at), 0, last);
  }
}

/// An axis widened by what is known when the graph runs.
Variable widenedAxis(OnnxNode &n, const Variable &x, int axis, const Operand &front,
                     const Operand &back, const PadOptions &options) {
  Variable extent = wholeNumber(n, extentTerm(n, x, axis)), first = wholeNumber(n, front);
  Variable count = add(n.at(add(n.at(first), extent)), wholeNumber(n, back));
  Variable at = sub(n.at(arange(n.at(count))), first);
  if (options.mode != PadMode::Constant)
    return take(n.at(x), sourceOf(n, options.mode, at, extent), {.axis = axis});
  // Of an axis without elements nothing can be taken: it gets one more.
  std::vector<std::pair<int, int>> one(size_t(x.rank()), {0, 0});
  one[size_t(axis)] = {0, 1};
  Variable value = options.value ? cast(*options.value, x.dtype()) : n.scalar(0, x.dtype());
  Variable taken = take(n.at(pad(n.at(x), one)), sourceOf(n, options.mode, at, extent),
                        {.axis = axis, .mode = TakeMode::Clip});
  Variable inside = logicalAnd(n.at(ge(n.at(at), 0)), lt(n.at(at), extent));
  Variable mask = dimshuffle(n.at(inside), orderAlong(axis, x.rank()));
  return where(n.at(mask), taken, value);
}

} // namespace

Variable widened(OnnxNode &n, Variable x, const Widths &widths, const PadOptions &options) {
  if (!x.ok() || !n.status().ok())
    return x;
  x = cut(n, x, widths);
  std::vector<std::pair<int, int>> known(size_t(x.rank()), {0, 0});
  bool any = false;
  for (int k = 0; k < x.rank(); ++k) {
    Operand front = addedOf(n, widths.front[size_t(k)]), back = addedOf(n, widths.back[size_t(k)]);
    if (!isNumber(front) || !isNumber(back)) {
      x = widenedAxis(n, x, k, front, back, options);
      continue;
    }
    known[size_t(k)] = {n.toInt(numberOf(front), "the padding"),
                        n.toInt(numberOf(back), "the padding")};
    any |= known[size_t(k)] != std::pair(0, 0);
  }
  return any && n.status().ok() ? pad(n.at(x), known, options) : x;
}

} // namespace graphc
