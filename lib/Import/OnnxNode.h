//===- Import/OnnxNode.h - one node of an ONNX graph ----------------*- C++ -*-===//
//
// What a translation sees. Mistakes are kept, the first one, and reported by the importer after
// the translation: accessors then give harmless values, so that translations read as formulas.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "Import/Domains.h"
#include "Import/OnnxValue.h"
#include "absl/status/statusor.h"
#include "graphc/Ops.h"
#include "onnx/onnx_pb.h"

namespace graphc {

using Ints = std::vector<int64_t>;

class ExternalFiles;
class KnownValues;
class SymbolicExtents;
struct OperatorSignature;

/// What the nodes of a model have in common.
struct OnnxContext {
  /// Versions of the operators' sets that the model was written for; 0 where it has none.
  Versions versions;
  /// Beside the model, in which external data lies.
  ExternalFiles &files;
  /// Of the model's graph so far.
  SymbolicExtents &extents;
  KnownValues &known;
  /// The outputs of a graph within the one that is being read, of whose values it sees those that
  /// were defined so far, on these inputs.
  std::function<absl::StatusOr<OnnxValues>(const onnx::GraphProto &, const OnnxValues &)> subgraph;
  /// The value of that name at this place of the model; null if there is none.
  std::function<const OnnxValue *(const std::string &)> find;
  /// The rank that the model declares for the value of that name, if it does.
  std::function<std::optional<int>(const std::string &)> declaredRank;
  /// Takes what so many nodes cost that the file does not have from what may be spent.
  std::function<absl::Status(int64_t)> spend;
  /// How many more may be made.
  std::function<int64_t()> left;
};

class OnnxNode {
public:
  /// `inputs` has a value for each input; omitted ones are Invalid. `narrow`: which of ONNX's
  /// narrow types (NarrowTypes.h) each is of, 0 for others.
  OnnxNode(const onnx::NodeProto &proto, Domain domain, OnnxValues inputs, std::vector<int> narrow,
           Place place, const OnnxContext &context)
      : proto_(proto), domain_(domain), inputs_(std::move(inputs)), narrow_(std::move(narrow)),
        givenNarrow_(numOutputs(), 0), place_(place), context_(context) {}

  std::string_view op() const { return proto_.op_type(); }
  /// The version of the operator's own domain.
  int opset() const { return context_.versions[size_t(domain_)]; }
  SymbolicExtents &extents() { return context_.extents; }
  const absl::Status &status() const { return status_; }
  /// Keeps the first error and gives an Invalid Variable.
  Variable fail(ErrorKind kind, std::string_view message);
  Variable unsupported(std::string_view message) { return fail(ErrorKind::NotSupported, message); }

  //===--- inputs -------------------------------------------------------------===//
  size_t numInputs() const { return inputs_.size(); }
  size_t numOutputs() const { return size_t(proto_.output_size()); }
  const std::string &outputName(int i) const { return proto_.output(i); }
  /// The rank that the model declares for an output, if it does.
  std::optional<int> declaredRank(size_t i) const {
    return wantsOutput(i) ? context_.declaredRank(proto_.output(int(i))) : std::nullopt;
  }
  /// Keeps an error if the node has what ONNX's operator has not.
  void checkSignature();
  /// Whether the optional input is given.
  bool has(size_t i) const;
  bool wantsOutput(size_t i) const;
  /// Input i; an error where it is not given, or is no tensor.
  Variable in(size_t i);
  /// Whether so many nodes may be made that the file does not have; else an error is kept.
  bool affords(int64_t nodes);
  /// How many are left.
  int64_t nodesLeft() const { return context_.left(); }
  /// Input i, whatever it is; an error where it is not given.
  OnnxValue value(size_t i);
  /// Input i; an error where it is not given, or is no sequence.
  OnnxValue sequence(size_t i);
  /// The value that the model has under this name here; null if there is none.
  const OnnxValue *find(const std::string &name) const { return context_.find(name); }
  /// All inputs, at least one.
  Variables all();
  /// `v` with the node's place, for an op's first operand.
  Operand at(const Variable &v) const { return Operand(v, place_); }
  Operand arg(size_t i) { return at(in(i)); }
  Place place() const { return place_; }
  /// Whether input i depends on the model's inputs.
  bool isComputed(size_t i);
  /// Whether it follows from constants, and takes little to compute.
  bool isKnown(size_t i);
  /// The value of a 0-d Variable that follows from constants.
  std::optional<double> numberOf(const Variable &v);
  /// Input i, which must follow from constants alone.
  Tensor constant(size_t i);
  Ints constantInts(size_t i);
  /// The only element of input i, which must be a constant integer.
  int64_t constantInt(size_t i);
  /// The value of what depends on no input of the model, if it is cheap to compute.
  std::optional<Tensor> known(const Variable &v);
  /// Whether a 0-d Variable is not 0, where that follows from constants and static extents.
  std::optional<bool> knownTruth(const Variable &v);

  //===--- narrow element types -------------------------------------------------===//
  /// The TensorProto.DataType of input i if it is a narrow one, else 0.
  int narrowType(size_t i) const { return i < narrow_.size() ? narrow_[i] : 0; }
  /// Says that an output is of a narrow type.
  void giveNarrow(size_t output, int dataType) {
    if (output < givenNarrow_.size())
      givenNarrow_[output] = dataType;
  }
  int givenNarrow(size_t output) const { return givenNarrow_[output]; }

  //===--- attributes ---------------------------------------------------------===//
  bool hasAttribute(std::string_view name) const { return findAttribute(name) != nullptr; }
  int64_t getInt(std::string_view name, int64_t otherwise);
  /// For flags.
  bool getBool(std::string_view name, bool otherwise) { return getInt(name, otherwise) != 0; }
  /// An int that is small; `requireInt`: and must be given.
  int getSmallInt(std::string_view name, int otherwise);
  int requireInt(std::string_view name);
  double getFloat(std::string_view name, double otherwise);
  std::string getString(std::string_view name, std::string_view otherwise);
  std::optional<Ints> getInts(std::string_view name);
  std::optional<std::vector<float>> getFloats(std::string_view name);
  std::vector<std::string> getStrings(std::string_view name);
  std::optional<Tensor> getTensor(std::string_view name);
  /// The TensorProto.DataType of that tensor, or 0.
  int tensorType(std::string_view name);
  /// Null, and an error, where it is missing.
  const onnx::GraphProto *getGraph(std::string_view name);
  const onnx::TypeProto *getType(std::string_view name);
  /// The outputs of the graph that an attribute has, on these inputs: at least `outputs`, or an
  /// error is kept.
  OnnxValues runGraph(std::string_view name, const OnnxValues &inputs, size_t outputs);
  /// The same of tensors; an error is kept where an output is none.
  Variables runTensorGraph(std::string_view name, const Variables &inputs, size_t outputs);
  /// The dtype that an attribute names by its number in ONNX's schema; not a narrow one.
  std::optional<DType> getDType(std::string_view name);

  //===--- what many translations need ------------------------------------------===//
  /// As the int that C++ functions take. Where the number does not fit: an error that says that
  /// `what` is out of range, and 0.
  int toInt(int64_t number, std::string_view what);
  std::vector<int> toInts(const Ints &list, std::string_view what);
  /// An axis counted from 0; an error where the rank has it not. `end`: it may be the rank itself.
  int plainAxis(int64_t axis, int rank, bool end = false);
  std::vector<int> plainAxes(const Ints &axes, int rank);
  /// The ints that older sets have as an attribute and newer ones as input i.
  std::optional<Ints> attributeOrInput(std::string_view name, size_t i);

  //===--- constants ------------------------------------------------------------===//
  Constant adopt(Tensor value) const { return Constant::adopt(std::move(value), {}, place_); }
  /// A 0-d one.
  Variable scalar(double value, DType dtype) const;
  /// The numbers in an array of this shape, or a vector of them; of their own dtype if none is
  /// said. An error is kept where they do not fit the shape.
  template <class T>
  Variable array(const std::vector<T> &numbers, const Ints &shape,
                 std::optional<DType> dtype = std::nullopt) {
    return array(Tensor::fromSpan(absl::MakeConstSpan(numbers), shape), dtype);
  }
  template <class T>
  Variable vector(const std::vector<T> &numbers, std::optional<DType> dtype = std::nullopt) {
    return array(numbers, {int64_t(numbers.size())}, dtype);
  }

private:
  Variable array(absl::StatusOr<Tensor> numbers, std::optional<DType> dtype);
  void checkAttributes(const OperatorSignature &signature);
  const onnx::AttributeProto *findAttribute(std::string_view name) const;
  const onnx::AttributeProto *findAttribute(std::string_view name,
                                            onnx::AttributeProto::AttributeType type);

  const onnx::NodeProto &proto_;
  Domain domain_;
  OnnxValues inputs_;
  std::vector<int> narrow_, givenNarrow_;
  Place place_;
  const OnnxContext &context_;
  absl::Status status_;
};

} // namespace graphc
