//===- OnnxNode.cpp - inputs and attributes of a node ----------------------===//
#include "Import/OnnxNode.h"

#include <algorithm>
#include <utility>

#include "Import/Broadcast.h"
#include "Import/KnownValues.h"
#include "Import/NarrowTypes.h"
#include "Import/Signatures.h"
#include "Import/TensorReader.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_set.h"

namespace graphc {

Variable OnnxNode::fail(ErrorKind kind, std::string_view message) {
  absl::Status error = makeError(kind, printable(message), place_);
  if (status_.ok())
    status_ = error;
  return Variable::invalid(error);
}

//===--- what ONNX lets a node have ---------------------------------------------===//

static std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> list;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    list.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

void OnnxNode::checkSignature() {
  const OperatorSignature *signature = findSignature(domain_, op(), opset());
  if (!signature)
    return; // only an error could come of it, and the translation says which
  if (int64_t(numInputs()) > signature->inputs)
    fail(ErrorKind::ValueError, "has " + counted(numInputs(), "input") + "; in version " +
                                    std::to_string(opset()) + " of " + operatorsOf(domain_) +
                                    " it takes " + std::to_string(signature->inputs) + " at most");
  checkAttributes(*signature);
}

/// An attribute that nobody reads is mostly one that is misspelled.
void OnnxNode::checkAttributes(const OperatorSignature &signature) {
  constexpr int kLastWithHints = 5; // see OperatorSignature
  std::vector<std::string_view> known = words(signature.attributes);
  absl::flat_hash_set<std::string_view> given;
  for (const onnx::AttributeProto &attribute : proto_.attribute()) {
    const std::string &name = attribute.name();
    if (!given.insert(name).second)
      fail(ErrorKind::ValueError, "attribute " + name + " is given twice");
    // ONNX leaves such names to whoever makes models.
    if (name.starts_with("__") || std::binary_search(known.begin(), known.end(), name) ||
        (domain_ == Domain::Onnx && opset() <= kLastWithHints && name == "consumed_inputs"))
      continue;
    fail(ErrorKind::ValueError, "there is no attribute '" + name + "' in version " +
                                    std::to_string(opset()) + " of " + operatorsOf(domain_) +
                                    "; there is " + (known.empty() ? "none" : join(known, ", ")));
  }
}

//===--- inputs -----------------------------------------------------------------===//

bool OnnxNode::has(size_t i) const { return i < inputs_.size() && !proto_.input(int(i)).empty(); }

bool OnnxNode::wantsOutput(size_t i) const {
  return i < numOutputs() && !proto_.output(int(i)).empty();
}

Variable OnnxNode::in(size_t i) {
  if (!has(i))
    return fail(ErrorKind::ValueError, "input " + std::to_string(i) + " is missing");
  const OnnxValue &v = inputs_[i];
  if (v.isTensor())
    return v.elements()[0];
  return fail(ErrorKind::TypeError,
              "input " + std::to_string(i) + " must be a tensor, is " + v.brief() +
                  (v.isOptional() ? "; OptionalGetElement gives what it has" : ""));
}

bool OnnxNode::affords(int64_t nodes) {
  if (status_.ok())
    status_ = context_.spend(nodes);
  return status_.ok();
}

OnnxValue OnnxNode::value(size_t i) {
  if (!has(i))
    return fail(ErrorKind::ValueError, "input " + std::to_string(i) + " is missing");
  return inputs_[i];
}

OnnxValue OnnxNode::sequence(size_t i) {
  OnnxValue v = value(i);
  if (!status_.ok() || v.isSequence())
    return status_.ok() ? v : OnnxValue::sequence({}, DType::Float32);
  fail(ErrorKind::TypeError, "input " + std::to_string(i) + " must be a sequence, is " + v.brief());
  return OnnxValue::sequence({}, DType::Float32);
}

Variables OnnxNode::all() {
  Variables list;
  for (size_t i = 0; i < std::max<size_t>(1, numInputs()); ++i)
    list.push_back(in(i));
  return list;
}

bool OnnxNode::isComputed(size_t i) {
  if (!has(i) || !inputs_[i].isTensor() || !inputs_[i].ok())
    return false;
  return !context_.known.isConstant(inputs_[i].elements()[0]);
}

bool OnnxNode::isKnown(size_t i) {
  if (!has(i) || !inputs_[i].isTensor() || !inputs_[i].ok())
    return false;
  return context_.known.compute(inputs_[i].elements()[0]).ok();
}

std::optional<double> OnnxNode::numberOf(const Variable &v) {
  std::optional<Tensor> value = context_.known.find(v);
  return value ? std::optional(value->cast(DType::Float64).item<double>()) : std::nullopt;
}

Tensor OnnxNode::constant(size_t i) {
  Variable v = in(i);
  if (!v.ok())
    return Tensor(int64_t(0));
  absl::StatusOr<Tensor> value = context_.known.compute(v);
  if (value.ok())
    return *value;
  std::string what = "input " + std::to_string(i);
  if (errorKind(value.status()) == ErrorKind::MissingInput)
    unsupported(what + " must be constant, but is computed from the model's inputs");
  else
    status_ = status_.ok() ? prefixError(value.status(), what) : status_;
  return Tensor(int64_t(0));
}

Ints OnnxNode::constantInts(size_t i) {
  Tensor value = constant(i);
  if (!isInteger(value.dtype()) || value.rank() > 1) {
    fail(ErrorKind::TypeError, "input " + std::to_string(i) + " must be a vector of integers");
    return {};
  }
  Tensor wide = value.cast(DType::Int64).contiguous();
  absl::Span<const int64_t> numbers = wide.flat<int64_t>();
  if (value.dtype() == DType::UInt64)
    for (int64_t number : numbers)
      if (number < 0) {
        fail(ErrorKind::ValueError, "input " + std::to_string(i) +
                                        " is out of range: " + std::to_string(uint64_t(number)));
        return {};
      }
  return Ints(numbers.begin(), numbers.end());
}

int64_t OnnxNode::constantInt(size_t i) {
  Ints numbers = constantInts(i);
  if (numbers.size() == 1)
    return numbers[0];
  fail(ErrorKind::TypeError, "input " + std::to_string(i) + " must be one integer");
  return 0;
}

std::optional<Tensor> OnnxNode::known(const Variable &v) { return context_.known.find(v); }

std::optional<bool> OnnxNode::knownTruth(const Variable &v) {
  if (std::optional<Tensor> value = known(v))
    return value->cast(DType::Bool).item<bool>();
  if (!v.ok() || (!isInteger(v.dtype()) && !isBool(v.dtype())))
    return std::nullopt;
  std::optional<int64_t> number = context_.extents.number(v);
  return number ? std::optional<bool>(*number != 0) : std::nullopt;
}

//===--- attributes -------------------------------------------------------------===//

const onnx::AttributeProto *OnnxNode::findAttribute(std::string_view name) const {
  for (const onnx::AttributeProto &attribute : proto_.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

const onnx::AttributeProto *OnnxNode::findAttribute(std::string_view name,
                                                    onnx::AttributeProto::AttributeType type) {
  const onnx::AttributeProto *attribute = findAttribute(name);
  // Models of the first versions leave the type out.
  if (!attribute || !attribute->has_type() || attribute->type() == type)
    return attribute;
  fail(ErrorKind::TypeError, "attribute " + std::string(name) + " is of kind " +
                                 onnx::AttributeProto::AttributeType_Name(attribute->type()) +
                                 " where " + onnx::AttributeProto::AttributeType_Name(type) +
                                 " is expected");
  return nullptr;
}

int64_t OnnxNode::getInt(std::string_view name, int64_t otherwise) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::INT);
  return attribute ? attribute->i() : otherwise;
}

int OnnxNode::getSmallInt(std::string_view name, int otherwise) {
  return toInt(getInt(name, otherwise), "attribute " + std::string(name));
}

int OnnxNode::requireInt(std::string_view name) {
  if (!hasAttribute(name))
    fail(ErrorKind::ValueError, "attribute " + std::string(name) + " is missing");
  return getSmallInt(name, 0);
}

double OnnxNode::getFloat(std::string_view name, double otherwise) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::FLOAT);
  return attribute ? attribute->f() : otherwise;
}

std::string OnnxNode::getString(std::string_view name, std::string_view otherwise) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::STRING);
  return attribute ? attribute->s() : std::string(otherwise);
}

std::optional<Ints> OnnxNode::getInts(std::string_view name) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::INTS);
  if (!attribute)
    return std::nullopt;
  return Ints(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<float>> OnnxNode::getFloats(std::string_view name) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::FLOATS);
  if (!attribute)
    return std::nullopt;
  return std::vector<float>(attribute->floats().begin(), attribute->floats().end());
}

std::vector<std::string> OnnxNode::getStrings(std::string_view name) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::STRINGS);
  if (!attribute)
    return {};
  return {attribute->strings().begin(), attribute->strings().end()};
}

const onnx::GraphProto *OnnxNode::getGraph(std::string_view name) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::GRAPH);
  if (!attribute)
    fail(ErrorKind::ValueError, "attribute " + std::string(name) + " is missing");
  return attribute ? &attribute->g() : nullptr;
}

const onnx::TypeProto *OnnxNode::getType(std::string_view name) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::TYPE_PROTO);
  return attribute ? &attribute->tp() : nullptr;
}

OnnxValues OnnxNode::runGraph(std::string_view name, const OnnxValues &inputs, size_t outputs) {
  const onnx::GraphProto *graph = getGraph(name);
  OnnxValues results;
  std::string what = "attribute " + std::string(name);
  if (!graph)
    return OnnxValues(std::max(outputs, size_t(1)), Variable::invalid(status_));
  if (size_t(graph->input_size()) != inputs.size())
    fail(ErrorKind::ValueError, what + " is a graph of " + std::to_string(graph->input_size()) +
                                    " inputs where " + std::to_string(inputs.size()) +
                                    " are given");
  else if (size_t(graph->output_size()) < outputs)
    fail(ErrorKind::ValueError, what + " is a graph of " + std::to_string(graph->output_size()) +
                                    " outputs where there must be " + std::to_string(outputs));
  else if (auto made = context_.subgraph(*graph, inputs); made.ok())
    results = *std::move(made);
  else
    fail(errorKind(made.status()), what + ": " + std::string(made.status().message()));
  for (const OnnxValue &v : results)
    if (absl::Status s = v.status(); !s.ok())
      fail(errorKind(s), what + ": " + std::string(s.message()));
  return status_.ok() ? results
                      : OnnxValues(std::max(outputs, size_t(1)), Variable::invalid(status_));
}

Variables OnnxNode::runTensorGraph(std::string_view name, const Variables &inputs, size_t outputs) {
  Variables results;
  for (const OnnxValue &v : runGraph(name, OnnxValues(inputs.begin(), inputs.end()), outputs))
    if (v.isTensor())
      results.push_back(v.elements()[0]);
    else
      results.push_back(unsupported("attribute " + std::string(name) + ": output " +
                                    std::to_string(results.size()) + " is " + v.brief() +
                                    " where there must be a tensor"));
  return results;
}

std::optional<Tensor> OnnxNode::getTensor(std::string_view name) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::TENSOR);
  if (!attribute)
    return std::nullopt;
  auto tensor = readTensor(attribute->t(), context_.files);
  if (tensor.ok())
    return *tensor;
  if (status_.ok())
    status_ = prefixError(tensor.status(), "attribute " + std::string(name));
  return std::nullopt;
}

int OnnxNode::tensorType(std::string_view name) {
  const auto *attribute = findAttribute(name, onnx::AttributeProto::TENSOR);
  return attribute ? attribute->t().data_type() : 0;
}

std::optional<DType> OnnxNode::getDType(std::string_view name) {
  if (!hasAttribute(name))
    return std::nullopt;
  int number = getSmallInt(name, 0);
  std::optional<DType> dtype = isNarrow(number) ? std::nullopt : onnxDType(number);
  if (!dtype)
    unsupported("attribute " + std::string(name) + " names " + onnxDTypeName(number) +
                ", which graphc has not");
  return dtype;
}

//===--- what many translations need --------------------------------------------===//

int OnnxNode::toInt(int64_t number, std::string_view what) {
  if (std::in_range<int>(number))
    return int(number);
  fail(ErrorKind::ValueError, std::string(what) + " is out of range: " + std::to_string(number));
  return 0;
}

std::vector<int> OnnxNode::toInts(const Ints &list, std::string_view what) {
  std::vector<int> result;
  for (int64_t number : list)
    result.push_back(toInt(number, what));
  return result;
}

int OnnxNode::plainAxis(int64_t axis, int rank, bool end) {
  int64_t plain = axis < 0 ? axis + rank : axis;
  if (plain >= 0 && (plain < rank || (end && plain == rank)))
    return int(plain);
  fail(ErrorKind::AxisError,
       "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  return 0;
}

std::vector<int> OnnxNode::plainAxes(const Ints &axes, int rank) {
  std::vector<int> plain;
  for (int64_t axis : axes)
    plain.push_back(plainAxis(axis, rank));
  return plain;
}

std::optional<Ints> OnnxNode::attributeOrInput(std::string_view name, size_t i) {
  if (has(i))
    return constantInts(i);
  return getInts(name);
}

Variable OnnxNode::scalar(double value, DType dtype) const {
  return adopt(Tensor(value).cast(dtype));
}

Variable OnnxNode::array(absl::StatusOr<Tensor> numbers, std::optional<DType> dtype) {
  if (!numbers.ok())
    return fail(errorKind(numbers.status()), std::string(numbers.status().message()));
  return adopt(dtype ? numbers->cast(*dtype) : *numbers);
}

} // namespace graphc
