//===- Runtime/Tensor.cpp - memory and views ------------------------------===//
#include "graphc/Tensor.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

#include "Runtime/CheckDType.h"
#include "Runtime/ContentHash.h"
#include "Runtime/Element.h"
#include "Runtime/TensorRep.h"
#include "Runtime/ThreadBlocks.h"
#include "Support/Text.h"
#include "absl/strings/str_cat.h"
#include "graphc/Host.h"
#include "graphc/Status.h"
#include "graphc/Type.h"

#ifndef __has_feature // GCC tells by a macro of its own
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define GRAPHC_TSAN 1
#else
#define GRAPHC_TSAN 0
#endif

namespace graphc {

namespace {

constexpr int64_t kMaxBytes = int64_t(1) << 62;

using Dims = absl::InlinedVector<int64_t, 8>;

/// The bytes of a row-major array. An extent of 0 does not excuse the others, as in NumPy.
absl::StatusOr<int64_t> checkShape(DType dtype, absl::Span<const int64_t> shape) {
  if (absl::Status status = checkDType(dtype); !status.ok())
    return status;
  size_t maximum = size_t(Tensor::kMaxRank) - isComplex(dtype); // their realView has one more
  if (shape.size() > maximum)
    return makeError(ErrorKind::ValueError,
                     absl::StrCat("rank ", shape.size(), " is above the maximum of ", maximum));
  return shapeBytes(byteSize(dtype), shape);
}

Dims rowMajorStrides(absl::Span<const int64_t> shape) {
  Dims strides(shape.size());
  putRowMajorStrides(shape, strides.data());
  return strides;
}

/// How far, in elements, the first and last elements in memory lie from index 0.
struct Extremes {
  int64_t lowest = 0;
  int64_t highest = 0;
};

/// Empty where an offset overflows. Call for arrays with elements.
std::optional<Extremes> extremes(DType dtype, absl::Span<const int64_t> shape,
                                 absl::Span<const int64_t> strides) {
  Extremes result;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t reach;
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach))
      return std::nullopt;
    int64_t &side = reach < 0 ? result.lowest : result.highest;
    if (__builtin_add_overflow(side, reach, &side))
      return std::nullopt;
  }
  int64_t limit = kMaxBytes / byteSize(dtype);
  if (result.lowest < -limit || result.highest > limit)
    return std::nullopt;
  return result;
}

/// For std::allocate_shared: so many bytes more behind what is made, which begin at `*room`.
template <class T> struct RoomBehind {
  using value_type = T;
  size_t bytes;
  char **room;
  RoomBehind(size_t bytes, char **room) : bytes(bytes), room(room) {}
  template <class U> RoomBehind(const RoomBehind<U> &o) : bytes(o.bytes), room(o.room) {}
  T *allocate(size_t count) {
    char *block = static_cast<char *>(takeBlock(count * sizeof(T) + bytes));
    if (!block)
      throw std::bad_alloc();
    *room = block + count * sizeof(T);
    return reinterpret_cast<T *>(block);
  }
  void deallocate(T *block, size_t count) { giveBlock(block, count * sizeof(T) + bytes); }
  template <class U> bool operator==(const RoomBehind<U> &o) const { return bytes == o.bytes; }
};

/// Arrays of so many bytes are one block with what tells of them; numbers always, others where no
/// Allocator of the program's and no sanitizer wants to see them.
constexpr int64_t kNumberBytes = 64, kJoinedBytes = 32 << 10;

} // namespace

bool Tensor::Rep::allocate(Tensor &tensor, DType dtype, absl::Span<const int64_t> shape,
                           int64_t bytes, bool zeroed) {
  const bool isNumber = bytes <= kNumberBytes;
  const bool isJoined =
      isNumber || (bytes <= kJoinedBytes && keepsBlocks() && !ArrayMemory::isOfProgram());
  constexpr auto kLast = int64_t(ArrayMemory::kAlignment) - 1;
  char *room = nullptr;
  try {
    tensor.rep_ = std::allocate_shared<Rep>(
        RoomBehind<Rep>(isJoined ? size_t(((bytes + kLast) & ~kLast) + kLast) : 0, &room), dtype,
        shape);
  } catch (const std::bad_alloc &) {
    return false;
  }
  Rep &rep = *tensor.rep_;
  rep.ownsMemory = true;
  if (!isJoined) {
    const bool hasMemory = rep.block.allocate(bytes, zeroed);
    rep.data = rep.block.data();
    return hasMemory;
  }
  if (!isNumber)
    ArrayMemory::countAllocation();
  room += -reinterpret_cast<intptr_t>(room) & kLast;
  rep.data = room;
  if (zeroed)
    std::memset(room, 0, size_t(bytes));
  return true;
}

static absl::StatusOr<Tensor> makeOwned(DType dtype, absl::Span<const int64_t> shape, bool zeroed) {
  absl::StatusOr<int64_t> bytes = checkShape(dtype, shape);
  if (!bytes.ok())
    return bytes.status();
  absl::StatusOr<Tensor> made = Tensor();
  if (!Tensor::Rep::allocate(*made, dtype, shape, *bytes, zeroed))
    return makeError(ErrorKind::OutOfMemory, absl::StrCat("no memory for ", *bytes, " bytes of ",
                                                          Type(dtype, shape).brief()));
  return made;
}

absl::StatusOr<Tensor> Tensor::allocate(DType dtype, absl::Span<const int64_t> shape) {
  return makeOwned(dtype, shape, /*zeroed=*/false);
}

absl::StatusOr<Tensor> Tensor::zeros(DType dtype, absl::Span<const int64_t> shape) {
  return makeOwned(dtype, shape, /*zeroed=*/true);
}

absl::StatusOr<Tensor> Tensor::full(DType dtype, absl::Span<const int64_t> shape,
                                    const Tensor &value) {
  if (!value.defined() || value.numElements() != 1)
    return makeError(ErrorKind::ValueError, "full: the value must be a tensor of one element");
  absl::StatusOr<Tensor> result = allocate(dtype, shape);
  if (!result.ok())
    return result;
  if (isComplex(value.dtype()) && !isComplex(dtype))
    return makeError(ErrorKind::TypeError,
                     absl::StrCat("full: a value of ", dtypeName(value.dtype()).data(),
                                  " does not become one of ", dtypeName(dtype).data(),
                                  ": take its real part"));
  Tensor element = value.cast(dtype).contiguous();
  size_t size = size_t(byteSize(dtype));
  size_t total = size_t(result->numBytes());
  if (total == 0)
    return result;
  // Doubles the part already filled.
  char *bytes = static_cast<char *>(result->data());
  std::memcpy(bytes, element.data(), size);
  for (size_t done = size; done < total; done *= 2)
    std::memcpy(bytes + done, bytes, std::min(done, total - done));
  return result;
}

absl::StatusOr<Tensor> Tensor::fromBytes(DType dtype, absl::Span<const int64_t> shape,
                                         const void *values, size_t count) {
  absl::StatusOr<Tensor> result = allocate(dtype, shape);
  if (!result.ok())
    return result;
  if (count != size_t(result->numElements()))
    return makeError(ErrorKind::ValueError,
                     absl::StrCat(count, " values for a tensor of shape ", shapeText(shape),
                                  ", which has ", result->numElements(), " elements"));
  if (count)
    std::memcpy(result->data(), values, size_t(result->numBytes()));
  return result;
}

absl::StatusOr<Tensor> Tensor::borrow(DType dtype, void *data, absl::Span<const int64_t> shape,
                                      absl::Span<const int64_t> strides,
                                      std::shared_ptr<void> owner) {
  absl::StatusOr<int64_t> bytes = checkShape(dtype, shape);
  if (!bytes.ok())
    return bytes.status();
  if (!strides.empty() && strides.size() != shape.size())
    return makeError(ErrorKind::ValueError,
                     absl::StrCat(strides.size(), " strides for a tensor of rank ", shape.size()));
  if (*bytes != 0) {
    if (!data)
      return makeError(ErrorKind::ValueError,
                       absl::StrCat("null data for a tensor of shape ", shapeText(shape)));
    int64_t alignment = byteSize(realDType(dtype));
    if (reinterpret_cast<uintptr_t>(data) % size_t(alignment) != 0)
      return makeError(ErrorKind::ValueError,
                       absl::StrCat("data of dtype ", dtypeName(dtype).data(),
                                    " must lie at a multiple of ", alignment, " bytes"));
    if (!strides.empty() && !extremes(dtype, shape, strides))
      return makeError(ErrorKind::ValueError,
                       absl::StrCat("strides ", shapeText(strides), " reach too far"));
  }
  Tensor tensor;
  tensor.rep_ = strides.empty() ? std::make_shared<Rep>(dtype, shape)
                                : std::make_shared<Rep>(dtype, shape, strides);
  tensor.rep_->data = data;
  tensor.rep_->owner = std::move(owner);
  return tensor;
}

Tensor Tensor::scalarFrom(DType dtype, const void *value) {
  absl::StatusOr<Tensor> result = fromBytes(dtype, {}, value, 1);
  return result.ok() ? *std::move(result) : Tensor();
}

/// All numbers in braces, depth first; false for ragged ones. Level by level: `level` holds the
/// lists of one depth.
static bool flatten(const Braces &braces, std::vector<int64_t> &shape,
                    std::vector<const Braces *> &numbers) {
  std::vector<const Braces *> level = {&braces};
  while (!level.empty() && level[0]->isList()) {
    size_t extent = level[0]->elements().size();
    std::vector<const Braces *> next;
    for (const Braces *list : level) {
      if (!list->isList() || list->elements().size() != extent)
        return false;
      for (const Braces &element : list->elements())
        next.push_back(&element);
    }
    shape.push_back(int64_t(extent));
    level = std::move(next);
  }
  for (const Braces *number : level)
    if (number->isList())
      return false;
  numbers = std::move(level);
  return true;
}

/// A number as an element; integers stay exact, and saturate as floats do.
template <class To> static Stored<To> elementOf(const Braces &braces) {
  return std::visit(
      [](auto value) -> Stored<To> {
        using From = decltype(value);
        if constexpr (std::is_same_v<From, std::complex<double>>) {
          return Stored<To>(); // of complex tensors alone, which are filled otherwise
        } else if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool> &&
                             std::is_integral_v<From>) {
          using Limits = std::numeric_limits<To>;
          return std::cmp_less(value, Limits::min())      ? Limits::min()
                 : std::cmp_greater(value, Limits::max()) ? Limits::max()
                                                          : To(value);
        } else {
          return castElement<To, From>(value);
        }
      },
      braces.number());
}

Tensor::Tensor(std::initializer_list<Braces> values, DType dtype) {
  const Braces all(values); // which `numbers` look into
  std::vector<int64_t> shape;
  std::vector<const Braces *> numbers;
  if (!flatten(all, shape, numbers))
    return;
  absl::StatusOr<Tensor> result = allocate(dtype, shape);
  if (!result.ok())
    return;
  auto asComplex = [](const Braces *number) {
    return std::get_if<std::complex<double>>(&number->number());
  };
  if (!isComplex(dtype) && std::ranges::any_of(numbers, asComplex))
    return;
  dispatch(realDType(dtype), [&](auto zero) {
    using To = decltype(zero);
    auto *to = static_cast<Stored<To> *>(result->data());
    for (const Braces *number : numbers) {
      const std::complex<double> *pair = asComplex(number);
      *to++ = pair ? castElement<To, double>(pair->real()) : elementOf<To>(*number);
      if (isComplex(dtype))
        *to++ = castElement<To, double>(pair ? pair->imag() : 0.0);
    }
  });
  *this = *std::move(result);
}

/// What undefined Tensors answer. A function of its own: others do not look at its guard.
__attribute__((noinline)) static const Tensor::Rep &undefinedRep() {
  constexpr int64_t kNone[] = {0}, kStride[] = {1};
  static const Tensor::Rep *const undefined = new Tensor::Rep(DType::Float64, kNone, kStride);
  return *undefined;
}

const Tensor::Rep &Tensor::rep() const { return rep_ ? *rep_ : undefinedRep(); }
DType Tensor::dtype() const { return rep().dtype; }
int Tensor::rank() const { return int(rep().rank()); }
absl::Span<const int64_t> Tensor::shape() const & { return rep().shape(); }
absl::Span<const int64_t> Tensor::strides() const & { return rep().strides(); }
int64_t Tensor::numElements() const { return rep().numElements; }
void *Tensor::data() & {
  if (rep_ && rep_->isFrozen)
    *this = copy();
  return rep().data;
}
const void *Tensor::data() const & { return rep().data; }
bool Tensor::isContiguous() const { return rep().contiguous; }

void Tensor::freeze() const {
  if (rep_)
    rep_->isFrozen.store(true, std::memory_order_relaxed);
}

uint64_t Tensor::contentHash() const {
  if (!rep_ || !rep_->isFrozen)
    return hashOfContent(*this);
  // Weights have gigabytes, and whoever compiles a graph asks several times.
  uint64_t hash = rep_->hash.load(std::memory_order_relaxed);
  if (hash == 0)
    rep_->hash.store(hash = hashOfContent(*this), std::memory_order_relaxed);
  return hash;
}

bool Tensor::isUnique() const {
  if (!rep_ || !rep_->ownsMemory || rep_->isFrozen || rep_.use_count() != 1)
    return false;
#if GRAPHC_TSAN
  // ThreadSanitizer knows no fences. A copy is counted by an operation that acquires.
  std::shared_ptr<Rep> counted = rep_;
#else
  std::atomic_thread_fence(std::memory_order_acquire); // what the last sharer did is done
#endif
  return true;
}

bool Tensor::overlaps(const Tensor &other) const {
  if (!defined() || !other.defined() || numElements() == 0 || other.numElements() == 0)
    return false;
  // By their extents in memory: two interleaved views count as overlapping.
  auto range = [](const Tensor &tensor) {
    Extremes reach = *extremes(tensor.dtype(), tensor.shape(), tensor.strides());
    int64_t size = byteSize(tensor.dtype());
    auto start = reinterpret_cast<uintptr_t>(tensor.data());
    return std::pair(start + uintptr_t(reach.lowest * size),
                     start + uintptr_t((reach.highest + 1) * size));
  };
  auto [begin, end] = range(*this);
  auto [otherBegin, otherEnd] = range(other);
  return begin < otherEnd && otherBegin < end;
}

/// Another window on the memory of `base`, its first element `offset` elements further.
static std::shared_ptr<Tensor::Rep> makeWindow(const std::shared_ptr<Tensor::Rep> &base,
                                               DType dtype, absl::Span<const int64_t> shape,
                                               absl::Span<const int64_t> strides, int64_t offset) {
  auto rep = std::make_shared<Tensor::Rep>(dtype, shape, strides);
  rep->data = static_cast<char *>(base->data) + offset * byteSize(base->dtype);
  // What keeps the memory alive, directly, so that views of views make no chain. Borrowed memory
  // without an owner has nothing to be kept.
  rep->isFrozen.store(base->isFrozen, std::memory_order_relaxed);
  rep->owner = base->ownsMemory ? std::static_pointer_cast<void>(base) : base->owner;
  return rep;
}

static absl::Status undefinedError(std::string_view what) {
  return makeError(ErrorKind::ValueError,
                   absl::StrCat(absl::string_view(what.data(), what.size()), ": undefined tensor"));
}

static absl::StatusOr<int> checkAxis(std::string_view what, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    return makeError(ErrorKind::AxisError,
                     absl::StrCat(absl::string_view(what.data(), what.size()), ": axis ", axis,
                                  " is out of range for rank ", rank));
  return int(axis < 0 ? axis + rank : axis);
}

absl::StatusOr<Tensor> Tensor::transpose(absl::Span<const int> axes) const {
  if (!defined())
    return undefinedError("transpose");
  if (int(axes.size()) != rank())
    return makeError(ErrorKind::ValueError, absl::StrCat("transpose: ", axes.size(),
                                                         " axes for a tensor of rank ", rank()));
  Dims newShape(axes.size()), newStrides(axes.size());
  uint32_t seen = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    absl::StatusOr<int> axis = checkAxis("transpose", axes[i], rank());
    if (!axis.ok())
      return axis.status();
    if (seen >> *axis & 1)
      return makeError(ErrorKind::ValueError,
                       absl::StrCat("transpose: axis ", *axis, " is there twice"));
    seen |= uint32_t(1) << *axis;
    newShape[i] = shape()[*axis];
    newStrides[i] = strides()[*axis];
  }
  Tensor result;
  result.rep_ = makeWindow(rep_, dtype(), newShape, newStrides, 0);
  return result;
}

absl::StatusOr<Tensor> Tensor::slice(int axis, int64_t start, int64_t count, int64_t step) const {
  if (!defined())
    return undefinedError("slice");
  absl::StatusOr<int> checked = checkAxis("slice", axis, rank());
  if (!checked.ok())
    return checked.status();
  int64_t extent = shape()[*checked];
  if (count < 0)
    return makeError(ErrorKind::ValueError, absl::StrCat("slice: negative count ", count));
  int64_t last = start;
  if (count > 1) {
    int64_t reach;
    if (__builtin_mul_overflow(count - 1, step, &reach) ||
        __builtin_add_overflow(start, reach, &last))
      last = -1;
  }
  if (count > 0 && (start < 0 || start >= extent || last < 0 || last >= extent))
    return makeError(ErrorKind::IndexError,
                     absl::StrCat("slice: ", count, " elements from ", start, " in steps of ", step,
                                  " leave the extent ", extent, " of axis ", *checked));
  Dims newShape(shape().begin(), shape().end());
  Dims newStrides(strides().begin(), strides().end());
  int64_t offset = count > 0 ? start * newStrides[*checked] : 0;
  newShape[*checked] = count;
  // With one element or none the step is never taken, and multiplying could overflow.
  if (count > 1)
    newStrides[*checked] *= step;
  // Repeating elements (step 0) can make a shape too large to be told in bytes.
  if (absl::StatusOr<int64_t> bytes = checkShape(dtype(), newShape); !bytes.ok())
    return prefixError(bytes.status(), "slice");
  Tensor result;
  result.rep_ = makeWindow(rep_, dtype(), newShape, newStrides, offset);
  return result;
}

absl::StatusOr<Tensor> Tensor::reshape(absl::Span<const int64_t> newShape) const {
  if (!defined())
    return undefinedError("reshape");
  absl::StatusOr<int64_t> bytes = checkShape(dtype(), newShape);
  if (!bytes.ok())
    return prefixError(bytes.status(), "reshape");
  if (*bytes != numBytes())
    return makeError(ErrorKind::ValueError,
                     absl::StrCat("reshape: shape ", shapeText(newShape), " does not have the ",
                                  numElements(), " elements of shape ", shapeText(shape())));
  Tensor source = contiguous();
  if (!source.defined())
    return makeError(ErrorKind::OutOfMemory, absl::StrCat("reshape: no memory for ", numBytes(),
                                                          " bytes of a row-major copy of ",
                                                          Type(dtype(), shape()).brief()));
  Tensor result;
  result.rep_ = makeWindow(source.rep_, dtype(), newShape, rowMajorStrides(newShape), 0);
  return result;
}

Tensor Tensor::realView() const {
  if (!defined() || !isComplex(dtype()))
    return *this;
  Dims newShape(shape().begin(), shape().end()), newStrides;
  newShape.push_back(2);
  for (int64_t stride : strides())
    newStrides.push_back(2 * stride);
  newStrides.push_back(1);
  Tensor result;
  result.rep_ = makeWindow(rep_, realDType(dtype()), newShape, newStrides, 0);
  return result;
}

absl::StatusOr<Tensor> Tensor::complexView() const {
  if (!defined())
    return undefinedError("complexView");
  size_t last = size_t(rank()) - 1;
  bool isPair = (dtype() == DType::Float32 || dtype() == DType::Float64) && rank() > 0 &&
                shape()[last] == 2 && strides()[last] == 1;
  for (size_t axis = 0; isPair && axis < last; ++axis)
    isPair = strides()[axis] % 2 == 0;
  if (!isPair)
    return makeError(ErrorKind::ValueError,
                     absl::StrCat("complexView: ", Type(dtype(), shape()).brief(),
                                  " is no array of pairs of float32 or float64, which lie one "
                                  "after the other"));
  Dims newStrides;
  for (int64_t stride : strides().first(last))
    newStrides.push_back(stride / 2);
  Tensor result;
  result.rep_ = makeWindow(rep_, complexDType(dtype()), shape().first(last), newStrides, 0);
  return result;
}

} // namespace graphc
