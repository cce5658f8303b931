//===- Reference.cpp - the pages of docs/Ops.md ----------------------------===//
#include "Registry.h"
#include "Rules.h"
#include "Signatures.h"
#include "Support/Text.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace graphc {
namespace {

std::string operandList(const OpDef &op) {
  std::string list = join(op.operands, ", ", [](const OperandSpec &o) { return o.name; });
  return op.variadic ? list + "..." : list;
}

std::string number(double value) { return absl::StrCat(value); }

std::string accuracy(const MaxUlp &ulp) {
  if (ulp.f32 < 0 || ulp.f64 < 0)
    return "";
  if (ulp.f32 == 0 && ulp.f64 == 0)
    return "";
  return "Greatest error: " + number(ulp.f32) + " ULP (f32), " + number(ulp.f64) +
         " ULP (f64).\n\n";
}

std::string attributeLine(const AttributeSpec &spec) {
  std::string text = "- `" + spec.name + "`: " + std::string(attributeKindName(spec.kind));
  text +=
      spec.defaultValue ? ", " + toString(*spec.defaultValue) + " by default" : ", must be given";
  return text + (spec.doc.empty() ? "" : "; " + spec.doc) + "\n";
}

/// The functions of C++, and the options that they take.
std::string signatureLines(const OpDef &op) {
  std::string text, options;
  if (op.section == section(kDerivatives))
    return "";
  if (op.section == section(kRandom))
    return "In C++: graphc/Random.h and [Random.md](Random.md).\n\n";
  if (op.section == section(kControl))
    return "In C++: graphc/ControlFlow.h and [ControlFlow.md](ControlFlow.md).\n\n";
  for (const std::string &signature : signaturesOf(op)) {
    text += "    " + signature + "\n";
    constexpr std::string_view kOptions = "Options";
    size_t end = signature.find(kOptions);
    if (end == signature.npos)
      continue;
    size_t begin = signature.find_last_of("( ", end) + 1;
    std::string name = signature.substr(begin, end + kOptions.size() - begin);
    std::string line = "    " + name + defaultsOf(name) + "\n";
    if (options.find(line) == options.npos)
      options += line;
  }
  return "In C++:\n\n" + text + options + "\n";
}

/// Headings' anchors are in lower case.
std::string anchor(const OpDef &op) {
  return "[" + op.name + "](#" + absl::AsciiStrToLower(op.name) + ")";
}

} // namespace

std::string opReference(const OpDef &op) {
  size_t line = std::min(op.doc.find('\n'), op.doc.size());
  std::string text = "### " + op.name + "\n\n";
  text += "`" + op.name + "(" + operandList(op) + ")` — " + op.doc.substr(0, line) + "\n\n";
  if (line < op.doc.size())
    text += op.doc.substr(line + 1) + "\n\n";
  for (const OperandSpec &operand : op.operands)
    if (!operand.doc.empty())
      text += "- " + operand.name + ": " + operand.doc + "\n";
  for (const AttributeSpec &spec : op.attributes)
    text += attributeLine(spec);
  bool anyList = !op.attributes.empty();
  for (const OperandSpec &operand : op.operands)
    anyList |= !operand.doc.empty();
  if (anyList)
    text += "\n";
  text += accuracy(op.maxUlp) + signatureLines(op);
  return text + "Example:\n\n    " + op.example + "\n";
}

std::string opsReference() {
  std::string text =
      "# Ops\n\n"
      "Written from the registry and graphc/Ops.h by `graphc ops`; change these, not this page."
      "\n\n"
      "Operands broadcast where an extent is statically 1, and nowhere else. Dtypes are promoted "
      "as "
      "NumPy promotes arrays; functions with a real range give float32 for bool, 8- and 16-bit "
      "integers, float64 for wider ones. float16 and bfloat16 compute in float32 and round once. "
      "NaN in gives NaN out unless noted. An error in ULP counts units in the last place of the "
      "correctly rounded result. Examples are in short: literal operands, attributes, result. An "
      "`Operand` of C++ is a Variable, a Tensor or a number; structures of options are shown with "
      "their defaults.\n";
  for (std::string_view section : kSections) {
    std::vector<const OpDef *> ops;
    for (const OpDef *op : allOps())
      if (op->section == section)
        ops.push_back(op);
    text += "\n## " + std::string(section) + "\n\n";
    text += join(ops, ", ", [](const OpDef *op) { return anchor(*op); }) + "\n";
    for (const OpDef *op : ops)
      text += "\n" + opReference(*op);
  }
  return text;
}

} // namespace graphc
