#include "ExampleText.h"

#include <algorithm>
#include <complex>
#include <cstdlib>

namespace graphc {
namespace {

class Reader {
public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool take(std::string_view token) {
    skipSpace();
    if (!rest_.starts_with(token))
      return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool atEnd() {
    skipSpace();
    return rest_.empty();
  }
  /// Up to one of `ends`.
  std::string word(std::string_view ends) {
    skipSpace();
    size_t n = std::min(rest_.find_first_of(ends), rest_.size());
    std::string text(rest_.substr(0, n));
    rest_.remove_prefix(n);
    while (text.ends_with(' '))
      text.pop_back();
    return text;
  }
  bool value(Tensor &result);
  bool attribute(const AttributeSpec &spec, AttributeValue &value);

private:
  void skipSpace() {
    while (rest_.starts_with(' '))
      rest_.remove_prefix(1);
  }
  bool list(size_t depth);

  std::string_view rest_;
  std::vector<std::string> elements_;
  std::vector<int64_t> shape_;
};

/// Collects elements and shape of a nested list.
bool Reader::list(size_t depth) {
  if (!take("[")) {
    elements_.push_back(word(",])"));
    return !elements_.back().empty();
  }
  if (shape_.size() <= depth)
    shape_.push_back(-1);
  int64_t count = 0;
  while (!take("]")) {
    if (count && !take(","))
      return false;
    if (!list(depth + 1))
      return false;
    ++count;
  }
  if (shape_[depth] != -1 && shape_[depth] != count)
    return false;
  shape_[depth] = count;
  return true;
}

bool Reader::value(Tensor &result) {
  elements_.clear();
  shape_.clear();
  if (!list(0))
    return false;
  bool isBool = true, isInt = true;
  for (const std::string &text : elements_) {
    bool named = text == "true" || text == "false";
    isBool &= named;
    isInt &= !named && text.find_first_not_of("-0123456789") == std::string::npos;
  }
  if (std::ranges::any_of(elements_, [](const std::string &text) { return text.ends_with('j'); })) {
    std::vector<std::complex<double>> pairs; // "1.5-2j"
    for (const std::string &text : elements_) {
      char *rest = nullptr;
      double re = std::strtod(text.c_str(), &rest);
      pairs.emplace_back(re, std::strtod(rest, nullptr));
    }
    auto tensor = Tensor::fromSpan(absl::MakeConstSpan(pairs), shape_);
    if (tensor.ok())
      result = *std::move(tensor);
    return tensor.ok();
  }
  std::vector<double> numbers;
  for (const std::string &text : elements_)
    numbers.push_back(text == "true" ? 1 : std::strtod(text.c_str(), nullptr));
  auto tensor = Tensor::fromSpan(absl::MakeConstSpan(numbers), shape_);
  if (!tensor.ok())
    return false;
  result = tensor->cast(isBool ? DType::Bool : isInt ? DType::Int64 : DType::Float64);
  return true;
}

bool Reader::attribute(const AttributeSpec &spec, AttributeValue &value) {
  switch (spec.kind) {
  case AttributeKind::Int:
    value = int64_t(std::atoll(word(",}").c_str()));
    return true;
  case AttributeKind::Float:
    value = std::atof(word(",}").c_str());
    return true;
  case AttributeKind::Bool:
    value = word(",}") == "true";
    return true;
  case AttributeKind::DType: {
    std::optional<DType> dtype = parseDType(word(",}"));
    value = dtype.value_or(DType::Bool);
    return dtype.has_value();
  }
  case AttributeKind::String: {
    if (!take("\""))
      return false;
    value = word("\"");
    return take("\"");
  }
  case AttributeKind::Ints: {
    Tensor list;
    if (!this->value(list) || list.rank() != 1)
      return false;
    auto flat = list.flat<int64_t>();
    value = IntList(flat.begin(), flat.end());
    return true;
  }
  default:
    return false;
  }
}

} // namespace

std::optional<Example> parseExample(const OpDef &op, std::string_view text) {
  Reader reader(text);
  Example example;
  example.op = reader.word("(");
  if (!reader.take("("))
    return std::nullopt;
  while (!reader.take(")")) {
    Tensor operand;
    if ((!example.operands.empty() && !reader.take(",")) || !reader.value(operand))
      return std::nullopt;
    example.operands.push_back(operand);
  }
  if (reader.take("{"))
    do {
      std::string name = reader.word("=");
      const AttributeSpec *spec = nullptr;
      for (const AttributeSpec &candidate : op.attributes)
        if (candidate.name == name)
          spec = &candidate;
      AttributeValue value;
      if (!spec || !reader.take("=") || !reader.attribute(*spec, value))
        return std::nullopt;
      example.attributes.set(name, value);
    } while (!reader.take("}") && reader.take(","));
  if (!reader.take("=") || !reader.value(example.result) || !reader.atEnd())
    return std::nullopt;
  return example;
}

} // namespace graphc
