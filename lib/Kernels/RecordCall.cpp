//===- RecordCall.cpp - an application in an emission ---------------------===//
#include "Emit/EmitterState.h"
#include "Kernels/Callee.h"

namespace graphc {

Arrays recordCall(Emitter &e, const std::shared_ptr<const Callee> &callee, const Arrays &in,
                  int32_t firstNode) {
  const Program &program = callee->graph.program;
  Emitter::State &s = e.state();
  Numbers sizes;
  sizes.reserve(program.sizes.size());
  for (const SizeNode &n : program.sizes) {
    switch (n.op) {
    case SizeOp::Constant:
      sizes.push_back(s.sizes.constant(n.value));
      break;
    case SizeOp::Dim:
      sizes.push_back(e.dim(in[size_t(n.a)], n.b).id());
      break;
    case SizeOp::Element: {
      int32_t input = program.arrays[size_t(rootOf(program, n.a))].number;
      sizes.push_back(e.element(in[size_t(input)], Extent(&e, sizes[size_t(n.b)])).id());
      break;
    }
    case SizeOp::Select:
      sizes.push_back(s.sizes.select(sizes[size_t(n.a)], sizes[size_t(n.b)], sizes[size_t(n.c)]));
      break;
    default:
      sizes.push_back(s.sizes.binary(n.op, sizes[size_t(n.a)], sizes[size_t(n.b)]));
    }
  }
  auto mapped = [&](const Numbers &numbers) {
    Numbers own;
    own.reserve(numbers.size());
    for (int32_t number : numbers)
      own.push_back(s.sizes.canonical(sizes[size_t(number)]));
    return own;
  };
  // The callee's kernels count on what is required.
  int32_t node = s.node;
  for (const Program::SizeCheck &check : program.checks) {
    s.node = check.node < 0 ? node : firstNode + check.node;
    if (check.predicate == Predicate::Fits)
      s.requireFits(check.a, mapped(check.shape));
    else
      e.require(Extent(&e, sizes[size_t(check.a)]), check.predicate,
                Extent(&e, sizes[size_t(check.b)]), check.kind, check.message);
  }
  s.node = node;
  Arrays results;
  Step step{Step::Kind::Call, {}, {}, {}, {}, node};
  auto number = int32_t(s.record.steps.size());
  for (int32_t input : callee->reads)
    step.inputs.push_back(in[size_t(input)].id);
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const Program::Array &array = program.arrays[size_t(program.outputs[i].array)];
    Array result{s.newArray(array.dtype, mapped(array.shape), number)};
    s.record.arrays[size_t(result.id)].elements = mapped(callee->elements[i]);
    step.outputs.push_back(result.id);
    results.push_back(result);
  }
  step.callee = callee;
  step.sizes = std::move(sizes);
  s.record.steps.push_back(std::move(step));
  return results;
}

Program::Node nodeOfCall(const Callee &callee, int32_t node, absl::Span<const int32_t> sizes) {
  Program::Node made = callee.graph.program.nodes[size_t(node)];
  for (Program::Node::Operand &operand : made.operands)
    for (int32_t &size : operand.shape)
      size = sizes[size_t(size)];
  return made;
}

} // namespace graphc
