//===- Importer.cpp - models as graphs -------------------------------------===//
#include <algorithm>
#include <filesystem>

#include "Eval/Evaluate.h"
#include "Graph/Nodes.h"
#include "Graph/OnnxEntry.h"
#include "Graph/PlaceScope.h"
#include "Import/Broadcast.h"
#include "Import/Declaration.h"
#include "Import/ErrorText.h"
#include "Import/InputTypes.h"
#include "Import/KnownValues.h"
#include "Import/NarrowTypes.h"
#include "Import/NodeOrder.h"
#include "Import/OperatorCheck.h"
#include "Import/ReadModel.h"
#include "Import/TensorReader.h"
#include "Import/Translations.h"
#include "Support/BroadcastHint.h"
#include "Support/NoMemory.h"
#include "Support/ReadFile.h"
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
/// What reading nodes may cost besides those that the file has, since loops over sequences are
/// unrolled and arrays are cut into sequences: elements of sequences that they take, and some for
/// each node. So many nodes a small file may have, and one for so many of its bytes: as calls of
/// functions (Functions.cpp). What it takes to begin a graph within another is that of several.
constexpr int64_t kWorkOfNode = 64, kWorkOfGraph = 8 * kWorkOfNode;
constexpr int64_t kUnrolledNodes = 8192, kBytesOfUnrolledNode = 4;
/// Initializers of a loop's body are read in each step: so many of their bytes cost one.
constexpr int64_t kBytesOfWork = 32;

absl::Status bad(const std::string &message) { return makeError(ErrorKind::ValueError, message); }

/// A call of a function within which the reader is.
struct Call {
  const onnx::FunctionProto *function;
  const Call *outer;
  /// Of its function and those around it.
  int64_t nameBytes;
};
/// Readers of graphs around that of a function's body, each of which stands on the stack. The body
/// has 32 levels of graphs at most (ReadModel.cpp).
constexpr int kDeepestCall = 64;

/// What it takes to read a graph within another besides its nodes.
int64_t workOfStep(const onnx::GraphProto &graph) {
  int64_t work = kWorkOfGraph;
  for (const onnx::TensorProto &initializer : graph.initializer())
    work += int64_t(initializer.ByteSizeLong()) / kBytesOfWork;
  return work;
}

/// What may be spent on reading the nodes that a graph has, with those of graphs within.
int64_t workOf(const onnx::GraphProto &graph) {
  int64_t work = workOfStep(graph);
  for (const onnx::NodeProto &node : graph.node()) {
    work += 2 * kWorkOfNode;
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        work += workOf(attribute.g());
  }
  return work;
}

class Importer {
public:
  Importer(const onnx::ModelProto &model, const std::string &path, const OnnxInputs &inputs)
      : Importer(model, model.graph(), path, std::make_shared<ModelFunctions>(model), nullptr) {
    files_ = ExternalFiles(std::filesystem::path(path).parent_path().string());
    inputTypes_ = InputTypes(inputs);
    unrolledNodes_ = kUnrolledNodes + int64_t(model.ByteSizeLong()) / kBytesOfUnrolledNode;
    workLeft_ = unrolledNodes_ * kWorkOfNode + workOf(graph_);
  }
  /// Of a graph within `outer`'s, whose values it sees.
  Importer(const Importer &outer, const onnx::GraphProto &graph)
      : Importer(outer.model_, graph, outer.path_, outer.functions_, &outer) {
    outer_ = &outer;
    call_ = outer.call_;
    depth_ = outer.depth_ + 1;
  }
  /// Of a function's body, which `caller` calls.
  Importer(const Importer &caller, const onnx::GraphProto &body, const Call &call,
           const Versions &versions)
      : Importer(caller.model_, body,
                 caller.path_ + ": function " + printable(functionName(*call.function)),
                 caller.functions_, &caller) {
    call_ = &call;
    depth_ = caller.depth_ + 1;
    context_.versions = versions;
    workLeft_ += workOf(body);
  }

  absl::StatusOr<GraphModule> run();
  /// `narrow`: see OnnxNode.
  absl::StatusOr<OnnxValues> runWithin(const OnnxValues &inputs,
                                       const std::vector<int> &narrow = {});

private:
  /// What the readers of one file share is that of the first one.
  Importer(const onnx::ModelProto &model, const onnx::GraphProto &graph, std::string path,
           std::shared_ptr<ModelFunctions> functions, const Importer *first)
      : model_(model), graph_(graph), path_(std::move(path)), functions_(std::move(functions)),
        unrolledNodes_(first ? first->unrolledNodes_ : 0), workLeft_(first ? first->workLeft_ : 0),
        context_{first ? first->context_.versions : Versions(),
                 first ? first->context_.files : files_,
                 first ? first->context_.extents : extents_,
                 first ? first->context_.known : known_,
                 subgraphs(),
                 names(),
                 [this](const std::string &name) { return declaredRank(name); },
                 [this](int64_t nodes) { return spend(nodes * kWorkOfNode); },
                 [this] { return workLeft_ / kWorkOfNode; }} {}

  absl::Status findVersions();
  decltype(OnnxContext::subgraph) subgraphs() {
    return [this](const onnx::GraphProto &graph, const OnnxValues &inputs) {
      if (absl::Status s = spend(workOfStep(graph)); !s.ok())
        return absl::StatusOr<OnnxValues>(s);
      Importer within(*this, graph);
      absl::StatusOr<OnnxValues> results = within.runWithin(inputs);
      workLeft_ = within.workLeft_;
      return results;
    };
  }
  decltype(OnnxContext::find) names() {
    return [this](const std::string &name) { return find(name); };
  }
  /// The value of that name in this graph or those around it; null if there is none.
  const OnnxValue *find(const std::string &name) const {
    for (const Importer *scope = this; scope; scope = scope->outer_)
      if (auto found = scope->values_.find(name); found != scope->values_.end())
        return &found->second;
    return nullptr;
  }
  /// The rank that this graph declares for that name.
  std::optional<int> declaredRank(const std::string &name) const {
    if (auto found = declarations_.find(name); found != declarations_.end())
      for (const Declaration &declaration : found->second)
        if (const auto &tensor = declaration.type->tensor_type(); tensor.has_shape())
          return tensor.shape().dim_size();
    return std::nullopt;
  }
  /// The narrow type of the value of that name, or 0.
  int findNarrow(const std::string &name) const {
    for (const Importer *scope = this; scope; scope = scope->outer_)
      if (auto found = scope->narrow_.find(name); found != scope->narrow_.end())
        return found->second;
    return 0;
  }
  absl::Status spend(int64_t work) {
    workLeft_ -= work;
    if (workLeft_ >= 0)
      return absl::OkStatus();
    return makeError(ErrorKind::NotSupported,
                     "loops over sequences are unrolled, loops whose states change their shape "
                     "are copied, and with arrays that are cut into sequences they make too many "
                     "nodes (in a file of this size " +
                         std::to_string(unrolledNodes_) +
                         " at most, fewer where sequences are long)");
  }
  absl::Status addInitializers();
  absl::Status addInputs();
  absl::Status addNodes();
  absl::Status addNode(int number);
  absl::Status callFunction(const onnx::FunctionProto &function, const onnx::NodeProto &node,
                            const OnnxValues &inputs, const std::vector<int> &narrow, Place place);
  absl::Status defineOutputs(const onnx::NodeProto &node, const OnnxValues &outputs,
                             absl::FunctionRef<int(size_t)> narrowOf, Place place);
  absl::Status addOutputs();
  void findDeclarations();
  Variable withSameExtents(const onnx::ValueInfoProto &info, const Variable &input);
  /// Of an input or output of that number.
  static void addExtentNames(std::vector<ExtentName> &names, size_t number, const Variable &v,
                             const onnx::ValueInfoProto &info);
  absl::Status define(const std::string &name, OnnxValue v, Place place, int narrow = 0);
  const onnx::ModelProto &model_;
  const onnx::GraphProto &graph_;
  /// Of the file, and of the function that is read.
  const std::string path_;
  const Importer *outer_ = nullptr;
  const Call *call_ = nullptr;
  int depth_ = 0; // readers around this one
  std::shared_ptr<ModelFunctions> functions_;
  InputTypes inputTypes_ = InputTypes({});
  int64_t unrolledNodes_, workLeft_;
  // Those of the model's graph serve the ones within it, too.
  ExternalFiles files_{""};
  EvaluationBudget budget_{kFoldingBudget};
  KnownValues known_{budget_};
  SymbolicExtents extents_;
  OnnxContext context_;
  absl::flat_hash_map<std::string, OnnxValue> values_;
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
  OnnxValues results_;
};

absl::Status Importer::findVersions() {
  constexpr int kFirstWithOpsets = 3; // of the format
  absl::StatusOr<Versions> versions = importedVersions(model_.opset_import(), Versions());
  if (!versions.ok())
    return versions.status();
  context_.versions = *versions;
  int &own = context_.versions[size_t(Domain::Onnx)];
  if (own == 0 && model_.ir_version() < kFirstWithOpsets)
    own = 1;
  if (own == 0 && graph_.node_size() == 0)
    return versionIsMissing(Domain::Onnx);
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
absl::Status Importer::define(const std::string &name, OnnxValue v, Place place, int narrow) {
  std::vector<bool> isNamed;
  for (const Variable &element : v.elements())
    isNamed.push_back(!element.name().empty());
  if (auto found = declarations_.find(name); found != declarations_.end())
    for (const Declaration &declaration : found->second) {
      int declaredType = declaration.type->tensor_type().elem_type();
      if (narrow != 0 && declaredType != 0 && declaredType != narrow)
        return bad(std::string(declaration.kind) + " " + quoted(name) + " is declared as " +
                   onnxDTypeName(declaredType) + ", but is of " + onnxDTypeName(narrow) +
                   "; correct the declaration or the graph");
      narrow = isNarrow(declaredType) ? declaredType : narrow;
      auto declared = asDeclared(v, name, declaration, place);
      if (!declared.ok())
        return declared.status();
      if (absl::Status s = declared->status(); !s.ok())
        return s;
      v = *std::move(declared);
    }
  // Where nothing was computed (Identity), the Variable keeps its first name.
  for (size_t k = 0; k < v.elements().size(); ++k)
    if (!isNamed[k])
      v.elements()[k].setName(v.kind() == OnnxValue::Kind::Sequence ? elementName(name, k) : name);
  if (!values_.emplace(name, std::move(v)).second)
    return bad(quoted(name) + " is defined twice");
  if (narrow != 0)
    narrow_.emplace(name, narrow);
  return absl::OkStatus();
}

absl::Status Importer::addInitializers() {
  if (graph_.sparse_initializer_size() > 0)
    return makeError(ErrorKind::NotSupported, "has sparse initializers");
  for (const onnx::TensorProto &proto : graph_.initializer()) {
    auto tensor = readTensor(proto, context_.files);
    if (!tensor.ok())
      return prefixError(tensor.status(), "initializer " + quoted(proto.name()));
    Constant value = Constant::adopt(*std::move(tensor), proto.name(), filePlace(path_));
    int narrow = isNarrow(proto.data_type()) ? proto.data_type() : 0;
    if (absl::Status s = define(proto.name(), value, value.place(), narrow); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

absl::Status Importer::addInputs() {
  absl::flat_hash_set<std::string_view> names;
  for (const onnx::ValueInfoProto &info : graph_.input()) {
    if (!names.insert(info.name()).second)
      return bad("input " + quoted(info.name()) + " is defined twice");
    if (values_.contains(info.name()))
      continue; // an initializer is its default, which nobody overrides here
    auto value = inputTypes_.make(info, filePlace(path_));
    if (!value.ok())
      return prefixError(value.status(), "input " + quoted(info.name()));
    for (const Variable &input : value->elements())
      module_.inputs.push_back(input);
    if (value->isTensor()) {
      addExtentNames(module_.inputExtents, module_.inputs.size() - 1, value->elements()[0], info);
      *value = withSameExtents(info, value->elements()[0]);
    }
    if (absl::Status s = define(info.name(), *value, filePlace(path_)); !s.ok())
      return s;
  }
  return inputTypes_.checkAllUsed();
}

void Importer::addExtentNames(std::vector<ExtentName> &names, size_t number, const Variable &v,
                              const onnx::ValueInfoProto &info) {
  const onnx::TensorShapeProto &shape = info.type().tensor_type().shape();
  for (int axis = 0; axis < std::min(shape.dim_size(), v.rank()); ++axis)
    if (const std::string &name = shape.dim(axis).dim_param();
        !name.empty() && v.type().extent(axis) == kDynamic)
      names.push_back({int(number), axis, name});
}

/// Extents of one dim_param are equal: the first is the extent, the others are checked against it
/// at run time.
Variable Importer::withSameExtents(const onnx::ValueInfoProto &info, const Variable &input) {
  Variable result = input;
  const onnx::TensorShapeProto &shape = info.type().tensor_type().shape();
  for (int axis = 0; axis < shape.dim_size(); ++axis) {
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
  OnnxValues inputs;
  std::vector<int> narrow;
  for (const std::string &name : proto.input()) {
    const OnnxValue *found = name.empty() ? nullptr : find(name);
    if (!name.empty() && !found)
      return bad(what + ": " + quoted(name) + " is used before anything defines it");
    workLeft_ -= found ? int64_t(found->elements().size()) : 0;
    inputs.push_back(found ? *found : Variable());
    narrow.push_back(name.empty() ? 0 : findNarrow(name));
  }
  if (absl::Status s = spend(kWorkOfNode); !s.ok())
    return prefixError(s, what);
  if (const onnx::FunctionProto *function = functions_->find(proto)) {
    absl::Status called = callFunction(*function, proto, inputs, narrow, place);
    return called.ok() ? called : prefixError(called, what);
  }
  for (int type : narrow)
    if (type != 0 && !takesNarrow(proto.op_type()))
      return makeError(ErrorKind::NotSupported,
                       what + ": takes no " + onnxDTypeName(type) + "; put a Cast in front of it");
  Domain domain = *findDomain(proto.domain());
  OnnxNode node(proto, domain, std::move(inputs), narrow, place, context_);
  node.checkSignature();
  OnnxValues outputs;
  if (node.status().ok()) {
    PlaceScope atNode(place); // whatever functions make the node's ops
    outputs = findTranslation(domain, proto.op_type())->translate(node);
  }
  if (!node.status().ok())
    return prefixError(node.status(), what);
  if (movesNarrow(proto.op_type()) && !narrow.empty())
    node.giveNarrow(0, narrow[0]);
  absl::Status defined =
      defineOutputs(proto, outputs, [&](size_t i) { return node.givenNarrow(i); }, place);
  return defined.ok() ? defined : prefixError(defined, what);
}

absl::Status Importer::defineOutputs(const onnx::NodeProto &node, const OnnxValues &outputs,
                                     absl::FunctionRef<int(size_t)> narrowOf, Place place) {
  for (int i = 0; i < node.output_size(); ++i) {
    const std::string &name = node.output(i);
    if (name.empty())
      continue;
    if (i >= int(outputs.size()))
      return makeError(ErrorKind::NotSupported,
                       "output " + std::to_string(i) + " is not supported");
    if (absl::Status s = outputs[i].status(); !s.ok())
      return s;
    if (absl::Status s = define(name, outputs[i], place, narrowOf(size_t(i))); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

absl::Status Importer::callFunction(const onnx::FunctionProto &function,
                                    const onnx::NodeProto &node, const OnnxValues &inputs,
                                    const std::vector<int> &narrow, Place place) {
  const std::string name = printable(functionName(function));
  for (const Call *call = call_; call; call = call->outer)
    if (call->function == &function)
      return bad("function " + name + " calls itself; ONNX's functions must not");
  Call call{&function, call_, int64_t(name.size()) + (call_ ? call_->nameBytes : 0)};
  if (depth_ >= kDeepestCall)
    return makeError(ErrorKind::NotSupported,
                     "function " + name + " is called within " + std::to_string(kDeepestCall) +
                         " other calls and graphs; put fewer into each other");
  auto versions = importedVersions(function.opset_import(), context_.versions);
  if (!versions.ok())
    return versions.status();
  auto body = functions_->bodyOf(function, node, call.nameBytes);
  if (!body.ok())
    return body.status();
  Importer importer(*this, *body, call, *versions);
  auto results = importer.runWithin(inputs, narrow);
  workLeft_ = importer.workLeft_;
  if (!results.ok())
    return prefixError(results.status(), "function " + name);
  // Of outputs that are not wanted the body has none.
  OnnxValues outputs;
  std::vector<int> types;
  for (int i = 0, next = 0; i < node.output_size(); ++i) {
    bool isWanted = !node.output(i).empty();
    outputs.push_back(isWanted ? (*results)[size_t(next++)] : OnnxValue(Variable()));
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
    const OnnxValue *found = find(info.name());
    if (!found)
      return bad("output " + quoted(info.name()) + " is computed by no node");
    results_.push_back(*found);
    if (found->isTensor() && found->ok())
      addExtentNames(module_.outputExtents, module_.outputs.size(), found->elements()[0], info);
    bool isSequence = found->kind() == OnnxValue::Kind::Sequence;
    for (size_t k = 0; k < found->elements().size(); ++k) {
      module_.outputs.push_back(found->elements()[k]);
      module_.outputNames.push_back(isSequence ? elementName(info.name(), k) : info.name());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphModule> Importer::run() {
  if (absl::Status s = findVersions(); !s.ok())
    return s;
  if (absl::Status s = checkOperators(model_, context_.versions, *functions_); !s.ok())
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

absl::StatusOr<OnnxValues> Importer::runWithin(const OnnxValues &inputs,
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
  return std::move(results_);
}

/// Errors of what is in the file are at the file: the node is named by their messages.
absl::StatusOr<GraphModule> importModel(const std::string &path, const OnnxInputs &options) {
  absl::StatusOr<OpenFile> opened = openFile(path);
  if (!opened.ok())
    return opened.status();
  auto import = [&]() -> absl::StatusOr<GraphModule> {
    auto model = readModel(opened->file.get());
    auto module = model.ok() ? Importer(*model, path, options).run() : model.status();
    if (module.ok())
      return module;
    absl::string_view message = module.status().message();
    return makeError(errorKind(module.status()),
                     withoutHint({message.data(), message.size()}, filePlace(path)),
                     filePlace(path));
  };
  return unlessNoMemory(
      import, [&] { return makeError(ErrorKind::OutOfMemory, path + ": no memory to read it"); });
}

} // namespace
} // namespace graphc

void graphcOnnxEntry(const std::string &path, const graphc::OnnxInputs &options,
                     absl::StatusOr<graphc::GraphModule> *result) {
  *result = graphc::importModel(path, options);
}
