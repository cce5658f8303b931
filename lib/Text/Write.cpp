//===- Write.cpp - Variables to graph text --------------------------------===//
#include "GraphText.h"

#include "Bytecode.h"
#include "GraphDialect.h"
#include "Ops/Registry.h"
#include "graphc/OpDef.h"
#include "graphc/Traversal.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ScopeExit.h"

namespace graphc {
namespace {

/// Whether `%name` can be written and is read back as a name.
bool isSpellable(llvm::StringRef name) {
  auto legal = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
  };
  if (name.empty() || llvm::isDigit(name.front()) || !llvm::all_of(name, legal))
    return false;
  return !(name.consume_front("arg") && llvm::all_of(name, llvm::isDigit));
}

class Writer {
public:
  Writer(const GraphModule &module, mlir::MLIRContext &context)
      : module_(module), builder_(&context) {}

  absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> write();

private:
  mlir::Location location(absl::Span<const Place> places, std::string_view name);
  absl::Status writeGlobals();
  void writeConstant(const Constant &constant);
  absl::Status writeNode(const Apply &node);

  const GraphModule &module_;
  mlir::OpBuilder builder_;
  llvm::DenseMap<detail::VariableNode *, mlir::Value> values_;
  llvm::DenseMap<detail::VariableNode *, const Global *> globals_;
  llvm::StringSet<> used_; // names that stand in the text
};

/// One place, or all the places of a node that rewriting made of several.
mlir::Location Writer::location(absl::Span<const Place> places, std::string_view name) {
  std::vector<mlir::Location> known;
  for (Place place : places)
    if (place.known())
      known.push_back(
          mlir::FileLineColLoc::get(builder_.getContext(), place.file, place.line, place.column));
  mlir::Location where = mlir::FusedLoc::get(builder_.getContext(), known);
  if (isSpellable(name) && used_.insert(name).second)
    where = mlir::NameLoc::get(builder_.getStringAttr(name), where);
  return where;
}

/// Globals stand before the function, under their Variables' names.
absl::Status Writer::writeGlobals() {
  llvm::StringSet<> names;
  names.insert(module_.name);
  for (const Global &global : module_.globals) {
    std::optional<Constant> constant = Constant::from(global.value);
    std::string name(global.value.name());
    if (!constant)
      return makeError(ErrorKind::ValueError, "global '" + name + "' is no constant");
    if (name.empty() || !names.insert(name).second)
      return makeError(ErrorKind::ValueError,
                       name.empty() ? "a global has no name" : "two things are called @" + name,
                       constant->place());
    mlir::DenseElementsAttr dense = denseFromTensor(constant->data(), builder_.getContext());
    mlir::ml_program::GlobalOp::create(builder_, location({constant->place()}, ""), name,
                                       dense.getType(), global.isMutable, dense,
                                       builder_.getStringAttr("private"));
    globals_[global.value.node()] = &global;
  }
  return absl::OkStatus();
}

/// A constant, or the load of a global.
void Writer::writeConstant(const Constant &constant) {
  if (const Global *global = globals_.lookup(constant.node())) {
    mlir::Location where = location({constant.place()}, constant.name());
    mlir::Type type = toMlir(constant.type(), builder_.getContext());
    auto symbol = mlir::SymbolRefAttr::get(builder_.getContext(), constant.name());
    values_[constant.node()] =
        global->isMutable
            ? mlir::ml_program::GlobalLoadOp::create(builder_, where, type, symbol).getResult()
            : mlir::ml_program::GlobalLoadConstOp::create(builder_, where, type, symbol)
                  .getResult();
    return;
  }
  mlir::OperationState state(location({constant.place()}, constant.name()), kConstantOpName);
  mlir::DenseElementsAttr dense = denseFromTensor(constant.data(), builder_.getContext());
  state.addAttribute("value", dense);
  state.addTypes(dense.getType());
  values_[constant.node()] = builder_.create(state)->getResult(0);
}

absl::Status Writer::writeNode(const Apply &node) {
  const OpDef &def = node.op().def();
  if (findOp(def.name) != &def)
    return makeError(ErrorKind::NotSupported,
                     "op '" + def.name + "' has no text form: it is not in the registry",
                     node.place());
  std::string_view name = node.numOutputs() == 1 ? node.output(0).name() : std::string_view();
  mlir::OperationState state(location(node.origins(), name), "graph." + def.name);
  for (int i = 0; i < node.numInputs(); ++i)
    state.operands.push_back(values_.lookup(node.input(i).node()));
  for (const AttributeSpec &spec : def.attributes) {
    const AttributeValue *value = node.op().attributes().find(spec.name);
    if (!value || (spec.defaultValue && identical(*value, *spec.defaultValue)))
      continue;
    state.addAttribute(spec.name, toMlir(*value, builder_.getContext()));
  }
  for (int i = 0; i < node.numOutputs(); ++i)
    state.types.push_back(toMlir(node.output(i).type(), builder_.getContext()));
  mlir::Operation *op = builder_.create(state);
  for (int i = 0; i < node.numOutputs(); ++i)
    values_[node.output(i).node()] = op->getResult(unsigned(i));
  return absl::OkStatus();
}

absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> Writer::write() {
  for (const Variables *list : {&module_.inputs, &module_.outputs})
    for (const Variable &v : *list)
      if (!v.ok())
        return v.status();
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(builder_.getUnknownLoc()));
  llvm::SmallVector<mlir::Type> inputs, outputs;
  for (const Variable &v : module_.inputs)
    inputs.push_back(toMlir(v.type(), builder_.getContext()));
  for (const Variable &v : module_.outputs)
    outputs.push_back(toMlir(v.type(), builder_.getContext()));
  builder_.setInsertionPointToEnd(module->getBody());
  if (absl::Status status = writeGlobals(); !status.ok())
    return status;
  auto function = mlir::func::FuncOp::create(builder_, builder_.getUnknownLoc(), module_.name,
                                             builder_.getFunctionType(inputs, outputs));
  mlir::Block *body = function.addEntryBlock();
  builder_.setInsertionPointToStart(body);
  for (auto [i, v] : llvm::enumerate(module_.inputs)) {
    mlir::BlockArgument argument = body->getArgument(unsigned(i));
    mlir::Location where = location({v.place()}, v.name());
    argument.setLoc(where);
    if (!v.name().empty() && !llvm::isa<mlir::NameLoc>(where))
      function.setArgAttr(unsigned(i), kNameAttr, builder_.getStringAttr(v.name()));
    values_[v.node()] = argument;
  }
  for (const Variable &v : graphInputs(module_.outputs, module_.inputs))
    if (std::optional<Constant> constant = Constant::from(v)) {
      if (!values_.count(v.node()))
        writeConstant(*constant);
    } else if (!values_.count(v.node())) {
      return makeError(ErrorKind::MissingInput,
                       "variable '" + std::string(v.name()) + "' is no input of the graph",
                       v.place());
    }
  for (const Apply &node : ioToposort(module_.inputs, module_.outputs))
    if (absl::Status status = writeNode(node); !status.ok())
      return status;
  llvm::SmallVector<mlir::Value> results;
  for (auto [i, v] : llvm::enumerate(module_.outputs)) {
    results.push_back(values_.lookup(v.node()));
    if (i < module_.outputNames.size() && !module_.outputNames[i].empty())
      function.setResultAttr(unsigned(i), kNameAttr,
                             builder_.getStringAttr(module_.outputNames[i]));
  }
  mlir::func::ReturnOp::create(builder_, builder_.getUnknownLoc(), results);
  return module;
}

} // namespace

absl::StatusOr<std::string> writeGraphText(const GraphModule &graph,
                                           const PrintGraphOptions &options) {
  ContextPool::Lease context = graphContexts().lease();
  absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> module = Writer(graph, *context).write();
  if (!module.ok())
    return module.status();
  if (options.bytecode)
    return writeBytecode(**module);
  std::string text;
  llvm::scope_exit held([&] { context.expectBytes(text.size()); });
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags flags;
  flags.printNameLocAsPrefix().useLocalScope();
  if (options.locations)
    flags.enableDebugInfo(true, /*prettyForm=*/false);
  // Functions alone, without the module around them: the form that people write.
  for (mlir::Operation &op : *(*module)->getBody()) {
    op.print(os, flags);
    os << '\n';
  }
  return text;
}

} // namespace graphc
