//===- OnnxFlags.cpp - what the user knows of a model's inputs -------------===//
#include "OnnxFlags.h"

#include <charconv>
#include <optional>

namespace graphc {
namespace {

/// A number from 0 up; the whole text.
std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = error == std::errc() && end == text.data() + text.size() && value >= 0;
  return good ? std::optional<int64_t>(value) : std::nullopt;
}

std::optional<int64_t> lengthOf(const std::string &text) {
  return text == "none" ? OnnxInputs::kNone : number(text);
}

/// "2,?,3"; "" is the shape of a scalar.
std::optional<std::vector<int64_t>> shapeOf(const std::string &text) {
  std::vector<int64_t> shape;
  for (size_t begin = 0; !text.empty() && begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    std::optional<int64_t> extent = part == "?" ? kDynamic : number(part);
    if (!extent)
      return std::nullopt;
    shape.push_back(*extent);
    begin = end + 1;
  }
  return shape;
}

std::pair<std::string, std::string> splitPair(const std::string &text) {
  size_t equals = text.rfind('=');
  return {text.substr(0, equals), equals == text.npos ? "" : text.substr(equals + 1)};
}

template <class Read> CLI::Validator form(Read read, const std::string &wanted) {
  auto check = [=](std::string &text) {
    bool good = text.find('=') != text.npos && read(splitPair(text).second).has_value();
    return good ? std::string() : "'" + text + "' is not " + wanted;
  };
  return CLI::Validator(check, "", "");
}

} // namespace

void OnnxFlags::add(CLI::App &app) {
  app.add_option("--length", lengths,
                 "Of an ONNX model: how many elements an input has that is a sequence (1 of an "
                 "optional tensor), or none where an optional value is not there")
      ->type_name("NAME=N")
      ->check(form(lengthOf, "NAME=N or NAME=none"))
      ->allow_extra_args(false)
      ->take_all();
  app.add_option(
         "--shape", shapes,
         "Of an ONNX model: the shape of an input, ? for extents that stay open; elements of "
         "sequences are NAME[0] and so on")
      ->type_name("NAME=2,?")
      ->check(form(shapeOf, "NAME=SHAPE, such as x=2,?"))
      ->allow_extra_args(false)
      ->take_all();
}

OnnxInputs OnnxFlags::options() const {
  OnnxInputs options;
  for (const std::string &text : lengths) {
    auto [name, value] = splitPair(text);
    if (!options.lengths.emplace(name, *lengthOf(value)).second)
      throw CLI::ValidationError("--length " + name, "is given twice");
  }
  for (const std::string &text : shapes) {
    auto [name, value] = splitPair(text);
    if (!options.shapes.emplace(name, *shapeOf(value)).second)
      throw CLI::ValidationError("--shape " + name, "is given twice");
  }
  return options;
}

} // namespace graphc
