//===- Rewrite/Formula.cpp ------------------------------------------------===//
#include "Rewrite/Formula.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "Ops/Registry.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

/// Reads a formula by precedence: + - below * / below unary - below **. Formulas are rows of
/// tables, a few ops deep, so it may recurse; `kMaxDepth` keeps users' ones there.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Formula> parse() {
    Formula formula = sum();
    skipSpace();
    if (status_.ok() && at_ != text_.size())
      fail("'" + std::string(text_.substr(at_)) + "' follows the formula");
    if (!status_.ok())
      return status_;
    return formula;
  }

private:
  static constexpr int kMaxDepth = 100;

  std::string shownText() const {
    constexpr size_t kMostShown = 300; // more than rules have that somebody wrote
    std::string shown(text_.substr(0, kMostShown));
    return text_.size() > kMostShown ? shown + "..." : shown;
  }
  void fail(const std::string &what) {
    if (status_.ok())
      status_ = makeError(ErrorKind::ValueError, "the formula '" + shownText() + "', column " +
                                                     std::to_string(at_ + 1) + ": " + what);
    at_ = text_.size();
  }
  void skipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
  }
  bool take(std::string_view token) {
    skipSpace();
    if (!text_.substr(at_).starts_with(token))
      return false;
    at_ += token.size();
    return true;
  }
  char peek() {
    skipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  static bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string word() {
    skipSpace();
    size_t start = at_;
    while (at_ < text_.size() && isWord(text_[at_]))
      ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  /// Whoever walks a formula calls itself, too: its nodes are few.
  Formula node(std::string_view op, std::vector<Formula> arguments) {
    if (++numNodes_ > kMaxDepth)
      fail("it has more than " + std::to_string(kMaxDepth) + " ops");
    Formula f;
    f.kind = Formula::Kind::Node;
    f.op = findOp(op);
    f.arguments = std::move(arguments);
    if (!f.op) {
      fail("no op is called '" + std::string(op) + "'");
      return f;
    }
    int count = int(f.arguments.size()), operands = int(f.op->operands.size());
    int least = f.op->minOperands < 0 ? operands : f.op->minOperands;
    if (count < least || (count > operands && !f.op->variadic))
      fail(std::string(op) + " does not take " + std::to_string(count) + " operands");
    return f;
  }

  Formula sum() {
    if (++depth_ > kMaxDepth)
      fail("it is nested too deeply");
    Formula left = product();
    for (;;) {
      if (take("+"))
        left = binary("add", std::move(left), product());
      else if (take("-"))
        left = binary("sub", std::move(left), product());
      else
        break;
    }
    --depth_;
    return left;
  }
  Formula product() {
    Formula left = unary();
    for (;;) {
      if (peek() == '*' && text_.substr(at_).starts_with("**"))
        return left;
      if (take("*"))
        left = binary("mul", std::move(left), unary());
      else if (take("/"))
        left = binary("trueDiv", std::move(left), unary());
      else
        return left;
    }
  }
  Formula unary() {
    if (!take("-"))
      return power();
    if (std::isdigit(static_cast<unsigned char>(peek()))) {
      Formula f = power();
      if (f.kind == Formula::Kind::Number) {
        f.number = -f.number;
        return f;
      }
      return unaryNode("neg", std::move(f));
    }
    if (++depth_ > kMaxDepth) {
      fail("it is nested too deeply");
      return {};
    }
    Formula f = unaryNode("neg", unary());
    --depth_;
    return f;
  }
  Formula power() {
    Formula base = primary();
    if (!take("**"))
      return base;
    if (++depth_ > kMaxDepth)
      fail("it is nested too deeply");
    Formula f = binary("pow", std::move(base), unary());
    --depth_;
    return f;
  }
  Formula unaryNode(std::string_view op, Formula a) {
    std::vector<Formula> arguments;
    arguments.push_back(std::move(a));
    return node(op, std::move(arguments));
  }
  Formula binary(std::string_view op, Formula a, Formula b) {
    std::vector<Formula> arguments;
    arguments.push_back(std::move(a));
    arguments.push_back(std::move(b));
    return node(op, std::move(arguments));
  }

  Formula primary() {
    if (take("(")) {
      Formula inner = sum();
      if (!take(")"))
        fail("')' is missing");
      return inner;
    }
    char next = peek();
    Formula f;
    if (std::isdigit(static_cast<unsigned char>(next))) {
      f.kind = Formula::Kind::Number;
      f.number = number(f.isInteger);
      return f;
    }
    std::string name = word();
    if (name.empty()) {
      fail("an operand is missing");
      return f;
    }
    if (take("("))
      return call(name);
    f.kind = isConstantName(name) ? Formula::Kind::Constant : Formula::Kind::Name;
    f.name = name;
    return f;
  }

  double number(bool &isInteger) {
    skipSpace();
    std::string digits(text_.substr(at_));
    char *end = nullptr;
    double value = std::strtod(digits.c_str(), &end);
    size_t length = size_t(end - digits.c_str());
    isInteger = digits.substr(0, length).find_first_of(".eE") == std::string::npos;
    at_ += length;
    if (std::isinf(value))
      fail("the number " + digits.substr(0, std::min<size_t>(length, 40)) + " is too large");
    return value;
  }

  Formula call(const std::string &name) {
    std::vector<Formula> arguments;
    std::vector<Formula::Attribute> attributes;
    while (status_.ok() && !take(")")) {
      if ((!arguments.empty() || !attributes.empty()) && !take(",")) {
        fail("',' or ')' is missing");
        break;
      }
      size_t start = at_;
      std::string attribute = word();
      if (!attribute.empty() && peek() == '=') {
        take("=");
        attributes.push_back(attributeValue(attribute));
      } else {
        at_ = start;
        arguments.push_back(sum());
      }
    }
    Formula f = node(name, std::move(arguments));
    if (f.op)
      for (Formula::Attribute &a : attributes)
        checkAttribute(*f.op, a);
    f.attributes = std::move(attributes);
    return f;
  }

  Formula::Attribute attributeValue(const std::string &name) {
    Formula::Attribute a{name, {}, {}};
    char next = peek();
    if (take("\"")) {
      size_t end = text_.find('"', at_);
      if (end == std::string_view::npos)
        fail("the string does not end");
      else
        a.value = std::string(text_.substr(at_, end - at_));
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    } else if (take("[")) {
      IntList list;
      while (status_.ok() && !take("]")) {
        if (!list.empty() && !take(","))
          fail("',' or ']' is missing");
        else
          list.push_back(integer());
      }
      a.value = list;
    } else if (next == '-' || std::isdigit(static_cast<unsigned char>(next))) {
      bool isInteger = false;
      double value = signedNumber(isInteger);
      a.value = isInteger ? AttributeValue(int64_t(value)) : AttributeValue(value);
    } else if (std::string value = word(); value == "true" || value == "false") {
      a.value = value == "true";
    } else if (value == "none") {
      a.value = NoneAttr();
    } else if (!value.empty()) {
      a.binding = value;
    } else {
      fail("the value of '" + name + "' is missing");
    }
    return a;
  }
  double signedNumber(bool &isInteger) {
    bool negative = take("-");
    if (!std::isdigit(static_cast<unsigned char>(peek()))) {
      fail("a number is missing");
      return 0;
    }
    double value = number(isInteger);
    return negative ? -value : value;
  }
  int64_t integer() {
    bool isInteger = false;
    double value = signedNumber(isInteger);
    if (!isInteger)
      fail("an integer is missing");
    return int64_t(value);
  }
  /// Whole numbers are floats where the op wants these.
  void checkAttribute(const OpDef &op, Formula::Attribute &a) {
    auto spec = std::ranges::find(op.attributes, a.name, &AttributeSpec::name);
    if (spec == op.attributes.end())
      return fail(op.name + " has no attribute '" + a.name + "'");
    bool isFloat = spec->kind == AttributeKind::Float;
    if (const auto *whole = std::get_if<int64_t>(&a.value); whole && isFloat)
      a.value = double(*whole);
    if (std::holds_alternative<double>(a.value) && !isFloat)
      fail("'" + a.name + "' of " + op.name + " is no float");
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0, numNodes_ = 0;
  absl::Status status_;
};

} // namespace

int Formula::depth() const {
  int deepest = 0;
  for (const Formula &argument : arguments)
    deepest = std::max(deepest, argument.depth());
  return kind == Kind::Node ? deepest + 1 : 0;
}

bool isConstantName(std::string_view name) {
  return !name.empty() && name.size() <= 2 &&
         (name[0] == 'c' || name[0] == 'd' || name[0] == 'k') &&
         (name.size() == 1 || std::isdigit(static_cast<unsigned char>(name[1])));
}

absl::StatusOr<Formula> parseFormula(std::string_view text) { return Parser(text).parse(); }

} // namespace graphc
