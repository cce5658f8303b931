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

/// Arrays of a graph's Variables in an emission.
class EmittedArrays {
public:
  explicit EmittedArrays(Emitter &e) : e_(e) {}

  /// An operand of what nothing has emitted.
  Array of(const Variable &v) {
    auto [at, isNew] = arrays_.try_emplace(v.node(), Array());
    if (isNew) {
      std::optional<Constant> constant = Constant::from(v);
      at->second = constant ? e_.constant(constant->data()) : e_.operand(v.type());
    }
    return at->second;
  }
  /// `order`: producers first.
  void emit(absl::Span<const Apply> order) {
    for (const Apply &node : order) {
      Arrays operands;
      for (const Variable &input : node.inputs())
        operands.push_back(of(input));
      Arrays results = emitNode(e_, node, 0, operands);
      for (int i = 0; i < node.numOutputs() && size_t(i) < results.size(); ++i)
        arrays_.insert_or_assign(node.output(i).node(), results[size_t(i)]);
    }
  }

private:
  Emitter &e_;
  absl::flat_hash_map<const detail::VariableNode *, Array> arrays_;
};

} // namespace

VariableSet extentsOfElements(absl::Span<const Apply> order) {
  Emitter scratch;
  EmittedArrays arrays(scratch);
  arrays.emit(order);
  std::vector<bool> isOfElement; // operands stand before what is made of them
  for (const SizeNode &n : scratch.sizes()) {
    auto has = [&](int32_t size) { return size >= 0 && isOfElement[size_t(size)]; };
    bool isLeaf = n.op == SizeOp::Constant || n.op == SizeOp::Dim || n.op == SizeOp::Element;
    isOfElement.push_back(isLeaf ? n.op == SizeOp::Element : has(n.a) || has(n.b) || has(n.c));
  }
  VariableSet result;
  for (const Apply &node : order)
    for (const Variable &v : node.outputs())
      for (int axis = 0; axis < v.rank(); ++axis)
        if (int32_t size = scratch.dim(arrays.of(v), axis).id();
            size_t(size) >= isOfElement.size() || isOfElement[size_t(size)])
          result.insert(v.node());
  return result;
}

std::vector<Extents> shapesOfResults(Emitter &e, const FrozenGraph &graph, const DimOf &dimOf) {
  Emitter scratch;
  EmittedArrays arrays(scratch);
  Arrays inputs, results;
  for (const Variable &input : graph.inputs())
    inputs.push_back(arrays.of(input));
  arrays.emit(graph.order());
  for (const Variable &output : graph.outputs())
    results.push_back(arrays.of(output));
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
