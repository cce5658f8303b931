//===- Sequences.cpp - sequences and optional values ----------------------------===//
//
// They are resolved while a model is read: see docs/design/32-sequences.md.
//
//===----------------------------------------------------------------------===//
#include "Import/TensorReader.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

/// More nodes than any file may have.
constexpr int64_t kMany = int64_t(1) << 40;

/// `v` may be an element of `sequence`; an error is kept otherwise.
void checkElement(OnnxNode &n, DType dtype, const Variable &v) {
  if (v.ok() && v.dtype() != dtype)
    n.fail(ErrorKind::TypeError, "an element of " + v.type().brief() + " in a sequence of " +
                                     std::string(dtypeName(dtype)));
}

/// Input i as a position among `count` elements; the last one where it is not given.
int64_t positionOf(OnnxNode &n, size_t i, int64_t count) {
  if (!n.has(i))
    return count - 1;
  int64_t position = n.constantInt(i);
  if (n.status().ok() && (position < -count || position >= count))
    n.fail(ErrorKind::IndexError,
           "position " + std::to_string(position) + " of a sequence of " + std::to_string(count));
  return position < 0 ? position + count : position;
}

OnnxValues construct(OnnxNode &n) {
  Variables elements = n.all();
  if (!n.status().ok())
    return {};
  for (const Variable &v : elements)
    checkElement(n, elements[0].dtype(), v);
  return {OnnxValue::sequence(elements, elements[0].dtype())};
}

OnnxValues empty(OnnxNode &n) {
  return {OnnxValue::sequence({}, n.getDType("dtype").value_or(DType::Float32))};
}

OnnxValues insert(OnnxNode &n) {
  OnnxValue sequence = n.sequence(0);
  Variable v = n.in(1);
  // Behind the last one is a position, too.
  int64_t count = int64_t(sequence.elements().size());
  int64_t position = count;
  if (n.has(2)) {
    int64_t given = n.constantInt(2);
    if (n.status().ok() && (given < -count || given > count))
      n.fail(ErrorKind::IndexError,
             "position " + std::to_string(given) + " of a sequence of " + std::to_string(count));
    position = given < 0 ? given + count : given;
  }
  checkElement(n, sequence.dtype(), v);
  if (!n.status().ok())
    return {};
  sequence.elements().insert(sequence.elements().begin() + position, v);
  return {sequence};
}

OnnxValues erase(OnnxNode &n) {
  OnnxValue sequence = n.sequence(0);
  int64_t count = int64_t(sequence.elements().size());
  if (n.status().ok() && count == 0)
    n.fail(ErrorKind::IndexError, "an empty sequence has nothing to erase");
  int64_t position = n.status().ok() ? positionOf(n, 1, count) : 0;
  if (!n.status().ok())
    return {};
  sequence.elements().erase(sequence.elements().begin() + position);
  return {sequence};
}

Variables at(OnnxNode &n) {
  OnnxValue sequence = n.sequence(0);
  n.in(1); // it must be there
  if (!n.status().ok())
    return {};
  int64_t position = positionOf(n, 1, int64_t(sequence.elements().size()));
  if (!n.status().ok())
    return {};
  return {sequence.elements()[size_t(position)]};
}

Variables length(OnnxNode &n) {
  return {n.adopt(Tensor(int64_t(n.sequence(0).elements().size())))};
}

/// Sizes of the pieces along an axis, of one element where nothing else is said.
std::optional<Ints> pieceSizes(OnnxNode &n, const Variable &x, int axis) {
  int64_t extent = x.type().extent(axis), size = 1;
  if (n.has(1)) {
    if (n.in(1).rank() == 1)
      return n.constantInts(1);
    size = n.constantInt(1);
  }
  if (!n.status().ok())
    return std::nullopt;
  if (size < 1)
    n.fail(ErrorKind::ValueError, "pieces of " + std::to_string(size) + " elements");
  else if (extent == kDynamic)
    n.unsupported("the extent along axis " + std::to_string(axis) +
                  " must be known, for it says "
                  "how many pieces there are: " +
                  x.type().brief());
  // The extent may be a claim of a small file. A piece's op has a list of sizes.
  constexpr int64_t kNodesOfPiece = 4;
  if (!n.status().ok() || !n.affords(std::min(extent / size + 1, kMany) * kNodesOfPiece))
    return std::nullopt;
  Ints sizes(size_t(extent / size), size);
  if (extent % size)
    sizes.push_back(extent % size);
  return sizes;
}

OnnxValues splitToSequence(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = x.ok() ? n.plainAxis(n.getInt("axis", 0), x.rank()) : 0;
  if (!n.status().ok())
    return {};
  std::optional<Ints> sizes = pieceSizes(n, x, axis);
  if (!sizes || !n.status().ok())
    return {};
  Variables pieces = sizes->empty() ? Variables() : split(n.at(x), *sizes, axis);
  if (!n.has(1) && !n.getBool("keepdims", true))
    for (Variable &piece : pieces)
      piece = squeeze(n.at(piece), Axis(axis));
  return {OnnxValue::sequence(pieces, x.dtype())};
}

Variables concatFromSequence(OnnxNode &n) {
  OnnxValue sequence = n.sequence(0);
  int64_t axis = n.requireInt("axis");
  if (n.status().ok() && sequence.elements().empty())
    n.fail(ErrorKind::ValueError, "an empty sequence has no shape");
  if (!n.status().ok())
    return {};
  std::vector<Operand> parts;
  for (const Variable &v : sequence.elements())
    parts.push_back(n.at(v));
  int rank = sequence.elements()[0].rank();
  if (n.getBool("new_axis", false))
    return {stack(parts, n.plainAxis(axis, rank + 1))};
  return {concatenate(parts, n.plainAxis(axis, rank))};
}

/// The body's outputs for each element; what is no sequence is given to each step.
OnnxValues sequenceMap(OnnxNode &n) {
  OnnxValue first = n.sequence(0);
  OnnxValues inputs;
  for (size_t i = 0; i < n.numInputs(); ++i)
    inputs.push_back(n.value(i));
  if (!n.status().ok())
    return {};
  const size_t count = first.elements().size();
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const OnnxValue &v = inputs[i]; !v.isTensor() && !v.isSequence())
      n.fail(ErrorKind::TypeError,
             "input " + std::to_string(i) + " must be a tensor or a sequence, is " + v.brief());
    else if (v.isSequence() && v.elements().size() != count)
      n.fail(ErrorKind::ValueError, "sequences of " + std::to_string(count) + " and " +
                                        std::to_string(v.elements().size()) + " elements");
  const onnx::GraphProto *body = n.getGraph("body");
  if (!n.status().ok())
    return {};
  std::vector<Variables> columns(n.numOutputs());
  for (size_t k = 0; k < count && n.status().ok(); ++k) {
    Variables arguments;
    for (const OnnxValue &v : inputs)
      arguments.push_back(v.elements()[v.isSequence() ? k : 0]);
    Variables made = n.runTensorGraph("body", arguments, n.numOutputs());
    for (size_t o = 0; o < columns.size() && n.status().ok(); ++o)
      columns[o].push_back(made[o]);
  }
  OnnxValues results;
  for (size_t o = 0; o < columns.size() && n.status().ok(); ++o) {
    std::optional<DType> dtype;
    if (count > 0)
      dtype = columns[o][0].dtype();
    else if (int(o) < body->output_size())
      dtype = onnxDType(body->output(int(o)).type().tensor_type().elem_type());
    results.push_back(OnnxValue::sequence(columns[o], dtype.value_or(DType::Float32)));
  }
  return results;
}

//===--- optional values ------------------------------------------------------------===//

OnnxValues optional(OnnxNode &n) {
  if (n.has(0))
    return {n.value(0).asOptional()};
  if (!n.getType("type"))
    n.fail(ErrorKind::ValueError, "there is neither an input nor attribute type");
  return {OnnxValue::nothing()};
}

Variables hasElement(OnnxNode &n) {
  bool has = n.has(0) && n.value(0).kind() != OnnxValue::Kind::Nothing;
  return {n.adopt(Tensor(int64_t(has)).cast(DType::Bool))};
}

OnnxValues getElement(OnnxNode &n) {
  OnnxValue v = n.value(0);
  if (v.kind() == OnnxValue::Kind::Nothing)
    n.fail(ErrorKind::ValueError, "input 0 is " + v.brief());
  return {v.content()};
}

} // namespace

absl::Span<const Translation> sequenceTranslations() {
  static constexpr Translation kTable[] = {
      {"ConcatFromSequence", concatFromSequence, 11},
      {"Optional", optional, 15},
      {"OptionalGetElement", getElement, 15},
      {"OptionalHasElement", hasElement, 15},
      {"SequenceAt", at, 11, "position constant"},
      {"SequenceConstruct", construct, 11},
      {"SequenceEmpty", empty, 11},
      {"SequenceErase", erase, 11, "position constant"},
      {"SequenceInsert", insert, 11, "position constant"},
      {"SequenceLength", length, 11},
      {"SequenceMap", sequenceMap, 17},
      {"SplitToSequence", splitToSequence, 11, "the number of pieces known"},
  };
  return kTable;
}

} // namespace graphc
