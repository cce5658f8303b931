//===- EmitNode.cpp -------------------------------------------------------===//
#include "EmitNode.h"

#include <algorithm>

#include "Emit/EmitterState.h"
#include "Graph/AttributeReads.h"
#include "Graph/Nodes.h"
#include "Graph/PartsOf.h"
#include "Graph/TypesOf.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

/// The nodes of a parts rule, recorded within the node that they stand for.
class PartsEmission {
public:
  explicit PartsEmission(Emitter &e) : e_(e) {}
  Arrays run(const Apply &node, const Arrays &operands);

private:
  void give(const Parts &operand, Array array);
  Array arrayOf(const Variable &v);
  Array resultOf(const Parts &parts, const Type &type);

  Emitter &e_;
  Variables leaves_;
  absl::flat_hash_map<const detail::VariableNode *, Array> arrays_;
};

void PartsEmission::give(const Parts &operand, Array array) {
  auto [re, im] = e_.parts(array);
  leaves_.push_back(operand.re);
  arrays_.insert_or_assign(operand.re.node(), re);
  if (!operand.im)
    return;
  leaves_.push_back(*operand.im);
  arrays_.insert_or_assign(operand.im->node(), im);
}

Array PartsEmission::arrayOf(const Variable &v) {
  auto [at, isNew] = arrays_.try_emplace(v.node(), Array());
  if (isNew)
    if (std::optional<Constant> constant = Constant::from(v))
      at->second = e_.constant(constant->data());
  return at->second;
}

Array PartsEmission::resultOf(const Parts &parts, const Type &type) {
  Array re = arrayOf(parts.re);
  if (!isComplex(type.dtype()))
    return re;
  if (parts.im)
    return e_.complex(re, arrayOf(*parts.im));
  DType dtype = e_.dtype(re);
  return e_.complex(re, e_.define(e_.shape(re), [&](Indices) { return e_.literal(dtype, 0); }));
}

Arrays PartsEmission::run(const Apply &node, const Arrays &operands) {
  std::vector<Parts> in;
  for (int i = 0; i < node.numInputs(); ++i) {
    in.push_back(partsOfOperand(node.input(i)));
    give(in.back(), operands[size_t(i)]);
  }
  std::vector<Parts> out = partsOf(node, in);
  Variables ends;
  for (const Parts &parts : out) {
    ends.push_back(parts.re);
    if (parts.im)
      ends.push_back(*parts.im);
  }
  for (const Variable &end : ends)
    if (!end.ok()) {
      e_.state().mistake = end.status();
      return {};
    }
  for (const Apply &part : ioToposort(leaves_, ends)) {
    Arrays in;
    for (const Variable &input : part.inputs())
      in.push_back(arrayOf(input));
    Arrays results = e_.within(typesOf(part.outputs()), [&] { return emitOp(e_, part, in); });
    for (int i = 0; i < part.numOutputs() && size_t(i) < results.size(); ++i)
      arrays_.insert_or_assign(part.output(i).node(), results[size_t(i)]);
  }
  Arrays results;
  for (size_t i = 0; i < out.size(); ++i)
    results.push_back(resultOf(out[i], node.output(int(i)).type()));
  return results;
}

} // namespace

/// Whether a program defined it: built-in ops stand in a section of the documentation, and what
/// stands for graphs (calls, slices, loops) has the types of these.
static bool isUsers(const OpDef &def) {
  return def.section.empty() && !def.inner && !def.vectorized && !def.complex.isNative;
}

/// Extents that a type rule states are a promise on which others rely. Of what endNode accepts.
static void requireExtents(Emitter &e, const Apply &node, const Arrays &results) {
  for (size_t i = 0; i < results.size() && int(i) < node.numOutputs(); ++i) {
    const Type &type = node.output(int(i)).type();
    int32_t id = results[i].id;
    if (id < 0 || size_t(id) >= e.emission().arrays.size() || e.rank(results[i]) != type.rank())
      return;
    for (int axis = 0; axis < type.rank(); ++axis)
      if (type.extent(axis) != kDynamic)
        e.requireEqual(e.dim(results[i], axis), e.size(type.extent(axis)),
                       "result " + std::to_string(i) + " has {a} elements along axis " +
                           std::to_string(axis) + " where the type rule says {b}");
  }
}

Arrays emitOp(Emitter &e, const Apply &node, const Arrays &operands) {
  if (worksByParts(node))
    return PartsEmission(e).run(node, operands);
  const OpDef &def = node.op().def();
  const bool wasOk = e.status().ok();
  AttributeReads reads;
  Arrays results = def.emit(e, operands, node.op().attributes());
  // What the rule made of an empty value may have failed, too: that is not the reason.
  if (wasOk && reads.failed())
    e.state().mistake = makeError(ErrorKind::Internal, "emission: the rule " + reads.mistake());
  if (e.status().ok() && isUsers(def))
    requireExtents(e, node, results);
  return results;
}

Arrays emitNode(Emitter &e, const Apply &node, int32_t number, const Arrays &operands) {
  e.beginNode(number, typesOf(node.outputs()));
  Arrays results = emitOp(e, node, operands);
  e.endNode(results);
  return results;
}

} // namespace graphc
