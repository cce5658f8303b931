//===- Sizes.cpp - arithmetic of sizes ------------------------------------===//
#include <algorithm>

#include "absl/strings/str_replace.h"
#include "graphc/Host.h"
#include "graphc/Status.h"

namespace graphc {

int64_t foldSize(SizeOp op, int64_t a, int64_t b) {
  switch (op) {
  case SizeOp::Add:
  case SizeOp::WrapAdd:
    return int64_t(uint64_t(a) + uint64_t(b));
  case SizeOp::Sub:
  case SizeOp::WrapSub:
    return int64_t(uint64_t(a) - uint64_t(b));
  case SizeOp::Mul:
  case SizeOp::WrapMul:
    return int64_t(uint64_t(a) * uint64_t(b));
  case SizeOp::FloorDiv:
    if (b == 0)
      return 0;
    if (b == -1)
      return int64_t(-uint64_t(a)); // INT64_MIN / -1 traps
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  case SizeOp::Mod:
    if (b == 0 || b == -1)
      return 0;
    return a % b + ((a % b != 0 && (a < 0) != (b < 0)) ? b : 0);
  case SizeOp::Max:
    return a > b ? a : b;
  case SizeOp::Min:
    return a < b ? a : b;
  case SizeOp::Less:
    return a < b;
  case SizeOp::Equal:
    return a == b;
  default:
    break;
  }
  return 0;
}

static SizeValue magnitude(SizeValue value) { return value < 0 ? -value : value; }

static int numBits(SizeValue value) { // of a magnitude
  uint64_t high = uint64_t(value >> 64), low = uint64_t(value);
  return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

static SizeValue bounded(SizeValue value) {
  return numBits(magnitude(value)) > 126 ? kHugeSize : value;
}

SizeValue exactSize(SizeOp op, SizeValue a, SizeValue b) {
  if (fitsInt64(a) && fitsInt64(b) && op >= SizeOp::FloorDiv &&
      !(op == SizeOp::FloorDiv && b == -1)) // the others' values lie between their operands'
    return foldSize(op, int64_t(a), int64_t(b));
  bool isHuge = a == kHugeSize || b == kHugeSize;
  if (isHuge)
    return op == SizeOp::Mul && (a == 0 || b == 0) ? 0 : kHugeSize;
  switch (op) { // magnitudes below 2^126: sums do not overflow
  case SizeOp::Add:
    return bounded(a + b);
  case SizeOp::Sub:
    return bounded(a - b);
  case SizeOp::Mul:
    return numBits(magnitude(a)) + numBits(magnitude(b)) > 126 ? kHugeSize : a * b;
  case SizeOp::FloorDiv:
    return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
  case SizeOp::Mod:
    return b == 0 ? 0 : a % b + ((a % b != 0 && (a < 0) != (b < 0)) ? b : 0);
  case SizeOp::Max:
    return std::max(a, b);
  case SizeOp::Min:
    return std::min(a, b);
  case SizeOp::Less:
    return a < b;
  case SizeOp::Equal:
    return a == b;
  default: // that wrap: only the low bits count
    return foldSize(op, int64_t(a), int64_t(b));
  }
}

std::string sizeText(SizeValue value) {
  if (value == kHugeSize)
    return "more than 2^126";
  std::string digits;
  SizeValue rest = magnitude(value);
  do
    digits += char('0' + int(rest % 10));
  while (rest /= 10);
  if (value < 0)
    digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

bool holds(Predicate predicate, SizeValue a, SizeValue b) {
  if (a == kHugeSize || b == kHugeSize)
    return false;
  switch (predicate) {
  case Predicate::Equal:
    return a == b;
  case Predicate::LessEqual:
    return a <= b;
  case Predicate::Less:
    return a < b;
  case Predicate::Fits:
    break; // of no two sizes
  }
  return false;
}

std::string failureText(std::string_view message, SizeValue a, SizeValue b) {
  std::string valueA = sizeText(a), valueB = sizeText(b);
  return absl::StrReplaceAll({message.data(), message.size()}, {{"{a}", valueA}, {"{b}", valueB}});
}

constexpr SizeValue kMaxBytes = SizeValue(1) << 62;

template <class T>
static absl::StatusOr<int64_t> bytesOf(int64_t elementBytes, absl::Span<const T> shape) {
  SizeValue bytes = elementBytes;
  bool isEmpty = false;
  const char *problem = nullptr;
  for (T extent : shape) {
    isEmpty |= extent == 0;
    if (extent < 0 && extent != T(kHugeSize))
      problem = "negative extent in shape ";
    else if (extent != 0 && !problem)
      bytes = exactSize(SizeOp::Mul, bytes, extent);
  }
  if (!problem && bytes != kHugeSize && bytes <= kMaxBytes)
    return isEmpty ? 0 : int64_t(bytes);
  std::string text;
  for (T extent : shape)
    text += (text.empty() ? "(" : ", ") + sizeText(extent);
  text += shape.size() == 1 ? ",)" : ")";
  return makeError(ErrorKind::ValueError,
                   problem ? problem + text : "shape " + text + " is too large");
}

absl::StatusOr<int64_t> shapeBytes(int64_t elementBytes, absl::Span<const SizeValue> shape) {
  return bytesOf(elementBytes, shape);
}
absl::StatusOr<int64_t> shapeBytes(int64_t elementBytes, absl::Span<const int64_t> shape) {
  // Each result of a call asks: numbers of 64 bits do nearly always.
  int64_t bytes = elementBytes;
  for (int64_t extent : shape)
    if (extent <= 0 || __builtin_mul_overflow(bytes, extent, &bytes))
      return bytesOf(elementBytes, shape);
  return bytes <= kMaxBytes ? absl::StatusOr<int64_t>(bytes) : bytesOf(elementBytes, shape);
}

} // namespace graphc
