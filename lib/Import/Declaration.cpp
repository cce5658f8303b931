//===- Declaration.cpp - what models say about types ------------------------===//
#include "Import/Declaration.h"

#include <vector>

#include "Graph/PlaceScope.h"
#include "Import/ErrorText.h"
#include "Import/TensorReader.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

class Declared {
public:
  Declared(const std::string &name, const Declaration &declaration, Place place)
      : name_(name), declaration_(declaration), place_(place) {}
  absl::StatusOr<OnnxValue> apply(const OnnxValue &v) const { return apply(v, *declaration_.type); }

private:
  absl::Status contradiction(const std::string &what, const OnnxValue &v) const {
    return makeError(ErrorKind::ValueError, std::string(declaration_.kind) + " " + quoted(name_) +
                                                " is declared " + what + ", but is " + v.brief() +
                                                "; correct the declaration or the graph");
  }
  absl::StatusOr<OnnxValue> apply(const OnnxValue &v, const onnx::TypeProto &type) const;
  absl::StatusOr<Variable> applyTensor(const Variable &v,
                                       const onnx::TypeProto::Tensor &tensor) const;

  const std::string &name_;
  const Declaration &declaration_;
  Place place_;
};

absl::StatusOr<OnnxValue> Declared::apply(const OnnxValue &v, const onnx::TypeProto &type) const {
  switch (type.value_case()) {
  case onnx::TypeProto::VALUE_NOT_SET:
    return v;
  case onnx::TypeProto::kOptionalType: {
    if (v.kind() == OnnxValue::Kind::Nothing)
      return v;
    absl::StatusOr<OnnxValue> content = apply(v.content(), type.optional_type().elem_type());
    return content.ok() ? content->asOptional() : content;
  }
  case onnx::TypeProto::kSequenceType: {
    const onnx::TypeProto &element = type.sequence_type().elem_type();
    if (!v.isSequence())
      return contradiction("as a sequence", v);
    if (element.has_tensor_type() && onnxDType(element.tensor_type().elem_type()) != v.dtype())
      return contradiction("as a sequence of " + onnxDTypeName(element.tensor_type().elem_type()),
                           v);
    return v;
  }
  case onnx::TypeProto::kTensorType: {
    if (!v.isTensor())
      return contradiction("as a tensor", v);
    absl::StatusOr<Variable> tensor = applyTensor(v.elements()[0], type.tensor_type());
    return tensor.ok() ? absl::StatusOr<OnnxValue>(*tensor) : tensor.status();
  }
  default:
    return contradiction("as no tensor", v);
  }
}

absl::StatusOr<Variable> Declared::applyTensor(const Variable &v,
                                               const onnx::TypeProto::Tensor &tensor) const {
  if (tensor.elem_type() != onnx::TensorProto::UNDEFINED &&
      onnxDType(tensor.elem_type()) != v.dtype())
    return contradiction("as " + onnxDTypeName(tensor.elem_type()), v);
  if (!tensor.has_shape())
    return v;
  if (tensor.shape().dim_size() != v.rank())
    return contradiction("with rank " + std::to_string(tensor.shape().dim_size()), v);
  std::vector<int64_t> shape(size_t(v.rank()), kDynamic);
  bool news = false;
  for (int axis = 0; axis < v.rank(); ++axis) {
    const onnx::TensorShapeProto::Dimension &dim = tensor.shape().dim(axis);
    int64_t known = v.type().extent(axis);
    if (!dim.has_dim_value() || dim.dim_value() < 0 || dim.dim_value() == known)
      continue;
    if (known != kDynamic)
      return contradiction("with extent " + std::to_string(dim.dim_value()) + " along axis " +
                               std::to_string(axis),
                           v);
    shape[size_t(axis)] = dim.dim_value();
    news = true;
  }
  if (!news)
    return v;
  Place here = filePlace(place_.str() + ": " + std::string(declaration_.kind) + " " +
                         quoted(name_) + " as declared");
  PlaceScope atDeclaration(here);
  return specifyShape(v, shape);
}

} // namespace

absl::StatusOr<OnnxValue> asDeclared(const OnnxValue &v, const std::string &name,
                                     const Declaration &declaration, Place place) {
  return Declared(name, declaration, place).apply(v);
}

} // namespace graphc
