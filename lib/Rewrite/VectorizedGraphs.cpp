//===- Rewrite/VectorizedGraphs.cpp ---------------------------------------===//
#include "Rewrite/VectorizedGraphs.h"

#include "Graph/InnerGraph.h"
#include "Graph/TypesOf.h"
#include "Ops/CallOp.h"
#include "Rewrite/RewriteRun.h"

namespace graphc {

using detail::InnerGraph;

namespace {

using Record = std::shared_ptr<const InnerGraph>;
using Made = absl::flat_hash_map<Record, Op>;

absl::StatusOr<std::vector<Apply>> vectorizedNodes(const FunctionGraph &graph) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (order.ok())
    std::erase_if(*order, [](const Apply &node) { return !node.op().def().vectorized; });
  return order;
}

absl::Status replaceOps(FunctionGraph &graph, const Made &made, const RewriteOptions &options,
                        RewriteReport &report) {
  absl::StatusOr<std::vector<Apply>> nodes = vectorizedNodes(graph);
  if (!nodes.ok())
    return nodes.status();
  RewriteRun run(graph, options, report);
  for (const Apply &node : *nodes) {
    const Op &op = made.at(node.op().def().vectorized);
    if (op == node.op() || run.ended())
      continue;
    Variables inputs = node.inputs();
    Variables results =
        op.callAll(std::vector<Operand>(inputs.begin(), inputs.end()), node.place());
    Replacements fresh;
    for (size_t o = 0; o < results.size(); ++o)
      fresh.emplace_back(node.output(int(o)), results[o]);
    if (absl::Status s = run.expand({"vectorized_graphs"}, fresh).status(); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<FunctionGraph> graphOfSlice(const InnerGraph &record) {
  absl::StatusOr<std::shared_ptr<const FrozenGraph>> flat =
      record.flat(typesOf(record.graph().inputs()));
  if (!flat.ok())
    return flat.status();
  return FunctionGraph::create((*flat)->inputs(), (*flat)->outputs());
}

absl::Status rewriteVectorized(FunctionGraph &graph, const GraphRewriter &rules,
                               const RewriteOptions &options, RewriteReport &report) {
  RewriteOptions within = options;
  within.check = {}; // values of a slice alone are at hand nowhere
  struct Open {
    Record record;
    FunctionGraph graph;
  };
  std::vector<Open> open;
  Made made;
  /// Opens a graph that `in` needs first; false where it needs none.
  auto openOne = [&](const FunctionGraph &in) -> absl::StatusOr<bool> {
    absl::StatusOr<std::vector<Apply>> nodes = vectorizedNodes(in);
    if (!nodes.ok())
      return nodes.status();
    for (const Apply &node : *nodes) {
      const Record &record = node.op().def().vectorized;
      if (made.contains(record))
        continue;
      absl::StatusOr<FunctionGraph> inner = graphOfSlice(*record);
      if (!inner.ok())
        return inner.status();
      if (absl::Status s = rules.rewrite(*inner, within, report); !s.ok())
        return s;
      open.push_back({record, *std::move(inner)});
      return true;
    }
    return false;
  };
  while (true) {
    absl::StatusOr<bool> opened = openOne(open.empty() ? graph : open.back().graph);
    if (!opened.ok())
      return opened.status();
    if (*opened)
      continue;
    FunctionGraph &whole = open.empty() ? graph : open.back().graph;
    if (absl::Status s = replaceOps(whole, made, open.empty() ? options : within, report); !s.ok())
      return s;
    if (open.empty())
      return absl::OkStatus();
    absl::StatusOr<FrozenGraph> frozen = whole.freeze();
    if (!frozen.ok())
      return frozen.status();
    absl::StatusOr<Op> op = detail::vectorizedOp(
        InnerGraph::intern(*std::move(frozen), {}, open.back().record->traits()));
    if (!op.ok())
      return op.status();
    made.emplace(open.back().record, *std::move(op));
    open.pop_back();
  }
}

} // namespace graphc
