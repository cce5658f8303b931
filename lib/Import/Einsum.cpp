//===- Einsum.cpp - products and sums by labelled axes -----------------------===//
#include <algorithm>

#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "absl/strings/ascii.h"

namespace graphc {
namespace {

/// An operand whose axes have labels: letters, or negative numbers for those of an ellipsis,
/// counted from its end.
using Labels = std::vector<int>;
struct Labelled {
  Variable value;
  Labels labels;
};

bool contains(const Labels &labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The labels of "b...ij" where the ellipsis stands for `ellipsis` axes.
Labels labelsOf(OnnxNode &n, const std::string &term, int ellipsis) {
  Labels labels;
  for (size_t k = 0; k < term.size(); ++k) {
    if (absl::ascii_isalpha(static_cast<unsigned char>(term[k]))) {
      labels.push_back(term[k]);
    } else if (term.compare(k, 3, "...") == 0) {
      for (int axis = ellipsis; axis > 0; --axis)
        labels.push_back(-axis);
      k += 2;
    } else {
      n.fail(ErrorKind::ValueError, "a subscript of equation is '" + term.substr(k, 1) + "'");
      return labels;
    }
  }
  return labels;
}

int namedAxes(const std::string &term) {
  return int(std::count_if(term.begin(), term.end(), [](char c) { return c != '.'; }));
}

/// Two axes of one label are one, along their diagonal.
void takeDiagonals(OnnxNode &n, Labelled &x) {
  for (size_t a = 0; a < x.labels.size(); ++a)
    for (size_t b = x.labels.size(); --b > a;) {
      if (x.labels[a] != x.labels[b])
        continue;
      int rank = x.value.rank();
      Variable row = positionsAlong(n, extentTerm(n, x.value, int(a)), int(a), rank);
      Variable column = positionsAlong(n, extentTerm(n, x.value, int(b)), int(b), rank);
      Variable zero = n.scalar(0, x.value.dtype());
      Variable kept = where(n.at(eq(n.at(row), column)), x.value, zero);
      x.value = sum(n.at(kept), ReductionOptions{.axes = Axis(int(b)), .dtype = x.value.dtype()});
      x.labels.erase(x.labels.begin() + ptrdiff_t(b));
    }
}

/// x with its axes in the order of `labels`; axes that it lacks have extent 1.
Variable aligned(OnnxNode &n, const Labelled &x, const Labels &labels) {
  std::vector<int> order;
  for (int label : labels) {
    auto at = std::find(x.labels.begin(), x.labels.end(), label);
    order.push_back(at == x.labels.end() ? -1 : int(at - x.labels.begin()));
  }
  return dimshuffle(n.at(x.value), order);
}

/// Sums over the labels that nobody needs any more.
void sumOver(OnnxNode &n, Labelled &x, const std::vector<Labels> &needed) {
  std::vector<int> axes;
  Labels left;
  for (size_t k = 0; k < x.labels.size(); ++k) {
    bool isNeeded = std::any_of(needed.begin(), needed.end(), [&](const Labels &labels) {
      return contains(labels, x.labels[k]);
    });
    if (isNeeded)
      left.push_back(x.labels[k]);
    else
      axes.push_back(int(k));
  }
  if (axes.empty())
    return;
  x.value = sum(n.at(x.value), ReductionOptions{.axes = Axes(axes), .dtype = x.value.dtype()});
  x.labels = left;
}

struct Equation {
  std::vector<std::string> terms;
  /// Given, or empty for the letters that occur once, in alphabetical order.
  std::optional<std::string> result;

  explicit Equation(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    size_t arrow = text.find("->");
    if (arrow != std::string::npos)
      result = text.substr(arrow + 2);
    text.resize(std::min(arrow, text.size()));
    for (size_t begin = 0;;) {
      size_t comma = text.find(',', begin);
      terms.push_back(text.substr(begin, comma - begin));
      if (comma == std::string::npos)
        return;
      begin = comma + 1;
    }
  }
};

/// The labels of the result where the equation does not say them.
Labels impliedResult(const std::vector<Labelled> &operands) {
  Labels all, result;
  for (const Labelled &x : operands)
    all.insert(all.end(), x.labels.begin(), x.labels.end());
  std::sort(all.begin(), all.end());
  for (int label : all)
    if ((label < 0 || std::count(all.begin(), all.end(), label) == 1) && !contains(result, label))
      result.push_back(label);
  return result;
}

Variables einsum(OnnxNode &n) {
  Equation equation(n.getString("equation", ""));
  Variables inputs = n.all();
  if (!n.status().ok() || equation.terms.size() != inputs.size())
    return {n.fail(ErrorKind::ValueError, std::to_string(equation.terms.size()) +
                                              " terms of equation for " +
                                              std::to_string(inputs.size()) + " operands")};
  int ellipsis = 0;
  std::vector<Labelled> operands;
  std::vector<Labels> needed;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string &term = equation.terms[i];
    int own = inputs[i].rank() - namedAxes(term);
    Labelled x{inputs[i], labelsOf(n, term, own)};
    if (!n.status().ok() || int(x.labels.size()) != inputs[i].rank())
      return {n.fail(ErrorKind::ValueError, "the term '" + term + "' does not fit rank " +
                                                std::to_string(inputs[i].rank()))};
    ellipsis = std::max(ellipsis, own);
    operands.push_back(x);
  }
  Labels result =
      equation.result ? labelsOf(n, *equation.result, ellipsis) : impliedResult(operands);
  for (Labelled &x : operands) {
    takeDiagonals(n, x);
    needed.push_back(x.labels);
  }
  needed.push_back(result);

  Labelled product = operands[0];
  needed.erase(needed.begin());
  sumOver(n, product, needed);
  for (size_t i = 1; i < operands.size(); ++i) {
    Labels all = product.labels;
    for (int label : operands[i].labels)
      if (!contains(all, label))
        all.push_back(label);
    product = {mul(n.at(aligned(n, product, all)), aligned(n, operands[i], all)), all};
    needed.erase(needed.begin());
    sumOver(n, product, needed);
  }
  for (size_t k = 0; k < result.size(); ++k)
    if (!contains(product.labels, result[k]) ||
        std::count(result.begin(), result.end(), result[k]) != 1)
      return {n.fail(ErrorKind::ValueError, "the result of equation repeats a subscript or has one "
                                            "that no operand has")};
  return {aligned(n, product, result)};
}

} // namespace

absl::Span<const Translation> einsumTranslations() {
  static constexpr Translation kTable[] = {{"Einsum", einsum, 12}};
  return kTable;
}

} // namespace graphc
