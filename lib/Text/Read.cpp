//===- Read.cpp - graph text to Variables ---------------------------------===//
#include "GraphText.h"

#include "Bytecode.h"
#include "CallTraits.h"
#include "FirstError.h"
#include "Graph/InnerGraph.h"
#include "Graph/Nodes.h"
#include "Graph/PlaceScope.h"
#include "GraphDialect.h"
#include "LoopText.h"
#include "Nesting.h"
#include "NodeFromOperation.h"
#include "Ops/CallOp.h"
#include "Ops/Registry.h"
#include "Support/StageOfText.h"
#include "Support/Text.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

namespace graphc {
namespace {

bool isGeneratedName(llvm::StringRef name) {
  if (name.consume_front("arg"))
    return !name.empty() && llvm::all_of(name, llvm::isDigit);
  return name.empty() || llvm::isDigit(name.front());
}

/// SSA names vanish in parsing; `state` still knows where they stand in the text.
void keepNames(const mlir::AsmParserState &state) {
  auto spelled = [](llvm::SMRange range) {
    llvm::StringRef name(range.Start.getPointer(),
                         size_t(range.End.getPointer() - range.Start.getPointer()));
    name.consume_front("%");
    return isGeneratedName(name) ? llvm::StringRef() : name;
  };
  auto named = [](mlir::Location loc, llvm::StringRef name) -> mlir::Location {
    return mlir::NameLoc::get(mlir::StringAttr::get(loc.getContext(), name), loc);
  };
  for (const auto &def : state.getOpDefs())
    if (def.resultGroups.size() == 1 && llvm::isa<mlir::FileLineColLoc>(def.op->getLoc()))
      if (llvm::StringRef name = spelled(def.resultGroups[0].definition.loc); !name.empty())
        def.op->setLoc(named(def.op->getLoc(), name));
  for (const auto &def : state.getBlockDefs())
    for (auto [argument, where] : llvm::zip(def.block->getArguments(), def.arguments))
      if (llvm::StringRef name = spelled(where.loc);
          !name.empty() && llvm::isa<mlir::FileLineColLoc>(argument.getLoc()))
        argument.setLoc(named(argument.getLoc(), name));
}

std::string nameOf(mlir::Location location) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(location))
    return name.getName().str();
  return {};
}

/// Parses; verifies no more than the module itself, since building the graph checks more, and once.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(std::string_view text, std::string_view name,
                                              mlir::MLIRContext &context) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (isBytecode(text)) { // which may hold what no text can spell: verified
    auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, config);
    if (module && failed(mlir::verify(*module)))
      return {};
    return module;
  }
  mlir::Block block;
  mlir::AsmParserState state;
  if (failed(mlir::parseAsmSourceFile(sources, &block, config, &state)))
    return {};
  keepNames(state);
  if (llvm::hasSingleElement(block) && llvm::isa<mlir::ModuleOp>(block.front())) {
    mlir::Operation *module = &block.front();
    if (failed(module->getName().verifyInvariants(module)))
      return {};
    module->remove();
    return llvm::cast<mlir::ModuleOp>(module);
  }
  auto module = mlir::ModuleOp::create(mlir::FileLineColLoc::get(&context, name, 1, 1));
  module.getBody()->getOperations().splice(module.getBody()->begin(), block.getOperations());
  return module;
}

/// What stands at the top of a file.
struct FileContents {
  std::vector<mlir::func::FuncOp> functions; // each with one block
  std::vector<Global> globals;
  llvm::StringMap<size_t> globalNumbers;
  /// What those of them that are called have become.
  llvm::StringMap<Op> ops;
  /// What splats have asked for.
  int64_t splatBytes = 0;
};

/// The memory that all splats of a file may claim.
constexpr int64_t kSplatBytes = 2 << 20;

/// The elements as a Constant, or no Variable where they are a splat of more than `splatBytes` has
/// left.
absl::StatusOr<Variable> constantOf(mlir::Attribute value, mlir::Type declared,
                                    const std::string &what, const std::string &name, Place place,
                                    int64_t &splatBytes) {
  auto dense = llvm::dyn_cast_if_present<mlir::DenseElementsAttr>(value);
  if (!dense)
    return makeError(ErrorKind::ValueError, what + ": there are no dense elements", place);
  if (dense.getType() != declared)
    return makeError(ErrorKind::TypeError,
                     what + ": the value is " + printed(dense.getType()) + ", the text declares " +
                         printed(declared),
                     place);
  const int64_t claimed = bytesOfSplat(dense);
  if (claimed > kSplatBytes - splatBytes)
    return Variable();
  splatBytes += claimed;
  absl::StatusOr<Tensor> data = tensorFromDense(dense);
  if (!data.ok())
    return withPlace(data.status(), place);
  return Constant::adopt(*std::move(data), name, place);
}

/// Operations in generic syntax may lack what their accessors rely on: they are verified first.
absl::StatusOr<FileContents> listContents(mlir::ModuleOp module, const FirstError &errors) {
  FileContents contents;
  llvm::StringSet<> names;
  for (mlir::Operation &op : *module.getBody()) {
    Place place = placeOf(op.getLoc());
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
    auto global = llvm::dyn_cast<mlir::ml_program::GlobalOp>(op);
    if (!function && !global)
      return makeError(ErrorKind::NotSupported,
                       op.getName().getStringRef().str() + " at the top of a graph file", place);
    if (failed(op.getName().verifyInvariants(&op)))
      return errors.status();
    std::string name = mlir::SymbolTable::getSymbolName(&op).str();
    if (!names.insert(name).second)
      return makeError(ErrorKind::ValueError, "@" + name + " is there twice", place);
    if (function) {
      if (function.isExternal())
        return makeError(ErrorKind::ValueError, "function @" + name + " has no body", place);
      if (!function.getBody().hasOneBlock())
        return makeError(ErrorKind::NotSupported, "a graph's function has one block", place);
      contents.functions.push_back(function);
      continue;
    }
    absl::StatusOr<Variable> value =
        constantOf(global.getValueAttr(), global.getType(), "global @" + name, name, place,
                   contents.splatBytes);
    if (!value.ok())
      return value.status();
    if (!value->isConstant())
      return makeError(ErrorKind::ValueError,
                       "global @" + name + ": the splats of the file claim more than " +
                           std::to_string(kSplatBytes) +
                           " bytes: write its elements, or a graph.constant, which is computed",
                       place);
    contents.globalNumbers[name] = contents.globals.size();
    contents.globals.push_back({*std::move(value), global.getIsMutable()});
  }
  return contents;
}

absl::StatusOr<mlir::func::FuncOp> findEntry(const FileContents &contents, std::string_view file,
                                             std::string_view entry) {
  std::string wanted = entry.empty() ? "main" : std::string(entry);
  for (mlir::func::FuncOp function : contents.functions)
    if (function.getName() == wanted)
      return function;
  auto isPublic = [](mlir::func::FuncOp function) { return !function.isPrivate(); };
  if (entry.empty() && llvm::count_if(contents.functions, isPublic) == 1)
    return *llvm::find_if(contents.functions, isPublic);
  if (entry.empty() && contents.functions.size() == 1)
    return contents.functions.front();
  Place place(internFileName(file), 0, 0);
  if (contents.functions.empty())
    return makeError(ErrorKind::ValueError, "the file has no function (func.func @main)", place);
  auto name = [](mlir::func::FuncOp function) { return "@" + function.getName().str(); };
  return makeError(
      ErrorKind::KeyError,
      "no function @" + wanted + "; the file has " + join(contents.functions, ", ", name), place);
}

using ValueMap = llvm::DenseMap<mlir::Value, Variable>;

/// The text is not verified, so a value may be used before the line that defines it.
absl::StatusOr<Variables> lookUp(mlir::OperandRange operands, const ValueMap &variables,
                                 mlir::Operation *user) {
  Variables found;
  for (mlir::Value v : operands) {
    auto it = variables.find(v);
    if (it == variables.end())
      return makeError(ErrorKind::ValueError, "an operand is used before it is defined",
                       placeOf(user->getLoc()));
    found.push_back(it->second);
  }
  return found;
}

absl::StatusOr<Variable> readConstant(mlir::Operation *op, FileContents &contents) {
  Place place = placeOf(op->getLoc());
  if (op->getNumResults() != 1 || op->getNumOperands() != 0)
    return makeError(ErrorKind::ValueError, "constant: it has one result and no operands", place);
  const std::string name = nameOf(op->getLoc());
  absl::StatusOr<Variable> constant = constantOf(op->getAttr("value"), op->getResult(0).getType(),
                                                 "constant", name, place, contents.splatBytes);
  if (!constant.ok() || constant->isConstant())
    return constant;
  PlaceScope scope(place);
  absl::StatusOr<Variable> all =
      broadcastSplat(llvm::cast<mlir::DenseElementsAttr>(op->getAttr("value")));
  if (all.ok() && !name.empty())
    all->setName(name);
  return all;
}

/// The global that `op`, a load, reads.
absl::StatusOr<Variable> readLoad(mlir::Operation *op, const FileContents &contents,
                                  const FirstError &errors) {
  Place place = placeOf(op->getLoc());
  if (failed(op->getName().verifyInvariants(op)))
    return errors.status();
  auto plain = llvm::dyn_cast<mlir::ml_program::GlobalLoadOp>(op);
  mlir::SymbolRefAttr symbol =
      plain ? plain.getGlobal() : llvm::cast<mlir::ml_program::GlobalLoadConstOp>(op).getGlobal();
  std::string name = symbol.getLeafReference().str();
  auto found = contents.globalNumbers.find(name);
  if (found == contents.globalNumbers.end() || !symbol.getNestedReferences().empty())
    return makeError(ErrorKind::KeyError, "there is no global @" + name, place);
  const Global &global = contents.globals[found->second];
  if (!plain && global.isMutable)
    return makeError(ErrorKind::TypeError,
                     "global @" + name + " is mutable; ml_program.global_load reads it", place);
  if (mlir::Type type = op->getResult(0).getType();
      type != toMlir(global.value.type(), op->getContext()))
    return makeError(ErrorKind::TypeError,
                     "global @" + name + " is " + global.value.type().text() +
                         ", the text declares " + printed(type),
                     place);
  return global.value;
}

bool callsFunction(mlir::Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  return name == kCallOpName || name == kLoopOpName;
}

/// The function that such an operation names; empty where it names none.
llvm::StringRef calleeOf(mlir::Operation *op) {
  auto callee = op->getAttrOfType<mlir::FlatSymbolRefAttr>(kCalleeAttr);
  return callee ? callee.getValue() : llvm::StringRef();
}

/// Gives the results of `op` their Variables.
absl::Status readOperation(mlir::Operation *op, FileContents &contents, const FirstError &errors,
                           ValueMap &variables) {
  bool isLoad = llvm::isa<mlir::ml_program::GlobalLoadOp, mlir::ml_program::GlobalLoadConstOp>(op);
  if (isLoad || op->getName().getStringRef() == kConstantOpName) {
    absl::StatusOr<Variable> constant =
        isLoad ? readLoad(op, contents, errors) : readConstant(op, contents);
    if (!constant.ok())
      return constant.status();
    variables.try_emplace(op->getResult(0), *std::move(constant));
    return absl::OkStatus();
  }
  if (op->getName().getDialectNamespace() != "graph")
    return makeError(ErrorKind::NotSupported,
                     op->getName().getStringRef().str() + " is no op of a graph",
                     placeOf(op->getLoc()));
  absl::StatusOr<Variables> operands = lookUp(op->getOperands(), variables, op);
  if (!operands.ok())
    return operands.status();
  auto makeNode = [&]() -> absl::StatusOr<Apply> {
    if (!callsFunction(op))
      return nodeFromOperation(op, *operands);
    const Op &called = contents.ops.find(calleeOf(op))->second;
    if (op->getName().getStringRef() == kCallOpName)
      return nodeFromOperation(op, called, *operands);
    absl::StatusOr<Op> loop = readLoop(op, called.def().inner->graph(), *operands);
    return loop.ok() ? nodeFromOperation(op, *loop, *operands) : loop.status();
  };
  absl::StatusOr<Apply> node = makeNode();
  if (!node.ok())
    return node.status();
  std::string name = nameOf(op->getLoc());
  for (mlir::OpResult result : op->getResults()) {
    Variable output = node->output(int(result.getResultNumber()));
    if (!name.empty() && op->getNumResults() == 1)
      output.setName(name);
    variables.try_emplace(result, std::move(output));
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphModule> readFunction(mlir::func::FuncOp function, FileContents &contents,
                                         const FirstError &errors) {
  GraphModule module;
  module.name = function.getName().str();
  ValueMap variables;
  for (mlir::BlockArgument argument : function.getArguments()) {
    Type type = typeFromMlir(argument.getType());
    if (!type.isTensor())
      return withPlace(type.status(), placeOf(argument.getLoc()));
    std::string name = nameOf(argument.getLoc());
    if (auto given =
            function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), kNameAttr))
      name = given.str();
    module.inputs.emplace_back(type, name);
    detail::asLeaf(module.inputs.back().node())->place = placeOf(argument.getLoc());
    variables.try_emplace(argument, module.inputs.back());
  }
  for (mlir::Operation &op : function.getBody().front()) {
    if (op.getNumRegions() || op.getNumSuccessors())
      return makeError(ErrorKind::NotSupported,
                       op.getName().getStringRef().str() +
                           ": an operation of a graph has no regions and no successors",
                       placeOf(op.getLoc()));
    if (auto ret = llvm::dyn_cast<mlir::func::ReturnOp>(op)) {
      absl::StatusOr<Variables> outputs = lookUp(ret->getOperands(), variables, ret);
      if (!outputs.ok())
        return outputs.status();
      module.outputs = *std::move(outputs);
      for (size_t i = 0; i < module.outputs.size(); ++i) {
        auto name = function.getResultAttrOfType<mlir::StringAttr>(unsigned(i), kNameAttr);
        module.outputNames.push_back(name ? name.str() : std::string());
      }
      if (ret.getOperandTypes() != function.getResultTypes())
        return makeError(ErrorKind::TypeError, "the function returns other types than it declares",
                         placeOf(op.getLoc()));
      if (op.getNumResults() || op.getNextNode())
        return makeError(ErrorKind::ValueError, "the function goes on after its return",
                         placeOf(op.getLoc()));
      return module;
    }
    if (absl::Status status = readOperation(&op, contents, errors, variables); !status.ok())
      return status;
  }
  return makeError(ErrorKind::ValueError, "the function does not return",
                   placeOf(function.getLoc()));
}

/// `entry` and what it calls, callees first. KeyError for a function that is not there, ValueError
/// where functions call each other in a circle.
absl::StatusOr<std::vector<mlir::func::FuncOp>> inOrderOfCalls(const FileContents &contents,
                                                               mlir::func::FuncOp entry) {
  llvm::StringMap<mlir::func::FuncOp> named;
  for (mlir::func::FuncOp function : contents.functions)
    named[function.getName()] = function;
  struct Visit {
    mlir::func::FuncOp function;
    mlir::Block::iterator next;
    std::vector<std::string> rules; // to be looked at first
  };
  std::vector<Visit> open = {{entry, entry.getBody().front().begin(), {}}};
  llvm::StringMap<bool> done; // false: open
  done[entry.getName()] = false;
  std::vector<mlir::func::FuncOp> order;
  auto visit = [&](const std::string &name, Place place) -> absl::Status {
    auto callee = named.find(name);
    if (callee == named.end())
      return makeError(ErrorKind::KeyError, "there is no function @" + name, place);
    auto [state, isNew] = done.try_emplace(name, false);
    if (!isNew && !state->second)
      return makeError(ErrorKind::ValueError, "function @" + name + " calls itself", place);
    if (isNew)
      open.push_back(
          {callee->second, callee->second.getBody().front().begin(), rulesOf(callee->second)});
    return absl::OkStatus();
  };
  while (!open.empty()) {
    Visit &top = open.back();
    if (!top.rules.empty()) {
      std::string rule = std::move(top.rules.back());
      top.rules.pop_back();
      if (absl::Status s = visit(rule, placeOf(top.function.getLoc())); !s.ok())
        return s;
      continue;
    }
    if (top.next == top.function.getBody().front().end()) {
      done[top.function.getName()] = true;
      order.push_back(top.function);
      open.pop_back();
      continue;
    }
    mlir::Operation *op = &*top.next++;
    if (!callsFunction(op))
      continue;
    std::string name = calleeOf(op).str();
    if (name.empty())
      return makeError(ErrorKind::ValueError,
                       op->getName().getStringRef().str() + " needs the name of a function",
                       placeOf(op->getLoc()));
    for (mlir::NamedAttribute attribute : op->getAttrs())
      if (attribute.getName() != kCalleeAttr && op->getName().getStringRef() == kCallOpName)
        return makeError(ErrorKind::ValueError,
                         "graph.call: there is no attribute " + attribute.getName().str(),
                         placeOf(op->getLoc()));
    if (absl::Status s = visit(name, placeOf(op->getLoc())); !s.ok())
      return s;
  }
  return order;
}

/// A function that is called, as an op.
absl::StatusOr<Op> opOf(const GraphModule &module, detail::InnerTraits traits, Place place) {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module.inputs, module.outputs);
  absl::StatusOr<FrozenGraph> frozen = graph.ok() ? graph->freeze() : graph.status();
  if (!frozen.ok())
    return withPlace(frozen.status(), place);
  bool isVectorized = traits.numSlices > 0;
  auto record = detail::InnerGraph::intern(*std::move(frozen), {}, std::move(traits));
  absl::StatusOr<Op> op = isVectorized ? detail::vectorizedOp(std::move(record))
                                       : detail::callOp(std::move(record), module.name);
  return op.ok() ? op : withPlace(op.status(), place);
}

absl::StatusOr<GraphModule> readAll(FileContents contents, mlir::func::FuncOp entry,
                                    const FirstError &errors) {
  absl::StatusOr<std::vector<mlir::func::FuncOp>> order = inOrderOfCalls(contents, entry);
  if (!order.ok())
    return order.status();
  for (mlir::func::FuncOp function : *order) {
    absl::StatusOr<GraphModule> module = readFunction(function, contents, errors);
    if (!module.ok() || function == entry) {
      if (module.ok())
        module->globals = std::move(contents.globals);
      return module;
    }
    absl::StatusOr<detail::InnerTraits> traits =
        readTraits(function, [&](llvm::StringRef name) -> const Op * {
          auto known = contents.ops.find(name);
          return known == contents.ops.end() ? nullptr : &known->second;
        });
    if (!traits.ok())
      return traits.status();
    absl::StatusOr<Op> op = opOf(*module, *std::move(traits), placeOf(function.getLoc()));
    if (!op.ok())
      return op.status();
    contents.ops.try_emplace(function.getName(), *op);
  }
  return makeError(ErrorKind::Internal, "no function was read");
}

} // namespace

static absl::StatusOr<GraphModule> readText(std::string_view text, std::string_view name,
                                            std::string_view entry) {
  absl::Status readable = isBytecode(text)
                              ? withPlace(checkBytecode(text), Place(internFileName(name), 0, 0))
                              : checkNesting(text, name);
  if (!readable.ok())
    return readable;
  ContextPool::Lease context = graphContexts().lease();
  context.expectBytes(text.size());
  FirstError errors(&*context);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseModule(text, name, *context);
  if (!module)
    return errors.status();
  absl::StatusOr<FileContents> contents = listContents(*module, errors);
  if (!contents.ok())
    return contents.status();
  absl::StatusOr<mlir::func::FuncOp> function = findEntry(*contents, name, entry);
  if (!function.ok())
    return function.status();
  return readAll(*std::move(contents), *function, errors);
}

absl::StatusOr<GraphModule> readGraphText(std::string_view text, std::string_view name,
                                          std::string_view entry) {
  absl::StatusOr<GraphModule> module = readText(text, name, entry);
  if (!module.ok())
    return explainStage(module.status(), text, name, "graph");
  return module;
}

} // namespace graphc
