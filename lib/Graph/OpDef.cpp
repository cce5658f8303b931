//===- Graph/OpDef.cpp - definitions that users bring ---------------------===//
#include "graphc/OpDef.h"

#include <algorithm>
#include <memory>
#include <set>

#include "Graph/Builtins.h"
#include "Support/Text.h"

namespace graphc {

/// Lower camel case: a lower-case letter, then letters and digits.
static bool isName(std::string_view name) {
  auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  auto rest = [&](char c) { return lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  return !name.empty() && lower(name[0]) && std::all_of(name.begin(), name.end(), rest);
}

/// What is wrong with the names of operands and attributes, or "".
static std::string nameMistake(const OpDef &def) {
  std::set<std::string_view> seen;
  auto mistake = [&](std::string_view name) -> std::string {
    if (!isName(name))
      return "'" + std::string(name) + "' is no lower camel case name";
    if (!seen.insert(name).second)
      return "two operands or attributes are named " + std::string(name);
    return "";
  };
  for (const OperandSpec &operand : def.operands)
    if (std::string what = mistake(operand.name); !what.empty())
      return what;
  for (const AttributeSpec &attribute : def.attributes)
    if (std::string what = mistake(attribute.name); !what.empty())
      return what;
  return "";
}

/// Whether every entry of a view or destroy map is an operand's number or -1.
static bool isOutputMap(const OpDef &def, const std::vector<int> &map) {
  return map.size() <= size_t(def.numResults) && std::all_of(map.begin(), map.end(), [&](int i) {
           return i >= -1 && (def.variadic || i < int(def.operands.size()));
         });
}

static std::string defaultMistake(const AttributeSpec &spec) {
  if (!spec.defaultValue)
    return "";
  AttributeKind kind = kindOf(*spec.defaultValue);
  if (kind == spec.kind || (kind == AttributeKind::None && spec.acceptsNone))
    return "";
  return "the default of attribute " + spec.name + " is " + std::string(attributeKindName(kind)) +
         ", not " + std::string(attributeKindName(spec.kind));
}

static std::string countMistake(const OpDef &def) {
  if (def.numResults < 1)
    return "there must be at least one result";
  if (def.defaultResult < -1 || def.defaultResult >= def.numResults)
    return "there is no result " + std::to_string(def.defaultResult);
  if (def.variadic && def.operands.empty())
    return "a variadic op needs an operand that is repeated";
  if (def.minOperands >= 0 && !def.variadic)
    return "minOperands is for variadic ops";
  return "";
}

static std::string mapMistake(const OpDef &def) {
  if (!isOutputMap(def, def.viewMap) || !isOutputMap(def, def.destroyMap))
    return "a view or destroy map names an output or an operand that does not exist";
  if (!def.connection.empty() && !def.variadic && def.connection.size() != def.operands.size())
    return "the connection pattern has " + counted(def.connection.size(), "row") + " for " +
           counted(def.operands.size(), "operand");
  for (const std::vector<bool> &row : def.connection)
    if (row.size() != size_t(def.numResults))
      return "the connection pattern has a row of " + std::to_string(row.size()) + " for " +
             counted(size_t(def.numResults), "result");
  return "";
}

static absl::Status mistakeIn(const OpDef &def, std::string_view what,
                              ErrorKind kind = ErrorKind::ValueError) {
  return makeError(kind, "definition of op " + def.name + ": " + std::string(what));
}

absl::Status checkName(const OpDef &def) {
  const OpDef *builtin = findOp(def.name);
  if (builtin && builtin != &def)
    return mistakeIn(def, "a built-in op has that name; take another");
  return absl::OkStatus();
}

absl::Status checkOpDef(const OpDef &def) {
  auto fail = [&](std::string_view what, ErrorKind kind = ErrorKind::ValueError) {
    return mistakeIn(def, what, kind);
  };
  if (!isName(def.name))
    return fail("the name is no lower camel case name");
  if (absl::Status status = checkName(def); !status.ok())
    return status;
  if (!def.type)
    return fail("there is no type rule");
  if (!def.emit)
    return fail("there is no emission");
  for (auto check : {nameMistake, countMistake, mapMistake})
    if (std::string what = check(def); !what.empty())
      return fail(what);
  for (const AttributeSpec &spec : def.attributes)
    if (std::string what = defaultMistake(spec); !what.empty())
      return fail(what);
  for (size_t i = 0; i < std::min(def.viewMap.size(), def.destroyMap.size()); ++i)
    if (def.viewMap[i] >= 0 && def.destroyMap[i] >= 0)
      return fail("output " + std::to_string(i) + " is both a view and destructive",
                  ErrorKind::NotSupported);
  return absl::OkStatus();
}

absl::StatusOr<Op> defineOp(OpDef def) {
  if (absl::Status status = checkOpDef(def); !status.ok())
    return status;
  return Op::create(std::make_shared<const OpDef>(std::move(def)));
}

} // namespace graphc
