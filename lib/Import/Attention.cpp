//===- Attention.cpp - Attention and RotaryEmbedding -------------------------===//
#include <cmath>

#include "Import/Broadcast.h"
#include "Import/Heads.h"
#include "Import/Translations.h"
#include "Import/Widening.h"

namespace graphc {
namespace {

/// Queries share keys and values in groups of heads that stand side by side: axis 1 of a
/// four-dimensional array as two, of which one is known; and back.
struct HeadGroups {
  Operand shared = Operand(int64_t(1)); // heads of keys and values
  bool any = false;

  HeadGroups(OnnxNode &n, const Variable &q, const Variable &k)
      : shared(extentTerm(n, k, 1)),
        any(q.type().extent(1) == kDynamic || q.type().extent(1) != k.type().extent(1)) {
    int64_t queries = q.type().extent(1), keys = k.type().extent(1);
    if (queries != kDynamic && keys != kDynamic && (keys < 1 || queries % keys != 0))
      n.fail(ErrorKind::ValueError, std::to_string(queries) + " heads of queries for " +
                                        std::to_string(keys) + " of keys");
  }
  Variable split(OnnxNode &n, const Variable &x) const {
    if (!any)
      return x;
    return reshape(n.at(x), shapeOf(n, {extentTerm(n, x, 0), shared, Operand(int64_t(-1)),
                                        extentTerm(n, x, 2), extentTerm(n, x, 3)}));
  }
  Variable shareAxis(OnnxNode &n, const Variable &x) const {
    return any ? expandDims(n.at(x), Axis(2)) : x;
  }
  Variable join(OnnxNode &n, const Variable &x) const {
    if (!any)
      return x;
    return reshape(n.at(x), shapeOf(n, {extentTerm(n, x, 0), extentProduct(n, x, 1, 3),
                                        extentTerm(n, x, 3), extentTerm(n, x, 4)}));
  }
};

/// The mask, whose last axis may be shorter than there are keys from set 24 on.
Variable wholeMask(OnnxNode &n, const Variable &mask, const Variable &scores) {
  const int last = mask.rank() - 1;
  if (n.opset() < 24 || last < 0 || n.extents().surelyEqual(mask, last, scores, 3))
    return mask;
  Widths widths(mask.rank());
  Operand keys = extentTerm(n, scores, 3), own = extentTerm(n, mask, last);
  widths.back[size_t(last)] =
      isNumber(keys) && isNumber(own)
          ? Operand(std::max<int64_t>(0, keys.weakValue().item<int64_t>() -
                                             own.weakValue().item<int64_t>()))
          : n.at(maximum(n.at(sub(n.at(wholeNumber(n, keys)), wholeNumber(n, own))), 0));
  PadOptions options;
  options.value =
      mask.dtype() == DType::Bool ? n.scalar(0, DType::Bool) : n.scalar(-HUGE_VAL, mask.dtype());
  return widened(n, mask, widths, options);
}

/// Scores with -inf where a query must not see a key: bool masks, what is no key any more, and with
/// is_causal the keys behind the query's own.
Variable masked(OnnxNode &n, Variable scores, const Variable &past) {
  Variable hidden = n.scalar(-HUGE_VAL, scores.dtype());
  if (n.has(3)) {
    Variables both = broadcastTogether(n, {scores, wholeMask(n, n.in(3), scores)});
    scores = both[1].dtype() == DType::Bool ? where(n.at(both[1]), both[0], hidden)
                                            : add(n.at(both[0]), both[1]);
  }
  Variable keys = positionsAlong(n, extentTerm(n, scores, 3), 3, 4);
  Variable valid; // [batch, 1, 1, 1]
  if (n.has(6))
    valid = dimshuffle(n.at(cast(n.arg(6), DType::Int64)), {0, -1, -1, -1});
  if (n.getBool("is_causal", false)) {
    Operand queries = extentTerm(n, scores, 2);
    Variable own = positionsAlong(n, queries, 2, 4);
    if (past.ok())
      own = add(n.at(own), wholeNumber(n, extentTerm(n, past, 2)));
    else if (valid.ok())
      own = add(n.at(own), sub(n.at(valid), wholeNumber(n, queries)));
    scores = where(n.at(le(n.at(keys), own)), scores, hidden);
  }
  return valid.ok() ? where(n.at(lt(n.at(keys), valid)), scores, hidden) : scores;
}

/// Softmax over the keys; a query that sees none gives 0.
Variable probabilities(OnnxNode &n, const Variable &scores) {
  if (!n.has(3) && !n.has(6))
    return softmax(n.at(scores));
  Variable none = n.scalar(0, scores.dtype());
  Variable greatest = max(n.at(scores), ReductionOptions{.axes = Axis(-1), .keepDims = true});
  Variable any = neq(n.at(greatest), n.scalar(-HUGE_VAL, scores.dtype()));
  Variable seen = softmax(n.at(where(n.at(any), scores, none)));
  return where(n.at(any), seen, none);
}

Variables attentionOf(OnnxNode &n) {
  Variable q = n.in(0), k = n.in(1), v = n.in(2);
  if (!n.status().ok())
    return {};
  const bool joined = q.rank() == 3;
  if ((q.rank() != 3 && q.rank() != 4) || k.rank() != q.rank() || v.rank() != q.rank())
    return {n.fail(ErrorKind::TypeError,
                   "Q, K and V must all have rank 3 or all 4: " + q.type().brief() + ", " +
                       k.type().brief() + " and " + v.type().brief())};
  if (joined) {
    int64_t heads = n.getInt("q_num_heads", 0), keyHeads = n.getInt("kv_num_heads", 0);
    if (heads < 1 || keyHeads < 1)
      return {n.fail(ErrorKind::ValueError, "q_num_heads and kv_num_heads must be given, and be "
                                            "positive, where Q has rank 3")};
    q = withHeads(n, q, heads);
    k = withHeads(n, k, keyHeads);
    v = withHeads(n, v, keyHeads);
  }
  Variable past = n.has(4) ? n.in(4) : Variable();
  if (n.has(4) != n.has(5))
    return {n.fail(ErrorKind::ValueError, "past_key and past_value must be given together")};
  if (past.ok()) {
    k = concatenate({n.at(past), n.at(k)}, 2);
    v = concatenate({n.arg(5), n.at(v)}, 2);
  }
  HeadGroups groups(n, q, k);
  int mode = n.getSmallInt("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    n.fail(ErrorKind::ValueError, "attribute qk_matmul_output_mode is " + std::to_string(mode));
  std::optional<DType> precision = n.getDType("softmax_precision");
  if (!n.status().ok())
    return {};

  Variable scale;
  if (n.hasAttribute("scale"))
    scale = n.scalar(n.getFloat("scale", 1), q.dtype());
  else
    scale = cast(n.at(rsqrt(n.at(cast(n.at(wholeNumber(n, extentTerm(n, q, 3))), DType::Float64)))),
                 q.dtype());
  Variable keys = transpose(n.at(k), {0, 1, 3, 2});
  Variable product = matmul(n.at(groups.split(n, mul(n.at(q), scale))), groups.shareAxis(n, keys));
  Variable scores = groups.join(n, product);
  Variables stages = {scores};
  if (double cap = n.getFloat("softcap", 0); cap > 0) {
    Variable limit = n.scalar(cap, scores.dtype());
    scores = mul(n.at(tanh(n.at(trueDiv(n.at(scores), limit)))), limit);
  }
  stages.push_back(scores);
  scores = masked(n, scores, past);
  stages.push_back(scores);
  Variable weights = probabilities(n, precision ? cast(n.at(scores), *precision) : scores);
  weights = cast(n.at(weights), v.dtype());
  stages.push_back(cast(n.at(weights), q.dtype()));
  Variable result = groups.join(n, matmul(n.at(groups.split(n, weights)), groups.shareAxis(n, v)));
  return {joined ? withoutHeads(n, result) : result, k, v, stages[size_t(mode)]};
}

/// Pairs of numbers of each head turned by angles whose cosines and sines are given for each
/// position: x and y become x cos - y sin and x sin + y cos.
Variables rotaryEmbedding(OnnxNode &n) {
  Variable x = n.in(0);
  if (!x.ok() || (x.rank() != 3 && x.rank() != 4))
    return {n.fail(ErrorKind::TypeError, "the operand must have rank 3 or 4: " + x.type().brief())};
  const bool joined = x.rank() == 3;
  int64_t heads = n.getInt("num_heads", 0), width = n.getInt("rotary_embedding_dim", 0);
  if (joined && heads < 1)
    return {n.fail(ErrorKind::ValueError,
                   "num_heads must be given, and be positive, where the operand has rank 3")};
  if (joined)
    x = withHeads(n, x, heads);
  // [batch, 1, sequence, pairs]
  auto cached = [&](size_t i) {
    Variable table = n.in(i);
    if (n.has(3))
      table = take(n.at(table), n.in(3), {.axis = 0});
    return expandDims(n.at(table), Axis(1));
  };
  Variable cosine = cached(1), sine = cached(2);
  if (!n.status().ok())
    return {};
  Variable turned = width > 0 ? subtensor(n.at(x), {ellipsis, Slice(kEnd, width)}) : x;
  const bool interleaved = n.getBool("interleaved", false);
  Variable first, second;
  if (interleaved) {
    first = subtensor(n.at(turned), {ellipsis, Slice(kEnd, kEnd, 2)});
    second = subtensor(n.at(turned), {ellipsis, Slice(1, kEnd, 2)});
  } else {
    Operand pairs = extentTerm(n, cosine, 3);
    first = subtensor(n.at(turned), {ellipsis, Slice(kEnd, pairs)});
    second = subtensor(n.at(turned), {ellipsis, Slice(pairs, kEnd)});
  }
  const auto [real, imaginary] = turnedPairs(n, first, second, cosine, sine);
  Variable result = concatenate({real, imaginary}, 3);
  if (interleaved) {
    Variable pairs = stack({real, imaginary}, 4);
    Terms extents = {extentTerm(n, real, 0), extentTerm(n, real, 1), extentTerm(n, real, 2),
                     product(n, extentTerm(n, real, 3), Operand(int64_t(2)))};
    result = reshape(n.at(pairs), shapeOf(n, extents));
  }
  if (width > 0)
    result =
        concatenate({n.at(result), n.at(subtensor(n.at(x), {ellipsis, Slice(width, kEnd)}))}, 3);
  return {joined ? withoutHeads(n, result) : result};
}

} // namespace

absl::Span<const Translation> attentionTranslations() {
  static constexpr Translation kTable[] = {
      {"Attention", attentionOf, 23, "a query that sees no key gives 0"},
      {"RotaryEmbedding", rotaryEmbedding, 23},
  };
  return kTable;
}

} // namespace graphc
