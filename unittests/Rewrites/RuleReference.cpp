//===- RuleReference.cpp - rows of docs/Rewrites.md -------------------------===//
#include "RuleReference.h"

#include <sstream>

namespace graphc {

std::string describeEffects(Effects effects) {
  static constexpr std::pair<Effects, const char *> kNames[] = {
      {kRounding, "rounding"}, {kZeroSign, "zero sign"},       {kNanInf, "NaN, inf"},
      {kOverflow, "overflow"}, {kShapeUnsafe, "shape errors"}, {kInexact, "inexact"},
  };
  std::string text;
  for (auto [effect, name] : kNames)
    if (effects & effect)
      text += (text.empty() ? "" : ", ") + std::string(name);
  return text.empty() ? "none" : text;
}

std::string ruleReference(const Rule &rule, const std::string &example) {
  std::string text = "**" + rule.name + "** `" + rule.pattern + "` -> `" + rule.replacement + "`";
  if (!rule.when.text.empty())
    text += ", if " + rule.when.text;
  std::ostringstream cost;
  cost << std::showpos << ruleCost(rule);
  text += ". Effects: " + describeEffects(rule.effects) + ". Cost " + cost.str() + ".";
  if (!rule.doc.empty())
    text += " " + rule.doc;
  return text + "\n\n    " + example + "\n";
}

std::string ruleReference(const ChainRule &rule, const std::string &example) {
  std::string text = "**" + rule.name + "** chains of `" + rule.op + "` of " +
                     (rule.floats                            ? "floats"
                      : rule.op == "add" || rule.op == "mul" ? "integers"
                                                             : "integers and bools") +
                     ". Effects: " + describeEffects(rule.effects) + ".";
  if (!rule.doc.empty())
    text += " " + rule.doc;
  return text + "\n\n    " + example + "\n";
}

} // namespace graphc
