//===- Indexing.cpp - parts of arrays, and arrays of parts -----------------===//
#include <numeric>

#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

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

Variables splitUp(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.getInt("axis", 0), x.rank());
  int pieces = int(n.numOutputs());
  if (!n.status().ok() || pieces == 0)
    return {};
  std::optional<Ints> sizes = n.attributeOrInput("split", 1);
  if (!sizes && x.type().extent(axis) != kDynamic)
    sizes = equalPieces(n, x.type().extent(axis), pieces);
  if (!sizes) {
    Variable size = intDiv(n.at(shape(n.at(x), axis)), pieces);
    return split(n.at(x), broadcastTo(n.at(size), {pieces}), pieces, axis);
  }
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

Variables sliced(OnnxNode &n) {
  Variable x = n.in(0);
  Terms starts = bounds(n, "starts", 1), stops = bounds(n, "ends", 2);
  Ints axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (n.opset() >= 10)
    axes = n.has(3) ? n.constantInts(3) : axes;
  else
    axes = n.getInts("axes").value_or(axes);
  Terms steps(starts.size(), Operand(int64_t(1)));
  if (n.opset() >= 10 && n.has(4))
    steps = vectorTerms(n, 4);
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

Variables gatheredElements(OnnxNode &n) {
  Variable x = n.in(0), indices = cast(n.arg(1), DType::Int64);
  int axis = n.plainAxis(n.getInt("axis", 0), x.rank());
  if (indices.rank() != x.rank())
    return {n.fail(ErrorKind::ValueError, "indices must have the operand's rank")};
  return {gatherAlong(n, x, indices, axis)};
}

//===--- padding ----------------------------------------------------------------===//

/// Widths in front of and behind each axis of x.
std::vector<std::pair<int, int>> padWidths(OnnxNode &n, const Variable &x) {
  std::vector<std::pair<int, int>> widths(size_t(x.rank()), {0, 0});
  std::optional<Ints> pads =
      n.opset() >= 11 ? n.constantInts(1) : n.getInts(n.opset() < 2 ? "paddings" : "pads");
  Ints axes(widths.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (n.opset() >= 18 && n.has(3))
    axes = n.constantInts(3);
  std::vector<int> plain = n.plainAxes(axes, x.rank());
  if (!pads || pads->size() != 2 * axes.size()) {
    n.fail(ErrorKind::ValueError, std::to_string(pads ? pads->size() : 0) + " pads for " +
                                      std::to_string(axes.size()) + " axes");
    return widths;
  }
  std::vector<int> list = n.toInts(*pads, n.opset() >= 11 ? "input 1" : "attribute pads");
  for (size_t i = 0; i < plain.size(); ++i)
    widths[plain[i]] = {list[i], list[plain.size() + i]};
  return widths;
}

Variables padded(OnnxNode &n) {
  static constexpr std::pair<std::string_view, PadMode> kModes[] = {{"constant", PadMode::Constant},
                                                                    {"edge", PadMode::Edge},
                                                                    {"reflect", PadMode::Reflect},
                                                                    {"wrap", PadMode::Wrap}};
  Variable x = n.in(0);
  std::vector<std::pair<int, int>> widths = padWidths(n, x);
  if (!n.status().ok())
    return {};
  std::string name = n.getString("mode", "constant");
  const auto *mode = std::find_if(std::begin(kModes), std::end(kModes),
                                  [&](const auto &m) { return m.first == name; });
  if (mode == std::end(kModes))
    return {n.unsupported("mode '" + name + "'")};
  // Negative widths cut off.
  std::vector<Index> kept;
  bool cut = false;
  for (auto &[front, back] : widths) {
    kept.emplace_back(Slice(front < 0 ? Operand(-int64_t(front)) : Operand(kEnd),
                            back < 0 ? Operand(int64_t(back)) : Operand(kEnd)));
    cut |= front < 0 || back < 0;
    front = std::max(0, front);
    back = std::max(0, back);
  }
  if (cut)
    x = subtensor(n.at(x), kept);
  PadOptions options;
  options.mode = mode->second;
  if (n.opset() < 11)
    options.value = n.scalar(n.getFloat("value", 0), x.dtype());
  else if (n.has(2))
    options.value = reshape(n.arg(2), ShapeList(Ints()));
  return {pad(n.at(x), widths, options)};
}

} // namespace

absl::Span<const Translation> indexTranslations() {
  static constexpr Translation kTable[] = {
      {"Concat", concat},
      {"Gather", gathered},
      {"GatherElements", gatheredElements, 11},
      {"Pad", padded, 1, "pads and axes constant"},
      {"Slice", sliced, 1, "axes constant"},
      {"Split", splitUp, 1, "sizes constant"},
  };
  return kTable;
}

} // namespace graphc
