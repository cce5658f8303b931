//===- TensorReader.cpp - values from TensorProto --------------------------===//
#include "Import/TensorReader.h"

#include <bit>
#include <cstring>
#include <limits>

#include "Import/NarrowTypes.h"
#include "Support/Text.h"
#include "absl/strings/numbers.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX's raw data is little-endian");

absl::Status badTensor(const std::string &why) {
  return makeError(ErrorKind::ValueError, printable(why));
}

/// The number of elements of a shape that comes from a file; none if it is negative anywhere or
/// cannot be in memory.
std::optional<int64_t> countElements(absl::Span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count > int64_t(1) << 58)
      return std::nullopt;
  return count;
}

/// Bytes as they lie in memory; a bool may be any nonzero byte in a file.
void copyBytes(Tensor &tensor, const char *bytes) {
  if (tensor.numBytes() == 0)
    return;
  if (tensor.dtype() != DType::Bool) {
    std::memcpy(tensor.data(), bytes, size_t(tensor.numBytes()));
    return;
  }
  for (bool &element : tensor.mutableFlat<bool>())
    element = *bytes++ != 0;
}

/// A number of a typed field as an element, if it is one. Fields of halves hold their bits.
template <class T, class Field> std::optional<T> elementOf(Field number) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    if (number < 0 || number > std::numeric_limits<uint16_t>::max())
      return std::nullopt;
    T half;
    half.bits = uint16_t(number);
    return half;
  } else {
    T element = T(number);
    if (std::is_integral_v<T> && !std::is_same_v<T, bool> && Field(element) != number)
      return std::nullopt;
    return element;
  }
}

template <class Field> absl::Status copyNumbers(Tensor &tensor, const Field &field) {
  absl::Status status;
  dispatch(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T *next = tensor.mutableFlat<T>().data();
    for (auto number : field) {
      std::optional<T> element = elementOf<T>(number);
      if (!element) {
        status = badTensor("holds " + std::to_string(number) + ", which is no " +
                           std::string(dtypeName(tensor.dtype())));
        return;
      }
      *next++ = *element;
    }
  });
  return status;
}

int64_t numbersIn(const onnx::TensorProto &proto) {
  switch (proto.data_type()) {
  case onnx::TensorProto::FLOAT:
    return proto.float_data_size();
  case onnx::TensorProto::DOUBLE:
    return proto.double_data_size();
  case onnx::TensorProto::INT64:
    return proto.int64_data_size();
  case onnx::TensorProto::UINT32:
  case onnx::TensorProto::UINT64:
    return proto.uint64_data_size();
  default:
    return proto.int32_data_size();
  }
}

absl::Status copyTypedData(Tensor &tensor, const onnx::TensorProto &proto) {
  switch (proto.data_type()) {
  case onnx::TensorProto::FLOAT:
    return copyNumbers(tensor, proto.float_data());
  case onnx::TensorProto::DOUBLE:
    return copyNumbers(tensor, proto.double_data());
  case onnx::TensorProto::INT64:
    return copyNumbers(tensor, proto.int64_data());
  case onnx::TensorProto::UINT32:
  case onnx::TensorProto::UINT64:
    return copyNumbers(tensor, proto.uint64_data());
  default:
    return copyNumbers(tensor, proto.int32_data());
  }
}

/// Where a tensor's bytes lie outside of the model.
struct ExternalData {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length;
};

absl::StatusOr<ExternalData> externalData(const onnx::TensorProto &proto) {
  ExternalData result;
  for (const onnx::StringStringEntryProto &entry : proto.external_data()) {
    int64_t number = 0;
    bool isNumber = entry.key() == "offset" || entry.key() == "length";
    if (isNumber && (!absl::SimpleAtoi(entry.value(), &number) || number < 0))
      return badTensor("its external data has the " + entry.key() + " '" + entry.value() + "'");
    if (entry.key() == "location")
      result.location = entry.value();
    else if (entry.key() == "offset")
      result.offset = number;
    else if (entry.key() == "length")
      result.length = number;
  }
  return result;
}

absl::StatusOr<Tensor> readExternal(const onnx::TensorProto &proto, DType dtype,
                                    absl::Span<const int64_t> shape, int64_t count,
                                    ExternalFiles &files) {
  auto where = externalData(proto);
  if (!where.ok())
    return where.status();
  int64_t needed = count * byteSize(dtype);
  if (where->length && *where->length != needed)
    return badTensor("its external data has " + std::to_string(*where->length) +
                     " bytes where its shape needs " + std::to_string(needed));
  absl::StatusOr<Tensor> tensor;
  absl::Status read =
      files.read(where->location, where->offset, needed, [&]() -> absl::StatusOr<void *> {
        tensor = Tensor::allocate(dtype, shape);
        return tensor.ok() ? absl::StatusOr<void *>(tensor->data()) : tensor.status();
      });
  if (!read.ok())
    return read;
  if (dtype == DType::Bool)
    copyBytes(*tensor, static_cast<const char *>(tensor->data()));
  return tensor;
}

/// The elements as they are stored: typed, raw, or in a file.
absl::StatusOr<Tensor> readStored(const onnx::TensorProto &proto, DType dtype,
                                  absl::Span<const int64_t> shape, int64_t count,
                                  ExternalFiles &files) {
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    return readExternal(proto, dtype, shape, count, files);

  // Sizes are compared before memory is asked for: the shape is a file's claim.
  bool raw = proto.has_raw_data();
  int64_t needed = raw ? count * byteSize(dtype) : count;
  int64_t held = raw ? int64_t(proto.raw_data().size()) : numbersIn(proto);
  if (held != needed)
    return badTensor("holds " + std::to_string(held) + (raw ? " bytes" : " numbers") +
                     " where its shape " + shapeText(proto.dims()) + " needs " +
                     std::to_string(needed));
  auto tensor = Tensor::allocate(dtype, shape);
  if (!tensor.ok())
    return tensor;
  if (raw) {
    copyBytes(*tensor, proto.raw_data().data());
    return tensor;
  }
  if (absl::Status s = copyTypedData(*tensor, proto); !s.ok())
    return s;
  return tensor;
}

} // namespace

std::optional<DType> onnxDType(int dataType) {
  if (std::optional<DType> storage = narrowStorage(dataType))
    return storage;
  switch (dataType) {
  case onnx::TensorProto::FLOAT:
    return DType::Float32;
  case onnx::TensorProto::UINT8:
    return DType::UInt8;
  case onnx::TensorProto::INT8:
    return DType::Int8;
  case onnx::TensorProto::UINT16:
    return DType::UInt16;
  case onnx::TensorProto::INT16:
    return DType::Int16;
  case onnx::TensorProto::INT32:
    return DType::Int32;
  case onnx::TensorProto::INT64:
    return DType::Int64;
  case onnx::TensorProto::BOOL:
    return DType::Bool;
  case onnx::TensorProto::FLOAT16:
    return DType::Float16;
  case onnx::TensorProto::DOUBLE:
    return DType::Float64;
  case onnx::TensorProto::UINT32:
    return DType::UInt32;
  case onnx::TensorProto::UINT64:
    return DType::UInt64;
  case onnx::TensorProto::BFLOAT16:
    return DType::BFloat16;
  default:
    return std::nullopt;
  }
}

std::string onnxDTypeName(int dataType) {
  // Those that the message in hand does not know yet.
  static constexpr std::string_view kNewer[] = {
      "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",
      "INT4",         "FLOAT4E2M1",     "FLOAT8E8M0", "UINT2",          "INT2"};
  constexpr int kFirstNewer = 17;
  if (dataType >= kFirstNewer && dataType < kFirstNewer + int(std::size(kNewer)))
    return std::string(kNewer[dataType - kFirstNewer]);
  if (!onnx::TensorProto::DataType_IsValid(dataType))
    return "element type " + std::to_string(dataType);
  return onnx::TensorProto::DataType_Name(onnx::TensorProto::DataType(dataType));
}

absl::StatusOr<Tensor> readTensor(const onnx::TensorProto &proto, ExternalFiles &files) {
  std::optional<DType> dtype = onnxDType(proto.data_type());
  if (!dtype)
    return makeError(ErrorKind::NotSupported,
                     "is of " + onnxDTypeName(proto.data_type()) + ", which graphc has not");
  if (proto.dims_size() > Tensor::kMaxRank)
    return makeError(ErrorKind::NotSupported, "has rank " + std::to_string(proto.dims_size()) +
                                                  "; the greatest is " +
                                                  std::to_string(Tensor::kMaxRank));
  std::optional<int64_t> count = countElements(proto.dims());
  if (!count)
    return badTensor("has the shape " + shapeText(proto.dims()));
  if (proto.has_segment())
    return makeError(ErrorKind::NotSupported, "is stored in segments");
  if (!isNarrow(proto.data_type()))
    return readStored(proto, *dtype, proto.dims(), *count, files);
  const int perByte = 8 / narrowBits(proto.data_type());
  const int64_t bytes = *count / perByte + (*count % perByte != 0);
  absl::StatusOr<Tensor> codes = readStored(proto, DType::UInt8, {bytes}, bytes, files);
  if (!codes.ok())
    return codes.status();
  return decodeNarrow(proto.data_type(), codes->flat<uint8_t>(), proto.dims());
}

} // namespace graphc
