//===- Runtime/DLPack.cpp - tensors from and for other libraries ----------===//
#include <dlpack/dlpack.h>

#include "absl/strings/str_cat.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"

namespace graphc {
namespace {

/// DLPack's code for bool since version 0.8; the header of 0.6 does not name it.
constexpr uint8_t kDLBoolCode = 6;

DLDataType dlpackType(DType dtype) {
  DLDataTypeCode code = isComplex(dtype)           ? kDLComplex
                        : dtype == DType::BFloat16 ? kDLBfloat
                        : isFloat(dtype)           ? kDLFloat
                        : isUnsignedInt(dtype)     ? kDLUInt
                                                   : kDLInt;
  return {isBool(dtype) ? kDLBoolCode : uint8_t(code), uint8_t(8 * byteSize(dtype)), 1};
}

std::optional<DType> dtypeOf(DLDataType type) {
  for (int i = 0; i < kNumDTypes; ++i) {
    DLDataType candidate = dlpackType(DType(i));
    if (type.code == candidate.code && type.bits == candidate.bits && type.lanes == 1)
      return DType(i);
  }
  return std::nullopt;
}

/// A DLManagedTensor with all that it points to.
struct Export {
  DLManagedTensor managed = {};
  Tensor tensor;
  std::vector<int64_t> shape, strides;
};

} // namespace

absl::StatusOr<DLManagedTensor *> toDLPack(const Tensor &tensor) {
  if (!tensor.defined())
    return makeError(ErrorKind::ValueError, "toDLPack: undefined tensor");
  Tensor writable = tensor;
  void *data = writable.data(); // a frozen one gets memory of its own, and with it other strides
  if (!writable.defined())
    return makeError(ErrorKind::OutOfMemory, "toDLPack: no memory for a copy of what is constant");
  auto *result = new Export;
  result->shape.assign(writable.shape().begin(), writable.shape().end());
  result->strides.assign(writable.strides().begin(), writable.strides().end());
  DLTensor &view = result->managed.dl_tensor;
  view.data = data;
  view.device = {kDLCPU, 0};
  view.ndim = writable.rank();
  view.dtype = dlpackType(writable.dtype());
  result->tensor = std::move(writable);
  view.shape = result->shape.data();
  view.strides = result->strides.data();
  result->managed.manager_ctx = result;
  result->managed.deleter = [](DLManagedTensor *self) {
    delete static_cast<Export *>(self->manager_ctx);
  };
  return &result->managed;
}

absl::StatusOr<Tensor> fromDLPack(DLManagedTensor *managed) {
  if (!managed)
    return makeError(ErrorKind::ValueError, "fromDLPack: null");
  const DLTensor &view = managed->dl_tensor;
  if (view.device.device_type != kDLCPU)
    return makeError(ErrorKind::NotSupported,
                     absl::StrCat("fromDLPack: memory of device type ",
                                  int(view.device.device_type), " is not the CPU's"));
  std::optional<DType> dtype = dtypeOf(view.dtype);
  if (!dtype)
    return makeError(ErrorKind::NotSupported,
                     absl::StrCat("fromDLPack: dtype code ", int(view.dtype.code), " of ",
                                  int(view.dtype.bits), " bits in ", int(view.dtype.lanes),
                                  " lanes is not supported"));
  if (view.ndim < 0 || (view.ndim > 0 && !view.shape))
    return makeError(ErrorKind::ValueError, "fromDLPack: no shape");
  absl::Span<const int64_t> shape(view.shape, size_t(view.ndim)), strides;
  if (view.strides)
    strides = {view.strides, size_t(view.ndim)};
  void *data = view.data ? static_cast<char *>(view.data) + view.byte_offset : nullptr;
  // Checked before ownership is taken: on an error the caller keeps it.
  if (absl::Status status = Tensor::borrow(*dtype, data, shape, strides).status(); !status.ok())
    return prefixError(status, "fromDLPack");
  std::shared_ptr<void> owner(managed, [](void *self) {
    auto *tensor = static_cast<DLManagedTensor *>(self);
    if (tensor->deleter)
      tensor->deleter(tensor);
  });
  return Tensor::borrow(*dtype, data, shape, strides, std::move(owner));
}

} // namespace graphc
