//===- InputTypes.cpp - the inputs of a model --------------------------------===//
#include "Import/InputTypes.h"

#include "Graph/Nodes.h"
#include "Import/TensorReader.h"
#include "Support/Text.h"

namespace graphc {

std::string elementName(const std::string &name, size_t k) {
  return name + "[" + std::to_string(k) + "]";
}

absl::StatusOr<Variable> InputTypes::makeTensor(const onnx::TypeProto &type,
                                                const std::string &name, Place place) {
  if (!type.has_tensor_type())
    return makeError(ErrorKind::NotSupported, "is no tensor");
  const onnx::TypeProto::Tensor &tensor = type.tensor_type();
  std::optional<DType> dtype = onnxDType(tensor.elem_type());
  if (!dtype)
    return makeError(ErrorKind::NotSupported,
                     "is of " + onnxDTypeName(tensor.elem_type()) + ", which graphc has not");
  std::vector<int64_t> shape;
  for (const onnx::TensorShapeProto::Dimension &dim : tensor.shape().dim())
    shape.push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : kDynamic);
  if (auto given = options_.shapes.find(name); given != options_.shapes.end()) {
    used_.insert("shape of " + name);
    bool fits = !tensor.has_shape() || given->second.size() == shape.size();
    for (size_t k = 0; fits && k < shape.size(); ++k)
      fits = shape[k] == kDynamic || shape[k] == given->second[k];
    if (!fits)
      return makeError(ErrorKind::ValueError, "is declared as " + Type(*dtype, shape).brief() +
                                                  ", but the shape " + shapeText(given->second) +
                                                  " is given for it");
    shape = given->second;
  } else if (!tensor.has_shape()) {
    return makeError(ErrorKind::NotSupported, "has no rank; give the shape of '" + printable(name) +
                                                  "' (OnnxInputs::shapes, or --shape '" +
                                                  printable(name) + "=2,?')");
  }
  Type full(*dtype, shape);
  if (!full.status().ok())
    return full.status();
  Variable input(full, name);
  detail::asLeaf(input.node())->place = place;
  return input;
}

absl::StatusOr<int64_t> InputTypes::lengthOf(const std::string &name, const std::string &what,
                                             const std::string &choices) {
  auto given = options_.lengths.find(name);
  if (given == options_.lengths.end())
    return makeError(ErrorKind::NotSupported,
                     "is " + what + "; give its length (OnnxInputs::lengths, or --length '" +
                         printable(name) + "=N'): " + choices);
  used_.insert("length of " + name);
  return given->second;
}

absl::StatusOr<OnnxValue> InputTypes::make(const onnx::TypeProto &type, const std::string &name,
                                           Place place) {
  if (!type.has_sequence_type()) {
    absl::StatusOr<Variable> tensor = makeTensor(type, name, place);
    return tensor.ok() ? absl::StatusOr<OnnxValue>(*tensor) : tensor.status();
  }
  absl::StatusOr<int64_t> length = lengthOf(name, "a sequence", "how many elements it has");
  if (!length.ok())
    return length.status();
  const onnx::TypeProto &element = type.sequence_type().elem_type();
  std::optional<DType> dtype = onnxDType(element.tensor_type().elem_type());
  if (*length < 0)
    return makeError(ErrorKind::ValueError,
                     "is a sequence; its length is " + std::to_string(*length));
  if (!element.has_tensor_type() || !dtype)
    return makeError(ErrorKind::NotSupported, "is no sequence of numbers");
  Variables elements;
  for (int64_t k = 0; k < *length; ++k) {
    absl::StatusOr<Variable> made = makeTensor(element, elementName(name, size_t(k)), place);
    if (!made.ok())
      return made.status();
    elements.push_back(*made);
  }
  return OnnxValue::sequence(std::move(elements), *dtype);
}

absl::StatusOr<OnnxValue> InputTypes::make(const onnx::ValueInfoProto &info, Place place) {
  const onnx::TypeProto &type = info.type();
  if (!type.has_optional_type())
    return make(type, info.name(), place);
  const onnx::TypeProto &content = type.optional_type().elem_type();
  bool isSequence = content.has_sequence_type();
  absl::StatusOr<int64_t> length =
      lengthOf(info.name(), "an optional value",
               std::string(isSequence ? "how many elements it has" : "1") +
                   ", or none (OnnxInputs::kNone) where it is not there");
  if (!length.ok())
    return length.status();
  if (*length == OnnxInputs::kNone)
    return OnnxValue::nothing();
  if (!isSequence && *length != 1)
    return makeError(ErrorKind::ValueError,
                     "is an optional tensor; its length is " + std::to_string(*length));
  absl::StatusOr<OnnxValue> made = make(content, info.name(), place);
  return made.ok() ? made->asOptional() : made;
}

absl::Status InputTypes::checkAllUsed() const {
  auto check = [&](const std::string &what, const auto &map, const std::string &kind) {
    for (const auto &[name, value] : map)
      if (!used_.contains(what + " of " + name))
        return makeError(ErrorKind::KeyError, "a " + what + " is given for '" + printable(name) +
                                                  "', which is no input " + kind);
    return absl::OkStatus();
  };
  absl::Status lengths =
      check("length", options_.lengths, "that is a sequence or an optional value");
  return lengths.ok() ? check("shape", options_.shapes, "or element of one") : lengths;
}

} // namespace graphc
