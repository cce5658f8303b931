//===- Vectorize.cpp - a graph for each slice of its operands --------------===//
//
// The op's emission records the inner graph's with one more loop around all that depends on the
// slices (Emitter::mapped), so that no op needs a rule of its own for it. Its derivatives are the
// inner graph's, vectorized.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Backward.h"
#include "Graph/InnerGraph.h"
#include "Graph/PlaceScope.h"
#include "Ops/Derivatives.h"
#include "Results.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// What one op stands for: the first `numMapped` inputs are slices.
struct Inner {
  FrozenGraph graph;
  size_t numMapped;
};

Type withAxis(const Type &type, int64_t extent) {
  std::vector<int64_t> shape = {extent};
  shape.insert(shape.end(), type.shape().begin(), type.shape().end());
  return type.withShape(shape);
}

absl::StatusOr<std::vector<Type>> typesOf(const Inner &inner, const TypeRequest &request) {
  Variables formal = inner.graph.inputs();
  int64_t count = kDynamic;
  for (size_t i = 0; i < formal.size(); ++i) {
    bool isMapped = i < inner.numMapped;
    Type wanted = isMapped ? withAxis(formal[i].type(), kDynamic) : formal[i].type();
    if (!wanted.isSuperOf(request.type(i)))
      return makeError(ErrorKind::TypeError, "operand " + std::to_string(i) + " is " +
                                                 request.type(i).brief() + ", expected " +
                                                 wanted.brief());
    int64_t extent = isMapped ? request.type(i).extent(0) : kDynamic;
    if (extent == kDynamic)
      continue;
    if (count != kDynamic && count != extent)
      return makeError(ErrorKind::ShapeError,
                       "the first axes, along which a graph is vectorized, have " +
                           std::to_string(count) + " and " + std::to_string(extent) + " elements");
    count = extent;
  }
  std::vector<Type> types;
  for (const Variable &output : inner.graph.outputs())
    types.push_back(withAxis(output.type(), count));
  return types;
}

Arrays emitMapped(const Inner &inner, Emitter &e, const Arrays &in) {
  Arrays along(in.begin(), in.begin() + ptrdiff_t(inner.numMapped));
  Extent count = e.dim(along[0], 0);
  for (Array a : along)
    e.requireEqual(e.dim(a, 0), count,
                   "the first axes, along which a graph is vectorized, have {a} and {b} elements");
  Emitter::Mapped mapped = e.mapped(count, along, [&](const Arrays &slices) {
    Arrays operands = slices;
    operands.insert(operands.end(), in.begin() + ptrdiff_t(inner.numMapped), in.end());
    return detail::emitGraph(e, inner.graph, operands);
  });
  for (size_t i = 0; i < mapped.results.size(); ++i) {
    if (mapped.isMapped[i])
      continue;
    Array once = mapped.results[i]; // nothing in it depends on the slice
    Extents shape = e.shape(once);
    shape.insert(shape.begin(), count);
    mapped.results[i] = e.define(shape, [&](Indices at) { return e.load(once, at.subspan(1)); });
  }
  return mapped.results;
}

//===--- derivatives ------------------------------------------------------------===//

/// The inner graph as one of its own, over fresh Variables for slices and the operands themselves.
struct Opened {
  Variables inputs, outputs;
  Replacements batched;
};

absl::StatusOr<Opened> open(const Inner &inner, Inputs in) {
  InputsOutputs copy = clone(inner.graph.inputs(), inner.graph.outputs());
  Opened opened;
  Replacements shared;
  for (size_t i = 0; i < in.size(); ++i) {
    opened.inputs.push_back(copy.inputs[i]);
    if (i < inner.numMapped) {
      opened.batched.emplace_back(copy.inputs[i], in[i]);
    } else {
      // An operand may be several inputs: each is differentiated on its own.
      opened.inputs.back() = identity(in[i]);
      shared.emplace_back(copy.inputs[i], opened.inputs.back());
    }
  }
  absl::StatusOr<Variables> outputs = cloneReplace(copy.outputs, shared);
  if (!outputs.ok())
    return outputs.status();
  opened.outputs = *std::move(outputs);
  return opened;
}

Variables pullMapped(const Inner &inner, Inputs in, Outputs out, Gradients g) {
  absl::StatusOr<Opened> opened = open(inner, in);
  if (!opened.ok())
    return failed(in.size(), opened.status());
  std::vector<Backward::Start> starts;
  Replacements batched = opened->batched;
  for (size_t o = 0; o < out.size(); ++o) {
    if (!g[o].type().isTensor())
      continue;
    Variable cotangent(gradientType(opened->outputs[o]));
    starts.push_back({opened->outputs[o], cotangent, /*isFinal=*/false});
    batched.emplace_back(cotangent, g[o]);
  }
  Variables ends(in.begin(), in.end());
  absl::StatusOr<Backward> walk = Backward::run(std::move(starts), opened->inputs, ends);
  if (!walk.ok())
    return failed(in.size(), walk.status());
  Variables results, present;
  for (size_t i = 0; i < in.size(); ++i) {
    results.push_back(walk->arrivedAt(opened->inputs[i]));
    if (isPresent(results.back()))
      present.push_back(results.back());
  }
  Variables whole = vectorize(present, batched);
  auto next = whole.begin();
  for (size_t i = 0; i < in.size(); ++i)
    if (isPresent(results[i])) {
      Variable gradient = *next++;
      results[i] = i < inner.numMapped ? gradient : sum(gradient, Axis(0));
    }
  return results;
}

Variables pushMapped(const Inner &inner, Inputs in, Outputs out, Tangents t) {
  absl::StatusOr<Opened> opened = open(inner, in);
  if (!opened.ok())
    return failed(out.size(), opened.status());
  Variables wrt, tangents;
  Replacements batched = opened->batched;
  for (size_t i = 0; i < in.size(); ++i) {
    if (t[i].type().kind() == Type::Kind::Null)
      return Variables(out.size(), t[i]);
    if (!isPresent(t[i]))
      continue;
    wrt.push_back(opened->inputs[i]);
    tangents.push_back(t[i]);
    if (i < inner.numMapped) {
      tangents.back() = Variable(gradientType(opened->inputs[i]));
      batched.emplace_back(tangents.back(), t[i]);
    }
  }
  if (wrt.empty())
    return Variables(out.size(), zeroDerivative());
  return vectorize(pushforward(opened->outputs, wrt, tangents,
                               {.disconnectedInputs = DisconnectedInputs::Ignore}),
                   batched);
}

absl::StatusOr<Op> mappedOp(Inner given) {
  auto inner = std::make_shared<const Inner>(std::move(given));
  OpDef def;
  def.name = "vectorized";
  Variables inputs = inner->graph.inputs(), outputs = inner->graph.outputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    def.operands.push_back({"x" + std::to_string(i)});
    Connection flows(inner->graph.order(), {inputs[i]});
    def.connection.emplace_back();
    for (const Variable &output : outputs)
      def.connection.back().push_back(flows.depends(output));
  }
  def.numResults = int(outputs.size());
  def.type = [inner](const TypeRequest &request) { return typesOf(*inner, request); };
  def.emit = [inner](Emitter &e, const Arrays &in, const Attributes &) {
    return emitMapped(*inner, e, in);
  };
  def.pullback = [inner](const Op &, Inputs in, Outputs out, Gradients g) {
    return pullMapped(*inner, in, out, g);
  };
  def.pushforward = [inner](const Op &, Inputs in, Outputs out, Tangents t) {
    return pushMapped(*inner, in, out, t);
  };
  return defineOp(std::move(def));
}

/// The nodes that depend on `slices`, as a graph of its own, and what else it reads.
absl::StatusOr<std::pair<Inner, Variables>> cutOut(const Variables &slices,
                                                   const Variables &outputs) {
  absl::flat_hash_set<const detail::VariableNode *> inside, known;
  for (const Variable &slice : slices) {
    inside.insert(slice.node());
    known.insert(slice.node());
  }
  Variables others;
  auto read = [&](const Variable &v) {
    if (!inside.contains(v.node()) && !v.isConstant() && known.insert(v.node()).second)
      others.push_back(v);
  };
  for (const Apply &node : ioToposort(slices, outputs)) {
    Variables in = node.inputs();
    if (!std::ranges::any_of(in, [&](const Variable &v) { return inside.contains(v.node()); }))
      continue;
    for (const Variable &v : node.outputs())
      inside.insert(v.node());
    for (const Variable &v : in)
      read(v);
  }
  for (const Variable &output : outputs)
    read(output);
  Variables inputs = slices;
  inputs.insert(inputs.end(), others.begin(), others.end());
  InputsOutputs copy = clone(inputs, outputs);
  absl::StatusOr<FunctionGraph> graph =
      FunctionGraph::create(copy.inputs, copy.outputs, {.clone = false});
  if (!graph.ok())
    return graph.status();
  absl::StatusOr<FrozenGraph> frozen = graph->freeze();
  if (!frozen.ok())
    return frozen.status();
  return std::pair(Inner{*std::move(frozen), slices.size()}, std::move(others));
}

} // namespace

Variables vectorize(const Variables &outputs, const Replacements &batched,
                    std::source_location loc) {
  if (outputs.empty())
    return {};
  PlaceScope scope(loc);
  auto fail = [&](ErrorKind kind, const std::string &what) {
    return failed(outputs.size(), makeError(kind, "vectorize: " + what, loc));
  };
  if (batched.empty())
    return fail(ErrorKind::ValueError, "there is nothing to vectorize over");
  for (const Variable &v : outputs)
    if (!v.ok())
      return failed(outputs.size(), v.status());
  Variables slices, operands;
  for (const auto &[slice, whole] : batched) {
    if (!slice.ok() || !whole.ok())
      return failed(outputs.size(), slice.ok() ? whole.status() : slice.status());
    Type wanted = withAxis(slice.type(), whole.type().extent(0));
    if (whole.rank() != wanted.rank() || whole.dtype() != wanted.dtype())
      return fail(ErrorKind::TypeError, "what stands for " + called(slice) + ", " +
                                            slice.type().brief() + ", is " + whole.type().brief() +
                                            ": it has the same dtype and one axis more in front");
    slices.push_back(slice);
    operands.push_back(filterVariable(wanted, whole));
  }
  absl::StatusOr<std::pair<Inner, Variables>> cut = cutOut(slices, outputs);
  if (!cut.ok())
    return failed(outputs.size(), cut.status());
  auto &[inner, others] = *cut;
  operands.insert(operands.end(), others.begin(), others.end());
  absl::StatusOr<Op> op = mappedOp(std::move(inner));
  if (!op.ok())
    return failed(outputs.size(), op.status());
  return op->callAll(std::vector<Operand>(operands.begin(), operands.end()), loc);
}

} // namespace graphc
