//===- Importer.cpp - models as graphs -------------------------------------===//
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "Eval/Evaluate.h"
#include "Graph/Nodes.h"
#include "Import/Broadcast.h"
#include "Import/NarrowTypes.h"
#include "Import/NodeOrder.h"
#include "Import/OperatorCheck.h"
#include "Import/TensorReader.h"
#include "Import/Translations.h"
#include "Support/BroadcastHint.h"
#include "Support/ReadFile.h"
#include "Support/StageOfText.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "graphc/Import.h"

namespace graphc {
namespace {

/// What computing constants that translations must know (axes, shapes) may cost: a fraction of a
/// second.
constexpr int64_t kFoldingBudget = int64_t(1) << 20;

absl::StatusOr<onnx::ModelProto> readModel(FILE *file) {
  onnx::ModelProto model;
  // Ends at the first byte that cannot be.
  if (!model.ParseFromFileDescriptor(fileno(file))) {
    char head[1024];
    lseek(fileno(file), 0, SEEK_SET); // of a pipe nothing is there any more
    ssize_t count = read(fileno(file), head, sizeof head);
    std::string_view stage = stageOfText({head, size_t(std::max<ssize_t>(count, 0))});
    if (stage.empty() || stage == "onnx")
      return makeError(ErrorKind::Io, "is no ONNX model, or damaged");
    return makeError(ErrorKind::Io, "is no ONNX model: it looks like text of " +
                                        std::string(stage) + "; name it .mlir");
  }
  if (!model.has_graph())
    return makeError(ErrorKind::Io, "is no ONNX model: it has no graph");
  return model;
}

std::string quoted(const std::string &name) { return "'" + printable(name) + "'"; }

absl::Status bad(const std::string &message) { return makeError(ErrorKind::ValueError, message); }

/// What a model says about the type of a value, beside the graph.
struct Declaration {
  std::string_view kind;
  const onnx::TypeProto *type;
};

/// A whole file, or what has no line in it: "model.onnx: node 5 (Add)".
Place filePlace(const std::string &what) { return Place(internFileName(what), 0, 0); }

/// The value with the extents that a declaration adds, checked at run time. An error where the two
/// contradict each other.
absl::StatusOr<Variable> asDeclared(const std::string &name, const Variable &v,
                                    const Declaration &declaration, Place place) {
  auto contradiction = [&](const std::string &what) {
    return bad(std::string(declaration.kind) + " " + quoted(name) + " is declared " + what +
               ", but is " + v.type().brief() + "; correct the declaration or the graph");
  };
  if (declaration.type->value_case() == onnx::TypeProto::VALUE_NOT_SET)
    return v;
  if (!declaration.type->has_tensor_type())
    return contradiction("as no tensor");
  const onnx::TypeProto::Tensor &tensor = declaration.type->tensor_type();
  if (tensor.elem_type() != onnx::TensorProto::UNDEFINED &&
      onnxDType(tensor.elem_type()) != v.dtype())
    return contradiction("as " + onnxDTypeName(tensor.elem_type()));
  if (!tensor.has_shape())
    return v;
  if (tensor.shape().dim_size() != v.rank())
    return contradiction("with rank " + std::to_string(tensor.shape().dim_size()));
  Ints shape(size_t(v.rank()), kDynamic);
  bool news = false;
  for (int axis = 0; axis < v.rank(); ++axis) {
    const onnx::TensorShapeProto::Dimension &dim = tensor.shape().dim(axis);
    int64_t known = v.type().extent(axis);
    if (!dim.has_dim_value() || dim.dim_value() < 0 || dim.dim_value() == known)
      continue;
    if (known != kDynamic)
      return contradiction("with extent " + std::to_string(dim.dim_value()) + " along axis " +
                           std::to_string(axis));
    shape[size_t(axis)] = dim.dim_value();
    news = true;
  }
  if (!news)
    return v;
  Place here = filePlace(place.str() + ": " + std::string(declaration.kind) + " " + quoted(name) +
                         " as declared");
  return specifyShape(Operand(v, here), shape);
}

/// A call of a function within which the reader is.
struct Call {
  const onnx::FunctionProto *function;
  const Call *outer;
  int depth;
};
constexpr int kDeepestCall = 64;

class Importer {
public:
  Importer(const onnx::ModelProto &model, const std::string &path)
      : Importer(model, model.graph(), path, std::make_shared<ModelFunctions>(model), nullptr) {
    folder_ = std::filesystem::path(path).parent_path().string();
  }
  /// Of a graph within `outer`'s, whose values it sees.
  Importer(const Importer &outer, const onnx::GraphProto &graph)
      : Importer(outer.model_, graph, outer.path_, outer.functions_, &outer) {
    outer_ = &outer;
    call_ = outer.call_;
  }
  /// Of a function's body, which `caller` calls.
  Importer(const Importer &caller, const onnx::GraphProto &body, const Call &call, int opset)
      : Importer(caller.model_, body,
                 caller.path_ + ": function " + printable(functionName(*call.function)),
                 caller.functions_, &caller) {
    call_ = &call;
    context_.opset = opset;
  }

  absl::StatusOr<GraphModule> run();
  /// `narrow`: see OnnxNode.
  absl::StatusOr<Variables> runWithin(const Variables &inputs, const std::vector<int> &narrow = {});

private:
  /// What the readers of one file share is that of the first one.
  Importer(const onnx::ModelProto &model, const onnx::GraphProto &graph, std::string path,
           std::shared_ptr<ModelFunctions> functions, const Importer *first)
      : model_(model), graph_(graph), path_(std::move(path)), functions_(std::move(functions)),
        context_{first ? first->context_.opset : 1, first ? first->context_.folder : folder_,
                 first ? first->context_.budget : budget_,
                 first ? first->context_.extents : extents_, subgraphs()} {}

  absl::Status findOpset();
  decltype(OnnxContext::subgraph) subgraphs() {
    return [this](const onnx::GraphProto &graph, const Variables &inputs) {
      return Importer(*this, graph).runWithin(inputs);
    };
  }
  /// The value of that name in this graph or those around it; null if there is none.
  const Variable *find(const std::string &name) const {
    for (const Importer *scope = this; scope; scope = scope->outer_)
      if (auto found = scope->values_.find(name); found != scope->values_.end())
        return &found->second;
    return nullptr;
  }
  /// The narrow type of the value of that name, or 0.
  int findNarrow(const std::string &name) const {
    for (const Importer *scope = this; scope; scope = scope->outer_)
      if (auto found = scope->narrow_.find(name); found != scope->narrow_.end())
        return found->second;
    return 0;
  }
  absl::Status addInitializers();
  absl::Status addInputs();
  absl::Status addNodes();
  absl::Status addNode(int number);
  absl::Status callFunction(const onnx::FunctionProto &function, const onnx::NodeProto &node,
                            const Variables &inputs, const std::vector<int> &narrow, Place place);
  absl::Status defineOutputs(const onnx::NodeProto &node, const Variables &outputs,
                             absl::FunctionRef<int(size_t)> narrowOf, Place place);
  absl::Status addOutputs();
  void findDeclarations();
  Variable withSameExtents(const onnx::ValueInfoProto &info, const Variable &input);
  absl::Status define(const std::string &name, Variable v, Place place, int narrow = 0);
  absl::StatusOr<Type> typeOf(const onnx::ValueInfoProto &info) const;
  const onnx::ModelProto &model_;
  const onnx::GraphProto &graph_;
  /// Of the file, and of the function that is read.
  const std::string path_;
  const Importer *outer_ = nullptr;
  const Call *call_ = nullptr;
  std::shared_ptr<ModelFunctions> functions_;
  // Those of the model's graph serve the ones within it, too.
  std::string folder_;
  EvaluationBudget budget_{kFoldingBudget};
  SymbolicExtents extents_;
  OnnxContext context_;
  absl::flat_hash_map<std::string, Variable> values_;
  /// The narrow types of those that have one.
  absl::flat_hash_map<std::string, int> narrow_;
  /// What the model says about the types of values that it computes or has.
  absl::flat_hash_map<std::string, std::vector<Declaration>> declarations_;
  struct NamedExtent {
    Variable input;
    int axis;
  };
  /// By dim_param.
  absl::flat_hash_map<std::string, NamedExtent> dimParams_;
  GraphModule module_;
};

absl::Status Importer::findOpset() {
  constexpr int kFirstWithOpsets = 3, kNone = 0; // of the format
  absl::StatusOr<int> opset = importedOpset(model_.opset_import(), kNone);
  if (!opset.ok())
    return opset.status();
  if (*opset == kNone && model_.ir_version() >= kFirstWithOpsets)
    return bad("does not say for which version of ONNX's operators it is written; add an "
               "opset_import with that version");
  context_.opset = std::max(1, *opset);
  return functions_->status();
}

void Importer::findDeclarations() {
  auto add = [&](std::string_view kind, const auto &list) {
    for (const onnx::ValueInfoProto &info : list)
      declarations_[info.name()].push_back({kind, &info.type()});
  };
  add("input", graph_.input()); // it may have an initializer
  add("value_info", graph_.value_info());
  add("output", graph_.output());
}

/// Extents that the model declares and that do not follow from the inputs are taken over:
/// broadcasting must know extents of 1.
absl::Status Importer::define(const std::string &name, Variable v, Place place, int narrow) {
  bool named = !v.name().empty();
  if (auto found = declarations_.find(name); found != declarations_.end())
    for (const Declaration &declaration : found->second) {
      int declaredType = declaration.type->tensor_type().elem_type();
      if (narrow != 0 && declaredType != 0 && declaredType != narrow)
        return bad(std::string(declaration.kind) + " " + quoted(name) + " is declared as " +
                   onnxDTypeName(declaredType) + ", but is of " + onnxDTypeName(narrow) +
                   "; correct the declaration or the graph");
      narrow = isNarrow(declaredType) ? declaredType : narrow;
      auto declared = asDeclared(name, v, declaration, place);
      if (!declared.ok())
        return declared.status();
      if (!declared->ok())
        return declared->status();
      v = *declared;
    }
  // Where nothing was computed (Identity), the Variable keeps its first name.
  if (!named)
    v.setName(name);
  if (!values_.emplace(name, v).second)
    return bad(quoted(name) + " is defined twice");
  if (narrow != 0)
    narrow_.emplace(name, narrow);
  return absl::OkStatus();
}

absl::Status Importer::addInitializers() {
  if (graph_.sparse_initializer_size() > 0)
    return makeError(ErrorKind::NotSupported, "has sparse initializers");
  for (const onnx::TensorProto &proto : graph_.initializer()) {
    auto tensor = readTensor(proto, folder_);
    if (!tensor.ok())
      return prefixError(tensor.status(), "initializer " + quoted(proto.name()));
    Constant value = Constant::adopt(*std::move(tensor), proto.name(), filePlace(path_));
    int narrow = isNarrow(proto.data_type()) ? proto.data_type() : 0;
    if (absl::Status s = define(proto.name(), value, value.place(), narrow); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<Type> Importer::typeOf(const onnx::ValueInfoProto &info) const {
  if (!info.type().has_tensor_type())
    return makeError(ErrorKind::NotSupported, "is no tensor");
  const onnx::TypeProto::Tensor &tensor = info.type().tensor_type();
  std::optional<DType> dtype = onnxDType(tensor.elem_type());
  if (!dtype)
    return makeError(ErrorKind::NotSupported,
                     "is of " + onnxDTypeName(tensor.elem_type()) + ", which graphc has not");
  if (!tensor.has_shape())
    return makeError(ErrorKind::NotSupported, "has no rank");
  Ints shape;
  for (const onnx::TensorShapeProto::Dimension &dim : tensor.shape().dim())
    shape.push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : kDynamic);
  Type type(*dtype, shape);
  if (!type.status().ok())
    return type.status();
  return type;
}

absl::Status Importer::addInputs() {
  for (const onnx::ValueInfoProto &info : graph_.input()) {
    if (values_.contains(info.name()))
      continue; // an initializer is its default, which nobody overrides here
    auto type = typeOf(info);
    if (!type.ok())
      return prefixError(type.status(), "input " + quoted(info.name()));
    Variable input(*type, info.name());
    detail::asLeaf(input.node())->place = filePlace(path_);
    module_.inputs.push_back(input);
    Variable checked = withSameExtents(info, input);
    if (absl::Status s = define(info.name(), checked, filePlace(path_)); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

/// Extents of one dim_param are equal: the first is the extent, the others are checked against it
/// at run time.
Variable Importer::withSameExtents(const onnx::ValueInfoProto &info, const Variable &input) {
  Variable result = input;
  const onnx::TensorShapeProto &shape = info.type().tensor_type().shape();
  for (int axis = 0; axis < input.rank(); ++axis) {
    const std::string &name = shape.dim(axis).dim_param();
    if (name.empty())
      continue;
    auto [found, isNew] = dimParams_.try_emplace(name, NamedExtent{result, axis});
    if (isNew)
      continue;
    const NamedExtent &first = found->second;
    Place place = filePlace(path_ + ": input " + quoted(info.name()) + ", whose axis " +
                            std::to_string(axis) + " is " + printable(name) + " as axis " +
                            std::to_string(first.axis) + " of input " +
                            quoted(std::string(first.input.name())));
    std::vector<Operand> extents;
    for (int k = 0; k < input.rank(); ++k)
      extents.push_back(k == axis
                            ? Operand(graphc::shape(Operand(first.input, place), first.axis), place)
                            : Operand(graphc::shape(Operand(result, place), k), place));
    result = broadcastTo(Operand(result, place), ShapeList(stack(extents)));
  }
  return result;
}

absl::Status Importer::addNode(int number) {
  const onnx::NodeProto &proto = graph_.node(number);
  std::string what = "node " + std::to_string(number + 1) + " (" + proto.op_type() +
                     (proto.name().empty() ? "" : " \"" + printable(proto.name()) + "\"") + ")";
  Place place = filePlace(path_ + ": " + what);
  Variables inputs;
  std::vector<int> narrow;
  for (const std::string &name : proto.input()) {
    const Variable *found = name.empty() ? nullptr : find(name);
    if (!name.empty() && !found)
      return bad(what + ": " + quoted(name) + " is used before anything defines it");
    inputs.push_back(found ? *found : Variable());
    narrow.push_back(name.empty() ? 0 : findNarrow(name));
  }
  if (const onnx::FunctionProto *function = functions_->find(proto)) {
    absl::Status called = callFunction(*function, proto, inputs, narrow, place);
    return called.ok() ? called : prefixError(called, what);
  }
  for (int type : narrow)
    if (type != 0 && !takesNarrow(proto.op_type()))
      return makeError(ErrorKind::NotSupported,
                       what + ": takes no " + onnxDTypeName(type) + "; put a Cast in front of it");
  OnnxNode node(proto, std::move(inputs), narrow, place, context_);
  node.checkSignature();
  Variables outputs;
  if (node.status().ok())
    outputs = findTranslation(proto.op_type())->translate(node);
  if (!node.status().ok())
    return prefixError(node.status(), what);
  if (movesNarrow(proto.op_type()) && !narrow.empty())
    node.giveNarrow(0, narrow[0]);
  absl::Status defined =
      defineOutputs(proto, outputs, [&](size_t i) { return node.givenNarrow(i); }, place);
  return defined.ok() ? defined : prefixError(defined, what);
}

absl::Status Importer::defineOutputs(const onnx::NodeProto &node, const Variables &outputs,
                                     absl::FunctionRef<int(size_t)> narrowOf, Place place) {
  for (int i = 0; i < node.output_size(); ++i) {
    const std::string &name = node.output(i);
    if (name.empty())
      continue;
    if (i >= int(outputs.size()))
      return makeError(ErrorKind::NotSupported,
                       "output " + std::to_string(i) + " is not supported");
    if (!outputs[i].ok())
      return outputs[i].status();
    if (absl::Status s = define(name, outputs[i], place, narrowOf(size_t(i))); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

absl::Status Importer::callFunction(const onnx::FunctionProto &function,
                                    const onnx::NodeProto &node, const Variables &inputs,
                                    const std::vector<int> &narrow, Place place) {
  const std::string name = printable(functionName(function));
  for (const Call *call = call_; call; call = call->outer)
    if (call->function == &function)
      return bad("function " + name + " calls itself; ONNX's functions must not");
  Call call{&function, call_, call_ ? call_->depth + 1 : 1};
  if (call.depth > kDeepestCall)
    return makeError(ErrorKind::NotSupported, "function " + name + " is called within " +
                                                  std::to_string(kDeepestCall) +
                                                  " other calls; put fewer into each other");
  auto opset = importedOpset(function.opset_import(), context_.opset);
  if (!opset.ok())
    return opset.status();
  auto body = functions_->bodyOf(function, node);
  if (!body.ok())
    return body.status();
  Importer importer(*this, *body, call, *opset);
  auto results = importer.runWithin(inputs, narrow);
  if (!results.ok())
    return prefixError(results.status(), "function " + name);
  // Of outputs that are not wanted the body has none.
  Variables outputs;
  std::vector<int> types;
  for (int i = 0, next = 0; i < node.output_size(); ++i) {
    bool isWanted = !node.output(i).empty();
    outputs.push_back(isWanted ? (*results)[size_t(next++)] : Variable());
    types.push_back(isWanted ? importer.findNarrow(function.output(i)) : 0);
  }
  return defineOutputs(node, outputs, [&](size_t i) { return types[i]; }, place);
}

absl::Status Importer::addNodes() {
  for (int number : nodeOrder(graph_))
    if (absl::Status s = addNode(number); !s.ok())
      return s;
  return absl::OkStatus();
}

absl::Status Importer::addOutputs() {
  for (const onnx::ValueInfoProto &info : graph_.output()) {
    const Variable *found = find(info.name());
    if (!found)
      return bad("output " + quoted(info.name()) + " is computed by no node");
    module_.outputs.push_back(*found);
    module_.outputNames.push_back(info.name());
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphModule> Importer::run() {
  if (absl::Status s = findOpset(); !s.ok())
    return s;
  if (absl::Status s = checkOperators(model_, context_.opset, *functions_); !s.ok())
    return s;
  findDeclarations();
  if (absl::Status s = addInitializers(); !s.ok())
    return s;
  if (absl::Status s = addInputs(); !s.ok())
    return s;
  if (absl::Status s = addNodes(); !s.ok())
    return s;
  if (absl::Status s = addOutputs(); !s.ok())
    return s;
  return std::move(module_);
}

absl::StatusOr<Variables> Importer::runWithin(const Variables &inputs,
                                              const std::vector<int> &narrow) {
  findDeclarations();
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].ok())
      continue; // a function's input that its call omits; it is not read
    int type = k < narrow.size() ? narrow[k] : 0;
    if (absl::Status s = define(graph_.input(int(k)).name(), inputs[k], filePlace(path_), type);
        !s.ok())
      return s;
  }
  for (auto step : {&Importer::addInitializers, &Importer::addNodes, &Importer::addOutputs})
    if (absl::Status s = (this->*step)(); !s.ok())
      return s;
  return std::move(module_.outputs);
}

/// Errors of what is in the file are at the file: the node is named by their messages.
absl::StatusOr<GraphModule> importModel(const std::string &path) {
  absl::StatusOr<OpenFile> opened = openFile(path);
  if (!opened.ok())
    return opened.status();
  try {
    auto model = readModel(opened->file.get());
    auto module = model.ok() ? Importer(*model, path).run() : model.status();
    if (module.ok())
      return module;
    absl::string_view message = module.status().message();
    return makeError(errorKind(module.status()),
                     withoutHint({message.data(), message.size()}, filePlace(path)),
                     filePlace(path));
  } catch (const std::bad_alloc &) {
    return makeError(ErrorKind::OutOfMemory, path + ": no memory to read it");
  }
}

} // namespace
} // namespace graphc

/// What libgraphc looks up in this library: see loadOnnx.
extern "C" __attribute__((visibility("default"))) void
graphcOnnxEntry(const std::string &path, absl::StatusOr<graphc::GraphModule> *result) {
  *result = graphc::importModel(path);
}
