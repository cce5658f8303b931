//===- Shapes.cpp - extents of what a body gives ---------------------------===//
#include <optional>

#include "Control/Control.h"
#include "Emit/EmitNode.h"
#include "Emit/EmitterState.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {

namespace {

/// Sizes of one emission in terms of another's.
class Translation {
public:
  Translation(Emitter &to, const Emitter &from, const Arrays &inputs, const DimOf &dimOf)
      : to_(to), sizes_(from.sizes().size()) {
    absl::flat_hash_map<int32_t, size_t> inputOf;
    for (size_t i = 0; i < inputs.size(); ++i)
      inputOf.emplace(inputs[i].id, i);             // of complex ones, the arrays of pairs
    for (size_t id = 0; id < sizes_.size(); ++id) { // operands stand before what is made of them
      const SizeNode &n = from.sizes()[id];
      switch (n.op) {
      case SizeOp::Constant:
        sizes_[id] = to.size(n.value);
        break;
      case SizeOp::Dim:
        if (auto at = inputOf.find(n.a); at != inputOf.end())
          sizes_[id] = dimOf(at->second, n.b);
        break;
      case SizeOp::Element:
        break;
      default:
        sizes_[id] = computed(n);
      }
    }
  }
  Extent operator[](int32_t size) const { return sizes_[size_t(size)]; }

private:
  bool isKnown(int32_t size) const { return size < 0 || sizes_[size_t(size)].emitter(); }
  Extent computed(const SizeNode &n) {
    if (!isKnown(n.a) || !isKnown(n.b) || !isKnown(n.c))
      return {};
    auto own = [&](int32_t size) { return sizes_[size_t(size)].id(); };
    SizeTable &table = to_.state().sizes;
    return Extent(&to_, n.op == SizeOp::Select ? table.select(own(n.a), own(n.b), own(n.c))
                                               : table.binary(n.op, own(n.a), own(n.b)));
  }

  Emitter &to_;
  Extents sizes_;
};

} // namespace

std::vector<Extents> shapesOfResults(Emitter &e, const FrozenGraph &graph, const DimOf &dimOf) {
  Emitter scratch;
  absl::flat_hash_map<const detail::VariableNode *, Array> arrays;
  Arrays inputs;
  for (const Variable &input : graph.inputs()) {
    inputs.push_back(scratch.operand(input.type()));
    arrays.emplace(input.node(), inputs.back());
  }
  auto arrayOf = [&](const Variable &v) {
    auto [at, isNew] = arrays.try_emplace(v.node(), Array());
    if (isNew)
      at->second = scratch.constant(Constant::from(v)->data());
    return at->second;
  };
  for (const Apply &node : graph.order()) {
    Arrays operands;
    for (const Variable &input : node.inputs())
      operands.push_back(arrayOf(input));
    Arrays results = emitNode(scratch, node, 0, operands);
    for (int i = 0; i < node.numOutputs() && size_t(i) < results.size(); ++i)
      arrays.insert_or_assign(node.output(i).node(), results[size_t(i)]);
  }
  Arrays results;
  for (const Variable &output : graph.outputs())
    results.push_back(arrayOf(output));
  for (Array &input : inputs)
    input = scratch.interleaved(input);
  Translation translated(e, scratch, inputs, dimOf);
  std::vector<Extents> shapes;
  for (size_t k = 0; k < results.size(); ++k) {
    Extents &shape = shapes.emplace_back();
    Type type = graph.outputs()[k].type();
    for (int axis = 0; axis < type.rank(); ++axis)
      shape.push_back(translated[scratch.dim(results[k], axis).id()]);
  }
  return shapes;
}

} // namespace graphc
