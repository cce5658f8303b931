//===- AtEdgeOfPages.h - arrays with no memory beside them ------*- C++ -*-===//
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "graphc/Tensor.h"

namespace graphc::testing {

/// A copy of an array at the end of pages behind which there are none, or at the begin of pages in
/// front of which there are none.
class AtEdgeOfPages {
public:
  explicit AtEdgeOfPages(const Tensor &tensor, bool isBegin = false) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    const int64_t bytes = (tensor.numBytes() + page - 1) / page * page;
    mapped_ = size_t(bytes + 2 * page);
    memory_ =
        static_cast<char *>(mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(memory_, MAP_FAILED);
    EXPECT_EQ(mprotect(memory_ + page, size_t(bytes), PROT_READ | PROT_WRITE), 0);
    char *data = memory_ + page + (isBegin ? 0 : bytes - tensor.numBytes());
    std::memcpy(data, tensor.data(), size_t(tensor.numBytes()));
    tensor_ = *Tensor::borrow(tensor.dtype(), data, tensor.shape());
  }
  AtEdgeOfPages(const AtEdgeOfPages &) = delete;
  AtEdgeOfPages &operator=(const AtEdgeOfPages &) = delete;
  ~AtEdgeOfPages() { munmap(memory_, mapped_); }
  const Tensor &tensor() const { return tensor_; }

private:
  char *memory_;
  size_t mapped_;
  Tensor tensor_;
};

} // namespace graphc::testing
