#include "Closeness.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace graphc {
namespace {

/// Distance in units in the last place, counting the numbers between.
template <class F, class I> double ulpDistance(F a, F b) {
  auto ordered = [](F x) {
    I bits = std::bit_cast<I>(x);
    return bits < 0 ? std::numeric_limits<I>::min() - bits : bits;
  };
  // Subtracted as integers: 64 bits do not fit into a double.
  using U = std::make_unsigned_t<I>;
  I x = ordered(a), y = ordered(b);
  return double(x < y ? U(y) - U(x) : U(x) - U(y));
}

template <class F, class I> bool closeFloats(F got, F wanted, const Tolerance &t, size_t i) {
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) && std::isnan(got);
  if (t.zeroSigns && wanted == 0 && got == 0)
    return std::signbit(wanted) == std::signbit(got);
  if (got == wanted)
    return true;
  if (t.rtol) {
    double allowed = *t.atol + *t.rtol * std::fabs(double(wanted));
    if (!t.atols.empty())
      allowed += t.atols[i];
    return std::isfinite(got) && std::fabs(double(got) - double(wanted)) <= allowed;
  }
  // The greatest number and infinity are neighbours in this count; a result is one or the other.
  return std::isinf(got) == std::isinf(wanted) && ulpDistance<F, I>(got, wanted) <= t.ulp;
}

} // namespace

void expectClose(const Tensor &got, const Tensor &wanted, const Tolerance &t) {
  ASSERT_EQ(got.dtype(), wanted.dtype()) << dtypeName(got.dtype());
  ASSERT_EQ(got.shape(), wanted.shape());
  if (isComplex(wanted.dtype())) { // signs of zeros: SignsOfZeros in ComplexTest.cpp
    Tolerance parts = t;
    parts.zeroSigns = false;
    expectClose(got.realView(), wanted.realView(), parts);
    return;
  }
  if (!isFloat(wanted.dtype())) {
    EXPECT_TRUE(got == wanted) << "got\n" << got << "\nwanted\n" << wanted;
    return;
  }
  if (bitWidth(wanted.dtype()) == 16) { // halves, all of which float32 holds
    expectClose(got.cast(DType::Float32), wanted.cast(DType::Float32), t);
    return;
  }
  Tensor flat = got.contiguous();
  auto compare = [&]<class F, class I>(F, I) {
    for (int64_t i = 0; i < wanted.numElements(); ++i) {
      F a = flat.flat<F>()[i], b = wanted.flat<F>()[i];
      bool close = closeFloats<F, I>(a, b, t, size_t(i));
      EXPECT_TRUE(close) << "element " << i << ": got " << Tensor(double(a)) << ", wanted "
                         << Tensor(double(b)) << " (" << ulpDistance<F, I>(a, b) << " ULP)";
      if (!close)
        return;
    }
  };
  if (wanted.dtype() == DType::Float32)
    compare(float(), int32_t());
  else
    compare(double(), int64_t());
}

} // namespace graphc
