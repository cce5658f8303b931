//===- graphc/Tensor.h - values ---------------------------------*- C++ -*-===//
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/DType.h"

struct DLManagedTensor;

namespace graphc {

/// Every C++ number but bool: bool literals usually come from comparing Variables by mistake.
template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// A typed, strided window on memory that somebody else owns. Strides count elements. N is the
/// rank; T is const-qualified for reading.
template <class T, int N> struct View {
  T *data = nullptr;
  int64_t shape[N ? N : 1] = {};
  int64_t strides[N ? N : 1] = {};

  View() = default;
  /// Row-major, with N extents.
  template <size_t M>
    requires(M == N)
  View(T *data, const int64_t (&extents)[M]) : data(data) {
    int64_t stride = 1;
    for (int i = N - 1; i >= 0; --i) {
      shape[i] = extents[i];
      strides[i] = stride;
      stride *= shape[i];
    }
  }
  template <class... I> T &operator()(I... index) const {
    static_assert(sizeof...(I) == N);
    int64_t offset = 0;
    int axis = 0;
    ((offset += int64_t(index) * strides[axis++]), ...);
    return data[offset];
  }
};

/// A number, or numbers in braces. One type for any depth: with a constructor of Tensor for each,
/// `{{1}, {2}}` would be a matrix or, since `{1}` initializes a double, a vector.
class Braces {
public:
  template <Number T> Braces(T value) {
    if constexpr (std::is_floating_point_v<T>)
      number_ = double(value);
    else if constexpr (std::is_signed_v<T>)
      number_ = int64_t(value);
    else
      number_ = uint64_t(value);
  }
  Braces(std::complex<double> value) : number_(value) {}
  Braces(std::complex<float> value) : number_(std::complex<double>(value)) {}
  Braces(std::initializer_list<Braces> elements) : elements_(elements), isList_(true) {}

  bool isList() const { return isList_; }
  const std::vector<Braces> &elements() const { return elements_; }
  using Number = std::variant<double, int64_t, uint64_t, std::complex<double>>;
  const Number &number() const { return number_; }

private:
  std::vector<Braces> elements_;
  Number number_;
  bool isList_ = false;
};

/// An n-dimensional array: dtype, shape, strides and memory that it owns (shared, 64-byte
/// aligned) or borrows. Copying a Tensor is cheap and shares the memory; `copy()` makes new
/// memory. A default-constructed Tensor is undefined: it answers as an empty float64 vector, and
/// functions refuse it. Rank is at most 32, of complex ones 31.
/// Strides count elements and may be zero or negative.
/// Thread safety: as a shared_ptr; the elements are the caller's to protect.
class Tensor {
public:
  static constexpr int kMaxRank = 32;

  Tensor() = default;
  /// 0-d, of the C++ type's dtype (int64 for all signed integers up to int, double for float64).
  template <Number T> Tensor(T value) : Tensor(scalarOf(value)) {}
  Tensor(std::complex<float> value) : Tensor(scalarFrom(DType::Complex64, &value)) {}
  Tensor(std::complex<double> value) : Tensor(scalarFrom(DType::Complex128, &value)) {}
  /// From braces of numbers, nested as deep as the rank: float64, or `dtype` (float to integer as
  /// F-046 says; integers out of range become the nearest end, too). Ragged braces, and complex
  /// numbers for another dtype, give an undefined Tensor.
  Tensor(std::initializer_list<Braces> values, DType dtype = DType::Float64);

  /// Uninitialised row-major memory. Negative extents, rank > 32 or a size over 2^62 bytes:
  /// ValueError; no memory: OutOfMemory.
  static absl::StatusOr<Tensor> allocate(DType dtype, absl::Span<const int64_t> shape);
  static absl::StatusOr<Tensor> zeros(DType dtype, absl::Span<const int64_t> shape);
  /// Every element is the 0-d `value`, cast; a complex value for a real dtype: TypeError.
  static absl::StatusOr<Tensor> full(DType dtype, absl::Span<const int64_t> shape,
                                     const Tensor &value);
  /// A row-major copy of `values`; their number must be the shape's (ValueError).
  template <class T>
  static absl::StatusOr<Tensor> fromSpan(absl::Span<const T> values,
                                         absl::Span<const int64_t> shape) {
    return fromBytes(DTypeOf<std::remove_cv_t<T>>::value, shape, values.data(), values.size());
  }
  /// Looks at the caller's memory without copying. `strides` empty means row-major; `owner`, if
  /// given, is kept alive. The memory must outlive every Tensor that shares it otherwise.
  static absl::StatusOr<Tensor> borrow(DType dtype, void *data, absl::Span<const int64_t> shape,
                                       absl::Span<const int64_t> strides = {},
                                       std::shared_ptr<void> owner = {});

  bool defined() const { return rep_ != nullptr; }
  DType dtype() const;
  int rank() const;
  // What points into a Tensor is not for one that is gone at the end of the statement.
  absl::Span<const int64_t> shape() const &;
  absl::Span<const int64_t> shape() const && = delete;
  /// In elements.
  absl::Span<const int64_t> strides() const &;
  absl::Span<const int64_t> strides() const && = delete;
  int64_t numElements() const;
  int64_t numBytes() const { return numElements() * byteSize(dtype()); }
  /// First element (the one at index 0 along every axis).
  void *data() &;
  const void *data() const &;
  const void *data() const && = delete;
  bool isContiguous() const;
  /// Whether it owns its memory and no other Tensor shares it.
  bool isUnique() const;
  /// The elements never change from now on: a Tensor of this memory that asks for writable access
  /// gets a copy of its own first. Const: it is no change of value.
  void freeze() const;
  /// Whether the two share memory that both can reach.
  bool overlaps(const Tensor &other) const;

  /// Rank N window; T must be the dtype's host type and N the rank (a programming error
  /// otherwise: undefined Tensor's view, null data).
  template <class T, int N> View<T, N> view() & { return makeView<T, N>(static_cast<T *>(data())); }
  template <class T, int N> View<const T, N> view() const & {
    return makeView<const T, N>(static_cast<const T *>(data()));
  }
  template <class T, int N> View<const T, N> view() const && = delete;
  /// The elements of a contiguous tensor of host type T, row-major; empty span otherwise.
  template <class T> absl::Span<const T> flat() const & {
    if (!defined() || dtype() != DTypeOf<T>::value || !isContiguous())
      return {};
    return absl::Span<const T>(static_cast<const T *>(data()), size_t(numElements()));
  }
  template <class T> absl::Span<const T> flat() const && = delete;
  template <class T> absl::Span<T> mutableFlat() & {
    if (!defined() || dtype() != DTypeOf<T>::value || !isContiguous())
      return {};
    return absl::Span<T>(static_cast<T *>(data()), size_t(numElements()));
  }
  /// The only element, cast to T as F-046 says. A Tensor of another size, and a complex one for a
  /// real T, gives T(), and a warning.
  template <class T> T item() const {
    T result = T();
    itemTo(DTypeOf<T>::value, &result);
    return result;
  }

  /// New row-major memory with the same elements.
  Tensor copy() const;
  /// Writes the elements of `source`, which has the same dtype and shape (ValueError) and shares
  /// no memory with this, into this tensor's memory, wherever its strides say.
  absl::Status assign(const Tensor &source);
  /// Itself if row-major, else a copy.
  Tensor contiguous() const;
  /// F-046: float to int truncates and saturates (NaN is 0), int to int wraps, to bool is != 0.
  /// Complex to real is refused: an undefined Tensor.
  Tensor cast(DType dtype) const;
  /// A complex tensor's memory as real numbers, with one axis more at the end: both parts. A real
  /// tensor is itself.
  Tensor realView() const;
  /// The other way round: of Float32 or Float64 whose last axis has extent 2 and stride 1
  /// (ValueError otherwise).
  absl::StatusOr<Tensor> complexView() const;
  /// Views, sharing memory. Errors: ValueError, AxisError, IndexError.
  absl::StatusOr<Tensor> transpose(absl::Span<const int> axes) const;
  absl::StatusOr<Tensor> slice(int axis, int64_t start, int64_t count, int64_t step) const;
  /// Another shape with as many elements: a view of a contiguous tensor, a copy of another.
  absl::StatusOr<Tensor> reshape(absl::Span<const int64_t> shape) const;

  /// Same dtype, shape and bits; any NaN equals any NaN, -0.0 differs from 0.0 (F-034).
  bool identical(const Tensor &other) const;
  /// Of dtype, shape and elements, consistent with identical().
  uint64_t contentHash() const;
  /// Same shape and numerically equal elements (NaN differs from NaN).
  friend bool operator==(const Tensor &a, const Tensor &b);

  /// As NumPy's str() prints: "[[1. 2.]\n [3. 4.]]".
  std::string str() const;
  friend std::ostream &operator<<(std::ostream &os, const Tensor &tensor);

  struct Rep;

private:
  template <Number T> static Tensor scalarOf(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if constexpr (sizeof(T) == sizeof(float))
        return scalarFrom(DType::Float32, &value);
      double wide = double(value);
      return scalarFrom(DType::Float64, &wide);
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      uint64_t wide = value;
      return scalarFrom(wide >> 63 ? DType::UInt64 : DType::Int64, &wide);
    } else {
      int64_t wide = int64_t(value);
      return scalarFrom(DType::Int64, &wide);
    }
  }
  static Tensor scalarFrom(DType dtype, const void *value);
  static absl::StatusOr<Tensor> fromBytes(DType dtype, absl::Span<const int64_t> shape,
                                          const void *values, size_t count);
  void itemTo(DType dtype, void *result) const;
  template <class T, int N> View<T, N> makeView(T *data) const {
    View<T, N> v;
    if (!defined() || rank() != N || dtype() != DTypeOf<std::remove_cv_t<T>>::value)
      return v;
    v.data = data;
    for (int i = 0; i < N; ++i) {
      v.shape[i] = shape()[i];
      v.strides[i] = strides()[i];
    }
    return v;
  }

  const Rep &rep() const;
  std::shared_ptr<Rep> rep_;
};

/// How `toString` lays a tensor out.
struct PrintOptions {
  /// Elements above which the middle of each axis is elided, as NumPy's threshold.
  int64_t threshold = 1000;
  /// Elements kept at each end of an elided axis.
  int64_t edgeItems = 3;
  /// Digits after the point; negative means the shortest that reads back to the same value.
  int precision = 8;
  int lineWidth = 75;
  /// "[[1, 2], [3, 4]]" on one line, as values on the command line are written, instead of
  /// NumPy's layout.
  bool inlineList = false;
};
std::string toString(const Tensor &tensor, const PrintOptions &options = {});

/// NPY files: versions 1 to 3 of the header, both byte orders, C and Fortran order. bfloat16 has
/// no NPY dtype: saving it is NotSupported. A malformed file: Io, with the file's name and what
/// is wrong.
absl::StatusOr<Tensor> loadNpy(const std::string &path);
absl::Status saveNpy(const std::string &path, const Tensor &tensor);
/// The same from and to memory; `name` stands in messages.
absl::StatusOr<Tensor> parseNpy(std::string_view bytes, std::string_view name = "<memory>");
absl::StatusOr<std::string> formatNpy(const Tensor &tensor);
/// NPZ: a zip archive of NPY members, stored or deflated. Keys are without ".npy".
absl::StatusOr<std::map<std::string, Tensor>> loadNpz(const std::string &path);
absl::Status saveNpz(const std::string &path, const std::map<std::string, Tensor> &tensors);

/// DLPack. `toDLPack` gives ownership of the result to the caller, who calls its deleter; it
/// keeps the memory alive. A frozen tensor's memory is copied: who has the result may write to it.
/// `fromDLPack` takes ownership of `managed` (CPU memory, one lane;
/// otherwise NotSupported, and ownership stays with the caller).
absl::StatusOr<DLManagedTensor *> toDLPack(const Tensor &tensor);
absl::StatusOr<Tensor> fromDLPack(DLManagedTensor *managed);

} // namespace graphc
