//===- LargeGraphCases.cpp - time per node --------------------------------===//
#include "Case.h"
#include "Clock.h"
#include "Graphs.h"
#include "Kernels/EmitGraph.h"
#include "absl/strings/str_format.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"
#include "graphc/Traversal.h"

namespace graphc::bench {
namespace {

constexpr double kX = 0.5, kY = 0.25, kZ = 0.75;

/// Bit for bit what the compiled chain must give: no contraction, the same order.
double chainByHand(int64_t nodes) {
  volatile double v = kX; // each step is rounded
  for (int64_t i = 0; i < nodes; ++i)
    v = i % 2 ? v + kY : v * kZ;
  return v;
}

absl::StatusOr<Phases> chainPhases(int64_t nodes) {
  Phases phases;
  Clock clock;
  auto done = [&](const char *phase) { phases.emplace_back(phase, clock.lap()); };
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  Variables inputs = {x, y, z};
  Variable output = chain(x, y, z, nodes);
  done("build");
  {
    std::string text = debugPrint(output);
    done("print");
  }
  InputsOutputs copy = clone(inputs, {output});
  done("clone");
  {
    absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(copy.inputs, copy.outputs);
    if (!graph.ok())
      return graph.status();
    done("own");
    if (absl::Status s = rewrite(*graph).status(); !s.ok())
      return s;
    done("rewrite");
    absl::StatusOr<GraphRecord> record = emitGraph(*graph);
    if (!record.ok())
      return record.status();
    done("emit");
    absl::StatusOr<KernelGraph> kernels = fuse(*std::move(record));
    if (!kernels.ok())
      return kernels.status();
    done("fuse");
  }
  clock.lap();
  FunctionOptions options;
  options.cache = false;
  absl::StatusOr<Function> f = function(InputList(inputs), output, options);
  if (!f.ok())
    return f.status();
  done("function");
  absl::StatusOr<Results> first = (*f)(kX, kY, kZ);
  done("first run");
  absl::StatusOr<Results> second = (*f)(kX, kY, kZ);
  done("run");
  if (!first.ok() || !second.ok())
    return first.ok() ? second.status() : first.status();
  double expected = chainByHand(nodes);
  for (const absl::StatusOr<Results> *results : {&first, &second})
    if (double found = (*results)->item<double>(); found != expected)
      return makeError(ErrorKind::ValueError,
                       absl::StrFormat("the chain of %d nodes gives %.17g instead of %.17g", nodes,
                                       found, expected));
  clock.lap();
  f = absl::UnknownError("");
  copy = {};
  output = Variable();
  done("destroy");
  return phases;
}

} // namespace

void addLargeGraphs(std::vector<Case> &cases) {
  for (int64_t nodes : {1000, 10000, 100000, 1000000})
    cases.push_back({absl::StrFormat("nodes_%d", nodes),
                     absl::StrFormat("chain of %d additions and multiplications", nodes),
                     {},
                     [nodes](const Settings &) -> absl::StatusOr<Subject> {
                       Subject subject;
                       subject.nodes = nodes;
                       subject.phases = [nodes] { return chainPhases(nodes); };
                       return subject;
                     }});
}

} // namespace graphc::bench
