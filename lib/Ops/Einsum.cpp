//===- Einsum.cpp - products and sums by labelled axes ------------------------------===//
//
// The operands are joined in pairs, in the order that takes the fewest products of numbers: of all
// orders where they are few, else of the cheapest pair at each step. A pair is a product of
// matrices where a label is summed over that both have, else an elementwise product.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <array>
#include <bit>

#include "Build.h"
#include "CallScope.h"
#include "EinsumEquation.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/LinearAlgebra.h"

namespace graphc {
namespace {

using LabelSet = uint64_t;

LabelSet setOf(int label) { return LabelSet(1) << label; }
LabelSet setOf(const Labels &labels) {
  LabelSet set = 0;
  for (int label : labels)
    set |= setOf(label);
  return set;
}

std::string nameOf(int label) {
  return label >= kLetters
             ? "an axis of the ellipsis"
             : std::string("label ") + char(label < 26 ? 'A' + label : 'a' + label - 26);
}

struct Labelled {
  Variable value;
  Labels labels;

  int axisOf(int label) const {
    auto at = std::find(labels.begin(), labels.end(), label);
    return at == labels.end() ? -1 : int(at - labels.begin());
  }
};

int64_t extentOf(const Labelled &x, int label) { return x.value.type().extent(x.axisOf(label)); }

Variable summed(const Variable &x, const std::vector<int> &axes) {
  if (axes.empty())
    return x;
  if (isBool(x.dtype()))
    return any(x, Axes(axes));
  return sum(x, ReductionOptions{.axes = Axes(axes), .dtype = x.dtype()});
}

/// x without the labels that are not `needed`: sums over them.
Labelled sumOver(const Labelled &x, LabelSet needed) {
  std::vector<int> axes;
  Labels left;
  for (size_t k = 0; k < x.labels.size(); ++k)
    if (needed & setOf(x.labels[k]))
      left.push_back(x.labels[k]);
    else
      axes.push_back(int(k));
  return {summed(x.value, axes), left};
}

/// Axes of one label have one extent, even where one of them is 1. What is wrong, or nothing.
std::string differing(int label, int64_t a, int64_t b) {
  if (a == b || a == kDynamic || b == kDynamic)
    return {};
  return nameOf(label) + " has the extents " + std::to_string(a) + " and " + std::to_string(b);
}

/// x, where at run time two extents of a label that may differ do not.
Variable withEqualExtents(const Variable &x, int label, const Variable &a, const Variable &b) {
  return assertTrue(x, graphc::eq(a, b), "einsum: " + nameOf(label) + " has different extents",
                    ErrorKind::ShapeError);
}

/// Two axes of one label are one, along their diagonal. What is wrong with their extents, or
/// nothing.
std::string takeDiagonals(Labelled &x) {
  for (size_t a = 0; a < x.labels.size(); ++a)
    for (size_t b = x.labels.size(); --b > a;)
      if (int label = x.labels[a]; label == x.labels[b]) {
        int64_t ofA = x.value.type().extent(int(a)), ofB = x.value.type().extent(int(b));
        if (std::string why = differing(label, ofA, ofB); !why.empty())
          return why;
        if (ofA == kDynamic || ofB == kDynamic)
          x.value =
              withEqualExtents(x.value, label, shape(x.value, int(a)), shape(x.value, int(b)));
        x.value = diagonal(x.value, 0, int(a), int(b));
        x.labels.erase(x.labels.begin() + ptrdiff_t(b));
        x.labels.erase(x.labels.begin() + ptrdiff_t(a));
        x.labels.push_back(label);
        a = size_t(-1); // the others have moved
        break;
      }
  return {};
}

/// x with its axes in the order of `labels`; axes that it lacks have extent 1.
Variable aligned(const Labelled &x, const Labels &labels) {
  std::vector<int> order;
  for (int label : labels)
    order.push_back(x.axisOf(label));
  return dimshuffle(x.value, order);
}

/// The product of the extents of labels that x has.
Variable extentOfAll(const Labelled &x, const Labels &labels) {
  Variable all = constant(Tensor(int64_t(1)));
  for (int label : labels)
    all = all * shape(x.value, x.axisOf(label));
  return all;
}

/// x's axes as [batch..., rows, columns], of these labels.
Variable asMatrices(const Labelled &x, const Labels &batch, const Labels &rows,
                    const Labels &columns) {
  Labels order = batch;
  order.insert(order.end(), rows.begin(), rows.end());
  order.insert(order.end(), columns.begin(), columns.end());
  Variable value = aligned(x, order);
  if (rows.size() == 1 && columns.size() == 1)
    return value;
  std::vector<Operand> extents;
  for (int label : batch)
    extents.push_back(shape(x.value, x.axisOf(label)));
  extents.push_back(extentOfAll(x, rows));
  extents.push_back(extentOfAll(x, columns));
  return reshape(value, stack(extents));
}

/// Sums over all labels that are not `needed`.
Labelled pairOf(const Labelled &first, const Labelled &second, LabelSet needed) {
  LabelSet ofX = setOf(first.labels), ofY = setOf(second.labels);
  Labelled x = sumOver(first, needed | ofY), y = sumOver(second, needed | ofX);
  Labels batch, joined, rows, columns;
  for (int label : x.labels)
    (y.axisOf(label) < 0 ? rows : needed & setOf(label) ? batch : joined).push_back(label);
  for (int label : y.labels)
    if (x.axisOf(label) < 0)
      columns.push_back(label);
  Labels all = batch;
  all.insert(all.end(), rows.begin(), rows.end());
  all.insert(all.end(), columns.begin(), columns.end());
  if (joined.empty())
    return {mul(aligned(x, all), aligned(y, all)), all};
  // Of several labels, only the product of extents would be compared.
  for (int label : joined)
    if (joined.size() > 1 && (extentOf(x, label) == kDynamic || extentOf(y, label) == kDynamic))
      x.value = withEqualExtents(x.value, label, shape(x.value, x.axisOf(label)),
                                 shape(y.value, y.axisOf(label)));
  Variable product =
      matmul(asMatrices(x, batch, rows, joined), asMatrices(y, batch, joined, columns));
  if (rows.size() == 1 && columns.size() == 1)
    return {product, all};
  std::vector<Operand> extents;
  for (int label : all)
    extents.push_back(x.axisOf(label) >= 0 ? shape(x.value, x.axisOf(label))
                                           : shape(y.value, y.axisOf(label)));
  return {extents.empty() ? reshape(product, std::vector<int64_t>())
                          : reshape(product, stack(extents)),
          all};
}

/// The greatest known extent of each label, and a guess where none is known.
class Extents {
public:
  explicit Extents(const std::vector<Labelled> &operands) {
    for (const Labelled &x : operands)
      for (int label : x.labels)
        if (int64_t extent = extentOf(x, label); extent != kDynamic)
          extents_[size_t(label)] = std::max(double(extent), extents_[size_t(label)]);
    for (double &extent : extents_)
      if (extent < 0)
        extent = kUnknown;
  }
  double product(LabelSet labels) const {
    double count = 1;
    for (; labels; labels &= labels - 1)
      count *= extents_[size_t(std::countr_zero(labels))];
    return count;
  }

private:
  static constexpr double kUnknown = 64;
  std::vector<double> extents_ = std::vector<double>(kMostLabels, -1);
};

/// Up to here all orders are compared: some 20,000.
constexpr size_t kFew = 9;
/// Of more operands, pairs of so many are compared at each step.
constexpr size_t kCompared = 32;

/// In which order few operands are joined. Sets of them are numbers, a bit for each.
class Order {
public:
  Order(const std::vector<Labelled> &operands, LabelSet result)
      : result_(result), extents_(operands) {
    for (const Labelled &x : operands)
      labels_.push_back(setOf(x.labels));
  }

  /// What the operands of a set are joined to, where the others are `rest`: labels needed there.
  LabelSet neededBy(uint32_t set) const {
    LabelSet needed = result_;
    for (size_t i = 0; i < labels_.size(); ++i)
      if (!(set >> i & 1))
        needed |= labels_[i];
    return needed;
  }
  LabelSet labelsOf(uint32_t set) const {
    LabelSet labels = 0;
    for (size_t i = 0; i < labels_.size(); ++i)
      if (set >> i & 1)
        labels |= labels_[i];
    return std::popcount(set) == 1 ? labels : labels & neededBy(set);
  }
  double products(uint32_t a, uint32_t b) const {
    return extents_.product(labelsOf(a) | labelsOf(b));
  }
  /// The split of each set of two and more operands that costs least, by set.
  std::vector<uint32_t> bestSplits() const {
    uint32_t all = (uint32_t(1) << labels_.size()) - 1;
    std::vector<double> cost(all + 1, 0);
    std::vector<uint32_t> split(all + 1, 0);
    for (uint32_t set = 1; set <= all; ++set)
      for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set) {
        if (part < (set ^ part))
          break; // pairs the other way round
        double own = cost[part] + cost[set ^ part] + products(part, set ^ part);
        if (!split[set] || own < cost[set])
          cost[set] = own, split[set] = part;
      }
    return split;
  }

private:
  std::vector<LabelSet> labels_;
  LabelSet result_;
  Extents extents_;
};

Labelled joinBySplits(const std::vector<Labelled> &operands, const Order &order,
                      const std::vector<uint32_t> &splits, uint32_t set) {
  if (std::popcount(set) == 1)
    return operands[size_t(std::countr_zero(set))];
  uint32_t a = splits[set], b = set ^ a;
  // The operands' order where it makes no difference.
  if (std::countr_zero(b) < std::countr_zero(a))
    std::swap(a, b);
  return pairOf(joinBySplits(operands, order, splits, a), joinBySplits(operands, order, splits, b),
                order.neededBy(set));
}

Labelled joinedAll(std::vector<Labelled> operands, LabelSet result) {
  const Extents extents(operands);
  std::array<int64_t, kMostLabels> owners = {}; // how many operands have a label
  auto count = [&](const Labelled &x, int64_t by) {
    for (int label : x.labels)
      owners[size_t(label)] += by;
  };
  for (const Labelled &x : operands)
    count(x, 1);
  std::vector<Labelled> compared;
  size_t next = 0; // the first one that is not compared yet
  for (size_t left = operands.size(); left > kFew; --left) {
    while (compared.size() < kCompared && next < operands.size())
      compared.push_back(std::move(operands[next++]));
    size_t a = 0, b = 1;
    auto products = [&](size_t i, size_t j) {
      return extents.product(setOf(compared[i].labels) | setOf(compared[j].labels));
    };
    for (size_t i = 0; i < compared.size(); ++i)
      for (size_t j = i + 1; j < compared.size(); ++j)
        if (products(i, j) < products(a, b))
          a = i, b = j;
    LabelSet needed = result;
    count(compared[a], -1);
    count(compared[b], -1);
    for (int label = 0; label < kMostLabels; ++label)
      if (owners[size_t(label)] > 0)
        needed |= setOf(label);
    compared[a] = pairOf(compared[a], compared[b], needed);
    count(compared[a], 1);
    compared.erase(compared.begin() + ptrdiff_t(b));
  }
  compared.insert(compared.end(), operands.begin() + ptrdiff_t(next), operands.end());
  Order order(compared, result);
  return joinBySplits(compared, order, order.bestSplits(), (uint32_t(1) << compared.size()) - 1);
}

/// The labels of the result where the equation does not say them: those of the ellipsis, then the
/// letters that occur once, in alphabetical order (capitals first).
Labels impliedResult(const std::vector<Labelled> &operands) {
  std::array<int64_t, kMostLabels> count = {};
  for (const Labelled &x : operands)
    for (int label : x.labels)
      ++count[size_t(label)];
  Labels result;
  for (int label = kMostLabels - 1; label >= kLetters; --label)
    if (count[size_t(label)] > 0)
      result.push_back(label);
  for (int label = 0; label < kLetters; ++label)
    if (count[size_t(label)] == 1)
      result.push_back(label);
  return result;
}

/// Axes that are known to be 1 where another operand's is not broadcast: x loses them. What is
/// wrong with the extents, or nothing.
std::string broadcastLabels(std::vector<Labelled> &operands) {
  for (int label = 0; label < kMostLabels; ++label) {
    int64_t extent = 1;
    bool isOne = true; // in all operands
    for (const Labelled &x : operands)
      if (x.axisOf(label) >= 0 && extentOf(x, label) != 1) {
        int64_t own = extentOf(x, label);
        if (std::string why = differing(label, extent, own); extent != 1 && !why.empty())
          return why;
        isOne = false;
        extent = own == kDynamic ? extent : own;
      }
    for (Labelled &x : operands)
      if (!isOne && x.axisOf(label) >= 0 && extentOf(x, label) == 1) {
        Labels left = x.labels;
        left.erase(left.begin() + x.axisOf(label));
        x = {aligned(x, left), left};
      }
  }
  return {};
}

} // namespace

Variable einsum(std::string_view text, const std::vector<Operand> &given) {
  CallScope scope(given);
  Variables values;
  for (const Operand &operand : given) {
    values.push_back(asVariable(operand));
    if (!values.back().ok())
      return values.back();
  }
  if (given.empty())
    return Variable::invalid(makeError(ErrorKind::ValueError, "einsum: there are no operands"));
  auto wrong = [&](ErrorKind kind, const std::string &why) {
    return invalidAt(given[0], kind, "einsum", why);
  };
  EinsumEquation equation(text);
  if (equation.terms.size() != values.size())
    return wrong(ErrorKind::ValueError, "the equation has " +
                                            std::to_string(equation.terms.size()) + " terms for " +
                                            std::to_string(values.size()) + " operands");
  DType dtype = values[0].dtype();
  for (const Variable &v : values)
    dtype = promote(dtype, v.dtype());
  std::vector<Labelled> operands;
  int ellipsis = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string &term = equation.terms[i];
    int own = values[i].rank() - namedAxes(term);
    Labelled x{cast(values[i], dtype), equation.labelsOf(term, std::max(own, 0))};
    if (!equation.mistake.empty())
      return wrong(ErrorKind::ValueError, equation.mistake);
    if (int(x.labels.size()) != values[i].rank())
      return wrong(ErrorKind::ValueError,
                   "the term '" + term + "' does not fit rank " + std::to_string(values[i].rank()));
    if (own > kMostLabels - kLetters)
      return wrong(ErrorKind::ValueError, "an ellipsis stands for more than " +
                                              std::to_string(kMostLabels - kLetters) + " axes");
    ellipsis = std::max(ellipsis, own);
    operands.push_back(std::move(x));
  }
  Labels result =
      equation.result ? equation.labelsOf(*equation.result, ellipsis) : impliedResult(operands);
  LabelSet known = 0;
  for (Labelled &x : operands) {
    known |= setOf(x.labels);
    if (std::string why = takeDiagonals(x); !why.empty())
      return wrong(ErrorKind::ShapeError, why);
  }
  if (!equation.mistake.empty())
    return wrong(ErrorKind::ValueError, equation.mistake);
  if (std::popcount(setOf(result)) != int(result.size()) || (setOf(result) & ~known))
    return wrong(ErrorKind::ValueError,
                 "the result repeats a label, or has one that no operand has");
  if (std::string why = broadcastLabels(operands); !why.empty())
    return wrong(ErrorKind::ShapeError, why);
  Labelled all = sumOver(joinedAll(std::move(operands), setOf(result)), setOf(result));
  return aligned(all, result);
}

//===--- products of fixed ranks --------------------------------------------------------===//

namespace {

/// A product by matmul of operands that become matrices by an axis; `least`: how many they must
/// have.
Variable byMatrices(std::string_view name, const Operand &first, int leastOfX, bool isRow,
                    const Operand &second, int leastOfY, bool isColumn) {
  CallScope scope(first);
  Variable x = asVariable(first), y = asVariable(second);
  if (!x.ok() || !y.ok())
    return x.ok() ? y : x;
  if (x.rank() < leastOfX || y.rank() < leastOfY)
    return invalidAt(first, ErrorKind::ShapeError, name,
                     "ranks are at least " + std::to_string(leastOfX) + " and " +
                         std::to_string(leastOfY) + ", not " + std::to_string(x.rank()) + " and " +
                         std::to_string(y.rank()));
  Variable left = isRow ? expandDims(x, Axis(-2)) : x,
           right = isColumn ? expandDims(y, Axis(-1)) : y;
  Variable product = matmul(Operand(left, first.place()), right);
  if (!product.ok())
    return product;
  if (isColumn)
    product = squeeze(product, Axis(-1));
  return isRow ? squeeze(product, Axis(isColumn ? -1 : -2)) : product;
}

} // namespace

Variable vecdot(const Operand &x, const Operand &y) {
  return byMatrices("vecdot", x, 1, true, y, 1, true);
}
Variable matvec(const Operand &a, const Operand &x) {
  return byMatrices("matvec", a, 2, false, x, 1, true);
}
Variable vecmat(const Operand &x, const Operand &a) {
  return byMatrices("vecmat", x, 1, true, a, 2, false);
}

Variable inner(const Operand &x, const Operand &y) {
  CallScope scope(x);
  Variable a = asVariable(x), b = asVariable(y);
  if (!a.ok() || !b.ok())
    return a.ok() ? b : a;
  if (a.rank() == 0 || b.rank() == 0)
    return mul(x, y);
  return tensordot(x, y, {a.rank() - 1}, {b.rank() - 1});
}

} // namespace graphc
