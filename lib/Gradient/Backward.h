//===- Gradient/Backward.h - reverse mode -----------------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Connection.h"
#include "Graph/Branches.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Gradient.h"

namespace graphc {

/// What has arrived at a Variable from those that it is used for.
struct Arrived {
  /// What is to be added, in the order of the graph.
  Variables terms = {};
  /// Something depends on the Variable, be the derivative 0.
  bool isConnected = false;
  /// F-278: nothing is added any more.
  bool isFinal = false;
  /// Why there is no gradient, the node through which that came, and, if it arose in the graph of
  /// that node, where.
  std::optional<std::string> null = {};
  Apply nullFrom = {};
  std::string nullWithin = {};
  /// F-295: Bool elements that may contribute; none where all may. Several terms: any of them.
  std::optional<Variable> mask = {};
  /// What readers in branches gave that the Variable itself is not in, as if these were taken.
  struct Within {
    const Branch *branch;
    Variable term;
    std::optional<Variable> mask;
  };
  std::vector<Within> within = {};

  void add(const Variable &term, const std::optional<Variable> &maskOfTerm);
};

/// One walk from the outputs of a graph to its inputs. What stands in one branch of an ifElse alone
/// is differentiated as if that were taken, and what leaves the branch is chosen then, by an ifElse
/// of the same condition: so gradients are in the branch, too, where the function that they make
/// runs nothing unless it is taken (F-330, F-332).
class Backward {
public:
  /// `starts`: gradients to start from; `final`: whether they are (F-278).
  struct Start {
    Variable of;
    Variable gradient;
    bool isFinal;
    /// As Arrived has it.
    std::optional<Variable> mask = {};
  };
  /// Walks from the starts to what `wrt` are. Errors: those of pullbacks.
  static absl::StatusOr<Backward> run(std::vector<Start> starts, const Variables &wrt,
                                      const Variables &considerConstant);

  /// Null where nothing arrived.
  const Arrived *at(const Variable &v) const;
  /// What arrived in all: a tensor, zeroDerivative, or a Variable of type Null or Disconnected.
  Variable arrivedAt(const Variable &v);
  /// The sum of what arrived, of v's gradient type: an absent one where it is zero.
  std::optional<Variable> sum(const Variable &v);
  absl::Span<const Apply> order() const { return order_; }
  /// What nullFrom passed on: the same of one of its outputs; null where it arose.
  const Arrived *beforeNull(const Arrived &arrived) const;
  /// Where what is Null at `v` arose, through all graphs: calledAt and nested.
  std::string originOfNull(const Variable &v) const;

private:
  absl::Status visit(const Apply &node, const Connection &wanted);
  /// `where` the term is defined.
  absl::Status add(const Apply &node, int i, Variable term, std::optional<Variable> here,
                   std::string nullWithin, const Branch *where);
  /// Adds what arrived within branches, chosen, to what arrived at `v`.
  void leaveBranches(const Variable &v);

  std::vector<Apply> order_;
  Branches branches_;
  absl::flat_hash_map<const detail::VariableNode *, Arrived> arrived_;
};

/// F-270: the dtype of a Variable's gradient.
DType gradientDType(const Variable &v);
Type gradientType(const Variable &v);
/// F-285: the operands as derivatives read them: copies of those that the node overwrites.
Variables operandsOf(const Apply &node);

} // namespace graphc
