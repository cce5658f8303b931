//===- Import/DTypeEnds.h - the least and greatest of a dtype -------*- C++ -*-===//
#pragma once

#include <limits>

#include "graphc/Tensor.h"

namespace graphc {

/// What no element of the dtype, which is real, is less than (`sign` -1) or greater than (1): 0-d.
inline Tensor endOf(DType dtype, int sign) {
  return dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      using Ends = std::numeric_limits<T>;
      // Of 64 bits both casts keep all.
      return Tensor(int64_t(sign < 0 ? Ends::lowest() : Ends::max())).cast(dtype);
    } else {
      return Tensor(sign * std::numeric_limits<double>::infinity()).cast(dtype);
    }
  });
}
inline Tensor leastOf(DType dtype) { return endOf(dtype, -1); }
inline Tensor greatestOf(DType dtype) { return endOf(dtype, 1); }

} // namespace graphc
