//===- Indexing.cpp - parts of arrays, and arrays of parts -----------------===//
#include <algorithm>
#include <numeric>

#include "Import/Translations.h"
#include "Import/Widening.h"

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

/// Bounds are attributes in sets before 10, then inputs.
Terms bounds(OnnxNode &n, std::string_view name, size_t i) {
  if (n.opset() >= 10)
    return n.has(i) ? vectorTerms(n, i) : Terms();
  Terms terms;
  for (int64_t number : n.getInts(name).value_or(Ints()))
    terms.emplace_back(number);
  return terms;
}

/// Python's x[:stop:step] where a number beyond the end is not "to the very end" if step < 0.
Operand stopTerm(const Operand &stop, const Operand &step) {
  bool backwards = step.isWeak() && step.weakValue().item<int64_t>() < 0;
  if (backwards && stop.isWeak() && stop.weakValue().item<int64_t>() == kEnd)
    return Operand(kEnd - 1);
  return stop;
}

/// `terms` for each axis that computed axes name, `otherwise` for the others.
Terms spreadOver(OnnxNode &n, const Terms &axes, const Terms &terms, const Operand &otherwise,
                 int rank) {
  Terms result(size_t(rank), otherwise);
  for (int k = 0; k < rank; ++k)
    for (size_t i = 0; i < axes.size() && i < terms.size(); ++i) {
      Variable isHere = eq(n.at(mod(n.at(wholeNumber(n, axes[i])), int64_t(rank))), int64_t(k));
      result[size_t(k)] =
          n.at(where(n.at(isHere), wholeNumber(n, terms[i]), wholeNumber(n, result[size_t(k)])));
    }
  return result;
}

Variables sliced(OnnxNode &n) {
  Variable x = n.in(0);
  Terms starts = bounds(n, "starts", 1), stops = bounds(n, "ends", 2);
  Terms steps(starts.size(), Operand(int64_t(1)));
  if (n.opset() >= 10 && n.has(4))
    steps = vectorTerms(n, 4);
  Ints axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (n.opset() >= 10 && n.isComputed(3)) {
    Terms named = vectorTerms(n, 3);
    if (n.status().ok() && stops.size() == starts.size() && named.size() == starts.size() &&
        steps.size() == starts.size()) {
      // The end is that of forward slices: those that go backwards are among the named ones.
      starts = spreadOver(n, named, starts, Operand(int64_t(0)), x.rank());
      stops = spreadOver(n, named, stops, Operand(kEnd - 1), x.rank());
      steps = spreadOver(n, named, steps, Operand(int64_t(1)), x.rank());
      axes.resize(size_t(x.rank()));
      std::iota(axes.begin(), axes.end(), 0);
    }
  } else if (n.opset() >= 10) {
    axes = n.has(3) ? n.constantInts(3) : axes;
  } else {
    axes = n.getInts("axes").value_or(axes);
  }
  if (!n.status().ok() || stops.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size())
    return {n.fail(ErrorKind::ValueError, "starts, ends, axes and steps differ in length")};
  std::vector<Index> index(size_t(x.rank()), Slice());
  std::vector<int> plain = n.plainAxes(axes, x.rank());
  if (!n.status().ok())
    return {};
  for (size_t i = 0; i < starts.size(); ++i)
    index[plain[i]] = Slice(starts[i], stopTerm(stops[i], steps[i]), steps[i]);
  return {subtensor(n.at(x), index)};
}

Variables gathered(OnnxNode &n) {
  Variable x = n.in(0);
  return {gather(n.at(x), n.in(1), n.plainAxis(n.getInt("axis", 0), x.rank()))};
}

//===--- padding ----------------------------------------------------------------===//

/// What is put in front of and behind each axis of x.
Widths padWidths(OnnxNode &n, const Variable &x) {
  Widths widths(x.rank());
  Terms pads;
  if (n.opset() >= 11)
    pads = vectorTerms(n, 1);
  else
    for (int64_t pad : n.getInts(n.opset() < 2 ? "paddings" : "pads").value_or(Ints()))
      pads.emplace_back(pad);
  const bool named = n.opset() >= 18 && n.has(3);
  Terms axes = named ? vectorTerms(n, 3) : Terms();
  if (!named)
    for (int k = 0; k < x.rank(); ++k)
      axes.emplace_back(int64_t(k));
  if (!n.status().ok())
    return widths;
  if (pads.size() != 2 * axes.size()) {
    n.fail(ErrorKind::ValueError,
           std::to_string(pads.size()) + " pads for " + std::to_string(axes.size()) + " axes");
    return widths;
  }
  Terms front(pads.begin(), pads.begin() + int64_t(axes.size())),
      back(pads.begin() + int64_t(axes.size()), pads.end());
  for (const Terms &side : {front, back})
    for (const Operand &width : side)
      if (isNumber(width))
        n.toInt(width.weakValue().item<int64_t>(), n.opset() >= 11 ? "input 1" : "attribute pads");
  if (!std::ranges::all_of(axes, isNumber)) {
    widths.front = spreadOver(n, axes, front, Operand(int64_t(0)), x.rank());
    widths.back = spreadOver(n, axes, back, Operand(int64_t(0)), x.rank());
    return widths;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    int axis = n.plainAxis(axes[i].weakValue().item<int64_t>(), x.rank());
    if (!n.status().ok())
      return widths;
    widths.front[size_t(axis)] = front[i];
    widths.back[size_t(axis)] = back[i];
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
