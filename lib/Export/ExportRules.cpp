//===- ExportRules.cpp -------------------------------------------------------===//
#include "Export/ExportRules.h"

#include "Ops/AxesLast.h"
#include "Ops/Build.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {

const ExportRule *findExport(std::string_view op) {
  static const auto &table = *[] {
    auto *made = new absl::flat_hash_map<std::string_view, const ExportRule *>;
    for (absl::Span<const ExportRule> family :
         {elementwiseExports(),     functionExports(), activationExports(), reductionExports(),
          productExports(),         windowExports(),   shapeExports(),      paddingExports(),
          indexExports(),           orderExports(),    recurrenceExports(), randomExports(),
          countExports(),           fourierExports(),  specialExports(),    incompleteExports(),
          incompleteSlopeExports(), besselExports(),   matrixExports(),     eigenvalueExports(),
          sequenceExports()})
      for (const ExportRule &rule : family)
        made->emplace(rule.op, &rule);
    return made;
  }();
  auto found = table.find(op);
  return found == table.end() ? nullptr : found->second;
}

int64_t axisOf(const Apply &node) {
  int64_t axis = node.op().attributes().integer("axis");
  return axis < 0 ? axis + node.input(0).rank() : axis;
}

Variable sliceAlong(const Variable &x, int axis, const Slice &slice) {
  std::vector<Index> index;
  index.resize(size_t(axis), Index(Slice{}));
  index.push_back(Index(slice));
  return subtensor(x, index);
}

Variable operand(const Apply &node, int i) {
  DType dtype = node.output(0).dtype();
  bool isHalf = isFloat(dtype) && bitWidth(dtype) == 16;
  return cast(node.input(i), isHalf ? DType::Float32 : dtype);
}

Variable likeNode(const Apply &node, std::string_view op, const Variables &operands,
                  const Attributes &changed) {
  Attributes all;
  for (const auto &[name, value] : node.op().attributes().entries())
    all.set(name, value);
  for (const auto &[name, value] : changed.entries())
    all.set(name, value);
  absl::StatusOr<Op> made = Op::create(*findOp(op), all);
  if (!made.ok())
    return Variable::invalid(made.status());
  return made->call(std::vector<Operand>(operands.begin(), operands.end()), node.place());
}

std::vector<int> axesOf(const Apply &node) {
  const Attributes &attributes = node.op().attributes();
  int rank = node.input(0).rank();
  std::vector<int> axes;
  if (attributes.isNone("axes")) {
    for (int axis = 0; axis < rank; ++axis)
      axes.push_back(axis);
    return axes;
  }
  for (int64_t axis : attributes.ints("axes"))
    axes.push_back(int(axis < 0 ? axis + rank : axis));
  return axes;
}

Variable withAxesSplit(const Variable &joined, const Variable &x, const std::vector<int> &axes) {
  std::vector<int> order = axesLast(axes, x.rank()), back(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    back[size_t(order[k])] = int(k);
  return dimshuffle(reshape(joined, ShapeList(shape(dimshuffle(x, order)))), back);
}

Variable withAxesJoined(const Variable &x, const std::vector<int> &axes) {
  Variable moved = dimshuffle(x, axesLast(axes, x.rank()));
  int kept = x.rank() - int(axes.size());
  std::vector<Operand> extents;
  for (int axis = 0; axis < kept; ++axis)
    extents.push_back(shape(moved, axis));
  extents.push_back(extentProduct(moved, kept, moved.rank()));
  return reshape(moved, ShapeList(stack(extents)));
}

Variable extentProduct(const Variable &x, int first, int last) {
  Variable product = constant(Tensor(1));
  for (int axis = first; axis < last; ++axis)
    product = axis == first ? shape(x, axis) : mul(product, shape(x, axis));
  return product;
}

Variable positionsAlong(const Variable &n, int axis, int rank) {
  std::vector<int> order(size_t(rank), -1);
  order[size_t(axis)] = 0;
  return dimshuffle(arange(n), order);
}

} // namespace graphc
