//===- CallOp.cpp ---------------------------------------------------------===//
#include "CallOp.h"

#include <algorithm>

#include "Emit/EmitNode.h"
#include "Graph/CalledAs.h"
#include "Graph/TypesOf.h"
#include "Support/Text.h"

namespace graphc {

using detail::InnerGraph;

//===--- types and emission -----------------------------------------------===//

namespace {

/// The type rule of an OpFromGraph. Sites are many, and their types most often the last one's.
class CallTypes {
public:
  explicit CallTypes(const InnerGraph &inner)
      : inner_(inner), formal_(typesOf(inner.graph().inputs())), given_(formal_),
        results_(typesOf(inner.graph().outputs())) {}

  absl::StatusOr<std::vector<Type>> of(const TypeRequest &request) {
    {
      std::lock_guard lock(mutex_);
      bool isKnown = true;
      for (size_t i = 0; i < given_.size() && isKnown; ++i)
        isKnown = request.type(i) == given_[i];
      if (isKnown)
        return results_;
    }
    std::vector<Type> given;
    for (size_t i = 0; i < formal_.size(); ++i) {
      if (!formal_[i].isSuperOf(request.type(i)))
        return makeError(ErrorKind::TypeError, "operand " + std::to_string(i) + " is " +
                                                   request.type(i).text() + ", expected " +
                                                   formal_[i].text());
      given.push_back(request.type(i));
    }
    std::vector<Type> results;
    if (given == formal_) {
      results = typesOf(inner_.graph().outputs());
    } else {
      absl::StatusOr<std::shared_ptr<const FrozenGraph>> flat = inner_.flat(given);
      if (!flat.ok())
        return flat.status();
      results = typesOf((*flat)->outputs());
    }
    std::lock_guard lock(mutex_);
    given_ = std::move(given);
    results_ = results;
    return results;
  }

private:
  const InnerGraph &inner_; // the op holds it
  const std::vector<Type> formal_;
  ShortMutex mutex_; // guards what follows
  std::vector<Type> given_, results_;
};

} // namespace

/// What the nodes of a graph compute, recorded within the node that stands for it.
static Arrays emitNodes(Emitter &e, const FrozenGraph &graph, const Arrays &in) {
  absl::flat_hash_map<const detail::VariableNode *, Array> arrays;
  Variables inputs = graph.inputs();
  for (size_t i = 0; i < inputs.size(); ++i)
    arrays.emplace(inputs[i].node(), in[i]);
  auto arrayOf = [&](const Variable &v) {
    auto [at, isNew] = arrays.try_emplace(v.node(), Array());
    if (isNew)
      at->second = e.constant(Constant::from(v)->data());
    return at->second;
  };
  for (const Apply &node : graph.order()) {
    Arrays operands;
    for (const Variable &input : node.inputs())
      operands.push_back(arrayOf(input));
    Arrays results = e.within(typesOf(node.outputs()), [&] { return emitOp(e, node, operands); });
    for (int i = 0; i < node.numOutputs() && size_t(i) < results.size(); ++i)
      arrays.insert_or_assign(node.output(i).node(), results[size_t(i)]);
  }
  Arrays results;
  for (const Variable &output : graph.outputs())
    results.push_back(arrayOf(output));
  return results;
}

static Arrays callEmission(const InnerGraph &inner, Emitter &e, const Arrays &in) {
  auto flat = inner.flat(typesOf(inner.graph().inputs()));
  if (!flat.ok()) // its own types: the user's graph has them
    return {};
  return emitNodes(e, **flat, in);
}

/// Whether an op within may overwrite `v`: what is computed there, and inputs that are declared to
/// be.
static bool mayDestroy(const InnerGraph &inner, const Variable &v) {
  Variables inputs = inner.graph().inputs();
  auto at = std::ranges::find(inputs, v) - inputs.begin();
  return at == ptrdiff_t(inputs.size()) ||
         std::ranges::count(inner.traits().destroyMap, int(at)) > 0;
}

/// Whether all nodes of an op's graph say what they compute, and overwrite nothing of their
/// caller's.
static absl::Status checkNodes(const InnerGraph &inner) {
  for (const Apply &node : inner.graph().order()) {
    const OpDef &used = node.op().def();
    if (!used.emit)
      return makeError(ErrorKind::MethodNotDefined,
                       std::string(calledName(node.op())) +
                           ": the op does not say what it computes",
                       node.place());
    for (int destroyed : used.destroyMap)
      if (destroyed >= 0 && !mayDestroy(inner, node.input(destroyed)))
        return makeError(ErrorKind::NotSupported,
                         std::string(calledName(node.op())) + ": the op overwrites operand " +
                             std::to_string(destroyed) +
                             ", an input of the graph; declare it in destroyMap",
                         node.place());
  }
  return absl::OkStatus();
}

//===--- the ops ----------------------------------------------------------===//

absl::StatusOr<Op> detail::callOp(std::shared_ptr<const InnerGraph> inner, std::string name) {
  if (inner->graph().numOutputs() == 0)
    return makeError(ErrorKind::ValueError, "there are no outputs");
  if (inner->numNodes() > InnerGraph::kMostNodes)
    return tooLarge();
  struct Definition {
    OpDef def;
    std::string name;
  };
  auto made = std::make_shared<Definition>();
  made->name = std::move(name);
  OpDef &def = made->def;
  def.name = "opFromGraph";
  for (int i = 0; i < inner->graph().numInputs(); ++i)
    def.operands.push_back({"x" + std::to_string(i)});
  def.numResults = inner->graph().numOutputs();
  def.defaultResult = def.numResults == 1 ? 0 : -1;
  const InnerGraph *record = inner.get(); // def.inner holds it
  def.type = [types = std::make_shared<CallTypes>(*record)](const TypeRequest &request) {
    return types->of(request);
  };
  def.emit = [record](Emitter &e, const Arrays &in, const Attributes &) {
    return callEmission(*record, e, in);
  };
  def.complex.isNative = true;
  def.destroyMap = inner->traits().destroyMap;
  def.inner = std::move(inner);
  if (absl::Status status = checkNodes(*def.inner); !status.ok())
    return status;
  absl::StatusOr<Op> op = Op::create(std::shared_ptr<const OpDef>(made, &made->def));
  return op.ok() ? calledAs(*op, made->name) : op;
}

//===--- of slices --------------------------------------------------------===//

Type detail::withAxis(const Type &type, int64_t extent) {
  std::vector<int64_t> shape = {extent};
  shape.insert(shape.end(), type.shape().begin(), type.shape().end());
  return type.withShape(shape);
}

static absl::StatusOr<std::vector<Type>> vectorizedTypes(const InnerGraph &inner,
                                                         const TypeRequest &request) {
  Variables formal = inner.graph().inputs();
  int64_t count = kDynamic;
  for (size_t i = 0; i < formal.size(); ++i) {
    bool isSlice = i < size_t(inner.traits().numSlices);
    Type wanted = isSlice ? detail::withAxis(formal[i].type(), kDynamic) : formal[i].type();
    if (!wanted.isSuperOf(request.type(i)))
      return makeError(ErrorKind::TypeError, "operand " + std::to_string(i) + " is " +
                                                 request.type(i).brief() + ", expected " +
                                                 wanted.brief());
    int64_t extent = isSlice ? request.type(i).extent(0) : kDynamic;
    if (extent == kDynamic)
      continue;
    if (count != kDynamic && count != extent)
      return makeError(ErrorKind::ShapeError,
                       "the first axes, along which a graph is vectorized, have " +
                           std::to_string(count) + " and " + std::to_string(extent) + " elements");
    count = extent;
  }
  std::vector<Type> types;
  for (const Variable &output : inner.graph().outputs())
    types.push_back(detail::withAxis(output.type(), count));
  return types;
}

static Arrays vectorizedEmission(const InnerGraph &inner, Emitter &e, const Arrays &in) {
  auto flat = inner.flat(typesOf(inner.graph().inputs()));
  if (!flat.ok()) // its own types: the user's graph has them
    return {};
  Arrays along(in.begin(), in.begin() + inner.traits().numSlices);
  Extent count = e.dim(along[0], 0);
  for (Array a : along)
    e.requireEqual(e.dim(a, 0), count,
                   "the first axes, along which a graph is vectorized, have {a} and {b} elements");
  Emitter::Mapped mapped = e.mapped(count, along, [&](const Arrays &slices) {
    Arrays operands = slices;
    operands.insert(operands.end(), in.begin() + inner.traits().numSlices, in.end());
    return emitNodes(e, **flat, operands);
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

absl::StatusOr<Op> detail::vectorizedOp(std::shared_ptr<const InnerGraph> inner) {
  if (absl::Status status = checkNodes(*inner); !status.ok())
    return status;
  if (inner->numLevels() > InnerGraph::kMostLevels)
    return makeError(ErrorKind::NotSupported,
                     "graphs are vectorized within each other at most " +
                         std::to_string(InnerGraph::kMostLevels) +
                         " levels deep: vectorize over several axes at once, or flatten them");
  OpDef def;
  def.name = "vectorized";
  for (int i = 0; i < inner->graph().numInputs(); ++i)
    def.operands.push_back({"x" + std::to_string(i)});
  def.numResults = inner->graph().numOutputs();
  def.defaultResult = def.numResults == 1 ? 0 : -1;
  def.maxUlp = {-1, -1};
  def.complex.isNative = true;
  const InnerGraph *record = inner.get(); // def.vectorized holds it
  def.type = [record](const TypeRequest &request) { return vectorizedTypes(*record, request); };
  def.emit = [record](Emitter &e, const Arrays &in, const Attributes &) {
    return vectorizedEmission(*record, e, in);
  };
  def.vectorized = std::move(inner);
  return defineOp(std::move(def));
}

} // namespace graphc
