//===- GraphDialect.cpp - dynamic operations from the registry of ops -----===//
#include "GraphDialect.h"

#include "NodeFromOperation.h"
#include "Ops/Registry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace graphc {
namespace {

/// Lets canonicalization and DCE delete unused operations: all ops of graphs are pure.
struct PureModel : mlir::MemoryEffectOpInterface::FallbackModel<PureModel> {
  void
  getEffects(mlir::Operation *,
             llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>
                 &) const {}
};

//   graph.sum %x {axes = [0]} : (tensor<2x3xf64>) -> tensor<3xf64>
mlir::ParseResult parseNode(mlir::OpAsmParser &p, mlir::OperationState &state) {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SMLoc where = p.getCurrentLocation();
  mlir::FunctionType type;
  if (p.parseOperandList(operands) || p.parseOptionalAttrDict(state.attributes) ||
      p.parseColonType(type))
    return mlir::failure();
  state.addTypes(type.getResults());
  return p.resolveOperands(operands, type.getInputs(), where, state.operands);
}

void printNode(mlir::Operation *op, mlir::OpAsmPrinter &p) {
  p << op->getName(); // nobody else prints a dynamic operation's name
  if (op->getNumOperands())
    p << ' ';
  p.printOperands(op->getOperands());
  p.printOptionalAttrDict(op->getAttrs());
  p << " : ";
  p.printFunctionalType(op);
}

//   graph.constant dense<[1, 2]> : tensor<2xi64>
mlir::ParseResult parseConstant(mlir::OpAsmParser &p, mlir::OperationState &state) {
  mlir::Attribute value;
  llvm::SMLoc where = p.getCurrentLocation();
  if (p.parseOptionalAttrDict(state.attributes) || p.parseAttribute(value))
    return mlir::failure();
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value);
  if (!dense)
    return p.emitError(where, "expected dense elements, as in dense<[1, 2]> : tensor<2xi64>");
  state.addAttribute("value", dense);
  state.addTypes(dense.getType());
  return mlir::success();
}

void printConstant(mlir::Operation *op, mlir::OpAsmPrinter &p) {
  p << op->getName();
  p.printOptionalAttrDict(op->getAttrs(), {"value"});
  p << ' ' << op->getAttr("value");
}

mlir::LogicalResult verifyConstant(mlir::Operation *op) {
  auto dense = op->getAttrOfType<mlir::DenseElementsAttr>("value");
  if (!dense || op->getNumResults() != 1 || op->getResult(0).getType() != dense.getType())
    return op->emitOpError("needs dense elements of its result's type as its value");
  return mlir::success();
}

//   graph.call @name(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
mlir::ParseResult parseCall(mlir::OpAsmParser &p, mlir::OperationState &state) {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  mlir::StringAttr callee;
  llvm::SMLoc where = p.getCurrentLocation();
  mlir::FunctionType type;
  if (p.parseSymbolName(callee) ||
      p.parseOperandList(operands, mlir::OpAsmParser::Delimiter::Paren) ||
      p.parseOptionalAttrDict(state.attributes) || p.parseColonType(type))
    return mlir::failure();
  state.addAttribute(kCalleeAttr, mlir::FlatSymbolRefAttr::get(callee));
  state.addTypes(type.getResults());
  return p.resolveOperands(operands, type.getInputs(), where, state.operands);
}

void printCall(mlir::Operation *op, mlir::OpAsmPrinter &p) {
  p << op->getName() << ' ' << op->getAttr(kCalleeAttr) << '(';
  p.printOperands(op->getOperands());
  p << ')';
  p.printOptionalAttrDict(op->getAttrs(), {kCalleeAttr});
  p << " : ";
  p.printFunctionalType(op);
}

mlir::LogicalResult verifyCall(mlir::Operation *op) {
  if (!op->getAttrOfType<mlir::FlatSymbolRefAttr>(kCalleeAttr))
    return op->emitOpError("needs the name of a function");
  return mlir::success();
}

void addOperation(mlir::MLIRContext *context, mlir::DynamicDialect *dialect, llvm::StringRef name,
                  mlir::OperationName::VerifyInvariantsFn verify,
                  mlir::OperationName::ParseAssemblyFn parse,
                  mlir::OperationName::PrintAssemblyFn print) {
  dialect->registerDynamicOp(mlir::DynamicOpDefinition::get(
      name, dialect, std::move(verify), [](mlir::Operation *) { return mlir::success(); },
      std::move(parse), std::move(print)));
  std::string full = ("graph." + name).str();
  mlir::RegisteredOperationName::lookup(full, context)->attachInterface<PureModel>();
}

void populate(mlir::MLIRContext *context, mlir::DynamicDialect *dialect) {
  for (const OpDef *def : allOps())
    addOperation(
        context, dialect, def->name, [](mlir::Operation *op) { return verifyNode(op); }, parseNode,
        [](mlir::Operation *op, mlir::OpAsmPrinter &p, llvm::StringRef) { printNode(op, p); });
  addOperation(
      context, dialect, "constant", verifyConstant, parseConstant,
      [](mlir::Operation *op, mlir::OpAsmPrinter &p, llvm::StringRef) { printConstant(op, p); });
  for (llvm::StringRef name : {"call", "scan"})
    addOperation(
        context, dialect, name, verifyCall, parseCall,
        [](mlir::Operation *op, mlir::OpAsmPrinter &p, llvm::StringRef) { printCall(op, p); });
}

} // namespace

void registerGraphDialect(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, mlir::ml_program::MLProgramDialect>();
  registry.insertDynamic("graph", populate);
}

ContextPool &graphContexts() {
  // Never destroyed: threads may still read while the process ends.
  static ContextPool *const kPool = new ContextPool(registerGraphDialect);
  return *kPool;
}

} // namespace graphc
