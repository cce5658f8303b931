//===- Graph/Attributes.cpp - static parameters of an op ------------------===//
#include "graphc/Attributes.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "Graph/AttributeReads.h"
#include "Support/Hash.h"
#include "Support/Log.h"

namespace graphc {

AttributeKind kindOf(const AttributeValue &value) { return AttributeKind(value.index()); }

std::string_view attributeKindName(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::None:
    return "none";
  case AttributeKind::Bool:
    return "a bool";
  case AttributeKind::Int:
    return "an int";
  case AttributeKind::Float:
    return "a float";
  case AttributeKind::String:
    return "a string";
  case AttributeKind::DType:
    return "a dtype";
  case AttributeKind::Ints:
    return "a list of ints";
  case AttributeKind::Floats:
    return "a list of floats";
  case AttributeKind::Tensor:
    return "a tensor";
  }
  return "unknown";
}

//===--- equality and hash ------------------------------------------------===//

/// NaNs are all one value, as they are in Tensor::identical.
static uint64_t bitsOf(double value) {
  return std::bit_cast<uint64_t>(std::isnan(value) ? std::nan("") : value);
}

namespace {

struct Identical {
  template <class T> bool operator()(const T &a, const T &b) const { return a == b; }
  bool operator()(double a, double b) const { return bitsOf(a) == bitsOf(b); }
  bool operator()(const std::vector<double> &a, const std::vector<double> &b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
  }
  bool operator()(const Tensor &a, const Tensor &b) const {
    if (!a.defined() || !b.defined())
      return a.defined() == b.defined();
    return a.identical(b);
  }
  template <class T, class U> bool operator()(const T &, const U &) const { return false; }
};

struct AddTo {
  Hasher &hasher;

  void operator()(NoneAttr) const {}
  void operator()(bool value) const { hasher.add(uint8_t(value)); }
  void operator()(int64_t value) const { hasher.add(value); }
  void operator()(double value) const { hasher.add(bitsOf(value)); }
  void operator()(const std::string &value) const { hasher.addString(value); }
  void operator()(DType value) const { hasher.add(int(value)); }
  void operator()(const Tensor &value) const {
    hasher.add(value.defined() ? value.contentHash() : 0);
  }
  template <class T> void operator()(const std::vector<T> &values) const {
    hasher.add(values.size());
    for (T value : values)
      (*this)(value);
  }
};

} // namespace

bool identical(const AttributeValue &a, const AttributeValue &b) {
  return std::visit(Identical(), a, b);
}

//===--- text -------------------------------------------------------------===//

namespace {

struct ToText {
  std::string operator()(NoneAttr) const { return "none"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    if (!std::isfinite(value))
      return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    char buffer[32];
    std::string text(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
    // A float keeps a mark of one, so that it reads back with its kind.
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(const std::string &value) const {
    std::string text = "\"";
    for (char c : value) {
      static constexpr char kHex[] = "0123456789ABCDEF";
      auto byte = uint8_t(c);
      if (c == '"' || c == '\\')
        (text += '\\') += c;
      else if (byte < 0x20 || byte == 0x7f)
        ((text += '\\') += kHex[byte >> 4]) += kHex[byte & 15];
      else
        text += c;
    }
    return text + "\"";
  }
  std::string operator()(DType value) const { return std::string(dtypeShortName(value)); }
  std::string operator()(const Tensor &value) const {
    PrintOptions options;
    options.inlineList = true;
    options.precision = -1;
    return value.defined() ? toString(value, options) : "<undefined>";
  }
  template <class T> std::string operator()(const std::vector<T> &values) const {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i)
      (text += i ? ", " : "") += (*this)(values[i]);
    return text + "]";
  }
};

} // namespace

std::string toString(const AttributeValue &value) { return std::visit(ToText(), value); }

//===--- Attributes -------------------------------------------------------===//

Attributes::Attributes(std::initializer_list<std::pair<std::string, AttributeValue>> entries) {
  for (const auto &[name, value] : entries)
    set(name, value);
}

void Attributes::set(std::string_view name, AttributeValue value) {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), name,
                             [](const auto &entry, std::string_view n) { return entry.first < n; });
  if (at != entries_.end() && at->first == name)
    at->second = std::move(value);
  else
    entries_.emplace(at, std::string(name), std::move(value));
}

const AttributeValue *Attributes::find(std::string_view name) const {
  // A handful of entries: a scan beats a search.
  for (const auto &[key, value] : entries_)
    if (key == name)
      return &value;
  return nullptr;
}

bool Attributes::isNone(std::string_view name) const {
  const AttributeValue *value = find(name);
  return value && kindOf(*value) == AttributeKind::None;
}

template <class T> static const T &get(const Attributes &attributes, std::string_view name) {
  if (const T *value = std::get_if<T>(attributes.find(name)))
    return *value;
  static const T &none = *[] {
    if constexpr (std::is_same_v<T, DType>)
      return new T(DType::Float64);
    else
      return new T();
  }();
  const std::string missing = std::string(name) + " that is " +
                              std::string(attributeKindName(kindOf(AttributeValue(none))));
  if (AttributeReads *reads = AttributeReads::innermost())
    reads->note(missing);
  else
    logWarning("Attributes: there is no " + missing);
  return none;
}

AttributeReads *&AttributeReads::innermost() {
  static constinit thread_local AttributeReads *reads = nullptr;
  return reads;
}

std::string AttributeReads::mistake() const {
  return "asks for an attribute " + (missing_ ? *missing_ : "") +
         ", which the op does not have: declare it in OpDef::attributes";
}

bool Attributes::boolean(std::string_view name) const { return get<bool>(*this, name); }
int64_t Attributes::integer(std::string_view name) const { return get<int64_t>(*this, name); }
double Attributes::real(std::string_view name) const { return get<double>(*this, name); }
const std::string &Attributes::string(std::string_view name) const {
  return get<std::string>(*this, name);
}
DType Attributes::dtype(std::string_view name) const { return get<DType>(*this, name); }
const IntList &Attributes::ints(std::string_view name) const { return get<IntList>(*this, name); }
const std::vector<double> &Attributes::reals(std::string_view name) const {
  return get<std::vector<double>>(*this, name);
}
const Tensor &Attributes::tensor(std::string_view name) const { return get<Tensor>(*this, name); }

uint64_t Attributes::hash() const {
  Hasher hasher;
  for (const auto &[name, value] : entries_) {
    hasher.addString(name).add(value.index());
    std::visit(AddTo{hasher}, value);
  }
  return hasher.finish();
}

bool operator==(const Attributes &a, const Attributes &b) {
  return std::equal(a.entries_.begin(), a.entries_.end(), b.entries_.begin(), b.entries_.end(),
                    [](const auto &x, const auto &y) {
                      return x.first == y.first && identical(x.second, y.second);
                    });
}

} // namespace graphc
