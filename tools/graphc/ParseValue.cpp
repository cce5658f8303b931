//===- ParseValue.cpp -----------------------------------------------------===//
#include "ParseValue.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "graphc/Status.h"

namespace graphc {
namespace {

absl::Status malformed(std::string_view text, size_t position, const std::string &what,
                       ErrorKind kind = ErrorKind::ValueError) {
  constexpr size_t kShown = 40;
  std::string shown(text.substr(0, kShown));
  if (text.size() > kShown)
    shown += "...";
  return makeError(kind,
                   "'" + shown + "' at character " + std::to_string(position + 1) + ": " + what);
}

/// Whether `word`, which was read as `value`, is a value of the integer dtype (or bool).
bool isValueOf(DType dtype, std::string_view word, Tensor value) {
  if (isFloat(value.dtype())) {
    // An integer that needs more than 64 bits was rounded to be a double.
    if (word.find_first_not_of("+-0123456789") == word.npos)
      return false;
    double real = value.item<double>();
    if (!(real >= -0x1p63 && real < 0x1p64) || real != std::trunc(real))
      return false;
    value = real < 0 ? Tensor(int64_t(real)) : Tensor(uint64_t(real));
  }
  // The two 64-bit dtypes wrap to each other, so the sign is compared as well.
  Tensor there = value.cast(dtype);
  return there.cast(value.dtype()).identical(value) &&
         (there.cast(DType::Float64).item<double>() < 0) == (value.item<double>() < 0);
}

/// "whole numbers from -128 to 127".
std::string valuesOf(DType dtype) {
  if (isBool(dtype))
    return "0 and 1, false and true";
  int bits = bitWidth(dtype) - isSignedInt(dtype);
  std::string greatest = std::to_string(~uint64_t(0) >> (64 - bits));
  std::string least = isSignedInt(dtype) ? std::to_string(INT64_MIN >> (63 - bits)) : "0";
  return "whole numbers from " + least + " to " + greatest;
}

/// Whether a number stands for infinity, and is none that is too large.
bool namesInfinity(std::string_view number) {
  return number.find_first_of("0123456789") == number.npos;
}

/// What is wrong with `word`, read as `value`, where a value of `dtype` is wanted; "" if nothing.
/// `isInfinity`: the value was written as one.
std::string notOf(DType dtype, std::string_view word, const Tensor &value, bool isInfinity) {
  std::string name(dtypeName(dtype));
  if (!isFloat(dtype))
    return isValueOf(dtype, word, value) ? ""
                                         : std::string(word) + " is no value of dtype " + name +
                                               ", which has " + valuesOf(dtype);
  // What is too small becomes zero, as numbers are rounded; what is too large is a mistake.
  double there = value.cast(dtype).item<double>();
  if (!std::isinf(there) || isInfinity)
    return "";
  return std::string(word) + " is too large for dtype " + name + "; write " +
         (there < 0 ? "-inf" : "inf");
}

/// A number as in a list of floats; nothing where `word` is none.
std::optional<double> realOf(std::string_view word) {
  if (!word.empty() && word.front() == '+')
    word.remove_prefix(1);
  double value;
  const char *last = word.data() + word.size();
  auto r = std::from_chars(word.data(), last, value);
  if (word.empty() || r.ec == std::errc::invalid_argument || r.ptr != last)
    return std::nullopt;
  return r.ec == std::errc() ? value : std::strtod(std::string(word).c_str(), nullptr);
}

/// A real or an imaginary part.
struct Part {
  double value;
  bool isInfinity;
};

/// "1.5-2j", "2j", "j", "3"; nothing where `word` is none of these.
std::optional<std::array<Part, 2>> complexOf(std::string_view word) {
  auto parts = [](std::string_view re, std::string_view im) -> std::optional<std::array<Part, 2>> {
    std::optional<double> x = realOf(re), y = realOf(im);
    if (!x || !y)
      return std::nullopt;
    return std::array{Part{*x, namesInfinity(re)}, Part{*y, namesInfinity(im)}};
  };
  if (word.empty() || (word.back() != 'j' && word.back() != 'J'))
    return parts(word, "0");
  std::string_view all = word.substr(0, word.size() - 1);
  size_t split = all.size(); // where the imaginary part begins: at a sign that is no exponent's
  while (split-- > 0)
    if ((all[split] == '+' || all[split] == '-') &&
        (split == 0 || (all[split - 1] != 'e' && all[split - 1] != 'E')))
      break;
  if (split == std::string_view::npos)
    split = 0;
  std::string imaginary(all.substr(split));
  if (imaginary.empty() || imaginary == "+" || imaginary == "-")
    imaginary += '1';
  return parts(split == 0 ? "0" : all.substr(0, split), imaginary);
}

/// Reads nested lists of numbers into one tensor, without recursion.
class ListParser {
public:
  ListParser(std::string_view text, DType dtype) : text_(text), dtype_(dtype) {}

  absl::StatusOr<Tensor> parse();

private:
  void skipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  absl::Status fail(const std::string &what) const { return malformed(text_, at_, what); }
  absl::Status open();
  absl::Status close();
  absl::Status number();
  absl::Status element();
  absl::Status append(const char *bytes) {
    bytes_.append(bytes, size_t(byteSize(dtype_)));
    return absl::OkStatus();
  }

  std::string_view text_;
  DType dtype_;
  size_t at_ = 0;
  std::string bytes_;
  std::vector<int64_t> counts_;  // elements so far of each open list
  std::vector<int64_t> extents_; // of finished lists by depth; -1 unknown
  int64_t rank_ = -1;
};

absl::Status ListParser::open() {
  if (counts_.size() == size_t(Tensor::kMaxRank))
    return fail("lists are nested more than 32 deep");
  if (rank_ >= 0 && int64_t(counts_.size()) >= rank_)
    return fail("a list stands where others have a number");
  counts_.push_back(0);
  if (extents_.size() < counts_.size())
    extents_.push_back(-1);
  ++at_;
  return absl::OkStatus();
}

absl::Status ListParser::close() {
  size_t depth = counts_.size() - 1;
  int64_t count = counts_.back();
  // A list with nothing in it says that no list is deeper.
  if (count == 0 && depth + 1 == extents_.size() && rank_ < 0)
    rank_ = int64_t(depth) + 1;
  if (extents_[depth] >= 0 && extents_[depth] != count)
    return fail("lists at one depth have " + std::to_string(extents_[depth]) + " and " +
                std::to_string(count) + " elements");
  extents_[depth] = count;
  counts_.pop_back();
  ++at_;
  return absl::OkStatus();
}

absl::Status ListParser::number() {
  if (rank_ >= 0 && int64_t(counts_.size()) != rank_)
    return fail("a number stands where others have a list");
  rank_ = int64_t(counts_.size());
  size_t end = at_;
  while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) ||
                                text_[end] == '.' || text_[end] == '+' || text_[end] == '-'))
    ++end;
  std::string_view word = text_.substr(at_, end - at_);
  if (isComplex(dtype_)) {
    std::optional<std::array<Part, 2>> z = complexOf(word);
    if (!z)
      return fail(word.empty() ? "expected a number" : "'" + std::string(word) + "' is no number");
    for (const Part &part : *z)
      if (std::string mistake = notOf(realDType(dtype_), word, Tensor(part.value), part.isInfinity);
          !mistake.empty())
        return malformed(text_, at_, mistake, ErrorKind::TypeError);
    at_ = end;
    const Tensor value = Tensor(std::complex<double>((*z)[0].value, (*z)[1].value)).cast(dtype_);
    return append(static_cast<const char *>(value.data()));
  }
  std::string_view digits = word;
  if (!digits.empty() && digits.front() == '+')
    digits.remove_prefix(1);
  const char *first = digits.data(), *last = first + digits.size();
  Tensor value;
  int64_t signedValue;
  uint64_t unsignedValue;
  double real;
  if (word == "true" || word == "false") {
    value = Tensor(int64_t(word == "true"));
  } else if (auto r = std::from_chars(first, last, signedValue);
             r.ec == std::errc() && r.ptr == last) {
    value = Tensor(signedValue);
  } else if (auto r = std::from_chars(first, last, unsignedValue);
             r.ec == std::errc() && r.ptr == last) {
    value = Tensor(unsignedValue);
  } else if (auto r = std::from_chars(first, last, real);
             !digits.empty() && r.ec != std::errc::invalid_argument && r.ptr == last) {
    // Out of range keeps from_chars from storing; strtod rounds to infinity or zero.
    value = Tensor(r.ec == std::errc() ? real : std::strtod(std::string(digits).c_str(), nullptr));
  } else {
    return fail(word.empty() ? "expected a number" : "'" + std::string(word) + "' is no number");
  }
  if (std::string mistake = notOf(dtype_, word, value, namesInfinity(word)); !mistake.empty())
    return malformed(text_, at_, mistake, ErrorKind::TypeError);
  at_ = end;
  Tensor cast = value.cast(dtype_);
  return append(static_cast<const char *>(cast.data()));
}

absl::Status ListParser::element() {
  skipSpace();
  if (at_ < text_.size() && text_[at_] == '[')
    return open();
  if (at_ < text_.size() && text_[at_] == ']' && !counts_.empty() && counts_.back() == 0)
    return close();
  return number();
}

absl::StatusOr<Tensor> ListParser::parse() {
  do {
    size_t depth = counts_.size();
    if (absl::Status s = element(); !s.ok())
      return s;
    if (counts_.size() > depth) // a list was opened: its elements come next
      continue;
    // An element is complete: a comma, or the ends of lists.
    while (!counts_.empty()) {
      ++counts_.back();
      skipSpace();
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        break;
      }
      if (at_ == text_.size() || text_[at_] != ']')
        return fail("expected ',' or ']'");
      if (absl::Status s = close(); !s.ok())
        return s;
    }
  } while (!counts_.empty());
  skipSpace();
  if (at_ != text_.size())
    return fail("more follows after the value");
  extents_.resize(rank_ < 0 ? 0 : size_t(rank_));
  absl::StatusOr<Tensor> tensor = Tensor::allocate(dtype_, extents_);
  if (tensor.ok() && !bytes_.empty())
    std::memcpy(tensor->data(), bytes_.data(), bytes_.size());
  return tensor;
}

/// "[2,3]" after zeros or random; the type's shape (unknown extents are 1) where nothing follows.
absl::StatusOr<std::vector<int64_t>> shapeAfter(std::string_view text, size_t at,
                                                const Type &type) {
  std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
  for (int64_t &extent : shape)
    extent = extent == kDynamic ? 1 : extent;
  if (at == text.size())
    return shape;
  absl::StatusOr<Tensor> extents = ListParser(text.substr(at), DType::Int64).parse();
  if (!extents.ok())
    return extents.status();
  if (extents->rank() != 1)
    return malformed(text, at, "expected a shape such as [2,3]");
  absl::Span<const int64_t> flat = extents->flat<int64_t>();
  return std::vector<int64_t>(flat.begin(), flat.end());
}

absl::StatusOr<Tensor> randomTensor(DType dtype, absl::Span<const int64_t> shape, size_t input) {
  if (isComplex(dtype)) { // both parts
    std::vector<int64_t> pairs(shape.begin(), shape.end());
    pairs.push_back(2);
    absl::StatusOr<Tensor> parts = randomTensor(realDType(dtype), pairs, input);
    return parts.ok() ? parts->complexView() : parts;
  }
  absl::StatusOr<Tensor> wide = Tensor::allocate(DType::Float64, shape);
  if (!wide.ok())
    return wide;
  std::mt19937_64 bits(1 + input);
  for (double &x : wide->mutableFlat<double>()) {
    x = double(bits() >> 11) * 0x1p-53;
    if (!isFloat(dtype))
      x = std::floor(x * (isBool(dtype) ? 2 : 10));
  }
  return wide->cast(dtype);
}

/// A file's array has its own dtype; the function's conversion rules decide whether it fits.
absl::StatusOr<Tensor> fromArchive(std::string_view text, size_t colon) {
  absl::StatusOr<std::map<std::string, Tensor>> all = loadNpz(std::string(text.substr(0, colon)));
  if (!all.ok())
    return all.status();
  std::string key(text.substr(colon + 1));
  auto it = all->find(key);
  if (it == all->end())
    return makeError(ErrorKind::KeyError,
                     std::string(text.substr(0, colon)) + ": no array is called '" + key + "'");
  return it->second;
}

} // namespace

absl::StatusOr<Tensor> parseValue(std::string_view text, const Type &type, size_t input) {
  if (text.ends_with(".npz"))
    return makeError(ErrorKind::ValueError, std::string(text) + " has several arrays; write " +
                                                std::string(text) + ":KEY");
  if (text.ends_with(".npy"))
    return loadNpy(std::string(text));
  if (size_t colon = text.rfind(".npz:"); colon != text.npos)
    return fromArchive(text, colon + 4);
  for (std::string_view word : {"zeros", "random"}) {
    if (text.substr(0, word.size()) != word)
      continue;
    absl::StatusOr<std::vector<int64_t>> shape = shapeAfter(text, word.size(), type);
    if (!shape.ok())
      return shape.status();
    return word == "zeros" ? Tensor::zeros(type.dtype(), *shape)
                           : randomTensor(type.dtype(), *shape, input);
  }
  return ListParser(text, type.dtype()).parse();
}

} // namespace graphc
