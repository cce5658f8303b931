//===- Support/Bytes.h - values to bytes and back ---------------*- C++ -*-===//
//
// For files of this machine's cache: numbers stand in the machine's byte order. Writer and reader
// have the same functions, so that a format is described once, by a template that takes either:
//
//   template <class Bytes, class T> void transfer(Bytes &bytes, T &point) {
//     bytes.value(point.x);
//     bytes.list(point.names, [&](auto &name) { bytes.value(name); });
//   }
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace graphc {

template <class T>
concept PlainNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;
/// A vector of them, of whatever kind; a string is a text.
template <class T>
concept ListOfNumbers = PlainNumber<typename T::value_type> && !std::is_same_v<T, std::string>;

class ByteWriter {
public:
  static constexpr bool kReads = false;

  /// Enums are one byte.
  template <PlainNumber T> void value(const T &number) {
    if constexpr (std::is_enum_v<T>)
      value(uint8_t(number));
    else
      append(&number, sizeof(number));
  }
  void value(const std::string &text) {
    value(uint64_t(text.size()));
    append(text.data(), text.size());
  }
  template <ListOfNumbers List> void value(const List &numbers) {
    value(uint64_t(numbers.size()));
    append(numbers.data(), numbers.size() * sizeof(numbers[0]));
  }
  /// The number of elements, then `transferElement` of each.
  template <class T, class F> void list(const std::vector<T> &elements, F &&transferElement) {
    value(uint64_t(elements.size()));
    for (const T &element : elements)
      transferElement(element);
  }
  /// As they are, without their number.
  void append(const void *data, size_t size) {
    bytes_.append(static_cast<const char *>(data), size);
  }

  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Reads what a ByteWriter wrote. Past the end everything is 0 or empty, and `ok` is false: bytes
/// that were cut short or changed end in values, not in a crash.
class ByteReader {
public:
  static constexpr bool kReads = true;

  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  /// Whether everything was there, and nothing else.
  bool atEnd() const { return ok_ && rest_.empty(); }

  template <PlainNumber T> void value(T &number) {
    if constexpr (std::is_enum_v<T>) {
      uint8_t byte;
      value(byte);
      number = T(byte);
      return;
    }
    if constexpr (std::is_same_v<T, bool>) { // whose object may hold nothing but 0 and 1
      uint8_t byte;
      value(byte);
      number = byte != 0;
      return;
    }
    number = T();
    std::string_view bytes = take(sizeof(T));
    if (ok_)
      std::memcpy(&number, bytes.data(), sizeof(T));
  }
  void value(std::string &text) { text = take(count()); }
  template <ListOfNumbers List> void value(List &numbers) {
    constexpr size_t kBytes = sizeof(numbers[0]);
    uint64_t size = count();
    std::string_view bytes = size <= rest_.size() ? take(size * kBytes) : fail();
    numbers.resize(bytes.size() / kBytes);
    if (!bytes.empty())
      std::memcpy(numbers.data(), bytes.data(), bytes.size());
  }
  template <class T, class F> void list(std::vector<T> &elements, F &&transferElement) {
    elements.clear();
    for (uint64_t size = count(); ok_ && elements.size() < size;)
      transferElement(elements.emplace_back());
  }
  /// `size` bytes as they are; none if there are not so many.
  std::string_view take(uint64_t size) {
    if (!ok_ || size > rest_.size())
      return fail();
    std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  std::string_view fail() {
    ok_ = false;
    return {};
  }

private:
  uint64_t count() {
    uint64_t number;
    value(number);
    return number;
  }

  std::string_view rest_;
  bool ok_ = true;
};

} // namespace graphc
