#include <dlpack/dlpack.h>

#include <gtest/gtest.h>

#include "Messages.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"

namespace graphc {
namespace {

TEST(DLPack, RoundTripSharesMemory) {
  for (int i = 0; i < kNumDTypes; ++i) {
    Tensor tensor = Tensor({{1, 0, 1}, {0, 1, 1}}, DType(i));
    Tensor strided = *tensor.transpose({1, 0})->slice(0, 2, 2, -2);
    absl::StatusOr<DLManagedTensor *> managed = toDLPack(strided);
    ASSERT_TRUE(managed.ok());
    EXPECT_EQ((*managed)->dl_tensor.strides[0], -2);
    EXPECT_EQ((*managed)->dl_tensor.dtype.bits, 8 * byteSize(DType(i)));
    absl::StatusOr<Tensor> back = fromDLPack(*managed);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(back->identical(strided));
    EXPECT_EQ(back->data(), strided.data());
  }
}

// Whoever has the memory may write to it: of what is frozen it is a copy, which is dense.
TEST(DLPack, OfFrozenMemoryIsACopy) {
  Tensor tensor({{1, 2, 3}, {4, 5, 6}});
  tensor.freeze();
  Tensor columns = *tensor.transpose({1, 0});
  absl::StatusOr<DLManagedTensor *> managed = toDLPack(columns);
  ASSERT_TRUE(managed.ok());
  absl::StatusOr<Tensor> back = fromDLPack(*managed);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, Tensor({{1, 4}, {2, 5}, {3, 6}}));
  back->mutableFlat<double>()[0] = 99;
  EXPECT_EQ(tensor, Tensor({{1, 2, 3}, {4, 5, 6}}));
}

TEST(DLPack, TypeCodesAreTheStandards) {
  auto codeOf = [](DType dtype) {
    DLManagedTensor *managed = *toDLPack(Tensor(1).cast(dtype));
    int code = managed->dl_tensor.dtype.code;
    managed->deleter(managed);
    return code;
  };
  EXPECT_EQ(codeOf(DType::Int32), kDLInt);
  EXPECT_EQ(codeOf(DType::UInt8), kDLUInt);
  EXPECT_EQ(codeOf(DType::Float16), kDLFloat);
  EXPECT_EQ(codeOf(DType::BFloat16), kDLBfloat);
  EXPECT_EQ(codeOf(DType::Bool), 6); // kDLBool of DLPack 0.8 and later
}

TEST(DLPack, ExportKeepsTheMemory) {
  DLManagedTensor *managed;
  {
    Tensor tensor({1, 2, 3});
    managed = *toDLPack(tensor);
  }
  EXPECT_EQ(static_cast<double *>(managed->dl_tensor.data)[2], 3);
  managed->deleter(managed);
  EXPECT_EQ(errorKind(toDLPack(Tensor()).status()), ErrorKind::ValueError);
}

/// Another library's tensor of six floats, which counts its deletions.
struct Foreign {
  float memory[7] = {0, 1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3};
  int64_t strides[2] = {3, 1};
  int deleted = 0;
  DLManagedTensor managed = {};

  Foreign() {
    managed.dl_tensor = {memory, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor *self) {
      ++static_cast<Foreign *>(self->manager_ctx)->deleted;
    };
  }
};

TEST(DLPack, ImportTakesOwnership) {
  Foreign foreign;
  {
    Tensor tensor = *fromDLPack(&foreign.managed);
    EXPECT_EQ(tensor.str(), "[[0. 1. 2.]\n [3. 4. 5.]]");
    Tensor view = *tensor.slice(0, 1, 1, 1);
    tensor = Tensor();
    EXPECT_EQ(foreign.deleted, 0);
    EXPECT_EQ(view.str(), "[[3. 4. 5.]]");
  }
  EXPECT_EQ(foreign.deleted, 1);
  foreign.managed.deleter = nullptr; // allowed: nothing to delete
  EXPECT_TRUE(fromDLPack(&foreign.managed).ok());
}

TEST(DLPack, ImportReadsOffsetAndStrides) {
  Foreign foreign;
  foreign.managed.dl_tensor.byte_offset = 4;
  EXPECT_EQ(fromDLPack(&foreign.managed)->str(), "[[1. 2. 3.]\n [4. 5. 6.]]");
  foreign.managed.dl_tensor.byte_offset = 20;
  foreign.managed.dl_tensor.strides = foreign.strides;
  foreign.strides[0] = -3;
  foreign.strides[1] = 0;
  EXPECT_EQ(fromDLPack(&foreign.managed)->str(), "[[5. 5. 5.]\n [2. 2. 2.]]");
}

TEST(DLPack, RefusalsLeaveOwnership) {
  auto refusal = [](auto change) {
    Foreign foreign;
    change(foreign.managed.dl_tensor);
    absl::Status status = fromDLPack(&foreign.managed).status();
    EXPECT_EQ(foreign.deleted, 0);
    return status;
  };
  absl::Status device = refusal([](DLTensor &t) { t.device.device_type = kDLCUDA; });
  EXPECT_EQ(device.message(), "fromDLPack: memory of device type 2 is not the CPU's");
  EXPECT_EQ(errorKind(device), ErrorKind::NotSupported);
  absl::Status lanes = refusal([](DLTensor &t) { t.dtype.lanes = 4; });
  EXPECT_EQ(lanes.message(), "fromDLPack: dtype code 2 of 32 bits in 4 lanes is not supported");
  EXPECT_EQ(errorKind(lanes), ErrorKind::NotSupported);
  EXPECT_EQ(errorKind(refusal([](DLTensor &t) { t.dtype = {kDLComplex, 32, 1}; })),
            ErrorKind::NotSupported);
  EXPECT_EQ(refusal([](DLTensor &t) { t.data = nullptr; }).message(),
            "fromDLPack: null data for a tensor of shape (2, 3)");
  EXPECT_EQ(refusal([](DLTensor &t) { t.byte_offset = 2; }).message(),
            "fromDLPack: data of dtype float32 must lie at a multiple of 4 bytes");
  EXPECT_EQ(refusal([](DLTensor &t) { t.ndim = 99; }).message(),
            "fromDLPack: rank 99 is above the maximum of 32");
  EXPECT_EQ(refusal([](DLTensor &t) { t.ndim = -1; }).message(), "fromDLPack: no shape");
  EXPECT_EQ(refusal([](DLTensor &t) { t.shape[0] = -1; }).message(),
            "fromDLPack: negative extent in shape (-1, 3)");
  EXPECT_EQ(said(fromDLPack(nullptr).status()), "ValueError: fromDLPack: null");
  EXPECT_EQ(said(toDLPack(Tensor()).status()), "ValueError: toDLPack: undefined tensor");
}

} // namespace
} // namespace graphc
