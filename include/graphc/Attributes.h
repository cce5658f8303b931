//===- graphc/Attributes.h - static parameters of an op ---------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graphc/DType.h"
#include "graphc/Tensor.h"

namespace graphc {

/// "None": an attribute that is present without a value (axis = none).
struct NoneAttr {
  friend bool operator==(NoneAttr, NoneAttr) = default;
};

using IntList = std::vector<int64_t>;
using AttributeValue = std::variant<NoneAttr, bool, int64_t, double, std::string, DType, IntList,
                                    std::vector<double>, Tensor>;

/// Kinds, in the order of AttributeValue's alternatives.
enum class AttributeKind { None, Bool, Int, Float, String, DType, Ints, Floats, Tensor };

AttributeKind kindOf(const AttributeValue &value);
/// With its article, for messages: "an int", "a list of ints".
std::string_view attributeKindName(AttributeKind kind);
/// As in graph text: `true`, `3`, `"same"`, `f32`, `[0, 1]`, `none`.
std::string toString(const AttributeValue &value);
/// Bitwise on floats (NaN equals NaN), so that equality and hash agree.
bool identical(const AttributeValue &a, const AttributeValue &b);

/// Attributes by name, sorted; a value.
class Attributes {
public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string, AttributeValue>> entries);

  void set(std::string_view name, AttributeValue value);
  /// Null where there is none of that name.
  const AttributeValue *find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  bool isNone(std::string_view name) const;

  // Typed access to an attribute that the op's definition declares. Where there is none of that
  // name and kind: an empty value (0, "", Float64, ...); the op's rules then fail, others warn.
  bool boolean(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string &string(std::string_view name) const;
  DType dtype(std::string_view name) const;
  const IntList &ints(std::string_view name) const;
  const std::vector<double> &reals(std::string_view name) const;
  const Tensor &tensor(std::string_view name) const;

  const std::vector<std::pair<std::string, AttributeValue>> &entries() const { return entries_; }
  uint64_t hash() const;
  friend bool operator==(const Attributes &a, const Attributes &b);

private:
  std::vector<std::pair<std::string, AttributeValue>> entries_;
};

} // namespace graphc
