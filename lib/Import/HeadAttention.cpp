//===- HeadAttention.cpp - com.microsoft: attention of several heads -----------===//
//
// Scores are scale * Q K' plus what is added to them, and -inf where a key is not seen; values are
// averaged by their softmax. Heads: [batch, heads, sequence, width].
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <limits>

#include "Import/Broadcast.h"
#include "Import/Heads.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "graphc/Arrays.h"

namespace graphc {
namespace {

/// Keeps an error if an input from the i-th on is given: the operator has it, and we have not.
void refuseInputsFrom(OnnxNode &n, size_t i) {
  for (; i < n.numInputs(); ++i)
    if (n.has(i))
      n.unsupported("an input number " + std::to_string(i + 1));
}
void refuseFlag(OnnxNode &n, std::string_view attribute) {
  if (n.getInt(attribute, 0) != 0)
    n.unsupported("attribute " + std::string(attribute));
}

/// The past in front of keys or values, if there is one.
Variable behind(OnnxNode &n, size_t past, const Variable &x) {
  return n.has(past) ? concatenate({n.arg(past), n.at(x)}, 2) : x;
}

Variable number(OnnxNode &n, const Operand &extent) {
  return extent.isWeak() ? n.scalar(double(extent.weakValue().item<int64_t>()), DType::Int64)
                         : cast(extent, DType::Int64);
}

/// Which keys a query sees by its position, [queries, keys]: those up to its own, the last query
/// being at the last key.
Variable causal(OnnxNode &n, const Variable &q, const Variable &k) {
  Operand queries = extentTerm(n, q, 2), keys = extentTerm(n, k, 2);
  Variable shift = sub(n.at(number(n, keys)), number(n, queries));
  Variable own = add(n.at(positionsAlong(n, queries, 0, 2)), shift);
  return le(n.at(positionsAlong(n, keys, 1, 2)), own);
}

struct Mask {
  Variable seen;  // Bool, broadcasts to the scores; Invalid: everything
  Variable added; // to the scores; Invalid: nothing
};

Mask both(OnnxNode &n, Mask mask, const Variable &seen) {
  mask.seen = mask.seen.ok() ? logicalAnd(n.at(mask.seen), seen) : seen;
  return mask;
}

/// `hidden`: what stands for -inf.
Variable attended(OnnxNode &n, const Variable &q, const Variable &k, const Variable &v,
                  const Mask &mask, double hidden) {
  int64_t width = q.type().extent(3);
  double scale = n.getFloat("scale", 0);
  if (scale == 0 && width == kDynamic)
    return n.unsupported("heads of unknown width: " + q.type().brief());
  if (scale == 0)
    scale = 1 / std::sqrt(double(width));
  Variable scores =
      matmul(n.at(mul(n.at(q), n.scalar(scale, q.dtype()))), transpose(n.at(k), {0, 1, 3, 2}));
  if (mask.added.ok()) {
    Variables sum = broadcastTogether(n, {scores, mask.added});
    scores = add(n.at(sum[0]), sum[1]);
  }
  if (mask.seen.ok()) {
    Variables chosen = broadcastTogether(n, {mask.seen, scores});
    scores = where(n.at(chosen[0]), chosen[1], n.scalar(hidden, scores.dtype()));
  }
  return withoutHeads(n, matmul(n.at(softmax(n.at(scores))), v));
}

constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// The padding mask of MultiHeadAttention and Attention: [batch, keys], or which pairs
/// [batch, queries, keys].
Mask paddingMask(OnnxNode &n, size_t i) {
  Mask mask;
  if (!n.has(i))
    return mask;
  Variable given = cast(n.arg(i), DType::Bool);
  if (given.rank() == 2)
    mask.seen = dimshuffle(n.at(given), {0, -1, -1, 1});
  else if (given.rank() == 3)
    mask.seen = dimshuffle(n.at(given), {0, -1, 1, 2});
  else
    n.unsupported("a mask " + given.type().brief() +
                  "; one [batch, keys] or [batch, queries, keys] is known");
  return mask;
}

int64_t headsOf(OnnxNode &n, std::string_view attribute) {
  int64_t heads = n.requireInt(attribute);
  if (n.status().ok() && heads < 1)
    n.fail(ErrorKind::ValueError,
           "attribute " + std::string(attribute) + " is " + std::to_string(heads));
  return std::max<int64_t>(1, heads);
}

/// Inputs: query, key, value, bias, key padding mask, what is added to scores, past key and value.
Variables multiHeadAttention(OnnxNode &n) {
  int64_t heads = headsOf(n, "num_heads");
  refuseInputsFrom(n, 8);
  Variable q = n.in(0);
  if (!n.status().ok())
    return {};
  if (!n.has(1) || !n.has(2) || q.rank() != 3)
    return {n.unsupported("queries, keys and values in one array")};
  auto part = [&](size_t i) {
    Variable x = n.in(i);
    if (!x.ok() || x.rank() == 4) // keys and values of another sequence, with heads already
      return x;
    if (n.has(3)) {
      // Biases of the three stand after each other.
      int64_t first = 0;
      for (size_t before = 0; before < i; ++before)
        first += n.in(before).type().extent(2);
      x = add(n.at(x), subtensor(n.arg(3), {Slice(first, first + x.type().extent(2))}));
    }
    return withHeads(n, x, heads);
  };
  if (n.has(3))
    for (size_t i = 0; i < 3; ++i)
      if (n.in(i).rank() != 3 || n.in(i).type().extent(2) == kDynamic)
        return {n.unsupported("a bias of queries, keys and values of unknown width")};
  q = part(0);
  Variable k = behind(n, 6, part(1)), v = behind(n, 7, part(2));
  Mask mask = paddingMask(n, 4);
  if (n.has(5))
    mask.added = n.in(5);
  if (n.getBool("unidirectional", false))
    mask = both(n, mask, causal(n, q, k));
  double hidden = n.getFloat("mask_filter_value", -10000);
  return {attended(n, q, k, v, mask, hidden), k, v};
}

/// Inputs: input [batch, sequence, inputs], weights of queries, keys and values beside each other,
/// bias, mask, past [2, batch, heads, past, width], what is added to scores.
Variables attentionOfInput(OnnxNode &n) {
  int64_t heads = headsOf(n, "num_heads");
  refuseInputsFrom(n, 6);
  refuseFlag(n, "do_rotary");
  if (n.hasAttribute("qkv_hidden_sizes"))
    return {n.unsupported("attribute qkv_hidden_sizes")};
  Variable all = matmul(n.arg(0), n.in(1));
  if (!n.status().ok() || !all.ok() || all.rank() != 3 || all.type().extent(2) == kDynamic)
    return {n.fail(ErrorKind::TypeError, "input must have rank 3, and weights known columns")};
  if (n.has(2))
    all = add(n.at(all), n.in(2));
  int64_t width = all.type().extent(2) / 3;
  auto part = [&](int64_t i) {
    Variable x = subtensor(n.at(all), {Slice(), Slice(), Slice(i * width, (i + 1) * width)});
    x = withHeads(n, x, heads);
    return n.has(4) && i > 0 ? concatenate({n.at(subtensor(n.arg(4), {Index(i - 1)})), n.at(x)}, 2)
                             : x;
  };
  Variable q = part(0), k = part(1), v = part(2);
  Mask mask = paddingMask(n, 3);
  if (n.has(5))
    mask.added = n.in(5);
  if (n.getBool("unidirectional", false))
    mask = both(n, mask, causal(n, q, k));
  double hidden = n.getFloat("mask_filter_value", -10000);
  Variable y = attended(n, q, k, v, mask, hidden);
  return {y, stack({n.at(k), n.at(v)})};
}

/// Turns pairs of numbers of each head by the angles of their positions. `x`: heads; `positions`:
/// [batch, sequence]; tables: [positions, width / 2].
Variable rotated(OnnxNode &n, const Variable &x, const Variable &positions, const Variable &cosines,
                 const Variable &sines, bool interleaved) {
  int64_t half = cosines.type().extent(1);
  if (half == kDynamic)
    return n.unsupported("tables of unknown width: " + cosines.type().brief());
  auto angles = [&](const Variable &table) {
    Variable rows = take(n.at(table), positions, {.axis = 0, .mode = TakeMode::Raise});
    return cast(n.at(dimshuffle(n.at(rows), {0, -1, 1, 2})), x.dtype());
  };
  auto along = [&](Slice slice) { return subtensor(n.at(x), {ellipsis, slice}); };
  Variable c = angles(cosines), s = angles(sines);
  Variable a = interleaved ? along(Slice(0, 2 * half, 2)) : along(Slice(0, half));
  Variable b = interleaved ? along(Slice(1, 2 * half, 2)) : along(Slice(half, 2 * half));
  const auto [left, right] = turnedPairs(n, a, b, c, s);
  std::vector<Operand> parts;
  if (interleaved) {
    Terms shape;
    for (int axis = 0; axis < 3; ++axis)
      shape.push_back(extentTerm(n, x, axis));
    shape.emplace_back(2 * half);
    parts = {n.at(reshape(n.at(stack({n.at(left), n.at(right)}, 4)), shapeOf(n, shape)))};
  } else {
    parts = {n.at(left), n.at(right)};
  }
  parts.push_back(n.at(along(Slice(2 * half, kEnd)))); // which are not turned
  return concatenate(parts, 3);
}

/// Positions from `first`, [batch, 1], on: [batch, sequence].
Variable positionsFrom(OnnxNode &n, const Variable &first, const Operand &count) {
  return add(n.at(first), positionsAlong(n, count, 1, 2));
}

/// Inputs: input, position_ids ([1]: the first; or [batch, sequence]), cosines, sines.
Variables rotaryEmbedding(OnnxNode &n) {
  refuseFlag(n, "is_packed_batching");
  if (n.getFloat("scale", 1) != 1)
    return {n.unsupported("attribute scale")};
  Variable x = n.in(0), ids = cast(n.arg(1), DType::Int64), cosines = n.in(2);
  if (!n.status().ok() || !ids.ok() || cosines.rank() != 2)
    return {n.fail(ErrorKind::TypeError, "the tables must have rank 2")};
  int64_t dimensions = n.getInt("rotary_embedding_dim", 0), heads = n.getInt("num_heads", 0);
  bool joined = x.rank() == 3;
  int64_t width = joined ? x.type().extent(2) : kDynamic;
  if (joined && heads == 0 && (dimensions > 0 || width == kDynamic))
    return {n.unsupported("num_heads must be given")};
  if (joined && heads == 0) {
    const int64_t pairs = cosines.type().extent(1);
    if (pairs == kDynamic)
      return {n.unsupported("num_heads must be given")};
    heads = pairs > 0 ? width / (2 * pairs) : 0;
  }
  if (joined && heads < 1)
    return {n.fail(ErrorKind::ValueError, std::to_string(heads) + " heads of " + x.type().brief() +
                                              " for tables of " + cosines.type().brief())};
  Variable apart = joined ? withHeads(n, x, heads) : x;
  Variable first = ids.rank() == 2 ? ids : reshape(n.at(ids), ShapeList(Ints{1, 1}));
  Variable positions = ids.rank() == 2 ? ids : positionsFrom(n, first, extentTerm(n, apart, 2));
  if (ids.rank() != 2)
    positions = broadcastTo(n.at(positions),
                            shapeOf(n, {extentTerm(n, apart, 0), extentTerm(n, apart, 2)}));
  Variable y = rotated(n, apart, positions, cosines, n.in(3), n.getBool("interleaved", false));
  return {joined ? withoutHeads(n, y) : y};
}

/// The past with x from position `first` of each sentence on. The past may have room behind it, and
/// sentences differ in length: zeros stand behind the end of each.
Variable placedInPast(OnnxNode &n, size_t past, const Variable &x, const Variable &first,
                      const Variable &total) {
  if (!n.has(past))
    return x;
  Operand room = extentTerm(n, n.in(past), 2), queries = extentTerm(n, x, 2);
  std::optional<double> known = room.isWeak() ? n.numberOf(total) : std::nullopt;
  Operand length = known ? Operand(std::max(int64_t(*known), room.weakValue().item<int64_t>()))
                         : n.at(maximum(n.at(total), number(n, room)));
  Variable all = concatenate({n.arg(past), n.at(x)}, 2);
  Variable own = positionsAlong(n, length, 1, 2), within = sub(n.at(own), first);
  Variable isNew = ge(n.at(within), int64_t(0)), isFilled = lt(n.at(within), queries);
  Variable end = number(n, extentTerm(n, all, 2));
  Variable source = minimum(n.at(where(n.at(isNew), add(n.at(within), number(n, room)), own)),
                            sub(n.at(end), int64_t(1)));
  Variable along = broadcastTo(
      n.at(dimshuffle(n.at(source), {0, -1, 1, -1})),
      shapeOf(n, {extentTerm(n, x, 0), extentTerm(n, x, 1), length, extentTerm(n, x, 3)}));
  return where(n.at(dimshuffle(n.at(isFilled), {0, -1, 1, -1})), gatherAlong(n, all, along, 2),
               n.scalar(0, x.dtype()));
}

/// Inputs: query, key, value [batch, sequence, heads * width], past key and value, the last key of
/// each sentence, the number of keys of the longest one, cosines and sines.
Variables groupQueryAttention(OnnxNode &n) {
  int64_t heads = headsOf(n, "num_heads"), shared = headsOf(n, "kv_num_heads");
  refuseInputsFrom(n, 9);
  if (n.getInt("local_window_size", -1) > 0 || n.getFloat("softcap", 0) != 0 ||
      n.getInt("smooth_softmax", -1) > 0)
    return {n.unsupported("local_window_size, softcap and smooth_softmax")};
  if (!n.has(1) || !n.has(2))
    return {n.unsupported("queries, keys and values in one array")};
  if (!n.status().ok() || heads % shared != 0)
    return {n.fail(ErrorKind::ValueError, std::to_string(heads) + " heads of queries for " +
                                              std::to_string(shared) + " of keys")};
  Variable q = withHeads(n, n.in(0), heads), k = withHeads(n, n.in(1), shared);
  Variable v = withHeads(n, n.in(2), shared);
  // The position of the last key of each sentence, [batch, 1].
  Variable last = reshape(n.at(cast(n.arg(5), DType::Int64)), ShapeList(Ints{-1, 1}));
  Operand queries = extentTerm(n, q, 2);
  Variable count = number(n, queries);
  Variable total = scalarOf(n, cast(n.arg(6), DType::Int64));
  // The queries are each sentence's last ones, and at the beginning all there is: shorter sentences
  // have padding behind them.
  Variable first = where(n.at(eq(n.at(total), count)), n.scalar(0, DType::Int64),
                         sub(n.at(last), sub(n.at(count), int64_t(1))));
  if (n.getBool("do_rotary", false)) {
    Variable positions = positionsFrom(n, first, queries);
    bool interleaved = n.getBool("rotary_interleaved", false);
    q = rotated(n, q, positions, n.in(7), n.in(8), interleaved);
    k = rotated(n, k, positions, n.in(7), n.in(8), interleaved);
  }
  k = placedInPast(n, 3, k, first, total);
  v = placedInPast(n, 4, v, first, total);
  // Keys up to the query's own position: [batch, 1, queries, keys].
  Variable own = dimshuffle(n.at(positionsFrom(n, first, queries)), {0, -1, 1, -1});
  Mask mask;
  mask.seen = le(n.at(positionsAlong(n, extentTerm(n, k, 2), 3, 4)), own);
  // Each head of keys serves heads / shared of queries that stand side by side.
  auto shareOut = [&](const Variable &x) {
    if (shared == heads)
      return x;
    Terms wide = {extentTerm(n, x, 0), Operand(shared), Operand(heads / shared),
                  extentTerm(n, x, 2), extentTerm(n, x, 3)};
    Variable copies = broadcastTo(n.at(expandDims(n.at(x), Axis(2))), shapeOf(n, wide));
    return reshape(n.at(copies), shapeOf(n, {wide[0], Operand(heads), wide[3], wide[4]}));
  };
  return {attended(n, q, shareOut(k), shareOut(v), mask, kHidden), k, v};
}

} // namespace

absl::Span<const Translation> headAttentionTranslations() {
  static constexpr Translation kTable[] = {
      {"Attention", attentionOfInput, 1,
       "masks [batch, keys] and [batch, queries, keys]; weights of known width"},
      {"GroupQueryAttention", groupQueryAttention, 1,
       "not packed; no window, no softcap, no bias of scores; heads of known width or scale given"},
      {"MultiHeadAttention", multiHeadAttention, 1,
       "the same masks; not packed; heads of known width or scale given"},
      {"RotaryEmbedding", rotaryEmbedding, 1, "tables of known width"},
  };
  return kTable;
}

} // namespace graphc
