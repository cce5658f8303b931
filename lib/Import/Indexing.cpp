//===- Indexing.cpp - parts of arrays, and arrays of parts -----------------===//
#include <algorithm>
#include <numeric>

#include "Import/PerAxis.h"
#include "Import/Translations.h"
#include "Import/Widening.h"
#include "graphc/ControlFlow.h"

namespace graphc {
namespace {

Variables concat(OnnxNode &n) {
  int64_t axis = n.opset() < 4 ? n.getInt("axis", 1) : n.requireInt("axis");
  Variables parts = n.all();
  std::vector<Operand> operands;
  for (const Variable &part : parts)
    operands.push_back(n.at(part));
  return {concatenate(operands, n.plainAxis(axis, parts[0].rank()))};
}

/// Sizes of equal pieces. From set 18 on the last one may be smaller.
Ints equalPieces(OnnxNode &n, int64_t extent, int64_t pieces) {
  if (n.opset() < 18 && extent % pieces != 0) {
    n.fail(ErrorKind::ShapeError, "an extent of " + std::to_string(extent) +
                                      " does not split into " + std::to_string(pieces) +
                                      " equal pieces");
    return {};
  }
  int64_t size = (extent + pieces - 1) / pieces;
  Ints sizes;
  for (int64_t left = extent; pieces > 0; --pieces) {
    sizes.push_back(std::min(size, left));
    left -= sizes.back();
  }
  return sizes;
}

/// The same of an unknown extent. Sizes that do not add up to it are found when the graph runs.
Variable equalPieces(OnnxNode &n, const Variable &extent, int pieces) {
  Variable size = intDiv(n.at(extent), int64_t(pieces));
  if (n.opset() < 18)
    return broadcastTo(n.at(size), {pieces});
  size = intDiv(n.at(add(n.at(extent), int64_t(pieces - 1))), int64_t(pieces));
  Variable before = mul(n.at(arange(Operand(int64_t(pieces)))), size);
  return clip(n.at(sub(n.at(extent), before)), int64_t(0), size);
}

Variables splitUp(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.getInt("axis", 0), x.rank());
  int pieces = int(n.numOutputs());
  if (!n.status().ok() || pieces == 0)
    return {};
  if (int64_t given = n.getInt("num_outputs", pieces); given != pieces)
    return {n.fail(ErrorKind::ValueError, "num_outputs is " + std::to_string(given) +
                                              ", but the "
                                              "node has " +
                                              std::to_string(pieces) + " outputs")};
  if (n.isComputed(1))
    return split(n.at(x), n.in(1), pieces, axis);
  std::optional<Ints> sizes = n.attributeOrInput("split", 1);
  if (!sizes && x.type().extent(axis) != kDynamic)
    sizes = equalPieces(n, x.type().extent(axis), pieces);
  if (!sizes)
    return split(n.at(x), equalPieces(n, shape(n.at(x), axis), pieces), pieces, axis);
  if (int(sizes->size()) != pieces)
    return {n.fail(ErrorKind::ValueError, std::to_string(sizes->size()) + " sizes for " +
                                              std::to_string(pieces) + " outputs")};
  return split(n.at(x), *sizes, axis);
}

/// Python's x[:stop:step] where a number beyond the end is not "to the very end" if step < 0.
Operand stopTerm(const Operand &stop, const Operand &step) {
  bool backwards = step.isWeak() && step.weakValue().item<int64_t>() < 0;
  if (backwards && stop.isWeak() && stop.weakValue().item<int64_t>() == kEnd)
    return Operand(kEnd - 1);
  return stop;
}

/// What is taken along some axes.
struct Bounds {
  Ints axes = {};
  Terms starts, stops, steps = {};
};

/// Bounds are attributes in sets before 10.
Bounds attributeBounds(OnnxNode &n) {
  auto terms = [&](std::string_view name) {
    Ints numbers = n.getInts(name).value_or(Ints());
    return Terms(numbers.begin(), numbers.end());
  };
  Bounds b{.starts = terms("starts"), .stops = terms("ends")};
  b.steps = Terms(b.starts.size(), Operand(int64_t(1)));
  b.axes.resize(b.starts.size());
  std::iota(b.axes.begin(), b.axes.end(), 0);
  b.axes = n.getInts("axes").value_or(b.axes);
  return b;
}

/// Inputs whose axes are known, or as many as there are bounds, the number of which is `length`.
Bounds knownAxesBounds(OnnxNode &n, std::optional<int64_t> length) {
  Bounds b{.starts = vectorTerms(n, 1, length), .stops = vectorTerms(n, 2, length)};
  b.steps = n.has(4) ? vectorTerms(n, 4, length) : Terms(b.starts.size(), Operand(int64_t(1)));
  b.axes.resize(b.starts.size());
  std::iota(b.axes.begin(), b.axes.end(), 0);
  b.axes = n.has(3) ? n.constantInts(3) : b.axes;
  return b;
}

/// Axes that a call gives, or how many of the first ones: bounds for all axes of x.
Bounds computedAxesBounds(OnnxNode &n, const Variable &x) {
  Variable starts = integerVector(n, 1);
  Variable count = size(n.at(starts)), given = n.has(3) ? integerVector(n, 3) : Variable();
  if (!given.ok())
    given = assertTrue(n.at(arange(n.at(count))), le(n.at(count), int64_t(x.rank())),
                       "starts has more numbers than the operand has axes, " +
                           std::to_string(x.rank()));
  Variable axes = distinctAxes(n, given, x.rank());
  auto spread = [&](const Variable &values, int64_t otherwise) {
    return spreadOver(n, axes,
                      asLongAs(n, values, axes,
                               "starts, ends, axes and steps have {a} and "
                               "{b} numbers; give as many of each"),
                      otherwise, x.rank());
  };
  // The end is that of forward slices: those that go backwards are among the given ones.
  Bounds b{.starts = spread(starts, 0), .stops = spread(integerVector(n, 2), kEnd - 1)};
  b.steps =
      n.has(4) ? spread(integerVector(n, 4), 1) : Terms(size_t(x.rank()), Operand(int64_t(1)));
  b.axes.resize(size_t(x.rank()));
  std::iota(b.axes.begin(), b.axes.end(), 0);
  return b;
}

Bounds inputBounds(OnnxNode &n, const Variable &x) {
  std::optional<int64_t> length = commonLength(n, {1, 2, 3, 4});
  if (x.rank() == 0 && !length)
    length = 0;
  if (n.isComputed(3) || !length)
    return computedAxesBounds(n, x);
  return knownAxesBounds(n, length);
}

Variables sliced(OnnxNode &n) {
  Variable x = n.in(0);
  if (!x.ok())
    return {};
  Bounds b = n.opset() < 10 ? attributeBounds(n) : inputBounds(n, x);
  std::vector<int> axes = n.plainAxes(b.axes, x.rank());
  if (!n.status().ok())
    return {};
  if (b.stops.size() != b.starts.size() || axes.size() != b.starts.size() ||
      b.steps.size() != b.starts.size())
    return {n.fail(ErrorKind::ValueError, "starts, ends, axes and steps differ in length")};
  std::vector<Index> index(size_t(x.rank()), Slice());
  std::vector<bool> isGiven(size_t(x.rank()));
  for (size_t i = 0; i < axes.size(); ++i) {
    if (isGiven[size_t(axes[i])])
      return {n.fail(ErrorKind::AxisError, "axis " + std::to_string(axes[i]) + " is given twice")};
    isGiven[size_t(axes[i])] = true;
    index[size_t(axes[i])] = Slice(b.starts[i], stopTerm(b.stops[i], b.steps[i]), b.steps[i]);
  }
  return {subtensor(n.at(x), index)};
}

Variables gathered(OnnxNode &n) {
  Variable x = n.in(0);
  return {gather(n.at(x), n.in(1), n.plainAxis(n.getInt("axis", 0), x.rank()))};
}

//===--- padding ----------------------------------------------------------------===//

/// What is put in front of and behind the axes that a call gives.
Widths widthsOfComputedAxes(OnnxNode &n, const Variable &x) {
  Widths widths(x.rank());
  Variable axes = distinctAxes(n, integerVector(n, 3), x.rank()), count = size(n.at(axes));
  Variable pads = asLongAs(n, integerVector(n, 1), concatenate({n.at(axes), n.at(axes)}),
                           "there are {a} pads where the axes need {b}, two for each");
  auto spread = [&](const Operand &first, const Operand &end) {
    return spreadOver(n, axes,
                      specifyShapeLike(n.at(subtensor(n.at(pads), {Slice(first, end)})), axes), 0,
                      x.rank());
  };
  widths.front = spread(Operand(int64_t(0)), n.at(count));
  widths.back = spread(n.at(count), Operand(kEnd));
  return widths;
}

Widths padWidths(OnnxNode &n, const Variable &x) {
  Widths widths(x.rank());
  const bool isInput = n.opset() >= 11, isNamed = n.opset() >= 18 && n.has(3);
  if (isNamed && n.isComputed(3))
    return widthsOfComputedAxes(n, x);
  Ints axes(size_t(std::max(x.rank(), 0)));
  std::iota(axes.begin(), axes.end(), 0);
  if (isNamed)
    axes = n.constantInts(3);
  Terms pads;
  if (isInput)
    pads = vectorTerms(n, 1, 2 * int64_t(axes.size()));
  else
    for (int64_t pad : n.getInts(n.opset() < 2 ? "paddings" : "pads").value_or(Ints()))
      pads.emplace_back(pad);
  std::vector<int> plain = n.plainAxes(axes, x.rank());
  if (!n.status().ok())
    return widths;
  if (pads.size() != 2 * axes.size()) {
    n.fail(ErrorKind::ValueError,
           std::to_string(pads.size()) + " pads for " + std::to_string(axes.size()) + " axes");
    return widths;
  }
  for (const Operand &width : pads)
    if (isNumber(width))
      n.toInt(width.weakValue().item<int64_t>(), isInput ? "input 1" : "attribute pads");
  for (size_t i = 0; i < plain.size(); ++i) {
    widths.front[size_t(plain[i])] = pads[i];
    widths.back[size_t(plain[i])] = pads[plain.size() + i];
  }
  return widths;
}

Variables padded(OnnxNode &n) {
  static constexpr std::pair<std::string_view, PadMode> kModes[] = {{"constant", PadMode::Constant},
                                                                    {"edge", PadMode::Edge},
                                                                    {"reflect", PadMode::Reflect},
                                                                    {"wrap", PadMode::Wrap}};
  Variable x = n.in(0);
  Widths widths = padWidths(n, x);
  if (!n.status().ok())
    return {};
  std::string name = n.getString("mode", "constant");
  const auto *mode = std::find_if(std::begin(kModes), std::end(kModes),
                                  [&](const auto &m) { return m.first == name; });
  if (mode == std::end(kModes))
    return {n.unsupported("mode '" + name + "'")};
  PadOptions options;
  options.mode = mode->second;
  if (n.opset() < 11)
    options.value = n.scalar(n.getFloat("value", 0), x.dtype());
  else if (n.has(2))
    options.value = scalarOf(n, 2);
  return {widened(n, x, widths, options)};
}

} // namespace

absl::Span<const Translation> indexTranslations() {
  static constexpr Translation kTable[] = {
      {"Concat", concat}, {"Gather", gathered}, {"Pad", padded},
      {"Slice", sliced},  {"Split", splitUp},
  };
  return kTable;
}

} // namespace graphc
