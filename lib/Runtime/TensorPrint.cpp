//===- Runtime/TensorPrint.cpp - tensors as text --------------------------===//
//
// NumPy's str() (arrayprint of NumPy 1.24): one format for all elements that are shown, lines
// wrapped, the middle of large arrays elided; and the one-line list of the command line.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include "Runtime/Element.h"
#include "Runtime/FloatText.h"
#include "graphc/Tensor.h"

namespace graphc {
namespace {

/// Which positions of an axis are shown: all, or `edge` at each end.
struct ShownAxis {
  int64_t extent = 0;
  int64_t edge = 0; ///< 0: all are shown

  int64_t count() const { return edge ? 2 * edge : extent; }
  int64_t position(int64_t i) const { return edge && i >= edge ? extent - 2 * edge + i : i; }
  bool gapBefore(int64_t i) const { return edge && i == edge; }
};

std::vector<ShownAxis> shownAxes(const Tensor &tensor, const PrintOptions &options) {
  // An empty tensor has brackets to print: as many as it has places, were its zeros ones.
  int64_t places = 1;
  for (int64_t extent : tensor.shape())
    places *= std::max<int64_t>(extent, 1);
  bool elide = places > options.threshold;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 2;
  int64_t edge = std::clamp<int64_t>(options.edgeItems, 1, kMost);
  std::vector<ShownAxis> axes;
  for (int64_t extent : tensor.shape())
    axes.push_back({extent, elide && extent > 2 * edge ? edge : 0});
  return axes;
}

/// Offsets of the shown elements, in the order of printing.
std::vector<int64_t> shownOffsets(const Tensor &tensor, absl::Span<const ShownAxis> axes) {
  std::vector<int64_t> offsets = {0};
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * size_t(axes[axis].count()));
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < axes[axis].count(); ++i)
        next.push_back(offset + axes[axis].position(i) * tensor.strides()[axis]);
    offsets = std::move(next);
  }
  return offsets;
}

/// How NumPy prints the floats of one array: the same form and width for each.
class FloatFormat {
public:
  /// `plus`: positive numbers have a sign, too.
  FloatFormat(absl::Span<const FloatValue> values, int precision, bool plus = false)
      : precision_(precision), plus_(plus) {
    bool anyNonFinite = false, anyNegativeInf = plus;
    double largest = 0, smallest = INFINITY;
    for (FloatValue x : values) {
      if (!std::isfinite(x.value)) {
        anyNonFinite = true;
        anyNegativeInf |= x.value < 0;
      } else if (x.value != 0) {
        largest = std::max(largest, std::fabs(x.value));
        smallest = std::min(smallest, std::fabs(x.value));
      }
    }
    if (largest != 0)
      scientific_ = largest >= 1e8 || smallest < 1e-4 || ratioAbove1000(largest, smallest, values);
    for (FloatValue x : values)
      if (std::isfinite(x.value))
        widen(parts(x, 0));
    if (scientific_)
      afterPoint_ = fractionDigits_ + 2 + exponentDigits_;
    else
      afterPoint_ = fractionDigits_;
    if (anyNonFinite)
      beforePoint_ =
          std::max(beforePoint_, 3 + size_t(anyNegativeInf) -
                                     std::min<size_t>(3 + size_t(anyNegativeInf), afterPoint_ + 1));
  }

  std::string operator()(FloatValue x) const {
    if (!std::isfinite(x.value))
      return padded((plus_ && !(x.value < 0) ? "+" : "") + shortestText(x, ""),
                    beforePoint_ + 1 + afterPoint_);
    DecimalParts p = parts(x, int(fractionDigits_));
    std::string text = padded(p.integer, beforePoint_) + "." + p.fraction;
    size_t missing = fractionDigits_ - p.fraction.size();
    text.append(missing, scientific_ ? '0' : ' ');
    if (scientific_)
      text += exponentText(p.exponent, int(exponentDigits_));
    return text;
  }

private:
  static std::string padded(const std::string &text, size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + text;
  }
  /// Divides in the dtype, as NumPy does.
  static bool ratioAbove1000(double largest, double smallest, absl::Span<const FloatValue> values) {
    switch (values.front().dtype) {
    case DType::Float64:
      return largest / smallest > 1000;
    case DType::Float16: {
      float ratio = float(largest) / float(smallest);
      return widenFloat<HalfFormat>(narrowFloat<HalfFormat>(ratio)) > 1000;
    }
    default:
      return float(largest) / float(smallest) > 1000;
    }
  }
  DecimalParts parts(FloatValue x, int minFraction) const {
    DecimalParts made =
        scientific_ ? scientificParts(x, precision_, minFraction) : positionalParts(x, precision_);
    if (plus_ && !made.integer.starts_with('-'))
      made.integer.insert(0, 1, '+');
    return made;
  }
  void widen(const DecimalParts &p) {
    beforePoint_ = std::max(beforePoint_, p.integer.size());
    fractionDigits_ = std::max(fractionDigits_, p.fraction.size());
    if (scientific_)
      exponentDigits_ = std::max(exponentDigits_, exponentText(p.exponent).size() - 2);
  }

  int precision_;
  bool plus_;
  bool scientific_ = false;
  size_t beforePoint_ = 0;
  size_t afterPoint_ = 0;
  size_t fractionDigits_ = 0;
  size_t exponentDigits_ = 0;
};

FloatValue floatAt(const Tensor &tensor, int64_t offset) {
  return dispatch(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto value = loadElement<T>(static_cast<const Stored<T> *>(tensor.data())[offset]);
    return FloatValue{double(value), tensor.dtype()};
  });
}

std::string integerAt(const Tensor &tensor, int64_t offset) {
  return dispatch(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return std::to_string(static_cast<const T *>(tensor.data())[offset]);
    return std::string();
  });
}

bool boolAt(const Tensor &tensor, int64_t offset) {
  return static_cast<const uint8_t *>(tensor.data())[offset] != 0;
}

/// Of a complex tensor: the number at `offset` of its parts.
std::pair<FloatValue, FloatValue> complexAt(const Tensor &tensor, int64_t offset) {
  const Tensor view = tensor.realView();
  return {floatAt(view, 2 * offset), floatAt(view, 2 * offset + 1)};
}

/// "1+2j", in parentheses for NumPy unless it has no real part.
std::string complexText(std::pair<FloatValue, FloatValue> z, bool numpyScalar) {
  auto [re, im] = z;
  bool isNegative = std::signbit(im.value) && !std::isnan(im.value);
  if (re.value == 0 && !std::signbit(re.value))
    return shortestText(im, "") + "j";
  std::string text = shortestText(re, "") + (isNegative ? "" : "+") + shortestText(im, "") + "j";
  return numpyScalar ? "(" + text + ")" : text;
}

/// The elements each for itself: a NumPy scalar's str(), or a value of the command line.
std::string singleText(const Tensor &tensor, int64_t offset, bool numpyScalar) {
  if (isBool(tensor.dtype())) {
    bool value = boolAt(tensor, offset);
    return numpyScalar ? (value ? "True" : "False") : (value ? "true" : "false");
  }
  if (isComplex(tensor.dtype()))
    return complexText(complexAt(tensor, offset), numpyScalar);
  if (isFloat(tensor.dtype()))
    return shortestText(floatAt(tensor, offset), numpyScalar ? ".0" : "");
  return integerAt(tensor, offset);
}

/// The shown elements of an array in NumPy's common format.
std::vector<std::string> arrayWords(const Tensor &tensor, absl::Span<const int64_t> offsets,
                                    int precision) {
  std::vector<std::string> words;
  words.reserve(offsets.size());
  if (isComplex(tensor.dtype())) {
    std::vector<FloatValue> res, ims;
    for (int64_t offset : offsets) {
      auto [re, im] = complexAt(tensor, offset);
      res.push_back(re);
      ims.push_back(im);
    }
    FloatFormat format(res, precision), imaginary(ims, precision, /*plus=*/true);
    for (size_t i = 0; i < res.size(); ++i) {
      std::string im = imaginary(ims[i]);
      im.insert(im.find_last_not_of(' ') + 1, "j");
      words.push_back(format(res[i]) + im);
    }
    return words;
  }
  if (isFloat(tensor.dtype())) {
    std::vector<FloatValue> values;
    for (int64_t offset : offsets)
      values.push_back(floatAt(tensor, offset));
    FloatFormat format(values, precision);
    for (FloatValue x : values)
      words.push_back(format(x));
    return words;
  }
  size_t width = isBool(tensor.dtype()) ? 5 : 0;
  for (int64_t offset : offsets) {
    words.push_back(singleText(tensor, offset, /*numpyScalar=*/true));
    width = std::max(width, words.back().size());
  }
  for (std::string &word : words)
    word.insert(0, width - word.size(), ' ');
  return words;
}

/// Puts words into brackets, in order. NumPy's layout: a row is filled to the line's width, an
/// axis further out adds an empty line more, and an indent of one for each open bracket.
class Layout {
public:
  Layout(absl::Span<const ShownAxis> axes, absl::Span<const std::string> words, int lineWidth,
         bool inlineList)
      : axes_(axes), words_(words), lineWidth_(lineWidth), inlineList_(inlineList) {}

  std::string text() && {
    nest(0);
    return std::move(out_);
  }

private:
  void nest(size_t axis) { // at most 32 deep: the rank's limit
    if (axis == axes_.size()) {
      out_ += words_[next_++];
      return;
    }
    out_ += '[';
    if (axis + 1 == axes_.size() && !inlineList_) {
      row(axis);
    } else {
      std::string separator =
          inlineList_ ? ", "
                      : std::string(axes_.size() - axis - 1, '\n') + std::string(axis + 1, ' ');
      for (int64_t i = 0; i < axes_[axis].count(); ++i) {
        if (i)
          out_ += separator;
        if (axes_[axis].gapBefore(i))
          out_ += "..." + separator;
        nest(axis + 1);
      }
    }
    out_ += ']';
  }

  /// The innermost axis, in NumPy's layout. A word moves to the next line if it would leave no
  /// place for the brackets that close, unless it is the line's first.
  void row(size_t axis) {
    int indent = int(axis) + 1;
    int width = lineWidth_ - indent;
    int column = indent;
    bool first = true;
    auto put = [&](const std::string &word) {
      if (!first) {
        out_ += ' ';
        ++column;
      }
      if (column + int(word.size()) > width && column > indent) {
        out_.erase(out_.find_last_not_of(' ') + 1);
        out_ += '\n' + std::string(size_t(indent), ' ');
        column = indent;
      }
      out_ += word;
      column += int(word.size());
      first = false;
    };
    for (int64_t i = 0; i < axes_[axis].count(); ++i) {
      if (axes_[axis].gapBefore(i))
        put("...");
      put(words_[next_++]);
    }
  }

  absl::Span<const ShownAxis> axes_;
  absl::Span<const std::string> words_;
  int lineWidth_;
  bool inlineList_;
  size_t next_ = 0;
  std::string out_;
};

} // namespace

std::string toString(const Tensor &tensor, const PrintOptions &options) {
  if (!tensor.defined())
    return "<undefined>";
  if (tensor.rank() == 0)
    return singleText(tensor, 0, /*numpyScalar=*/!options.inlineList);
  std::vector<ShownAxis> axes = shownAxes(tensor, options);
  if (tensor.numElements() == 0 && !options.inlineList)
    return "[]"; // NumPy's, whatever the shape
  std::vector<int64_t> offsets = shownOffsets(tensor, axes);
  std::vector<std::string> words;
  if (options.inlineList)
    for (int64_t offset : offsets)
      words.push_back(singleText(tensor, offset, /*numpyScalar=*/false));
  else
    words = arrayWords(tensor, offsets, options.precision);
  return Layout(axes, words, options.lineWidth, options.inlineList).text();
}

std::string Tensor::str() const { return toString(*this); }

std::ostream &operator<<(std::ostream &os, const Tensor &tensor) { return os << tensor.str(); }

} // namespace graphc
