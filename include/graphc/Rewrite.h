//===- graphc/Rewrite.h - rules that change a FunctionGraph -----*- C++ -*-===//
//
// A rule is a row: a pattern and a replacement as formulas in the ops' names, a guard, and what it
// may change in results. Rules are collected in databases, selected by tags and run until none
// applies. See docs/AddARewrite.md; docs/Rewrites.md lists the rules that come with graphc.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Mode.h"

namespace graphc {

class ShapeFeature;

//===--- what may change --------------------------------------------------===//

/// F-307: what a rule may change in results. A set, joined by |.
enum Effects : uint32_t {
  kNoEffects = 0,
  /// Finite results by rounding, within the bound that the rule's doc gives.
  kRounding = 1,
  /// The sign of a zero.
  kZeroSign = 2,
  /// Results where an operand is NaN or infinite.
  kNanInf = 4,
  /// Results where the unrewritten form overflows, underflows or is NaN by such a step.
  kOverflow = 8,
  /// A mistake of shapes or indices may pass unnoticed.
  kShapeUnsafe = 16,
  /// A finite right answer may become a wrong one: mode fast_math only.
  kInexact = 32,
};
inline constexpr Effects operator|(Effects a, Effects b) {
  return Effects(uint32_t(a) | uint32_t(b));
}

inline constexpr Effects kStrictEffects = kNoEffects;
inline constexpr Effects kDefaultEffects = Effects(kRounding | kZeroSign | kNanInf | kOverflow);
inline constexpr Effects kAllEffects = Effects(63);

//===--- rules ------------------------------------------------------------===//

/// What a pattern's names stand for at one place of a graph. Valid during the call that gets it.
class Match {
public:
  virtual ~Match() = default;
  virtual const FunctionGraph &graph() const = 0;
  /// Symbolic shapes of the graph's Variables: its ShapeFeature, or one that is attached at the
  /// first use and removed when the run ends.
  virtual ShapeFeature &shapes() const = 0;
  /// The node that the whole pattern stands for.
  virtual const Apply &root() const = 0;
  /// A name of the pattern; an Invalid Variable for another.
  virtual Variable operator[](std::string_view name) const = 0;
  /// `p` of `f(x, axes=p)`; none for a name that the pattern has not.
  virtual const AttributeValue &attribute(std::string_view name) const = 0;
  /// For a builder that looks further than the pattern: its replacement does the work of `node`,
  /// too, and gets its places.
  virtual void alsoReplaces(const Apply &node) const = 0;
  /// The data of a name that stands for a constant; an undefined Tensor where it does not.
  const Tensor &data(std::string_view name) const;
};

/// When a rule applies, as a function and in words for the docs: "x is an integer".
struct Condition {
  std::function<bool(const Match &)> holds = {};
  std::string text = {};

  Condition() = default;
  template <class F>
    requires std::is_invocable_r_v<bool, F, const Match &>
  Condition(F holds, std::string text = {}) : holds(std::move(holds)), text(std::move(text)) {}
};
/// A term of a replacement that is computed: an attribute, or a Variable, as its place wants.
/// Anything else: the rule does not apply after all.
using Term = std::variant<std::monostate, AttributeValue, Variable>;
using TermFunction = std::function<Term(const Match &)>;

/// F-300: what a node rewriter wants to change. Nothing, if both lists are empty.
struct Proposal {
  Proposal() = default;
  /// One Variable for each output of the node, in their order; one of no node (`Variable()`) keeps
  /// the output.
  Proposal(Variables outputs) : outputs(std::move(outputs)) {}
  /// Any Variables of the graph for others. None of the nodes of `remove` may stay (F-130).
  Proposal(Replacements replaced, std::vector<Apply> remove = {})
      : replaced(std::move(replaced)), remove(std::move(remove)) {}

  bool empty() const { return outputs.empty() && replaced.empty(); }

  Variables outputs;
  Replacements replaced;
  std::vector<Apply> remove;
};
/// See Rule::build.
using Builder = std::function<Proposal(const Match &)>;

/// A row of a catalogue.
struct Rule {
  /// "log1p_exp".
  std::string name;
  /// "log1p(exp(x))". In a formula stand: names of ops with their operands and attributes
  /// (`sum(x, axes=p)`; attributes that are not named have their default), + - * / ** and unary -
  /// for add, sub, mul, trueDiv, pow and neg; numbers, which are constants all of whose elements
  /// have that value; and names. A name stands for one Variable, wherever it stands again; names c,
  /// d and k, perhaps with a digit, for constants.
  std::string pattern;
  /// "softplus(x)", with names of the pattern and of `terms`. Its type must be that of the pattern;
  /// where it is not, the rule does not apply.
  std::string replacement = {};
  Effects effects = kNoEffects;
  Condition when = {};
  std::map<std::string, TermFunction> terms = {};
  /// What the replacement costs more than the pattern (less: negative), by the model of `ruleCost`.
  /// None: as that says of the two formulas, if it is not more. Of several rules that match a node
  /// the one of least cost is tried first.
  std::optional<double> cost = {};
  /// Instead of `replacement` where that is no formula: what to change; an empty Proposal where the
  /// rule does not apply after all. `replacement` is then only documentation, and the row states
  /// the cost.
  Builder build = {};
  /// For the docs: why it is right, a source, the domain where it is exact, the bound of rounding.
  std::string doc = {};
  /// Graphs on which the test over all rules and the docs show it; none: the pattern itself. Names
  /// stand for arrays, p, q and r for bools, c, d and k for constants.
  std::vector<std::string> examples = {};
};

/// A rule for whole chains of an associative and commutative op, such as x + y - x + 2 * y:
/// operands are collected, constants of the chain become one. A chain is made of nodes of one dtype
/// that have no other use; of `add` chains also sub, neg and products with a number are part, of
/// `mul` chains neg, and for floats trueDiv and reciprocal. A chain is built anew only where that
/// takes fewer operands. Runs where no rule of its position applies any more, and these run again
/// after.
struct ChainRule {
  std::string name;
  /// add, mul, maximum, minimum, bitwiseAnd, bitwiseOr, bitwiseXor, logicalAnd, logicalOr,
  /// logicalXor.
  std::string op;
  /// Whether for floats or for the others (bools: not of add and mul).
  bool floats = false;
  Effects effects = kNoEffects;
  std::string doc = {};
  /// As in Rule.
  std::vector<std::string> examples = {};
};

//===--- databases --------------------------------------------------------===//

/// F-297: which entries of a database run: those with any of `include`, all of `require`, none
/// of `exclude`, by tags, names or names of classes, and a position below `positionCutoff`.
struct Query {
  std::vector<std::string> include = {};
  std::vector<std::string> require = {};
  std::vector<std::string> exclude = {};
  double positionCutoff = 1e300;
  /// What is selected of a database in the database, by its name; without an entry it is this
  /// query.
  std::map<std::string, Query> subquery = {};

  friend bool operator==(const Query &a, const Query &b) = default;
};

/// One thing that a rule did.
struct RewriteStep {
  std::string rule;
  /// The user's places of the nodes that were replaced.
  std::vector<Place> places;
  /// As formulas, of limited length.
  std::string before;
  std::string after;
  /// What the rule may change.
  Effects effects = kNoEffects;
  /// The Variables themselves, and what stands in their place now. The former are of the graph no
  /// more, but can be evaluated still.
  Replacements replaced;
};

/// F-344: a step that changed what it may not.
struct BadOptimization {
  /// The rule's name: the reason.
  std::string rule;
  /// The Variable that was replaced, and what stands in its place.
  Variable before, after;
  /// Undefined where they could not be computed.
  Tensor valueBefore, valueAfter;
  /// The greatest over all elements, relative to the one before; NaN where values are not to be
  /// compared: of other shapes, or not there.
  double maxAbsolute = 0, maxRelative = 0;
  /// What computes them: debugPrint of at most kGraphDepth levels.
  static constexpr int kGraphDepth = 6;
  std::string graphBefore, graphAfter;
};

/// Sees a graph after a step; an error ends the run.
using RewriteCheck = std::function<absl::Status(const FunctionGraph &, const RewriteStep &)>;

/// F-344: a check of values and of the graph's integrity. What a step replaces is computed before
/// and after, by the evaluator, for these values of the graph's inputs. DebugMismatch, at the
/// place of the first node that was replaced, if they differ by more than the rule's effects allow:
/// kNoEffects, nothing; kRounding, 1e-7 of the largest finite element of the result for float64,
/// 1e-5 for float32, 1e-2 for halves; kNanInf and kOverflow, elements that were NaN, infinite or
/// (kOverflow) zero. What fails to be computed before must fail after, but for kShapeUnsafe. Each
/// Variable is computed once, and again where a step changed bits below it. The integrity of graphs
/// of more than 1000 nodes is looked at every so many steps, so that all steps together cost
/// visits of a thousand nodes each. `options` has other tolerances than these.
/// The message tells the values, the greatest differences and both graphs, as BadOptimization has
/// them.
RewriteCheck checkValues(std::vector<Tensor> inputs, DebugOptions options = {});

/// F-300: what happens when the graph, or a Feature in it, refuses a replacement: it is not made in
/// any case, and the graph is as before.
enum class Refusals {
  Warn,  // of each rule once
  Raise, // the run ends with that error
  Ignore,
};

struct RewriteOptions {
  Effects allowed = kDefaultEffects;
  /// End after this many applications of rules; negative: no limit.
  int64_t stopAfter = -1;
  /// Gets every step.
  std::function<void(const RewriteStep &)> explain = {};
  /// Each rule may be applied this often for each node of the graph (F-298).
  double maxUseRatio = 10;
  /// Called after each step.
  RewriteCheck check = {};
  Refusals refusals = Refusals::Warn;
};

struct RewriteReport {
  int64_t steps = 0;
  /// By rule.
  std::map<std::string, int64_t> uses;
  /// Rules that were stopped because they went beyond maxUseRatio.
  std::vector<std::string> stopped;
  /// Those of them that came back to what they had replaced: they would never end.
  std::vector<std::string> endless;
};

/// Something that changes a FunctionGraph. Rewriters keep nothing between runs; threads may run one
/// at once on different graphs.
class GraphRewriter {
public:
  virtual ~GraphRewriter() = default;
  virtual std::string_view name() const = 0;
  /// F-297: by which queries select it, too.
  virtual std::string_view className() const { return "GraphRewriter"; }
  virtual absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                               RewriteReport &report) const = 0;
  /// Whether it keeps the graph's inputs and outputs, and leaves a sound graph behind an error.
  /// What does not say so runs `guarded` in databases.
  virtual bool isSafe() const { return false; }
};

/// A compiled row.
using NodeRewriterPtr = std::shared_ptr<const class NodeRewriter>;
using GraphRewriterPtr = std::shared_ptr<const GraphRewriter>;

/// ValueError for a formula that cannot be read, unknown ops, attributes and names, with the place
/// in it.
absl::StatusOr<NodeRewriterPtr> compileRule(const Rule &rule);

/// Rule::cost, or what its replacement costs more than its pattern: work for each element of the
/// result, as the ops' emissions say, of axes of 8 elements: 1 for an addition, 5 for a division or
/// root, 10 for a function such as exp, 0.5 for a movement. Below what reads several elements for a
/// result each op counts as often; a term that stands twice, once; one of constants, not at all.
double ruleCost(const Rule &rule);

/// F-298 (LocalGroupDB): the first of the rules that has something to propose, in their order.
NodeRewriterPtr localGroup(std::string name, std::vector<NodeRewriterPtr> rules);

/// F-298: what else an equilibrium runs, in order.
struct EquilibriumStages {
  /// Each time that no rule applies any more.
  std::vector<GraphRewriterPtr> cleanup = {};
  /// After that. Where one changes the graph, rules run again.
  std::vector<GraphRewriterPtr> last = {};
};

/// Null pointers are left out here and below. Applies rules until none applies any more. Each node
/// that a change concerns is visited again, and no other: the cost follows the changes.
GraphRewriterPtr equilibrium(std::string name, std::vector<NodeRewriterPtr> rules,
                             std::vector<ChainRule> chains = {}, EquilibriumStages stages = {});
/// One visit of each node, producers first or consumers first.
GraphRewriterPtr onePass(std::string name, std::vector<NodeRewriterPtr> rules,
                         bool producersFirst = true);
/// One after the other.
GraphRewriterPtr sequence(std::string name, std::vector<GraphRewriterPtr> rewriters);
/// F-299: gives the graph a Supervisor without exceptions, and with it a DestroyHandler, unless it
/// has a DestroyHandler or no op has an in-place form.
GraphRewriterPtr addDestroyHandler();
/// F-304: ops become those that work in the memory of an operand (OpDef::inplace). Each node's
/// operands are tried from the last to the first. Skipped are constants and views of them, outputs,
/// inputs that the graph's Supervisor protects, memory that anything else reads, and what a Feature
/// refuses. Does nothing to a graph without DestroyHandler.
GraphRewriterPtr inplaceRewriter();
/// What `rewriter` does, all or nothing: after an error of it the graph is as before. It can
/// neither add nor remove inputs and outputs (Inconsistency). Remembers each change until it is
/// done.
GraphRewriterPtr guarded(GraphRewriterPtr rewriter);
/// F-302: nodes with equal ops and inputs, and equal constants, become one.
GraphRewriterPtr mergeRewriter();
/// F-239: the nodes of its graph in the place of each application of an OpFromGraph.
GraphRewriterPtr inlineGraphs();
/// F-303: nodes with constant inputs become constants, if results have at most this many elements.
NodeRewriterPtr constantFolding(int64_t maxElements = 4096);

/// F-297, F-298: rewriters by name, with tags and a position.
class RewriteDatabase {
public:
  /// ValueError if the name is taken, empty or an optimization's (Mode::excluding), for a position
  /// that is not finite, and for a null pointer. A rule's position is that of the group it runs in.
  absl::Status add(Rule rule, std::vector<std::string> tags, double position);
  /// Also ValueError for an op whose chains nothing is known of.
  absl::Status add(ChainRule rule, std::vector<std::string> tags, double position);
  absl::Status add(NodeRewriterPtr rewriter, std::vector<std::string> tags, double position);
  /// A rewriter that is not safe runs `guarded`.
  /// One with the tag `cleanup` or `final` is part of the equilibrium of the rules at its position,
  /// if any are selected (EquilibriumStages).
  absl::Status add(GraphRewriterPtr rewriter, std::vector<std::string> tags, double position);
  /// What of a database is selected runs as one entry: by Query::subquery, or the same query. It is
  /// copied.
  absl::Status add(std::string name, const RewriteDatabase &database, std::vector<std::string> tags,
                   double position);
  /// Every entry of another one, with these tags besides its own; all or, after an error, none.
  absl::Status addAll(const RewriteDatabase &database, const std::vector<std::string> &tags = {});

  struct Entry {
    std::string name;
    /// Rule, ChainRule, RewriteDatabase, or what the rewriter says.
    std::string className;
    std::vector<std::string> tags;
    double position = 0;
    std::shared_ptr<const Rule> rule = {};
    std::shared_ptr<const ChainRule> chain = {};
    NodeRewriterPtr node = {};
    GraphRewriterPtr whole = {};
    std::shared_ptr<const RewriteDatabase> database = {};
  };
  const std::vector<Entry> &entries() const { return entries_; }
  /// The selected entries by position, then name: rules of one position run together to an
  /// equilibrium, others on their own.
  GraphRewriterPtr select(const Query &query) const;
  /// F-298 (LocalGroupDB): the selected rules as one, which tries them by position, then in the
  /// order in which they came. (TopoDB) onePass of it visits each node once.
  NodeRewriterPtr selectGroup(std::string name, const Query &query) const;

private:
  std::vector<Entry> entries_;
};

/// The rules that come with graphc. Lives as long as the process. Thread-safe.
const RewriteDatabase &builtinRewrites();

/// Runs what `query` selects of the built-in rewrites. `function` does, with the effects that its
/// mode allows.
absl::StatusOr<RewriteReport> rewrite(FunctionGraph &graph, const RewriteOptions &options = {},
                                      const Query &query = {.include = {"fast_run"}});

} // namespace graphc
