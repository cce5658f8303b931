//===- RewriteCases.cpp - time of the built-in rewrites per node ----------===//
#include "Case.h"
#include "Clock.h"
#include "Graphs.h"
#include "absl/strings/str_format.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Rewrite.h"

namespace graphc::bench {
namespace {

/// The same sum `nodes / 2` times over, each time built anew, and a chain that uses them all:
/// everything but the chain merges.
Variable equalSums(const Variable &x, const Variable &w, int64_t nodes) {
  Variable h = x;
  for (int64_t i = 0; i < nodes; i += 2)
    h = h * (x + w);
  return h;
}

/// One node with `nodes` users, which is replaced.
Variable manyUsers(const Variable &x, const Variable &w, int64_t nodes) {
  Variable shared = log(exp(x)), h = w;
  for (int64_t i = 0; i < nodes; ++i)
    h = maximum(h, shared);
  return h;
}

/// OpFromGraphs in each other, 50 levels of `nodes / 50` nodes each.
Variable nestedLevels(const Variable &x, const Variable &w, int64_t nodes) {
  constexpr int64_t kLevels = 50;
  Variable h = dvector("h"), v = dvector("v");
  OpFromGraph op({h, v}, {softplusLayers(h, v, nodes / kLevels)}, {.inlined = true});
  for (int64_t level = 1; level < kLevels; ++level)
    op = OpFromGraph({h, v}, {softplusLayers(op(h, v), v, nodes / kLevels)}, {.inlined = true});
  return op(x, w);
}

using Builder = Variable (*)(const Variable &, const Variable &, int64_t);

absl::StatusOr<Phases> rewritePhases(Builder build, int64_t nodes) {
  Phases phases;
  Clock clock;
  auto done = [&](const char *phase) { phases.emplace_back(phase, clock.lap()); };
  Variable x = dvector("x"), w = dvector("w");
  Variable output = build(x, w, nodes);
  done("build");
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create({x, w}, {output});
  if (!graph.ok())
    return graph.status();
  done("own");
  absl::StatusOr<RewriteReport> report = rewrite(*graph);
  if (!report.ok())
    return report.status();
  done("rewrite");
  if (!report->stopped.empty())
    return makeError(ErrorKind::ValueError, "stopped: " + report->stopped[0]);
  return phases;
}

} // namespace

void addRewriting(std::vector<Case> &cases) {
  const std::pair<const char *, Builder> shapes[] = {{"softplus", softplusLayers},
                                                     {"merge", equalSums},
                                                     {"users", manyUsers},
                                                     {"nested", nestedLevels}};
  for (const auto &[name, build] : shapes)
    for (int64_t nodes : build == nestedLevels ? std::vector<int64_t>{12500, 25000, 50000, 100000}
                                               : std::vector<int64_t>{1200, 4800, 100000, 1000000})
      cases.push_back({absl::StrFormat("rewrite_%s_%d", name, nodes),
                       absl::StrFormat("rewrite a graph of %d nodes", nodes),
                       {},
                       [nodes, build](const Settings &) -> absl::StatusOr<Subject> {
                         Subject subject;
                         subject.nodes = nodes;
                         subject.phases = [=] { return rewritePhases(build, nodes); };
                         return subject;
                       }});
}

} // namespace graphc::bench
