//===- StaticShapes.cpp ----------------------------------------------------===//
#include "StaticShapes.h"

#include "Emit/EmitNode.h"
#include "Graph/SmallIntegers.h"

namespace graphc {
namespace {

/// Nodes that may be emitted to learn the elements of shape vectors.
constexpr int kMaxNodes = 64;

} // namespace

Array OperandEmitter::leaf(const Variable &v) {
  if (std::optional<Constant> constant = Constant::from(v))
    return e_.constant(constant->data());
  return e_.operand(v.type());
}

bool OperandEmitter::isFollowed(const Variable &v) const {
  if (!v.hasOwner() || !v.owner().op().def().emit)
    return false;
  return follow_ == Follow::Everything ||
         (isSmallIntegers(v.type()) && v.owner().op().def().foldable && numNodes_ < kMaxNodes);
}

Array OperandEmitter::get(const Variable &wanted) {
  std::vector<Variable> stack = {wanted};
  while (!stack.empty()) {
    Variable v = stack.back();
    if (arrays_.contains(v.node())) {
      stack.pop_back();
      continue;
    }
    if (!isFollowed(v)) {
      arrays_[v.node()] = leaf(v);
      stack.pop_back();
      continue;
    }
    Apply owner = v.owner();
    Arrays in;
    for (const Variable &input : owner.inputs()) {
      auto known = arrays_.find(input.node());
      if (known == arrays_.end())
        stack.push_back(input);
      else
        in.push_back(known->second);
    }
    if (int(in.size()) < owner.numInputs()) {
      ++numNodes_;
      continue; // the inputs come first
    }
    Arrays out = emitNode(e_, owner, -1, in);
    for (size_t i = 0; i < out.size(); ++i)
      arrays_[owner.output(int(i)).node()] = out[i];
    stack.pop_back();
  }
  return arrays_[wanted.node()];
}

namespace {

/// What sizes made of constants alone are.
std::vector<std::optional<SizeValue>> exactConstants(absl::Span<const SizeNode> sizes) {
  std::vector<std::optional<SizeValue>> values;
  values.reserve(sizes.size());
  for (const SizeNode &n : sizes)
    values.push_back(sizeValue(n, [&](int32_t id) { return values[size_t(id)]; }));
  return values;
}

} // namespace

TypesOr inferShapes(const TypeRequest &request, absl::Span<const DType> results) {
  Emitter e;
  OperandEmitter operands(e, OperandEmitter::Follow::SmallIntegers);
  Variables parts(request.inputs.begin(), request.inputs.end());
  Arrays in;
  for (Variable &v : parts) {
    if (isComplex(v.dtype())) // whose parts have the shape
      v = Variable(v.type().withDType(realDType(v.dtype())));
    in.push_back(operands.get(v));
  }
  std::vector<Type> provisional;
  for (DType dtype : results)
    provisional.push_back(Type(realDType(dtype), {}));
  e.beginNode(0, provisional);
  Arrays out = request.op.def().emit(e, in, request.attributes());

  // Constants may make a size that is none: one that does not fit into 64 bits.
  std::vector<std::optional<SizeValue>> exact = exactConstants(e.sizes());
  bool isOpen = false; // whether a call may fail before
  for (const SizeCheck &check : e.emission().sizeChecks) {
    if (check.predicate == Predicate::Fits) {
      std::vector<int64_t> known;
      for (int32_t extent : check.shape)
        if (std::optional<int64_t> value = e.constantValue(Extent(&e, extent)))
          known.push_back(*value);
      if (check.node != 0 || isOpen || known.size() != check.shape.size())
        continue;
      if (absl::Status s = shapeBytes(check.a, known).status(); !s.ok())
        return s;
      continue;
    }
    auto known = [&](int32_t id) -> std::optional<SizeValue> {
      if (exact[size_t(id)])
        return exact[size_t(id)];
      return e.constantValue(Extent(&e, id));
    };
    std::optional<SizeValue> a = known(check.a), b = known(check.b);
    // By their own nodes: what is required to be equal to a constant has its value already.
    isOpen |=
        e.sizes()[check.a].op != SizeOp::Constant || e.sizes()[check.b].op != SizeOp::Constant;
    if (check.node == 0 && a && b && !holds(check.predicate, *a, *b))
      return makeError(check.kind, failureText(check.message, *a, *b));
  }
  std::vector<Type> types;
  for (size_t i = 0; i < out.size(); ++i) {
    std::vector<int64_t> shape;
    for (Extent extent : e.shape(out[i]))
      shape.push_back(e.constantValue(extent).value_or(kDynamic));
    types.push_back(Type(results[i], shape));
  }
  if (auto emission = e.finish(); !emission.ok())
    return emission.status();
  return types;
}

} // namespace graphc
