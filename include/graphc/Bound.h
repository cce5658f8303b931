//===- graphc/Bound.h - typed calls -----------------------------*- C++ -*-===//
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "graphc/CodeCall.h"
#include "graphc/Tensor.h"

namespace graphc {

namespace detail {

/// A C++ number as an argument of a call.
struct NumberArgument {
  DType dtype;
  alignas(8) char value[8];

  /// Of the dtype that a Tensor of it would have.
  template <Number T> static NumberArgument of(T number) {
    NumberArgument argument;
    if constexpr (std::is_same_v<T, float>)
      argument.put(DType::Float32, number);
    else if constexpr (std::is_floating_point_v<T>)
      argument.put(DType::Float64, double(number));
    else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
      argument.put(number >> 63 ? DType::UInt64 : DType::Int64, uint64_t(number));
    else
      argument.put(DType::Int64, int64_t(number));
    return argument;
  }

private:
  template <class T> void put(DType type, T number) {
    dtype = type;
    std::memcpy(value, &number, sizeof(T));
  }
};

/// One operand of a typed call: memory with extents, or a number.
struct BoundArgument {
  DType dtype;
  int rank;
  bool isOutput;
  bool isView = false;
};

/// A call that was checked against its function.
struct BoundCall : CodeCall {
  /// Of all arguments for which there is code, one after the other.
  std::vector<int64_t> extents;
  /// Code that has extents as constants, made while calls go on: the newest, from which `next`
  /// leads to the others. Of `owner`, as long as that lives.
  const std::atomic<const BoundCall *> *versions = nullptr;
  const BoundCall *next = nullptr;
  const void *executable = nullptr; ///< whose code it is
  std::shared_ptr<const void> owner;

  BoundCall() = default;
  BoundCall(const BoundCall &) = default;
  BoundCall &operator=(const BoundCall &) = default;
  /// What was moved from has no code and no owner: the general way tells so.
  BoundCall(BoundCall &&other) noexcept { *this = std::move(other); }
  BoundCall &operator=(BoundCall &&other) noexcept {
    CodeCall::operator=(static_cast<CodeCall &&>(other)); // this part of it
    other.code = nullptr;
    extents = std::move(other.extents);
    versions = std::exchange(other.versions, nullptr);
    next = other.next;
    executable = other.executable;
    owner = std::move(other.owner);
    return *this;
  }

  /// Counts a call of this code, of which there may be no version yet. Does not throw.
  void count() const noexcept;
  /// The general way: memory, extents and strides of each argument, inputs then outputs.
  absl::Status run(absl::Span<void *const> memory, absl::Span<const int64_t *const> shapes,
                   absl::Span<const int64_t *const> strides) const;
  using CodeCall::run;
};

template <class T> struct BoundTraits {
  static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>,
                "bind takes numbers and Views");
  static constexpr BoundArgument argument{DTypeOf<T>::value, 0, false};
  static void *memory(const T &value) { return const_cast<T *>(&value); }
  static const int64_t *shape(const T &) { return nullptr; }
  static const int64_t *strides(const T &) { return nullptr; }
  static bool isRowMajor(const T &, const int64_t *) { return true; }
  static size_t numBytes(const T &) { return sizeof(T); }
};
template <class T, int N> struct BoundTraits<View<T, N>> {
  static constexpr BoundArgument argument{DTypeOf<std::remove_const_t<T>>::value, N,
                                          !std::is_const_v<T>, true};
  static void *memory(const View<T, N> &v) { return const_cast<std::remove_const_t<T> *>(v.data); }
  static const int64_t *shape(const View<T, N> &v) { return v.shape; }
  static const int64_t *strides(const View<T, N> &v) { return v.strides; }
  /// Whether it is a row-major array of these extents, none of them 0, at a proper address.
  static bool isRowMajor(const View<T, N> &v, const int64_t *extents) {
    int64_t stride = 1;
    for (int axis = N - 1; axis >= 0; --axis) {
      if (v.shape[axis] != extents[axis] || (v.shape[axis] != 1 && v.strides[axis] != stride))
        return false;
      stride *= v.shape[axis];
    }
    return stride > 0 && v.data && uintptr_t(v.data) % alignof(T) == 0;
  }
  /// Of one that is row-major.
  static size_t numBytes(const View<T, N> &v) {
    size_t bytes = sizeof(T);
    for (int axis = 0; axis < N; ++axis)
      bytes *= size_t(v.shape[axis]);
    return bytes;
  }
};

} // namespace detail

template <class Signature> class Bound;

/// A Function as a plain typed callable, made by `Function::bind`. Numbers are 0-d inputs, Views
/// of const are inputs, Views of non-const are outputs and stand after the inputs; the result
/// type is absl::Status, or the number that the only output is, or void. Calls read and write the
/// caller's memory. Thread-safe as the Function is. One that was default-constructed or moved from
/// computes nothing: ValueError, or the number 0.
template <class R, class... A> class Bound<R(A...)> {
public:
  static constexpr bool kReturnsStatus = std::is_same_v<R, absl::Status>;
  static constexpr bool kReturnsValue = !kReturnsStatus && !std::is_void_v<R>;

  Bound() = default;
  R operator()(A... arguments) const {
    constexpr size_t kCount = sizeof...(A) + kReturnsValue;
    std::conditional_t<kReturnsValue, R, char> result{};
    void *memory[kCount + detail::CodeCall::kMoreBases] = {
        detail::BoundTraits<A>::memory(arguments)...};
    if constexpr (kReturnsValue)
      memory[sizeof...(A)] = &result;
    absl::Status status;
    if (!callAtOnce(memory, arguments...)) {
      const int64_t *shapes[kCount + 1] = {detail::BoundTraits<A>::shape(arguments)...};
      const int64_t *strides[kCount + 1] = {detail::BoundTraits<A>::strides(arguments)...};
      status = call_.run(absl::MakeConstSpan(memory, kCount), absl::MakeConstSpan(shapes, kCount),
                         absl::MakeConstSpan(strides, kCount));
    }
    if constexpr (kReturnsStatus)
      return status;
    else if constexpr (kReturnsValue)
      return result;
  }

private:
  friend class Function;
  explicit Bound(detail::BoundCall call) : call_(std::move(call)) {}

  /// Calls the code where it wants nothing more than these arguments as they are.
  bool callAtOnce(void **memory, const A &...arguments) const {
    constexpr size_t kCount = sizeof...(A) + kReturnsValue;
    const detail::BoundCall *call = codeFor(arguments...);
    if (!call || !areApart(memory, arguments...) || !call->run(memory, kCount))
      return false;
    if (call == &call_ && call_.versions)
      call_.count();
    return true;
  }

  /// The best code for arguments like these; null for none.
  const detail::BoundCall *codeFor(const A &...arguments) const {
    const detail::BoundCall *version =
        call_.versions ? call_.versions->load(std::memory_order_acquire) : nullptr;
    for (; version; version = version->next)
      if (fit(*version, arguments...))
        return version;
    return call_.code && fit(call_, arguments...) ? &call_ : nullptr;
  }

  static bool fit(const detail::BoundCall &call, const A &...arguments) {
    if constexpr ((detail::BoundTraits<A>::argument.isView || ...)) {
      const int64_t *extents = call.extents.data();
      auto fits = [&](const auto &argument) {
        using Traits = detail::BoundTraits<std::decay_t<decltype(argument)>>;
        const int64_t *own = extents;
        extents += Traits::argument.rank;
        return Traits::isRowMajor(argument, own);
      };
      return (fits(arguments) && ...);
    }
    return true; // numbers lie where they should
  }

  /// Code takes it that nothing but what it writes changes. Of arguments that fit.
  static bool areApart(void *const *memory, const A &...arguments) {
    if constexpr ((detail::BoundTraits<A>::argument.isView || ...)) {
      constexpr bool kIsOutput[] = {detail::BoundTraits<A>::argument.isOutput...};
      const size_t numBytes[] = {detail::BoundTraits<A>::numBytes(arguments)...};
      for (size_t i = 0; i < sizeof...(A); ++i)
        for (size_t k = 0; kIsOutput[i] && k < sizeof...(A); ++k)
          if (k != i && uintptr_t(memory[k]) < uintptr_t(memory[i]) + numBytes[i] &&
              uintptr_t(memory[i]) < uintptr_t(memory[k]) + numBytes[k])
            return false;
    }
    return true;
  }

  detail::BoundCall call_;
};

} // namespace graphc
