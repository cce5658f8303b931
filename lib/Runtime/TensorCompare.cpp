//===- Runtime/TensorCompare.cpp - equality and hashing -------------------===//
#include <algorithm>
#include <cstring>

#include "Runtime/ContentHash.h"
#include "Runtime/Element.h"
#include "Runtime/StridedLoop.h"
#include "Support/Hash.h"

namespace graphc {
namespace {

/// An integer as wide as the element, equal for elements that are identical: the bits, but one
/// pattern for every NaN (F-034).
template <class T> auto identity(Stored<T> value) {
  if constexpr (std::is_same_v<T, bool>) {
    return uint8_t(value != 0);
  } else if constexpr (kIsHalf<T>) {
    constexpr uint16_t kInfinity = std::is_same_v<T, Half> ? 0x7c00 : 0x7f80;
    return (value.bits & 0x7fff) <= kInfinity ? value.bits : uint16_t(0xffff);
  } else if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    return value == value ? std::bit_cast<Bits>(value) : ~Bits(0);
  } else {
    return value;
  }
}

/// Exact comparison of any two numbers, without converting a wide integer to a float.
template <class A, class B> bool numericallyEqual(A a, B b) {
  if constexpr (std::is_floating_point_v<A> && std::is_floating_point_v<B>) {
    return a == b;
  } else if constexpr (std::is_floating_point_v<A>) {
    // Any float from -2^64 to 2^64 that is whole is an __int128.
    return a >= A(-0x1p64) && a <= A(0x1p64) && A(__int128(a)) == a && __int128(a) == b;
  } else if constexpr (std::is_floating_point_v<B>) {
    return numericallyEqual(b, a);
  } else {
    return __int128(a) == __int128(b);
  }
}

/// Whether `equal(a, b)` for every pair of elements, loaded by their host types A and B.
template <class A, class B, class F> bool allPairs(const Tensor &a, const Tensor &b, F equal) {
  StridedLoop<2> loop(a.shape(), {a.strides(), b.strides()});
  const auto *x = static_cast<const Stored<A> *>(a.data());
  const auto *y = static_cast<const Stored<B> *>(b.data());
  return loop.run([&](const auto &offsets, int64_t count, const auto &strides) {
    for (int64_t i = 0; i < count; ++i)
      if (!equal(x[offsets[0] + i * strides[0]], y[offsets[1] + i * strides[1]]))
        return false;
    return true;
  });
}

} // namespace

bool Tensor::identical(const Tensor &other) const {
  if (!defined() || !other.defined())
    return defined() == other.defined();
  if (rep_ == other.rep_)
    return true;
  if (dtype() != other.dtype() || shape() != other.shape())
    return false;
  if (isComplex(dtype()))
    return realView().identical(other.realView());
  return dispatch(dtype(), [&](auto zero) {
    using T = decltype(zero);
    return allPairs<T, T>(
        *this, other, [](Stored<T> x, Stored<T> y) { return identity<T>(x) == identity<T>(y); });
  });
}

bool operator==(const Tensor &a, const Tensor &b) {
  if (!a.defined() || !b.defined())
    return a.defined() == b.defined();
  if (a.shape() != b.shape())
    return false;
  if (isComplex(a.dtype()) || isComplex(b.dtype()))
    return a.cast(DType::Complex128).realView() == b.cast(DType::Complex128).realView();
  return dispatch(a.dtype(), [&](auto zeroA) {
    using A = decltype(zeroA);
    return dispatch(b.dtype(), [&](auto zeroB) {
      using B = decltype(zeroB);
      return allPairs<A, B>(a, b, [](Stored<A> x, Stored<B> y) {
        return numericallyEqual(loadElement<A>(x), loadElement<B>(y));
      });
    });
  });
}

/// Calls of one Hasher cost more than the bytes of few elements.
static constexpr int64_t kChunk = 512;

uint64_t hashOfContent(const Tensor &tensor) {
  Hasher hasher;
  if (!tensor.defined())
    return hasher.finish();
  absl::Span<const int64_t> shape = tensor.shape();
  hasher.add(uint64_t(tensor.dtype())).add(uint64_t(tensor.rank()));
  hasher.addBytes(shape.data(), shape.size() * sizeof(int64_t));
  if (isComplex(tensor.dtype()))
    return hasher.add(hashOfContent(tensor.realView())).finish();
  StridedLoop<1> loop(shape, {tensor.strides()});
  dispatch(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Bits = decltype(identity<T>(Stored<T>()));
    Bits buffer[kChunk];
    int64_t filled = 0;
    const auto *elements = static_cast<const Stored<T> *>(tensor.data());
    loop.run([&](const auto &offsets, int64_t count, const auto &step) {
      const Stored<T> *row = elements + offsets[0];
      for (int64_t done = 0, take = 0; done < count; done += take) {
        take = std::min(count - done, kChunk - filled);
        if (step[0] == 1) // a loop that compilers make vectors of
          for (int64_t i = 0; i < take; ++i)
            buffer[filled + i] = identity<T>(row[done + i]);
        else
          for (int64_t i = 0; i < take; ++i)
            buffer[filled + i] = identity<T>(row[(done + i) * step[0]]);
        filled += take;
        if (filled == kChunk) {
          hasher.addBytes(buffer, sizeof(buffer));
          filled = 0;
        }
      }
      return true;
    });
    hasher.addBytes(buffer, size_t(filled) * sizeof(Bits));
  });
  return hasher.finish();
}

} // namespace graphc
