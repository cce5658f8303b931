//===- Support/JsonWriter.h - JSON text ---------------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphc {

/// `text` between double quotes. What is no UTF-8 becomes U+FFFD.
std::string jsonString(std::string_view text);

/// Writes one value, from its beginning to its end, on one line.
class JsonWriter {
public:
  void beginObject() { open('{'); }
  void endObject() { close('}'); }
  void beginArray() { open('['); }
  void endArray() { close(']'); }
  /// Of the value that comes next.
  void key(std::string_view key);
  void value(std::string_view text);
  void value(const char *text) { value(std::string_view(text)); }
  void value(int64_t number) { write(std::to_string(number)); }
  void value(size_t number) { write(std::to_string(number)); }
  /// Finite; with as many digits as tell it from all others.
  void value(double number);
  template <class T> void field(std::string_view name, const T &of) {
    key(name);
    value(of);
  }
  const std::string &text() const { return text_; }

private:
  void open(char bracket);
  void close(char bracket);
  void write(std::string_view token);
  std::string text_;
  bool isFirst_ = true; // of its array or object, or behind its key
};

} // namespace graphc
