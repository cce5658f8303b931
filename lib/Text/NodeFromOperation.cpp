//===- NodeFromOperation.cpp ----------------------------------------------===//
#include "NodeFromOperation.h"

#include "Graph/CalledAs.h"
#include "Graph/Nodes.h"
#include "Graph/SmallIntegers.h"
#include "GraphDialect.h"
#include "Ops/Registry.h"
#include "Support/Text.h"
#include "graphc/OpDef.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace graphc {

static std::vector<Place> placesOf(mlir::Location location, size_t atMost) {
  std::vector<Place> places;
  location->walk([&](mlir::Location part) {
    if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(part))
      places.emplace_back(internFileName(file.getFilename().strref()), file.getLine(),
                          file.getColumn());
    return places.size() < atMost ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return places;
}

Place placeOf(mlir::Location location) {
  std::vector<Place> places = placesOf(location, 1);
  return places.empty() ? Place() : places[0];
}

static mlir::Location withoutName(mlir::Location location) {
  auto named = llvm::dyn_cast<mlir::NameLoc>(location);
  return named ? named.getChildLoc() : location;
}

static std::string text(mlir::Attribute attribute) {
  std::string s;
  llvm::raw_string_ostream(s) << attribute;
  return s;
}

static absl::StatusOr<Attributes> readAttributes(const OpDef &def, mlir::Operation *op) {
  Attributes attributes;
  for (mlir::NamedAttribute entry : op->getAttrs()) {
    std::string_view name(entry.getName().strref());
    const AttributeSpec *spec = nullptr;
    for (const AttributeSpec &candidate : def.attributes)
      if (candidate.name == name)
        spec = &candidate;
    // Op::create knows how to complain about unknown names; it only needs a value.
    AttributeKind kind = spec ? spec->kind : AttributeKind::Bool;
    std::optional<AttributeValue> value = attributeFromMlir(entry.getValue(), kind);
    if (!value && spec)
      return makeError(ErrorKind::TypeError, def.name + ": attribute '" + std::string(name) +
                                                 "' cannot be " + text(entry.getValue()));
    attributes.set(name, value ? *value : AttributeValue(true));
  }
  return attributes;
}

absl::StatusOr<Apply> nodeFromOperation(mlir::Operation *operation,
                                        absl::Span<const Variable> operands, bool isVerified) {
  Place place = placeOf(operation->getLoc());
  std::string_view name(operation->getName().stripDialect());
  const OpDef *def = findOp(name);
  if (!def)
    return makeError(ErrorKind::NotSupported, "no op is called '" + std::string(name) + "'", place);
  absl::StatusOr<Attributes> attributes = readAttributes(*def, operation);
  if (!attributes.ok())
    return withPlace(attributes.status(), place);
  absl::StatusOr<Op> op = Op::create(*def, *std::move(attributes));
  if (!op.ok())
    return withPlace(op.status(), place);
  return nodeFromOperation(operation, *op, operands, isVerified);
}

/// Whether an operand is a shape, perhaps, whose elements other operations compute.
static bool readsComputedShape(mlir::Operation *operation) {
  return llvm::any_of(operation->getOperands(), [](mlir::Value v) {
    mlir::Operation *maker = v.getDefiningOp();
    return maker && maker->getName().getStringRef() != kConstantOpName &&
           isSmallIntegers(typeFromMlir(v.getType()));
  });
}

absl::StatusOr<Apply> nodeFromOperation(mlir::Operation *operation, const Op &op,
                                        absl::Span<const Variable> operands, bool isVerified) {
  Place place = placeOf(operation->getLoc());
  std::string name(calledName(op));
  std::vector<Operand> list;
  for (const Variable &v : operands)
    list.emplace_back(v, place);
  absl::StatusOr<Apply> node = op.makeNode(list, place);
  if (!node.ok())
    return node;
  if (node->numOutputs() != int(operation->getNumResults()))
    return makeError(ErrorKind::TypeError,
                     name + ": " + counted(size_t(node->numOutputs()), "result") +
                         ", the text declares " + std::to_string(operation->getNumResults()),
                     place);
  for (int i = 0; i < node->numOutputs(); ++i) {
    Type declared = typeFromMlir(operation->getResult(unsigned(i)).getType());
    if (!declared.isTensor())
      return withPlace(declared.status(), place);
    Type own = node->output(i).type();
    // A shape's elements tell extents (F-024), and only a reader has the graph that computes them.
    bool fits = declared.isSuperOf(own) || (isVerified && readsComputedShape(operation) &&
                                            filterVariable(declared, node->output(i)).ok());
    if (!fits)
      return makeError(
          ErrorKind::TypeError,
          name + ": the result is " + own.text() + ", the text declares " + declared.text(), place);
  }
  if (llvm::isa<mlir::FusedLoc>(withoutName(operation->getLoc())))
    detail::setOrigins(*node->node(), std::make_shared<const std::vector<Place>>(
                                          placesOf(operation->getLoc(), detail::kMaxOrigins)));
  return node;
}

mlir::LogicalResult emitStatus(mlir::Operation *op, const absl::Status &status) {
  auto [first, rest] =
      llvm::StringRef(status.message().data(), status.message().size()).split('\n');
  mlir::InFlightDiagnostic diagnostic = op->emitError(first);
  while (!rest.empty()) {
    std::tie(first, rest) = rest.split('\n');
    diagnostic.attachNote(op->getLoc()) << first.ltrim();
  }
  return diagnostic;
}

mlir::LogicalResult verifyNode(mlir::Operation *op) {
  Variables operands;
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    if (auto same = llvm::find(op->getOperands().take_front(i), v);
        same != op->getOperands().take_front(i).end()) { // its extents are the same, too
      operands.push_back(operands[size_t(same.getIndex())]);
      continue;
    }
    mlir::Operation *maker = v.getDefiningOp();
    if (maker && maker->getName().getStringRef() == kConstantOpName)
      if (auto dense = maker->getAttrOfType<mlir::DenseElementsAttr>("value");
          dense && bytesOfSplat(dense) == 0)
        if (absl::StatusOr<Tensor> data = tensorFromDense(dense); data.ok()) {
          operands.push_back(Constant::adopt(*std::move(data)));
          continue;
        }
    operands.emplace_back(typeFromMlir(v.getType()));
  }
  absl::StatusOr<Apply> node = nodeFromOperation(op, operands, /*isVerified=*/true);
  return node.ok() ? mlir::success() : emitStatus(op, node.status());
}

} // namespace graphc
