//===- Rewrite/RewriteRun.h - one run of rules over a graph --------*- C++ -*-===//
#pragma once

#include <string_view>
#include <vector>

#include "Rewrite/NodeRewriter.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Features.h"

namespace graphc {

/// In whose name a graph is changed.
struct Author {
  std::string_view name;
  Effects effects = kNoEffects;
};

/// Applies what rewriters propose: checks types, passes on the user's places, counts, explains.
class RewriteRun {
public:
  RewriteRun(FunctionGraph &graph, const RewriteOptions &options, RewriteReport &report)
      : graph_(graph), options_(options), report_(report) {}

  /// Whether options.stopAfter has been reached.
  bool ended() const { return options_.stopAfter >= 0 && report_.steps >= options_.stopAfter; }

  /// Makes what is proposed for `node` in the name of `by`: true if that was done, false if the
  /// proposal does not fit. `matched`: the nodes whose work the proposal does. Errors:
  /// those of options.check.
  absl::StatusOr<bool> apply(const Author &by, const Apply &node, const Proposal &proposal,
                             const std::vector<Apply> &matched);
  /// A Variable for another: for whole-graph rewriters.
  absl::StatusOr<bool> replace(const Author &by, const Variable &old, const Variable &fresh);

  /// What a node stands for, of its outputs' types or narrower ones: for whole-graph rewriters.
  absl::StatusOr<bool> expand(const Author &by, const Replacements &fresh);

  /// Whether the last change was made, and undone by a Feature's veto.
  bool wasRefused() const { return refused_; }

private:
  /// As options.refusals says.
  absl::StatusOr<bool> refuse(const Author &by, const absl::Status &status);
  absl::StatusOr<bool> apply(const Author &by, const Replacements &pairs,
                             const std::vector<Apply> &matched, const std::vector<Apply> &remove);
  FunctionGraph &graph_;
  const RewriteOptions &options_;
  RewriteReport &report_;
  bool refused_ = false;
  absl::flat_hash_set<std::string> told_; // rules whose refusal was a warning
};

/// Variable(), which stands for none in a Proposal.
bool isNone(const Variable &v);

/// `to` does the work of `from` too.
void addOrigins(const Apply &to, const Apply &from);
void addOrigins(const Apply &to, absl::Span<const Place> places);

/// Whether a Variable of type `fresh` may stand for one of type `old` (F-301, F-309): it is the
/// same, or knows more extents. It must not know an extent to be 1 of which the old one does not
/// know: that one may be what a broadcast made of it.
bool keepsType(const Type &old, const Type &fresh);

} // namespace graphc
