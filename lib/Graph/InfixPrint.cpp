//===- Graph/InfixPrint.cpp - graphs as formulas --------------------------===//
#include <algorithm>
#include <limits>

#include "Graph/Label.h"
#include "Graph/Nodes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/OpDef.h"
#include "graphc/Print.h"
#include "graphc/Traversal.h"

namespace graphc {

using detail::ApplyNode;
using detail::VariableNode;

namespace {

/// An operator, as in C++ and Python; `**` is Python's.
struct Infix {
  std::string_view op;
  const char *symbol;
  int precedence;
  /// How tightly operands must bind to go without parentheses.
  int left, right;
};

constexpr int kUnary = 50;
constexpr Infix kInfix[] = {
    {"bitwiseOr", " | ", 5, 5, 6},  {"bitwiseXor", " ^ ", 6, 6, 7}, {"bitwiseAnd", " & ", 7, 7, 8},
    {"eq", " == ", 10, 11, 11},     {"neq", " != ", 10, 11, 11},    {"lt", " < ", 10, 11, 11},
    {"le", " <= ", 10, 11, 11},     {"gt", " > ", 10, 11, 11},      {"ge", " >= ", 10, 11, 11},
    {"add", " + ", 30, 30, 31},     {"sub", " - ", 30, 30, 31},     {"mul", " * ", 40, 40, 41},
    {"trueDiv", " / ", 40, 40, 41}, {"intDiv", " // ", 40, 40, 41}, {"mod", " % ", 40, 40, 41},
    {"pow", "**", 60, 61, kUnary},
};

const Infix *findInfix(const ApplyNode *node) {
  for (const Infix &infix : kInfix)
    if (infix.op == node->op.name() && node->numInputs == 2 && node->numOutputs == 1)
      return &infix;
  return nullptr;
}

class Formula {
public:
  std::string write(const Variable &v) {
    std::string lines;
    std::vector<Apply> order = ioToposort({}, absl::MakeConstSpan(&v, 1));
    name(order);
    for (const Apply &node : order)
      if (auto at = names_.find(node.node()); at != names_.end()) {
        lines += at->second + " = ";
        writeNode(node.node(), 0);
        lines += drain() + "\n";
      }
    writeVariable(v.node(), 0);
    return lines + drain();
  }

  std::string writeTop(const Variable &v, size_t longest) {
    longest_ = longest;
    deepest_ = 8;
    writeVariable(v.node(), 0);
    return drain();
  }

private:
  /// Text to come, or a Variable that must bind as tightly as this.
  struct Piece {
    std::string text;
    VariableNode *v = nullptr;
    int tightness = 0;
    int depth = 0; // nodes above it
  };

  /// Names what is used several times and would be long to repeat, so that the text stays linear.
  void name(const std::vector<Apply> &order) {
    constexpr size_t kLong = 16;
    absl::flat_hash_map<const ApplyNode *, size_t> uses, lengths;
    for (const Apply &node : order)
      for (uint32_t i = 0; i < node.node()->numInputs; ++i)
        if (ApplyNode *producer = node.node()->input(i)->owner)
          ++uses[producer];
    for (const Apply &node : order) {
      size_t length = 1;
      for (uint32_t i = 0; i < node.node()->numInputs; ++i)
        if (ApplyNode *producer = node.node()->input(i)->owner)
          length += lengths[producer];
      if (uses[node.node()] > 1 && length > kLong) {
        names_.emplace(node.node(), "t" + std::to_string(names_.size()));
        length = 1;
      }
      lengths[node.node()] = length;
    }
  }

  std::string drain() {
    std::string text;
    while (!pending_.empty() && text.size() <= longest_) {
      Piece piece = std::move(pending_.back());
      pending_.pop_back();
      depth_ = piece.depth;
      if (piece.v && piece.v->owner && depth_ > deepest_)
        text += "...";
      else if (piece.v)
        writeVariable(piece.v, piece.tightness);
      else
        text += piece.text;
    }
    return text;
  }

  /// Puts pieces so that the first is the next to come.
  void push(std::vector<Piece> pieces) {
    for (Piece &piece : pieces)
      piece.depth = depth_ + 1;
    std::move(pieces.rbegin(), pieces.rend(), std::back_inserter(pending_));
  }

  void writeVariable(VariableNode *v, int tightness) {
    if (!v->owner) {
      Variable leaf = Variable::fromNode(v);
      std::string label = leafLabel(leaf);
      bool signedNumber = v->constant && leaf.rank() == 0 && label.starts_with('-');
      push({{signedNumber && tightness > kUnary ? "(" + label + ")" : label}});
      return;
    }
    std::string suffix = v->owner->numOutputs > 1 ? "." + std::to_string(v->index) : "";
    if (auto at = names_.find(v->owner); at != names_.end())
      return push({{at->second + suffix}});
    if (!suffix.empty())
      push({{suffix}});
    writeNode(v->owner, tightness);
  }

  void writeNode(ApplyNode *node, int tightness) {
    const Infix *infix = findInfix(node);
    bool negation = node->op.name() == "neg" && node->numInputs == 1;
    if (!infix && !negation)
      return writeCall(node);
    bool parentheses = (infix ? infix->precedence : kUnary) < tightness;
    std::vector<Piece> pieces = {{parentheses ? "(" : ""}};
    if (infix)
      pieces.push_back({"", node->input(0), infix->left});
    pieces.push_back({infix ? infix->symbol : "-"});
    pieces.push_back({"", node->input(infix ? 1 : 0), infix ? infix->right : kUnary});
    pieces.push_back({parentheses ? ")" : ""});
    push(std::move(pieces));
  }

  void writeCall(ApplyNode *node) {
    std::vector<Piece> pieces = {{node->op.str() + "("}};
    for (uint32_t i = 0; i < node->numInputs; ++i) {
      if (i)
        pieces.push_back({", "});
      pieces.push_back({"", node->input(i), 0});
    }
    pieces.push_back({")"});
    push(std::move(pieces));
  }

  absl::flat_hash_map<const ApplyNode *, std::string> names_;
  std::vector<Piece> pending_;
  int depth_ = 0, deepest_ = std::numeric_limits<int>::max();
  size_t longest_ = std::numeric_limits<size_t>::max();
};

/// Whether more than `most` nodes are needed for v.
bool needsMoreThan(const Variable &v, size_t most) {
  absl::flat_hash_set<ApplyNode *> seen;
  std::vector<ApplyNode *> pending;
  auto visit = [&](VariableNode *each) {
    if (each->owner && seen.insert(each->owner).second)
      pending.push_back(each->owner);
  };
  visit(v.node());
  while (!pending.empty() && seen.size() <= most) {
    ApplyNode *node = pending.back();
    pending.pop_back();
    for (uint32_t i = 0; i < node->numInputs && seen.size() <= most; ++i)
      visit(node->input(i));
  }
  return seen.size() > most;
}

} // namespace

std::string pp(const Variable &v) { return Formula().write(v); }

std::string pp(const Variable &v, size_t longest) {
  std::string text =
      needsMoreThan(v, longest) ? Formula().writeTop(v, longest) : Formula().write(v);
  return text.size() > longest ? text.substr(0, longest) + " ..." : text;
}

} // namespace graphc
