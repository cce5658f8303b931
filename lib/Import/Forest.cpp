//===- Forest.cpp - trees of decisions as arrays ---------------------------------===//
#include "Import/Forest.h"

#include <algorithm>

#include "Import/ShapeTerms.h"
#include "graphc/ControlFlow.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

/// Levels that stand in the graph one after the other; deeper trees are walked by a loop.
constexpr int64_t kStraightLevels = 16;
/// Levels that one step of that loop goes down.
constexpr int64_t kLevelsOfStep = 4;

/// The arrays in the graph, and what walks over them need. Leaves are nodes behind the others that
/// lead to themselves.
struct Walk {
  OnnxNode &n;
  Variable cells;    // of x, one after the other
  Variable rowStart; // (rows, 1)
  Variable split, feature, outcomes, yes, no;
  bool isPlain; // x <= s everywhere

  Variable at(const Variable &list, const Variable &node) const { return take(n.at(list), node); }
  /// One level down from the nodes (rows, trees).
  Variable down(const Variable &node) const {
    Variable x = at(cells, add(n.at(rowStart), at(feature, node)));
    Variable s = at(split, node);
    Variable isYes;
    if (isPlain) {
      isYes = le(n.at(x), s);
    } else {
      auto number = [&](int64_t bit) { return n.adopt(Tensor(bit)); };
      Variable ordered = where(n.at(lt(n.at(x), s)), number(kLess), number(kGreater));
      Variable same = where(n.at(eq(n.at(x), s)), number(kEqual), ordered);
      Variable which = where(n.at(isnan(n.at(x))), number(kUnordered), same);
      isYes = neq(n.at(bitwiseAnd(n.at(at(outcomes, node)), which)), 0);
    }
    return where(n.at(isYes), at(yes, node), at(no, node));
  }
  Variable downBy(Variable node, int64_t levels) const {
    for (int64_t k = 0; k < levels; ++k)
      node = down(node);
    return node;
  }
};

} // namespace

int64_t outcomesOf(OnnxNode &n, std::string_view mode, bool missingIsYes) {
  int64_t missing = missingIsYes ? kUnordered : 0;
  if (mode == "BRANCH_LEQ")
    return kLess | kEqual | missing;
  if (mode == "BRANCH_LT")
    return kLess | missing;
  if (mode == "BRANCH_GTE")
    return kGreater | kEqual | missing;
  if (mode == "BRANCH_GT")
    return kGreater | missing;
  if (mode == "BRANCH_EQ")
    return kEqual | missing;
  if (mode == "BRANCH_NEQ") // NaN is other than any number
    return kLess | kGreater | kUnordered;
  n.fail(ErrorKind::ValueError, "a node has the mode '" + std::string(mode) + "'");
  return 0;
}

/// Children are visited once all of a node's parents have been: what is left then is on a cycle.
void Forest::check(OnnxNode &n) {
  const int64_t count = int64_t(nodes.size());
  std::vector<int64_t> parents(nodes.size(), 0), depths(nodes.size(), 1), open;
  for (const Node &node : nodes)
    for (int64_t child : {node.yes, node.no})
      if (child >= 0)
        ++parents[size_t(child)];
  for (int64_t k = 0; k < count; ++k)
    if (parents[size_t(k)] == 0)
      open.push_back(k);
  int64_t visited = 0;
  for (; !open.empty(); ++visited) {
    const int64_t k = open.back();
    open.pop_back();
    depth_ = std::max(depth_, depths[size_t(k)]);
    for (int64_t child : {nodes[size_t(k)].yes, nodes[size_t(k)].no})
      if (child >= 0) {
        depths[size_t(child)] = std::max(depths[size_t(child)], depths[size_t(k)] + 1);
        if (--parents[size_t(child)] == 0)
          open.push_back(child);
      }
  }
  if (visited < count)
    n.fail(ErrorKind::ValueError, "nodes of a tree lead back to themselves");
}

Variable Forest::leavesOf(OnnxNode &n, const Variable &x) const {
  const int64_t count = int64_t(nodes.size());
  int64_t features = 0;
  bool isPlain = true;
  // Leaves are behind the other nodes.
  const size_t all = nodes.size() + size_t(numLeaves);
  auto index = [&](int64_t to) { return to < 0 ? count + ~to : to; };
  std::vector<double> split(all, 0);
  Ints feature(all, 0), outcomes(all, 0), yes(all), no(all), starts;
  for (size_t k = 0; k < all; ++k)
    yes[k] = no[k] = int64_t(k);
  for (size_t k = 0; k < nodes.size(); ++k) {
    split[k] = nodes[k].split;
    feature[k] = nodes[k].feature;
    outcomes[k] = nodes[k].outcomes;
    yes[k] = index(nodes[k].yes);
    no[k] = index(nodes[k].no);
    if (feature[k] < 0 || feature[k] > INT32_MAX)
      return n.fail(ErrorKind::ValueError, "a node asks for feature " + std::to_string(feature[k]));
    features = std::max(features, feature[k] + 1);
    isPlain &= outcomes[k] == (kLess | kEqual);
  }
  for (int64_t root : roots)
    starts.push_back(index(root));
  Operand width = extentTerm(n, x, 1);
  std::string tooFew = "the trees ask for " + std::to_string(features) + " features of each row";
  Variable rows = x;
  if (!width.isWeak())
    rows = assertTrue(n.at(x), n.at(ge(width, features)), tooFew + ", which has fewer");
  else if (width.weakValue().item<int64_t>() < features)
    return n.fail(ErrorKind::ValueError, tooFew + ": " + x.type().brief());
  Variable row = arange(extentTerm(n, x, 0));
  Walk walk{n,
            flatten(n.at(rows)),
            expandDims(n.at(mul(n.at(row), width)), Axis(1)),
            n.vector(split, x.dtype()),
            n.vector(feature),
            n.vector(outcomes),
            n.vector(yes),
            n.vector(no),
            isPlain};
  Variable first = broadcastTo(n.at(n.array(starts, {1, int64_t(starts.size())})),
                               shapeOf(n, {extentTerm(n, x, 0), Operand(int64_t(starts.size()))}));
  Variable last = first;
  if (depth_ <= kStraightLevels) {
    last = walk.downBy(first, depth_);
  } else {
    Variable steps = arange(Operand((depth_ + kLevelsOfStep - 1) / kLevelsOfStep));
    last = foldl([&](const Variables &in) { return ScanStep(walk.downBy(in[1], kLevelsOfStep)); },
                 {ScanSequence(steps)}, n.at(first));
  }
  return sub(n.at(last), count);
}

} // namespace graphc
