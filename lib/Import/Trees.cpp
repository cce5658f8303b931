//===- Trees.cpp - ensembles of trees ------------------------------------------------===//
#include <algorithm>
#include <cmath>

#include "Import/Forest.h"
#include "Import/Scores.h"
#include "Import/Translations.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {
namespace {

/// A number that a leaf adds to a target.
struct Weight {
  int64_t leaf, target;
  double value;
};

struct Ensemble {
  Forest forest;
  std::vector<Weight> weights;
  int64_t targets = 1;
};

//===--- reading -------------------------------------------------------------------===//

/// A list that is a tensor; empty if it is not there.
std::vector<double> tensorNumbers(OnnxNode &n, const std::string &name) {
  std::optional<Tensor> tensor = n.getTensor(name);
  if (!tensor)
    return {};
  Tensor wide = tensor->cast(DType::Float64).contiguous();
  return {wide.flat<double>().begin(), wide.flat<double>().end()};
}

/// A list that versions have as floats, and newer ones also as a tensor; empty if it is not there.
std::vector<double> numbersOf(OnnxNode &n, const std::string &name) {
  if (n.hasAttribute(name + "_as_tensor"))
    return tensorNumbers(n, name + "_as_tensor");
  std::vector<float> floats = n.getFloats(name).value_or(std::vector<float>());
  return {floats.begin(), floats.end()};
}

Ints intsOf(OnnxNode &n, std::string_view name) { return n.getInts(name).value_or(Ints()); }

void checkLengths(OnnxNode &n, std::string_view what, std::initializer_list<size_t> lengths) {
  for (size_t length : lengths)
    if (length != *lengths.begin())
      n.fail(ErrorKind::ValueError, "attributes of " + std::string(what) + " have " +
                                        std::to_string(*lengths.begin()) + " and " +
                                        std::to_string(length) + " entries");
}

/// The list that says where nodes send NaN, 0 for each where it is not given.
void checkMissing(OnnxNode &n, Ints &missing, size_t nodes) {
  if (missing.empty())
    missing.resize(nodes, 0);
  checkLengths(n, "nodes", {nodes, missing.size()});
}

/// Of TreeEnsembleClassifier and TreeEnsembleRegressor, whose nodes are named by tree and number.
/// Their weights are in the attributes that begin with `prefix`, "class" or "target".
Ensemble namedTrees(OnnxNode &n, const std::string &prefix, int64_t targets) {
  Ensemble e;
  e.targets = targets;
  Ints trees = intsOf(n, "nodes_treeids"), ids = intsOf(n, "nodes_nodeids"),
       features = intsOf(n, "nodes_featureids"), yes = intsOf(n, "nodes_truenodeids"),
       no = intsOf(n, "nodes_falsenodeids"), missing = intsOf(n, "nodes_missing_value_tracks_true");
  std::vector<std::string> modes = n.getStrings("nodes_modes");
  std::vector<double> splits = numbersOf(n, "nodes_values");
  Ints weightTrees = intsOf(n, prefix + "_treeids"), weightNodes = intsOf(n, prefix + "_nodeids"),
       weightTargets = intsOf(n, prefix + "_ids");
  std::vector<double> values = numbersOf(n, prefix + "_weights");
  checkLengths(n, "nodes",
               {trees.size(), ids.size(), features.size(), yes.size(), no.size(), modes.size(),
                splits.size()});
  checkLengths(n, "weights",
               {weightTrees.size(), weightNodes.size(), weightTargets.size(), values.size()});
  checkMissing(n, missing, trees.size());
  // A node's place among the nodes, or ~ that among the leaves.
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int64_t> places;
  int64_t count = 0;
  for (size_t k = 0; k < trees.size() && n.status().ok(); ++k) {
    int64_t place = modes[k] == "LEAF" ? ~e.forest.numLeaves++ : count++;
    if (!places.emplace(std::pair(trees[k], ids[k]), place).second)
      n.fail(ErrorKind::ValueError, "node " + std::to_string(ids[k]) + " of tree " +
                                        std::to_string(trees[k]) + " is there twice");
  }
  auto placeOf = [&](int64_t tree, int64_t id) -> int64_t {
    auto found = places.find(std::pair(tree, id));
    if (found != places.end())
      return found->second;
    n.fail(ErrorKind::ValueError,
           "there is no node " + std::to_string(id) + " of tree " + std::to_string(tree));
    return 0;
  };
  for (size_t k = 0; k < trees.size() && n.status().ok(); ++k) {
    // A tree's nodes stand together, its root in front.
    if (k == 0 || trees[k] != trees[k - 1])
      e.forest.roots.push_back(placeOf(trees[k], ids[k]));
    if (modes[k] != "LEAF")
      e.forest.nodes.push_back({splits[k], features[k], outcomesOf(n, modes[k], missing[k] == 1),
                                placeOf(trees[k], yes[k]), placeOf(trees[k], no[k])});
  }
  for (size_t k = 0; k < weightTrees.size() && n.status().ok(); ++k) {
    int64_t leaf = placeOf(weightTrees[k], weightNodes[k]);
    if (leaf < 0) // what stands at other nodes never counts
      e.weights.push_back({~leaf, weightTargets[k], values[k]});
  }
  return e;
}

constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                       "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
constexpr int64_t kMember = 6;

/// Of TreeEnsemble, whose nodes and leaves are named by their places. A node that asks whether x is
/// one of several numbers becomes one for each of them.
Ensemble placedTrees(OnnxNode &n) {
  Ensemble e;
  e.targets = n.getInt("n_targets", 1);
  Ints features = intsOf(n, "nodes_featureids"), yes = intsOf(n, "nodes_truenodeids"),
       no = intsOf(n, "nodes_falsenodeids"), yesIsLeaf = intsOf(n, "nodes_trueleafs"),
       noIsLeaf = intsOf(n, "nodes_falseleafs"),
       missing = intsOf(n, "nodes_missing_value_tracks_true"),
       targets = intsOf(n, "leaf_targetids");
  std::vector<double> splits = tensorNumbers(n, "nodes_splits"),
                      modes = tensorNumbers(n, "nodes_modes"),
                      members = tensorNumbers(n, "membership_values"),
                      weights = tensorNumbers(n, "leaf_weights");
  checkLengths(n, "nodes",
               {features.size(), yes.size(), no.size(), yesIsLeaf.size(), noIsLeaf.size(),
                splits.size(), modes.size()});
  checkLengths(n, "leaves", {targets.size(), weights.size()});
  checkMissing(n, missing, features.size());
  const int64_t count = int64_t(features.size());
  e.forest.numLeaves = int64_t(targets.size());
  e.forest.nodes.resize(features.size());
  auto target = [&](int64_t to, bool isLeaf) {
    if (to < 0 || to >= (isLeaf ? e.forest.numLeaves : count))
      n.fail(ErrorKind::ValueError,
             "there is no " + std::string(isLeaf ? "leaf " : "node ") + std::to_string(to));
    return isLeaf ? ~to : to;
  };
  size_t member = 0; // sets end with NaN
  for (size_t k = 0; k < features.size() && n.status().ok(); ++k) {
    Forest::Node node{splits[k], features[k], 0, target(yes[k], yesIsLeaf[k] != 0),
                      target(no[k], noIsLeaf[k] != 0)};
    int64_t mode = modes[k] >= 0 && modes[k] <= double(kMember) ? int64_t(modes[k]) : -1;
    if (mode < 0) {
      n.fail(ErrorKind::ValueError, "a node has the mode " + std::to_string(modes[k]));
    } else if (mode < kMember) {
      node.outcomes = outcomesOf(n, kModes[mode], missing[k] == 1);
      e.forest.nodes[k] = node;
    } else {
      node.outcomes = outcomesOf(n, "BRANCH_EQ", missing[k] == 1);
      size_t place = k;
      for (; member < members.size() && !std::isnan(members[member]); ++member) {
        bool isLast = member + 1 >= members.size() || std::isnan(members[member + 1]);
        node.split = members[member];
        e.forest.nodes[place] = node;
        if (!isLast) {
          e.forest.nodes[place].no = int64_t(e.forest.nodes.size());
          place = e.forest.nodes.size();
          e.forest.nodes.emplace_back();
        } else {
          place = SIZE_MAX;
        }
      }
      ++member;       // the NaN
      if (place == k) // of an empty set nothing is a member
        e.forest.nodes[k] = {0, features[k], missing[k] == 1 ? kUnordered : 0, node.yes, node.no};
    }
  }
  for (int64_t root : intsOf(n, "tree_roots"))
    e.forest.roots.push_back(target(root, false));
  for (int64_t k = 0; k < e.forest.numLeaves && n.status().ok(); ++k)
    e.weights.push_back({k, targets[size_t(k)], weights[size_t(k)]});
  return e;
}

//===--- joining the trees ---------------------------------------------------------===//

/// Of the trees' weights for one target: (rows, targets), 0 where no tree has one. `hasScore` of
/// the same shape says where one has, if it is not null.
class Joined {
public:
  Joined(OnnxNode &n, const Ensemble &e, const Variable &leaves, DType dtype)
      : n_(n), e_(e), leaves_(leaves), dtype_(dtype), size_(size_t(e.forest.numLeaves * e.targets)),
        has_(size_, 0), values_(size_, 0) {
    for (const Weight &w : e.weights)
      has_[place(w)] = 1;
  }

  Variable total() {
    for (const Weight &w : e_.weights)
      values_[place(w)] += w.value;
    return sum(n_.at(spread(values_)), ReductionOptions{.axes = Axis(1), .dtype = dtype_});
  }
  /// The greatest, or the smallest, that there is.
  Variable extreme(bool greatest) {
    const double none = greatest ? -HUGE_VAL : HUGE_VAL;
    std::fill(values_.begin(), values_.end(), none);
    for (const Weight &w : e_.weights) {
      double &value = values_[place(w)];
      value = greatest ? std::max(value, w.value) : std::min(value, w.value);
    }
    Variable found =
        greatest ? max(n_.at(spread(values_)), Axis(1)) : min(n_.at(spread(values_)), Axis(1));
    return where(n_.at(eq(n_.at(found), none)), n_.scalar(0, dtype_), found);
  }
  /// Whether some tree of a row has a weight for a target: bool (rows, targets).
  Variable hasScore() { return gt(n_.at(max(n_.at(spread(has_)), Axis(1))), 0.0); }
  /// Whether every leaf has a weight for every target.
  bool hasAll() const {
    return std::all_of(has_.begin(), has_.end(), [](double has) { return has != 0; });
  }

private:
  size_t place(const Weight &w) const { return size_t(w.leaf * e_.targets + w.target); }
  /// A leaf's numbers for each row and tree: (rows, trees, targets).
  Variable spread(const std::vector<double> &table) const {
    Variable rows = n_.array(table, {e_.forest.numLeaves, e_.targets}, dtype_);
    return take(n_.at(rows), leaves_, {.axis = 0});
  }

  OnnxNode &n_;
  const Ensemble &e_;
  Variable leaves_;
  DType dtype_;
  size_t size_;
  std::vector<double> has_, values_;
};

/// A table of all leaves and targets has at most so many numbers for each that the file has, and
/// some.
constexpr int64_t kMostSpread = 64, kSpreadAtLeast = int64_t(1) << 11;

/// Keeps an error where the ensemble makes no sense or its table would be far larger than it is.
void check(OnnxNode &n, Ensemble &e, size_t labels = 0) {
  if (n.status().ok())
    e.forest.check(n);
  if (n.status().ok() && (e.targets < 1 || e.forest.roots.empty() || e.weights.empty()))
    n.fail(ErrorKind::ValueError, "there are " + std::to_string(e.forest.roots.size()) +
                                      " trees, " + std::to_string(e.weights.size()) +
                                      " weights and " + std::to_string(e.targets) + " targets");
  for (const Weight &w : e.weights)
    if (n.status().ok() && (w.target < 0 || w.target >= e.targets))
      n.fail(ErrorKind::ValueError, "a weight is for target " + std::to_string(w.target) + " of " +
                                        std::to_string(e.targets));
  int64_t given = int64_t(e.weights.size()) + e.forest.numLeaves + int64_t(labels);
  int64_t most = given * kMostSpread + kSpreadAtLeast;
  if (n.status().ok() && e.targets > most / e.forest.numLeaves)
    n.unsupported(std::to_string(e.forest.numLeaves) + " leaves and " + std::to_string(e.targets) +
                  " targets, of which leaves have few");
}

/// float64 for inputs of it, else float32.
DType dtypeFor(OnnxNode &n) {
  Variable x = n.in(0);
  return x.ok() && x.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
}

Variable aggregated(OnnxNode &n, const Ensemble &e, const std::string &function, Joined &joined,
                    DType dtype) {
  if (function == "SUM")
    return joined.total();
  if (function == "AVERAGE")
    return trueDiv(n.at(joined.total()), n.scalar(double(e.forest.roots.size()), dtype));
  if (function == "MIN" || function == "MAX")
    return joined.extreme(function == "MAX");
  return n.fail(ErrorKind::ValueError, "attribute aggregate_function is '" + function + "'");
}

/// What the trees say of each row together; Invalid after an error.
Variable scoresOf(OnnxNode &n, Ensemble &e, const std::string &function, DType dtype) {
  check(n, e);
  Variable x = rowsOf(n, dtype);
  if (!n.status().ok())
    return {};
  Variable leaves = e.forest.leavesOf(n, x);
  if (!n.status().ok())
    return {};
  Joined joined(n, e, leaves, dtype);
  return aggregated(n, e, function, joined, dtype);
}

//===--- the operators -------------------------------------------------------------===//

Variables regressor(OnnxNode &n) {
  Ensemble e = namedTrees(n, "target", n.getInt("n_targets", 1));
  DType dtype = dtypeFor(n);
  Variable scores = scoresOf(n, e, n.getString("aggregate_function", "SUM"), dtype);
  if (!n.status().ok())
    return {};
  std::vector<double> base = numbersOf(n, "base_values");
  if (!base.empty() && int64_t(base.size()) != e.targets)
    return {n.fail(ErrorKind::ValueError, std::to_string(base.size()) + " base_values for " +
                                              std::to_string(e.targets) + " targets")};
  if (!base.empty())
    scores = add(n.at(scores), n.vector(base, dtype));
  return {cast(n.at(postTransformed(n, scores)), DType::Float32)};
}

Variables ensemble(OnnxNode &n) {
  static constexpr const char *kFunctions[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  static constexpr const char *kTransforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO",
                                                "PROBIT"};
  int64_t function = n.getInt("aggregate_function", 1), transform = n.getInt("post_transform", 0);
  if (function < 0 || function >= int64_t(std::size(kFunctions)))
    n.fail(ErrorKind::ValueError, "attribute aggregate_function is " + std::to_string(function));
  if (transform < 0 || transform >= int64_t(std::size(kTransforms)))
    n.fail(ErrorKind::ValueError, "attribute post_transform is " + std::to_string(transform));
  Ensemble e = placedTrees(n);
  if (!n.status().ok())
    return {};
  Variable scores = scoresOf(n, e, kFunctions[function], dtypeFor(n));
  if (!n.status().ok())
    return {};
  return {cast(n.at(postTransformed(n, scores, kTransforms[transform])), n.in(0).dtype())};
}

/// Of two classes where all weights are for one of them: the second class is chosen where its
/// score, or the only one, is high enough. Scores of the second class stand beside zeros; of those
/// of the first both are made.
Variables ofTwoClasses(OnnxNode &n, const Variable &score, const Ints &labels, bool isSecond,
                       bool allPositive) {
  Variable flat = squeeze(n.at(score), Axis(1));
  Variable isHigh = allPositive ? gt(n.at(flat), 0.5) : gt(n.at(flat), 0.0);
  Variable label = cast(n.at(where(n.at(isHigh), labels[1], labels[0])), DType::Int64);
  if (isSecond) {
    Variable zeros = mul(n.at(score), 0.0);
    return {label, postTransformed(n, concatenate({n.at(zeros), score}, 1))};
  }
  return {label,
          postTransformedPair(n, score, allPositive ? TwoScores::Complement : TwoScores::Opposite)};
}

Variables classifier(OnnxNode &n) {
  Ints labels = classLabels(n, "classlabels_int64s", "classlabels_strings");
  Ensemble e = namedTrees(n, "class", int64_t(labels.size()));
  check(n, e, labels.size());
  DType dtype = dtypeFor(n);
  Variable x = rowsOf(n, dtype);
  if (!n.status().ok())
    return {};
  std::vector<double> base = numbersOf(n, "base_values");
  const bool isPair = labels.size() == 2 &&
                      std::all_of(e.weights.begin(), e.weights.end(),
                                  [&](const Weight &w) { return w.target == e.weights[0].target; });
  const bool isSecond = isPair && e.weights[0].target == 1;
  if (isPair) {
    for (Weight &w : e.weights)
      w.target = 0;
    e.targets = 1;
  }
  if (!base.empty() && int64_t(base.size()) != int64_t(labels.size()) &&
      !(isPair && base.size() == 1))
    return {n.fail(ErrorKind::ValueError, std::to_string(base.size()) + " base_values for " +
                                              std::to_string(labels.size()) + " classes")};
  Variable leaves = e.forest.leavesOf(n, x);
  if (!n.status().ok())
    return {};
  Joined joined(n, e, leaves, dtype);
  Variable scores = joined.total();
  if (isPair) {
    if (!base.empty())
      scores = add(n.at(scores), n.scalar(base.back(), dtype));
    bool allPositive = std::all_of(e.weights.begin(), e.weights.end(),
                                   [](const Weight &w) { return w.value >= 0; });
    Variables results = ofTwoClasses(n, scores, labels, isSecond, allPositive);
    return {results[0], cast(n.at(results[1]), DType::Float32)};
  }
  if (!base.empty())
    scores = add(n.at(scores), n.vector(base, dtype));
  // A class without any weight is not chosen, unless it has a base value.
  Variable ranked = scores;
  if (base.empty() && !joined.hasAll())
    ranked = where(n.at(joined.hasScore()), scores, n.scalar(-HUGE_VAL, dtype));
  return {labelOfGreatest(n, ranked, labels),
          cast(n.at(postTransformed(n, scores)), DType::Float32)};
}

} // namespace

absl::Span<const Translation> treeTranslations() {
  static constexpr Translation kTable[] = {
      {"TreeEnsemble", ensemble, 5},
      {"TreeEnsembleClassifier", classifier, 1, "labels integers"},
      {"TreeEnsembleRegressor", regressor},
  };
  return kTable;
}

} // namespace graphc
