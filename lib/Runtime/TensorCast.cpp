//===- Runtime/TensorCast.cpp - copies and casts --------------------------===//
#include <cstring>
#include <utility>
#include <vector>

#include "Runtime/CheckDType.h"
#include "Runtime/Element.h"
#include "Runtime/StridedLoop.h"
#include "Support/Log.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"

namespace graphc {

/// Imaginary parts of real elements are 0. Undefined where there is no memory.
static Tensor toComplex(const Tensor &source, DType dtype);

/// The elements of `source`, cast, in new row-major memory.
static Tensor convert(const Tensor &source, DType dtype) {
  if (!isDType(dtype))
    return Tensor();
  if (isComplex(dtype))
    return toComplex(source, dtype);
  if (isComplex(source.dtype())) // F-046
    return Tensor();
  absl::StatusOr<Tensor> result = Tensor::allocate(dtype, source.shape());
  if (!result.ok())
    return Tensor();
  StridedLoop<1> loop(source.shape(), {source.strides()});
  dispatch(source.dtype(), [&](auto fromZero) {
    using From = decltype(fromZero);
    const auto *from = static_cast<const Stored<From> *>(source.data());
    dispatch(dtype, [&](auto toZero) {
      using To = decltype(toZero);
      auto *to = static_cast<Stored<To> *>(result->data());
      loop.run([&](const auto &offsets, int64_t count, const auto &strides) {
        const Stored<From> *row = from + offsets[0];
        if (strides[0] == 1) // known to the compiler, for vector code
          for (int64_t i = 0; i < count; ++i)
            to[i] = castElement<To, From>(row[i]);
        else
          for (int64_t i = 0; i < count; ++i)
            to[i] = castElement<To, From>(row[i * strides[0]]);
        to += count;
        return true;
      });
    });
  });
  return *std::move(result);
}

static Tensor toComplex(const Tensor &source, DType dtype) {
  DType part = realDType(dtype);
  if (isComplex(source.dtype())) {
    Tensor pairs = convert(source.realView(), part);
    return pairs.defined() ? *pairs.complexView() : pairs;
  }
  Tensor re = source.cast(part);
  absl::StatusOr<Tensor> result = Tensor::zeros(dtype, source.shape());
  if (!result.ok() || !re.defined())
    return Tensor();
  absl::StatusOr<Tensor> place = result->realView().slice(source.rank(), 0, 1, 1);
  std::vector<int64_t> shape(source.shape().begin(), source.shape().end());
  shape.push_back(1);
  absl::StatusOr<Tensor> column = re.reshape(shape);
  if (!place.ok() || !column.ok() || !place->assign(*column).ok())
    return Tensor();
  return *std::move(result);
}

Tensor Tensor::copy() const { return defined() ? convert(*this, dtype()) : Tensor(); }

absl::Status Tensor::assign(const Tensor &source) {
  if (!defined() || !source.defined() || dtype() != source.dtype() || shape() != source.shape())
    return makeError(ErrorKind::ValueError, "assign: the two differ in dtype or shape");
  void *memory = data(); // a frozen one gets memory of its own, and with it other strides
  if (!defined())
    return makeError(ErrorKind::OutOfMemory, "assign: no memory for a copy of what is constant");
  if (isComplex(dtype()))
    return realView().assign(source.realView());
  StridedLoop<2> loop(shape(), {strides(), source.strides()});
  dispatch(dtype(), [&](auto zero) {
    using T = Stored<decltype(zero)>;
    auto *to = static_cast<T *>(memory);
    const auto *from = static_cast<const T *>(source.data());
    loop.run([&](const auto &offsets, int64_t count, const auto &steps) {
      for (int64_t i = 0; i < count; ++i)
        to[offsets[0] + i * steps[0]] = from[offsets[1] + i * steps[1]];
      return true;
    });
  });
  return absl::OkStatus();
}

Tensor Tensor::contiguous() const { return !defined() || isContiguous() ? *this : copy(); }

Tensor Tensor::cast(DType to) const {
  return !defined() || dtype() == to ? *this : convert(*this, to);
}

void Tensor::itemTo(DType to, void *result) const {
  if (!defined() || numElements() != 1) {
    logWarning(defined() ? "Tensor::item: there are " + std::to_string(numElements()) +
                               " elements instead of 1"
                         : "Tensor::item of an undefined Tensor");
    return;
  }
  if (isComplex(to)) {
    Tensor converted = cast(to);
    if (converted.defined())
      std::memcpy(result, std::as_const(converted).data(), size_t(byteSize(to)));
    return;
  }
  if (isComplex(dtype())) {
    logWarning("Tensor::item: a complex number is no " + std::string(dtypeName(to)));
    return;
  }
  dispatch(dtype(), [&](auto fromZero) {
    using From = decltype(fromZero);
    dispatch(to, [&](auto toZero) {
      using To = decltype(toZero);
      *static_cast<Stored<To> *>(result) =
          castElement<To, From>(*static_cast<const Stored<From> *>(data()));
    });
  });
}

} // namespace graphc
