//===- Indexing.cpp - reading and changing elements at indices ---------------===//
#include <algorithm>
#include <limits>

#include "Export/ExportRules.h"
#include "Ops/Build.h"
#include "Ops/IndexSpec.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

//===--- subtensor --------------------------------------------------------------------===//

/// What an index reads, piece by piece.
class Reading {
public:
  Reading(OnnxWriter &w, const Values &in) : w_(w), in_(in), value_(in[0]) {}

  Value read(const IndexSpec &index, const Type &result);

private:
  void slice(const IndexSpec &index);
  Value termOf(const IndexTerm &term, int64_t otherwise) {
    if (term.kind == IndexTerm::Kind::Operand)
      return w_.as(in_[size_t(term.value) + 1], DType::Int64);
    return OnnxWriter::known(Tensor(term.kind == IndexTerm::Kind::Number ? term.value : otherwise));
  }
  /// Scalars as a vector.
  Value vectorOf(const Values &scalars);

  OnnxWriter &w_;
  const Values &in_;
  Value value_;
};

Value Reading::vectorOf(const Values &scalars) {
  IntList numbers;
  for (const Value &v : scalars)
    if (v.isConstant())
      numbers.push_back(v.constant.contiguous().reshape({})->item<int64_t>());
  if (numbers.size() == scalars.size())
    return OnnxWriter::ints(numbers);
  Values parts;
  for (const Value &v : scalars)
    parts.push_back(v.isConstant()
                        ? OnnxWriter::ints({v.constant.contiguous().reshape({})->item<int64_t>()})
                        : w_.unsqueezed(v, {0}));
  return w_.node("Concat", parts, Type(DType::Int64, {int64_t(parts.size())}),
                 {{"axis", int64_t(0)}});
}

void Reading::slice(const IndexSpec &index) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  Values starts, stops, steps;
  IntList axes, shape(value_.type.shape().begin(), value_.type.shape().end());
  int axis = -1;
  for (const IndexEntry &entry : index) {
    axis += entry.kind != IndexEntry::Kind::NewAxis;
    if (entry.kind != IndexEntry::Kind::Slice || entry.isWhole())
      continue;
    Value step = termOf(entry.step, 1);
    auto end = [&](const IndexTerm &term, int64_t forward, int64_t backward) {
      if (term.kind != IndexTerm::Kind::Absent)
        return termOf(term, 0);
      if (step.isConstant())
        return OnnxWriter::known(Tensor(step.constant.item<int64_t>() < 0 ? backward : forward));
      Value isBack =
          w_.node("Less", {step, OnnxWriter::scalar(0, DType::Int64)}, Type(DType::Bool, {}));
      return w_.node(
          "Where",
          {isBack, OnnxWriter::known(Tensor(backward)), OnnxWriter::known(Tensor(forward))},
          Type(DType::Int64, {}));
    };
    starts.push_back(end(entry.start, 0, kMost));
    stops.push_back(end(entry.stop, kMost, kLeast));
    steps.push_back(step);
    axes.push_back(axis);
    shape[size_t(axis)] = kDynamic;
  }
  if (axes.empty())
    return;
  Value from = vectorOf(starts), to = vectorOf(stops), by = vectorOf(steps);
  value_ = w_.node("Slice", {value_, from, to, OnnxWriter::ints(axes), by},
                   value_.type.withShape(shape));
}

Value Reading::read(const IndexSpec &index, const Type &result) {
  slice(index);
  // The last position first, so that axes in front keep their numbers.
  IntList added;
  int axis = in_[0].rank(), out = result.rank();
  for (size_t k = index.size(); k-- > 0;) {
    const IndexEntry &entry = index[k];
    if (entry.kind == IndexEntry::Kind::NewAxis) {
      added.insert(added.begin(), --out);
      continue;
    }
    --axis;
    if (entry.kind == IndexEntry::Kind::Slice) {
      --out;
      continue;
    }
    IntList shape(value_.type.shape().begin(), value_.type.shape().end());
    shape.erase(shape.begin() + axis);
    value_ = w_.node("Gather", {value_, termOf(entry.start, 0)}, value_.type.withShape(shape),
                     {{"axis", int64_t(axis)}});
  }
  Value read = w_.unsqueezed(value_, added);
  read.type = result;
  return read;
}

Values writeSubtensor(OnnxWriter &w, const Apply &n, const Values &in) {
  absl::StatusOr<IndexSpec> index = parseIndex(n.op().attributes().string("index"));
  if (index.ok())
    index = expandIndex(*index, in[0].rank());
  if (!index.ok())
    return {w.refuse(n.output(0).type(), std::string(index.status().message()))};
  return {Reading(w, in).read(*index, n.output(0).type())};
}

/// The positions, in the flattened array, of what the index reads.
Vs composeChange(const Apply &n) {
  V x = n.input(0), y = cast(n.input(1), n.output(0).dtype());
  if (x.rank() == 0) // an index without entries
    return {n.op().name() == "setSubtensor" ? y : add(x, y)};
  V all = reshape(arange(extentProduct(x, 0, x.rank())), ShapeList(shape(x)));
  Variables operands = {all};
  for (int i = 2; i < n.numInputs(); ++i)
    operands.push_back(n.input(i));
  V at = likeNode(n, "subtensor", operands);
  V values = at.ok() ? broadcastTo(y, ShapeList(shape(at))) : at;
  Op change =
      builtin(n.op().name() == "setSubtensor" ? "setTake" : "incTake", {{"axis", int64_t(0)}});
  return {reshape(change(flatten(x), flatten(values), flatten(at)), ShapeList(shape(x)))};
}

//===--- take -------------------------------------------------------------------------===//

/// Indices as int64; those of uint64 beyond it are its greatest, beyond all arrays as well.
V asIndices(const V &v) {
  if (v.dtype() != DType::UInt64)
    return cast(v, DType::Int64);
  V most = constant(Tensor(uint64_t(std::numeric_limits<int64_t>::max())));
  return cast(minimum(v, most), DType::Int64);
}

V wrapped(const V &v, const V &extent) {
  if (v.dtype() != DType::UInt64)
    return mod(cast(v, DType::Int64), extent);
  return cast(mod(v, cast(extent, DType::UInt64)), DType::Int64);
}

/// The node with an axis and indices that lie inside or count from the end. Empty where it has.
template <int kIndices> Vs composeTaken(const Apply &n) {
  const Attributes &a = n.op().attributes();
  V x = n.input(0), indices = n.input(kIndices);
  const std::string &mode = a.string("mode");
  bool isFlat = a.isNone("axis"), changes = kIndices > 1;
  if (!isFlat && mode == "raise")
    return {};
  V source = isFlat ? flatten(x) : x;
  int64_t axis = isFlat ? 0 : a.integer("axis");
  axis += axis < 0 ? x.rank() : 0;
  V extent = shape(source, int(axis)),
    wide = mode == "wrap" ? wrapped(indices, extent) : asIndices(indices);
  if (mode == "clip")
    wide = maximum(minimum(wide, sub(extent, 1)), 0);
  Variables operands = {source};
  if (changes)
    operands.push_back(n.input(1));
  operands.push_back(wide);
  V result = likeNode(n, n.op().name(), operands, {{"axis", axis}, {"mode", std::string("raise")}});
  return {changes && isFlat ? reshape(result, ShapeList(shape(x))) : result};
}

Values writeTake(OnnxWriter &w, const Apply &n, const Values &in) {
  Value indices = dtypeWithin(dtypeSet(DType::Int32, DType::Int64), in[1].dtype()) == in[1].dtype()
                      ? in[1]
                      : w.as(in[1], DType::Int64);
  return {w.node("Gather", {in[0], indices}, n.output(0).type(), {{"axis", axisOf(n)}})};
}

/// ScatterND changes slices along the first axis.
Values writeTakenChange(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  bool isSum = n.op().name() == "incTake";
  DType computed = isSum ? dtypeWithin(kNumbers, dtype) : dtype;
  Value x = w.as(in[0], computed), y = w.as(w.as(in[1], dtype), computed);
  Value indices = w.as(in[2], DType::Int64);
  int axis = int(axisOf(n)), rank = x.rank(), taken = indices.rank();
  std::vector<int> toFront = {axis}, yToFront, back;
  for (int k = 0; k < rank; ++k)
    if (k != axis)
      toFront.push_back(k);
  for (int k = 0; k < taken; ++k)
    yToFront.push_back(axis + k);
  for (int k = 0; k < y.rank(); ++k)
    if (k < axis || k >= axis + taken)
      yToFront.push_back(k);
  for (int k = 0; k < rank; ++k)
    back.push_back(k < axis ? k + 1 : k == axis ? 0 : k);
  Value moved = w.transposed(x, toFront);
  OnnxAttributes attributes;
  if (isSum)
    attributes.push_back({"reduction", std::string("add")});
  Value changed =
      w.node("ScatterND", {moved, w.unsqueezed(indices, {taken}), w.transposed(y, yToFront)},
             moved.type, attributes);
  return {w.as(w.transposed(changed, back), dtype)};
}

//===--- positions --------------------------------------------------------------------===//

Values writeNonzero(OnnxWriter &w, const Apply &n, const Values &in) {
  return {w.node("NonZero", {in[0]}, n.output(0).type())};
}
Vs composeRavel(const Apply &n) {
  const std::string &mode = n.op().attributes().string("mode");
  V extents = cast(n.input(0), DType::Int64), result = constant(Tensor(0));
  for (int i = 1; i < n.numInputs(); ++i) {
    V extent = subtensor(extents, {Index(i - 1)}),
      index = mode == "wrap" ? wrapped(n.input(i), extent) : asIndices(n.input(i));
    if (mode == "raise")
      index = where(lt(index, 0), add(index, extent), index);
    if (mode == "clip")
      index = maximum(minimum(index, sub(extent, 1)), 0);
    result = add(mul(result, extent), index);
  }
  return {result};
}
Values writeSuppression(OnnxWriter &w, const Apply &n, const Values &in) {
  auto vector = [&](const Value &v, DType dtype) { return w.unsqueezed(w.as(v, dtype), {0}); };
  int64_t isCentered = n.op().attributes().boolean("centered");
  return {
      w.node("NonMaxSuppression",
             {w.as(in[0], DType::Float32), w.as(in[1], DType::Float32), vector(in[2], DType::Int64),
              vector(in[3], DType::Float32), vector(in[4], DType::Float32)},
             n.output(0).type(), {{"center_point_box", isCentered}})};
}

} // namespace

absl::Span<const ExportRule> indexExports() {
  static constexpr ExportRule kTable[] = {
      written("subtensor", writeSubtensor),
      composed("setSubtensor", composeChange),
      composed("incSubtensor", composeChange),
      written("take", writeTake, composeTaken<1>),
      written("incTake", writeTakenChange, composeTaken<2>),
      written("setTake", writeTakenChange, composeTaken<2>),
      written("nonzero", writeNonzero),
      composed("ravelIndex", composeRavel),
      written("nonMaxSuppression", writeSuppression),
  };
  return kTable;
}

} // namespace graphc
