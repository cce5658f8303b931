//===- ReadConstants.cpp --------------------------------------------------===//
#include "Kernels/ReadConstants.h"

#include <algorithm>
#include <cstring>

#include "Runtime/LiteralText.h"
#include "graphc/Host.h"

namespace graphc {

Tensor takeElements(TextScanner &text, DType dtype, absl::Span<const int64_t> shape) {
  Place place = text.token().place;
  absl::StatusOr<int64_t> size = shapeBytes(byteSize(dtype), shape);
  if (!size.ok()) {
    text.fail({size.status().message().data(), size.status().message().size()}, place);
    return {};
  }
  std::string bytes;
  std::optional<uint64_t> all;
  if (text.accept("[")) {
    for (bool isFirst = true; text.ok() && !text.at("]"); isFirst = false) {
      if (!isFirst)
        text.expect(",");
      Place element = text.token().place;
      std::optional<uint64_t> bits = parseLiteral(dtype, text.token().text);
      if (!bits)
        text.fail("expected a value of " + std::string(dtypeShortName(dtype)), element);
      uint64_t value = bits.value_or(0); // little-endian, as all targets are
      bytes.append(reinterpret_cast<const char *>(&value), size_t(byteSize(dtype)));
      text.next();
    }
    text.expect("]");
  } else if (text.token().kind == TextToken::Kind::Number ||
             text.token().kind == TextToken::Kind::Word) {
    all = parseLiteral(dtype, text.token().text);
    if (!all)
      text.fail("expected a value of " + std::string(dtypeShortName(dtype)), place);
    text.next();
  } else {
    std::string digits =
        text.take(TextToken::Kind::String, "elements ([1, 2] or \"hexadecimal digits\")");
    auto digit = [](char c) {
      return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    for (size_t i = 0; i + 1 < digits.size() && text.ok(); i += 2) {
      int high = digit(digits[i]), low = digit(digits[i + 1]);
      if (high < 0 || low < 0)
        text.fail("elements are two hexadecimal digits for each byte", place);
      bytes += char(high * 16 + low);
    }
  }
  if (!text.ok())
    return {};
  if (!all && uint64_t(*size) != bytes.size()) {
    text.fail("there are " + std::to_string(bytes.size()) +
                  " bytes of elements, and not as many "
                  "as the shape has",
              place);
    return {};
  }
  if (isBool(dtype))
    for (char byte : bytes)
      if (byte != 0 && byte != 1)
        text.fail("a value of i1 is 0 or 1", place);
  absl::StatusOr<Tensor> tensor = Tensor::allocate(dtype, shape);
  if (!tensor.ok()) {
    text.fail({tensor.status().message().data(), tensor.status().message().size()}, place);
    return {};
  }
  char *data = static_cast<char *>(tensor->data());
  std::copy(bytes.begin(), bytes.end(), data);
  if (all)
    for (int64_t i = 0; i < tensor->numElements(); ++i)
      std::memcpy(data + i * byteSize(dtype), &*all, size_t(byteSize(dtype)));
  return *std::move(tensor);
}

} // namespace graphc
