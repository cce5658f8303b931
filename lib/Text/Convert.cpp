//===- Convert.cpp - types, attributes and data between graphc and MLIR ---===//
#include "GraphDialect.h"
#include "graphc/Host.h"
#include "graphc/Ops.h"
#include "graphc/Status.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace graphc {

mlir::Type toMlir(DType dtype, mlir::MLIRContext *context) {
  using Sign = mlir::IntegerType::SignednessSemantics;
  switch (dtype) {
  case DType::Float16:
    return mlir::Float16Type::get(context);
  case DType::BFloat16:
    return mlir::BFloat16Type::get(context);
  case DType::Float32:
    return mlir::Float32Type::get(context);
  case DType::Float64:
    return mlir::Float64Type::get(context);
  case DType::Complex64:
  case DType::Complex128:
    return mlir::ComplexType::get(toMlir(realDType(dtype), context));
  default:
    return mlir::IntegerType::get(context, unsigned(bitWidth(dtype)),
                                  isUnsignedInt(dtype) ? Sign::Unsigned : Sign::Signless);
  }
}

std::optional<DType> dtypeFromMlir(mlir::Type type) {
  if (type.isF16())
    return DType::Float16;
  if (type.isBF16())
    return DType::BFloat16;
  if (type.isF32())
    return DType::Float32;
  if (type.isF64())
    return DType::Float64;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) {
    mlir::Type part = complex.getElementType();
    return part.isF32()   ? std::optional(DType::Complex64)
           : part.isF64() ? std::optional(DType::Complex128)
                          : std::nullopt;
  }
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer || integer.isSigned())
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return isUnsigned ? std::optional<DType>() : DType::Bool;
  case 8:
    return isUnsigned ? DType::UInt8 : DType::Int8;
  case 16:
    return isUnsigned ? DType::UInt16 : DType::Int16;
  case 32:
    return isUnsigned ? DType::UInt32 : DType::Int32;
  case 64:
    return isUnsigned ? DType::UInt64 : DType::Int64;
  default:
    return std::nullopt;
  }
}

mlir::RankedTensorType toMlir(const Type &type, mlir::MLIRContext *context) {
  llvm::SmallVector<int64_t> shape;
  for (int64_t extent : type.shape())
    shape.push_back(extent == kDynamic ? mlir::ShapedType::kDynamic : extent);
  return mlir::RankedTensorType::get(shape, toMlir(type.dtype(), context));
}

std::string printed(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Type typeFromMlir(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return Type::invalid(
        makeError(ErrorKind::TypeError, printed(type) + " is not a tensor of known rank"));
  std::optional<DType> dtype = dtypeFromMlir(tensor.getElementType());
  if (!dtype)
    return Type::invalid(
        makeError(ErrorKind::TypeError, "no dtype is called " + printed(tensor.getElementType())));
  std::vector<int64_t> shape;
  for (int64_t extent : tensor.getShape())
    shape.push_back(mlir::ShapedType::isDynamic(extent) ? kDynamic : extent);
  return Type(*dtype, shape);
}

mlir::Attribute toMlir(const AttributeValue &value, mlir::MLIRContext *context) {
  mlir::Builder b(context);
  struct Visitor {
    mlir::Builder &b;
    mlir::Attribute operator()(NoneAttr) { return b.getUnitAttr(); }
    mlir::Attribute operator()(bool v) { return b.getBoolAttr(v); }
    mlir::Attribute operator()(int64_t v) { return b.getI64IntegerAttr(v); }
    mlir::Attribute operator()(double v) { return b.getF64FloatAttr(v); }
    mlir::Attribute operator()(const std::string &v) { return b.getStringAttr(v); }
    mlir::Attribute operator()(DType v) { return mlir::TypeAttr::get(toMlir(v, b.getContext())); }
    mlir::Attribute operator()(const IntList &v) { return b.getI64ArrayAttr(v); }
    mlir::Attribute operator()(const std::vector<double> &v) { return b.getF64ArrayAttr(v); }
    mlir::Attribute operator()(const Tensor &v) { return denseFromTensor(v, b.getContext()); }
  };
  return std::visit(Visitor{b}, value);
}

std::optional<AttributeValue> attributeFromMlir(mlir::Attribute a, AttributeKind kind) {
  if (llvm::isa<mlir::UnitAttr>(a))
    return NoneAttr();
  switch (kind) {
  case AttributeKind::None:
    return std::nullopt;
  case AttributeKind::Bool:
    if (auto v = llvm::dyn_cast<mlir::BoolAttr>(a))
      return v.getValue();
    return std::nullopt;
  case AttributeKind::Int:
    if (auto v = llvm::dyn_cast<mlir::IntegerAttr>(a); v && v.getType().isInteger(64))
      return v.getValue().getSExtValue();
    return std::nullopt;
  case AttributeKind::Float:
    if (auto v = llvm::dyn_cast<mlir::FloatAttr>(a); v && v.getType().isF64())
      return v.getValueAsDouble();
    return std::nullopt;
  case AttributeKind::String:
    if (auto v = llvm::dyn_cast<mlir::StringAttr>(a))
      return v.str();
    return std::nullopt;
  case AttributeKind::DType:
    if (auto v = llvm::dyn_cast<mlir::TypeAttr>(a))
      if (std::optional<DType> dtype = dtypeFromMlir(v.getValue()))
        return *dtype;
    return std::nullopt;
  case AttributeKind::Ints:
  case AttributeKind::Floats: {
    auto list = llvm::dyn_cast<mlir::ArrayAttr>(a);
    if (!list)
      return std::nullopt;
    IntList ints;
    std::vector<double> reals;
    for (mlir::Attribute entry : list) {
      std::optional<AttributeValue> v = attributeFromMlir(
          entry, kind == AttributeKind::Ints ? AttributeKind::Int : AttributeKind::Float);
      if (!v || std::holds_alternative<NoneAttr>(*v))
        return std::nullopt;
      if (kind == AttributeKind::Ints)
        ints.push_back(std::get<int64_t>(*v));
      else
        reals.push_back(std::get<double>(*v));
    }
    if (kind == AttributeKind::Ints)
      return ints;
    return reals;
  }
  case AttributeKind::Tensor:
    if (auto v = llvm::dyn_cast<mlir::DenseElementsAttr>(a); v && bytesOfSplat(v) == 0)
      if (absl::StatusOr<Tensor> t = tensorFromDense(v); t.ok())
        return *t;
    return std::nullopt;
  }
  return std::nullopt;
}

//===--- dense data -------------------------------------------------------===//

// A DenseElementsAttr keeps its elements row-major in the host's byte order and width, and bools a
// byte each, which is a Tensor's own layout (since LLVM 22 dropped the packed form of i1). The
// iterator forms below do not rely on that for i1.

mlir::DenseElementsAttr denseFromTensor(const Tensor &tensor, mlir::MLIRContext *context) {
  auto type = toMlir(Type(tensor.dtype(), tensor.shape()), context);
  Tensor rows = tensor.contiguous();
  if (rows.dtype() == DType::Bool) {
    absl::Span<const bool> flat = rows.flat<bool>();
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<bool>(flat.data(), flat.size()));
  }
  llvm::ArrayRef<char> bytes(static_cast<const char *>(rows.data()), size_t(rows.numBytes()));
  if (rows.numElements() == 0)
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<mlir::Attribute>());
  return mlir::DenseElementsAttr::getFromRawBuffer(type, bytes);
}

absl::StatusOr<Tensor> tensorFromDense(mlir::DenseElementsAttr dense) {
  Type type = typeFromMlir(dense.getType());
  if (!type.isTensor())
    return type.status();
  absl::StatusOr<Tensor> tensor = Tensor::allocate(type.dtype(), type.shape());
  if (!tensor.ok())
    return tensor;
  char *out = static_cast<char *>(tensor->data());
  if (type.dtype() == DType::Bool) {
    for (bool v : dense.getValues<bool>())
      *out++ = v;
    return tensor;
  }
  llvm::ArrayRef<char> raw = dense.getRawData();
  size_t each = size_t(byteSize(type.dtype())), count = size_t(tensor->numElements());
  if (dense.isSplat())
    for (size_t i = 0; i < count; ++i)
      std::memcpy(out + i * each, raw.data(), each);
  else if (count)
    std::memcpy(out, raw.data(), raw.size());
  return tensor;
}

int64_t bytesOfSplat(mlir::DenseElementsAttr dense) {
  constexpr int64_t kSmall = 8 << 10;
  Type type = typeFromMlir(dense.getType());
  if (!dense.isSplat() || !type.isTensor())
    return 0;
  absl::StatusOr<int64_t> bytes = shapeBytes(byteSize(type.dtype()), type.shape());
  return bytes.ok() && *bytes > kSmall ? *bytes : 0;
}

absl::StatusOr<Variable> broadcastSplat(mlir::DenseElementsAttr splat) {
  const mlir::ShapedType type = splat.getType();
  absl::StatusOr<Tensor> element =
      tensorFromDense(splat.resizeSplat(mlir::RankedTensorType::get({}, type.getElementType())));
  if (!element.ok())
    return element.status();
  const absl::Span<const int64_t> shape(type.getShape().data(), type.getShape().size());
  Variable all = broadcastTo(Constant::adopt(*std::move(element)), ShapeList(shape));
  return all.ok() ? absl::StatusOr<Variable>(all) : all.status();
}

} // namespace graphc
