//===- graphc/Features.h - Features that come with graphc -------*- C++ -*-===//
//
// Each belongs to one FunctionGraph at a time unless it says that it keeps nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "graphc/Feature.h"

namespace graphc {

/// F-145: the members with an equal op, in the order in which they came.
class NodeFinder : public Bookkeeper {
public:
  NodeFinder();
  ~NodeFinder() override;
  std::string_view name() const override { return "NodeFinder"; }
  std::vector<std::string> provides() const override { return {"nodes"}; }
  std::vector<Apply> nodes(const Op &op) const;
  /// Begins anew.
  absl::Status onAttach(FunctionGraph &graph) override;
  absl::Status onImport(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  absl::Status onPrune(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  std::shared_ptr<Feature> clone() override { return std::make_shared<NodeFinder>(); }

private:
  struct Table;
  std::unique_ptr<Table> table_;
};

/// F-146: writes a line for each event, with its reason. The stream must outlive it. Keeps nothing.
class PrintListener : public Feature {
public:
  explicit PrintListener(std::ostream &os) : os_(os) {}
  std::string_view name() const override { return "PrintListener"; }
  absl::Status onAttach(FunctionGraph &graph) override;
  absl::Status onDetach(FunctionGraph &graph) override;
  absl::Status onImport(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  absl::Status onPrune(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  absl::Status onChangeInput(FunctionGraph &graph, const Client &client, const Variable &old,
                             const Variable &fresh, std::string_view reason) override;
  absl::Status onValidate(FunctionGraph &graph) override;
  std::shared_ptr<Feature> clone() override { return itself(); }

private:
  std::ostream &os_;
};

/// F-097: an unnamed replacement takes the name of what it replaces. Constants neither give nor
/// take one: they may stand in other graphs, too. Keeps nothing.
class PreserveVariableAttributes : public Feature {
public:
  std::string_view name() const override { return "PreserveVariableAttributes"; }
  absl::Status onChangeInput(FunctionGraph &graph, const Client &client, const Variable &old,
                             const Variable &fresh, std::string_view reason) override;
  std::shared_ptr<Feature> clone() override { return itself(); }
};

/// F-131: all states since it was attached. State 0 is the first; a change of an edge leads to
/// the next one. A change made elsewhere than at the end truncates what followed.
class History : public Feature {
public:
  History();
  ~History() override;
  std::string_view name() const override { return "History"; }
  std::vector<std::string> provides() const override { return {"states"}; }
  /// The present state and the last one.
  size_t position() const { return position_; }
  size_t end() const;
  /// Brings the graph to a state. IndexError for one beyond the end; KeyError where it is not
  /// attached to the graph. After an error `position` is the state that was reached.
  absl::Status goTo(FunctionGraph &graph, size_t state);
  absl::Status back(FunctionGraph &graph);
  absl::Status forward(FunctionGraph &graph) { return goTo(graph, position_ + 1); }
  absl::Status toStart(FunctionGraph &graph) { return goTo(graph, 0); }
  absl::Status toEnd(FunctionGraph &graph) { return goTo(graph, end()); }

  /// Begins anew.
  absl::Status onAttach(FunctionGraph &graph) override;
  absl::Status onChangeInput(FunctionGraph &graph, const Client &client, const Variable &old,
                             const Variable &fresh, std::string_view reason) override;
  std::shared_ptr<Feature> clone() override { return std::make_shared<History>(); }

private:
  struct Step;
  std::vector<Step> steps_;
  size_t position_ = 0;
  bool walking_ = false;
};

/// Lets a graph hold ops that overwrite their inputs (OpDef::destroyMap) and return views of them
/// (OpDef::viewMap), if a run in the order that it demands gives what a run without memory shared
/// would. validate() is Inconsistency where it cannot be (F-134 to F-138):
///  1. a Variable and its views together have two destroyers;
///  2. a constant, or what `protect` named, is destroyed, or one of its views;
///  3. a destroyer reads the destroyed memory by another input, too, and the op does not allow it
///     (tolerateSame, tolerateAliased);
///  4. and 5. all readers must run before the destroyer, but one is computed from its result.
/// The cost of validate follows the changes since the last one, not the size of the graph: order
/// is maintained as by FunctionGraph itself.
class DestroyHandler : public Feature {
public:
  DestroyHandler();
  ~DestroyHandler() override;
  std::string_view name() const override { return "DestroyHandler"; }

  /// What may not be destroyed. Not taken over by clone().
  void protect(const Variable &v);
  /// The Variable whose memory `v` shows: `v` itself unless it is a view.
  static Variable root(const Variable &v);
  /// F-132: the node that overwrites the memory of `v`, if one does (more only in a graph that
  /// does not validate).
  std::vector<Apply> destroyers(FunctionGraph &graph, const Variable &v) const;
  bool hasDestroyers(FunctionGraph &graph, absl::Span<const Variable> vs) const;

  /// AlreadyThere if the graph has one.
  absl::Status onAttach(FunctionGraph &graph) override;
  absl::Status onDetach(FunctionGraph &graph) override;
  absl::Status onImport(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  absl::Status onPrune(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  absl::Status onChangeInput(FunctionGraph &graph, const Client &client, const Variable &old,
                             const Variable &fresh, std::string_view reason) override;
  /// Inconsistency also if it is not attached to `graph`; so `orderings`.
  absl::Status onValidate(FunctionGraph &graph) override;
  absl::StatusOr<Orderings> orderings(FunctionGraph &graph) override;
  std::shared_ptr<Feature> clone() override { return std::make_shared<DestroyHandler>(); }

private:
  absl::Status checkAttached(const FunctionGraph &graph) const;
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

/// F-141, F-142: refuses, at validate, that inputs or outputs be destroyed and that outputs share
/// memory, as functions need it. Uses the graph's DestroyHandler, and adds one where none is. The
/// cost of validate follows the changes since the last one; that of a refusal, and of changes to
/// outputs that show the memory of inputs or of each other, is all inputs and outputs.
class Supervisor : public Feature {
public:
  struct Options {
    /// Numbers of inputs that may be overwritten.
    std::set<int> mutableInputs = {};
    /// Numbers of outputs that may share memory with inputs and with each other.
    std::set<int> borrowedOutputs = {};
  };
  explicit Supervisor(Options options);
  ~Supervisor() override;
  std::string_view name() const override { return "Supervisor"; }
  absl::Status onAttach(FunctionGraph &graph) override;
  absl::Status onDetach(FunctionGraph &graph) override;
  absl::Status onImport(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  absl::Status onChangeInput(FunctionGraph &graph, const Client &client, const Variable &old,
                             const Variable &fresh, std::string_view reason) override;
  absl::Status onValidate(FunctionGraph &graph) override;
  std::shared_ptr<Feature> clone() override { return std::make_shared<Supervisor>(options_); }
  const Options &options() const { return options_; }

private:
  bool isUntouched(FunctionGraph &graph, const DestroyHandler &handler);
  absl::Status check(FunctionGraph &graph, const DestroyHandler &handler) const;
  Options options_;
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

/// F-143: refuses, at validate, that one of these outputs be the result of an op that overwrites
/// an input for it. Keeps nothing.
class NoOutputFromInplace : public Feature {
public:
  explicit NoOutputFromInplace(std::set<int> outputs) : outputs_(std::move(outputs)) {}
  std::string_view name() const override { return "NoOutputFromInplace"; }
  absl::Status onValidate(FunctionGraph &graph) override;
  std::shared_ptr<Feature> clone() override { return itself(); }

private:
  std::set<int> outputs_;
};

/// Symbolic extents of all Variables of a graph. Every op has a shape rule: its emission, in which
/// extents are expressions of the operands' extents and elements. An extent is an int64 scalar: a
/// constant where it is known, otherwise a formula of extents of inputs (`shapeI(x, 0)`) and of the
/// Variables on whose values it depends (`n` of `arange(n)`); `shapeI(v, i)` itself where the op
/// finds it only while it runs. It holds for every call that computes the Variable without error.
///
/// Formulas are made when they are asked for, and interned: extents that are known to be equal are
/// the same Variable, until the graph changes. They become members where something uses them.
/// The first question about a Variable looks at each node above it once. The first one after
/// changes looks at the nodes that changed, and below them as far as extents become others: at all
/// that is below where they do everywhere. What is known of nodes that leave is forgotten: no dead
/// node is kept. No recursion.
///
/// For one graph at a time. While Features are told of a change it knows nothing: what returns a
/// bool is false, the others say Inconsistency.
class ShapeFeature : public Feature {
public:
  ShapeFeature();
  ~ShapeFeature() override;
  std::string_view name() const override { return "ShapeFeature"; }

  /// The extent of `v` along `axis`, counted from the end if it is negative. Invalid: KeyError if
  /// `v` is no member, AxisError.
  Variable extent(const Variable &v, int axis);
  /// All extents of `v`. KeyError if it is no member.
  absl::StatusOr<Variables> shape(const Variable &v);
  /// Whether the extents are equal in every call that computes both Variables without error, for
  /// all that is known; false for what is no member and for axes out of range.
  bool sameExtent(const Variable &a, int axisOfA, const Variable &b, int axisOfB);
  bool sameShape(const Variable &a, const Variable &b);
  /// Whether nothing can fail while `v` is computed: no op above it checks extents or elements, but
  /// such extents as are known to agree. What uses only the shape of such a Variable needs not
  /// compute it. False for what is no member.
  bool neverFails(const Variable &v);

  /// AlreadyThere if the graph has one.
  absl::Status onAttach(FunctionGraph &graph) override;
  absl::Status onDetach(FunctionGraph &graph) override;
  absl::Status onPrune(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  absl::Status onChangeInput(FunctionGraph &graph, const Client &client, const Variable &old,
                             const Variable &fresh, std::string_view reason) override;
  std::shared_ptr<Feature> clone() override { return std::make_shared<ShapeFeature>(); }

private:
  absl::Status noMember(const Variable &v) const;
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

/// F-302 as a Feature: knows the members by op and inputs, and those that compute what another one
/// does. Merging, and looking for a node that is there already, cost what has changed since.
/// Constants of equal data count as equal; ops that overwrite an input never do.
class MergeFeature : public Bookkeeper {
public:
  MergeFeature();
  ~MergeFeature() override;
  std::string_view name() const override { return "MergeFeature"; }
  std::vector<std::string> provides() const override { return {"merge"}; }

  /// The oldest member that computes what `node`, a member or not, does; null for none but itself.
  Apply equalOf(const Apply &node) const;
  /// Replaces all nodes, and constants, that are equal to older ones, and what becomes equal by
  /// that. Their number; 0 when called again. What a Feature refuses stays. Ends where another
  /// Feature removes this one. ValueError if it is not attached to `graph`.
  absl::StatusOr<int64_t> merge(FunctionGraph &graph);

  /// Begins anew.
  absl::Status onAttach(FunctionGraph &graph) override;
  absl::Status onDetach(FunctionGraph &graph) override;
  absl::Status onImport(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  absl::Status onPrune(FunctionGraph &graph, const Apply &node, std::string_view reason) override;
  absl::Status onChangeInput(FunctionGraph &graph, const Client &client, const Variable &old,
                             const Variable &fresh, std::string_view reason) override;
  std::shared_ptr<Feature> clone() override { return std::make_shared<MergeFeature>(); }

private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

} // namespace graphc
