//===- Encoders.cpp - categories as numbers ------------------------------------------===//
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "Import/Translations.h"
#include "graphc/ControlFlow.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

template <class T> Tensor vectorOf(const std::vector<T> &numbers) {
  return *Tensor::fromSpan(absl::MakeConstSpan(numbers), {int64_t(numbers.size())});
}

/// keys_tensor, or one of the lists; undefined where only strings are given, which is an error.
Tensor listOf(OnnxNode &n, const std::string &prefix) {
  if (std::optional<Tensor> tensor = n.getTensor(prefix + "_tensor")) {
    auto flat = tensor->contiguous().reshape({tensor->numElements()});
    return flat.ok() ? *flat : *tensor;
  }
  if (std::optional<Ints> ints = n.getInts(prefix + "_int64s"))
    return vectorOf(*ints);
  if (std::optional<std::vector<float>> floats = n.getFloats(prefix + "_floats"))
    return vectorOf(*floats);
  if (n.hasAttribute(prefix + "_strings"))
    n.unsupported("attribute " + prefix + "_strings: strings, which graphc has not; give numbers");
  else
    n.fail(ErrorKind::ValueError, "there are no " + prefix);
  return Tensor();
}

Tensor defaultOf(OnnxNode &n, DType dtype) {
  if (std::optional<Tensor> given = n.getTensor("default_tensor"))
    if (auto scalar = given->contiguous().reshape({}); scalar.ok())
      return scalar->cast(dtype);
  if (isFloat(dtype))
    return Tensor(n.getFloat("default_float", -0.0)).cast(dtype);
  return Tensor(n.getInt("default_int64", -1)).cast(dtype);
}

/// Positions of the keys in ascending order, each once: of equal ones the first. NaNs are equal and
/// the greatest, as searchsorted has it.
Ints sortedKeys(const Tensor &keys) {
  Tensor wide = keys.cast(isFloat(keys.dtype()) ? DType::Float64 : DType::Int64).contiguous();
  Ints order(size_t(wide.numElements()));
  std::iota(order.begin(), order.end(), 0);
  auto sort = [&](auto numbers) {
    auto less = [&](int64_t a, int64_t b) {
      auto x = numbers[size_t(a)], y = numbers[size_t(b)];
      return x < y || (x == x && y != y);
    };
    std::sort(order.begin(), order.end(),
              [&](int64_t a, int64_t b) { return less(a, b) || (!less(b, a) && a < b); });
    order.erase(std::unique(order.begin(), order.end(),
                            [&](int64_t a, int64_t b) { return !less(a, b) && !less(b, a); }),
                order.end());
  };
  if (wide.dtype() == DType::Float64)
    sort(wide.flat<double>());
  else
    sort(wide.flat<int64_t>());
  return order;
}

Constant taken(OnnxNode &n, const Tensor &list, const Ints &order) {
  Tensor contiguous = list.contiguous();
  Tensor result = *Tensor::allocate(list.dtype(), {int64_t(order.size())});
  const size_t width = size_t(byteSize(list.dtype()));
  for (size_t k = 0; k < order.size(); ++k)
    std::memcpy(static_cast<char *>(result.data()) + k * width,
                static_cast<const char *>(contiguous.data()) + size_t(order[k]) * width, width);
  return n.adopt(result);
}

/// The value of the key that equals an element, by binary search; the default where there is none.
Variables labelEncoder(OnnxNode &n) {
  if (n.opset() < 2)
    return {
        n.unsupported("LabelEncoder of version 1, which maps strings; graphc has none: map them "
                      "before, and give the model integers")};
  Variable x = n.in(0);
  Tensor keys = listOf(n, "keys"), values = listOf(n, "values");
  if (!n.status().ok())
    return {};
  if (keys.numElements() != values.numElements())
    return {n.fail(ErrorKind::ValueError, std::to_string(keys.numElements()) + " keys for " +
                                              std::to_string(values.numElements()) + " values")};
  if (keys.dtype() != x.dtype())
    return {n.fail(ErrorKind::TypeError,
                   "keys of " + std::string(dtypeName(keys.dtype())) + " for " + x.type().brief())};
  Tensor otherwise = defaultOf(n, values.dtype());
  if (!n.status().ok())
    return {};
  Constant defaultValue = n.adopt(otherwise);
  if (keys.numElements() == 0)
    return {broadcastTo(n.at(defaultValue), ShapeList(shape(n.at(x))))};
  Ints order = sortedKeys(keys);
  Constant sorted = taken(n, keys, order), mapped = taken(n, values, order);
  Variable position = minimum(n.at(searchsorted(n.at(sorted), x)), int64_t(order.size()) - 1);
  Variable found = take(n.at(sorted), position);
  Variable hits = eq(n.at(found), x);
  if (isFloat(x.dtype()))
    hits = logicalOr(n.at(hits), logicalAnd(n.at(isnan(n.at(found))), isnan(n.at(x))));
  return {where(n.at(hits), take(n.at(mapped), position), defaultValue)};
}

Variables oneHotEncoder(OnnxNode &n) {
  if (n.hasAttribute("cats_strings") && !n.getStrings("cats_strings").empty())
    return {n.unsupported("attribute cats_strings: strings, which graphc has not; give numbers")};
  Ints categories = n.getInts("cats_int64s").value_or(Ints());
  Variable x = n.in(0);
  if (n.status().ok() && categories.empty())
    n.fail(ErrorKind::ValueError, "attribute cats_int64s is missing");
  if (!n.status().ok())
    return {};
  Variable list = n.vector(categories);
  Variable last = expandDims(n.at(cast(n.at(x), DType::Int64)), Axis(x.rank()));
  Variable hits = eq(n.at(last), list);
  Variable result = cast(n.at(hits), DType::Float32);
  if (n.getBool("zeros", true))
    return {result};
  Variable known = all(n.at(any(n.at(hits), Axis(-1))));
  return {assertTrue(n.at(result), n.at(known),
                     "an element is none of the categories, and "
                     "attribute zeros is 0")};
}

} // namespace

absl::Span<const Translation> encoderTranslations() {
  static constexpr Translation kTable[] = {
      {"LabelEncoder", labelEncoder, 1, "from version 2 on; numbers to numbers"},
      {"OneHotEncoder", oneHotEncoder, 1, "categories integers"},
  };
  return kTable;
}

} // namespace graphc
