//===- Write.cpp - Variables to graph text --------------------------------===//
#include "GraphText.h"

#include "Bytecode.h"
#include "CallTraits.h"
#include "Graph/CalledAs.h"
#include "Graph/InnerGraph.h"
#include "Graph/Nodes.h"
#include "GraphDialect.h"
#include "LoopText.h"
#include "Ops/CallOp.h"
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
  /// At the end of the module.
  absl::StatusOr<mlir::func::FuncOp> writeFunction(const std::string &name, const Variables &inputs,
                                                   const Variables &outputs);
  /// The function of an OpFromGraph, which is written once.
  std::string symbolOf(const Op &op);

  const GraphModule &module_;
  mlir::OpBuilder builder_;
  llvm::DenseMap<detail::VariableNode *, mlir::Value> values_;
  llvm::DenseMap<detail::VariableNode *, const Global *> globals_;
  llvm::StringSet<> used_;      // names that stand in the function's text
  llvm::StringSet<> symbols_;   // of globals and functions
  llvm::StringMap<int> lastOf_; // of functions of one name, the last number
  llvm::DenseMap<const detail::InnerGraph *, std::string> inner_;
  std::vector<Op> called_; // in the order of inner_'s making
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
  symbols_.insert(module_.name);
  for (const Global &global : module_.globals) {
    std::optional<Constant> constant = Constant::from(global.value);
    std::string name(global.value.name());
    if (!constant)
      return makeError(ErrorKind::ValueError, "global '" + name + "' is no constant");
    if (name.empty() || !symbols_.insert(name).second)
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

std::string Writer::symbolOf(const Op &op) {
  auto [at, isNew] = inner_.try_emplace(detail::recordOf(op.def()).get());
  if (isNew) {
    std::string name(calledName(op));
    at->second = name;
    while (at->second.empty() || !symbols_.insert(at->second).second)
      at->second = name + "_" + std::to_string(++lastOf_.try_emplace(name, 1).first->second);
    called_.push_back(op);
  }
  return at->second;
}

absl::Status Writer::writeNode(const Apply &node) {
  const OpDef &def = node.op().def();
  bool isCall = detail::recordOf(def) != nullptr;
  const Control *control = controlOf(node.op());
  bool isLoop = control && control->loop;
  if (findOp(def.name) != &def && !isCall && !isLoop)
    return makeError(ErrorKind::NotSupported,
                     "op '" + def.name + "' has no text form: it is not in the registry",
                     node.place());
  std::string_view name = node.numOutputs() == 1 ? node.output(0).name() : std::string_view();
  mlir::OperationState state(location(node.origins(), name), isCall   ? kCallOpName.str()
                                                             : isLoop ? kLoopOpName.str()
                                                                      : "graph." + def.name);
  auto nameCallee = [&](const Op &op) {
    state.addAttribute(kCalleeAttr,
                       mlir::FlatSymbolRefAttr::get(builder_.getContext(), symbolOf(op)));
  };
  if (isCall)
    nameCallee(node.op());
  if (isLoop) {
    absl::StatusOr<Op> body =
        detail::callOp(detail::InnerGraph::intern(control->bodies[0], {}, {}), "step");
    if (!body.ok())
      return body.status();
    nameCallee(*body);
    writeLoop(*control->loop, state);
  }
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

absl::StatusOr<mlir::func::FuncOp>
Writer::writeFunction(const std::string &name, const Variables &inputs, const Variables &outputs) {
  values_.clear();
  used_.clear();
  auto typesOf = [&](const Variables &variables) {
    llvm::SmallVector<mlir::Type> types;
    for (const Variable &v : variables)
      types.push_back(toMlir(v.type(), builder_.getContext()));
    return types;
  };
  mlir::OpBuilder::InsertionGuard guard(builder_);
  auto function =
      mlir::func::FuncOp::create(builder_, builder_.getUnknownLoc(), name,
                                 builder_.getFunctionType(typesOf(inputs), typesOf(outputs)));
  mlir::Block *body = function.addEntryBlock();
  builder_.setInsertionPointToStart(body);
  for (auto [i, v] : llvm::enumerate(inputs)) {
    mlir::BlockArgument argument = body->getArgument(unsigned(i));
    mlir::Location where = location({v.place()}, v.name());
    argument.setLoc(where);
    if (!v.name().empty() && !llvm::isa<mlir::NameLoc>(where))
      function.setArgAttr(unsigned(i), kNameAttr, builder_.getStringAttr(v.name()));
    values_[v.node()] = argument;
  }
  for (const Variable &v : graphInputs(outputs, inputs))
    if (std::optional<Constant> constant = Constant::from(v)) {
      if (!values_.count(v.node()))
        writeConstant(*constant);
    } else if (!values_.count(v.node())) {
      std::string text = "variable '" + std::string(v.name()) + "' is no input of the graph";
      if (v.node()->leaf && detail::asLeaf(v.node())->container)
        text +=
            ": text has no values that are shared; list it among the inputs, or save a Function "
            "(Function::save)";
      return makeError(ErrorKind::MissingInput, text, v.place());
    }
  for (const Apply &node : ioToposort(inputs, outputs))
    if (absl::Status status = writeNode(node); !status.ok())
      return status;
  llvm::SmallVector<mlir::Value> results;
  for (const Variable &v : outputs)
    results.push_back(values_.lookup(v.node()));
  mlir::func::ReturnOp::create(builder_, builder_.getUnknownLoc(), results);
  return function;
}

absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> Writer::write() {
  for (const Variables *list : {&module_.inputs, &module_.outputs})
    for (const Variable &v : *list)
      if (!v.ok())
        return v.status();
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(builder_.getUnknownLoc()));
  builder_.setInsertionPointToEnd(module->getBody());
  if (absl::Status status = writeGlobals(); !status.ok())
    return status;
  absl::StatusOr<mlir::func::FuncOp> function =
      writeFunction(module_.name, module_.inputs, module_.outputs);
  if (!function.ok())
    return function.status();
  for (size_t i = 0; i < std::min(module_.outputs.size(), module_.outputNames.size()); ++i)
    if (!module_.outputNames[i].empty())
      function->setResultAttr(unsigned(i), kNameAttr,
                              builder_.getStringAttr(module_.outputNames[i]));
  for (size_t i = 0; i < called_.size(); ++i) { // what they call joins the list
    Op op = called_[i];
    const detail::InnerGraph &record = *detail::recordOf(op.def());
    const FrozenGraph &graph = record.graph();
    absl::StatusOr<mlir::func::FuncOp> inner =
        writeFunction(symbolOf(op), graph.inputs(), graph.outputs());
    if (!inner.ok())
      return inner.status();
    inner->setPrivate();
    if (absl::Status s = writeTraits(
            *inner, record, [this](const Op &rule) { return symbolOf(rule); }, calledName(op));
        !s.ok())
      return s;
  }
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
