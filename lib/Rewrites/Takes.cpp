//===- Rewrites/Takes.cpp - functions of what is taken --------------------===//
//
// Of an array with fewer elements than are taken from it, a function is computed before: a model of
// 85 groups has 85 exponentials of their scales, and not one for each of 919 observations. Costly
// functions are, too, where what is taken has other uses and is taken once more for this.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Catalogue.h"
#include "Guards.h"
#include "absl/strings/str_replace.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// Whether x has at most half as many elements as the result.
bool isSmall(const Match &m) {
  int64_t of = m["x"].type().numElements(), taken = m.root().output(0).type().numElements();
  return of != kDynamic && taken != kDynamic && of <= taken / 2;
}

/// Whether what is taken, the root's operand, has no other use.
bool isTakenForIt(const Match &m) {
  const Variables operands = m.root().inputs();
  return std::ranges::all_of(operands, [&](const Variable &v) {
    return !v.hasOwner() || v.owner().op().name() != "take" || m.graph().numClients(v) == 1;
  });
}

const Condition kSmall = {isSmall, "x has at most half as many elements as are taken"};
const Condition kTakenForIt = {isTakenForIt, "what is taken has no other use"};

/// `of`: the formula with @ for what is taken, $ for a number.
Rule takenLater(std::string name, const std::string &of, Condition when) {
  auto with = [&](absl::string_view x, absl::string_view number) {
    return absl::StrReplaceAll(of, {{"@", x}, {"$", number}});
  };
  return {.name = "take_" + std::move(name),
          .pattern = with("take(x, i, axis=p, mode=q)", "s"),
          .replacement = "take(" + with("x", "s") + ", i, axis=p, mode=q)",
          .when = kSmall && std::move(when),
          .examples = {with("take(subtensor(x, index=\"0:1\"), n * 0, axis=0)", "2")}};
}

std::vector<Rule> takes() {
  std::vector<Rule> rules;
  for (std::string f : {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "tanh",
                        "sigmoid", "softplus", "erf", "erfc", "gammaln"}) {
    rules.push_back(takenLater(f, f + "(@)", floating("x")));
    if (f == "exp" || f == "sigmoid" || f == "softplus")
      rules.push_back(takenLater(f + "_neg", f + "(-@)", floating("x")));
  }
  for (std::string f : {"neg", "sqr", "reciprocal"})
    rules.push_back(takenLater(f, f + "(@)", floating("x") && kTakenForIt));
  const std::pair<const char *, const char *> withNumbers[] = {
      {"add", "$ + @"},      {"mul", "$ * @"}, {"sub", "@ - $"},
      {"sub_from", "$ - @"}, {"div", "@ / $"}, {"div_of", "$ / @"}};
  for (auto [name, of] : withNumbers)
    rules.push_back(takenLater(name, of, floating("x") && rankOf("s", 0) && kTakenForIt));
  return rules;
}

} // namespace

RuleFamily takeRules() {
  return {"Functions of what is taken", {"specialize", "takes", "fast_run"}, kSpecialize, takes()};
}

} // namespace graphc
