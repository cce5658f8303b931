//===- Importer.cpp - models as graphs -------------------------------------===//
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>

#include "Eval/Evaluate.h"
#include "Graph/Nodes.h"
#include "Import/Broadcast.h"
#include "Import/NodeOrder.h"
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

bool isStandardDomain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

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

/// Also of the graphs within a graph.
void forEachNode(const onnx::GraphProto &graph,
                 absl::FunctionRef<void(const onnx::NodeProto &)> visit) {
  for (const onnx::NodeProto &node : graph.node()) {
    visit(node);
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        forEachNode(attribute.g(), visit);
  }
}

class Importer {
public:
  Importer(const onnx::ModelProto &model, const std::string &path)
      : model_(model), graph_(model.graph()), path_(path),
        folder_(std::filesystem::path(path).parent_path().string()),
        context_{1, folder_, budget_, extents_, subgraphs()} {}
  /// Of a graph within `outer`'s, whose values it sees.
  Importer(const Importer &outer, const onnx::GraphProto &graph)
      : model_(outer.model_), graph_(graph), path_(outer.path_), outer_(&outer),
        context_{outer.context_.opset, outer.context_.folder, outer.context_.budget,
                 outer.context_.extents, subgraphs()} {}

  absl::StatusOr<GraphModule> run();
  absl::StatusOr<Variables> runWithin(const Variables &inputs);

private:
  absl::Status findOpset();
  absl::Status checkOperators() const;
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
  absl::Status addInitializers();
  absl::Status addInputs();
  absl::Status addNodes();
  absl::Status addNode(int number);
  absl::Status addOutputs();
  void findDeclarations();
  Variable withSameExtents(const onnx::ValueInfoProto &info, const Variable &input);
  absl::Status define(const std::string &name, Variable v, Place place);
  absl::StatusOr<Type> typeOf(const onnx::ValueInfoProto &info) const;
  const onnx::ModelProto &model_;
  const onnx::GraphProto &graph_;
  const std::string &path_;
  const Importer *outer_ = nullptr;
  // Those of the model's graph serve the ones within it, too.
  std::string folder_;
  EvaluationBudget budget_{kFoldingBudget};
  SymbolicExtents extents_;
  OnnxContext context_;
  absl::flat_hash_map<std::string, Variable> values_;
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
  constexpr int kFirstWithOpsets = 3; // of the format
  std::optional<int64_t> found;
  for (const onnx::OperatorSetIdProto &set : model_.opset_import()) {
    if (!isStandardDomain(set.domain()))
      continue;
    if (found && *found != set.version())
      return bad("names two versions of ONNX's operators, " + std::to_string(*found) + " and " +
                 std::to_string(set.version()) + "; keep the one that it is written for");
    found = set.version();
    if (set.version() < 1 || set.version() > kNewestOpset)
      return makeError(ErrorKind::NotSupported, "is written for version " +
                                                    std::to_string(set.version()) +
                                                    " of ONNX's operators; 1 to " +
                                                    std::to_string(kNewestOpset) + " are known");
    context_.opset = int(set.version());
  }
  if (!found && model_.ir_version() >= kFirstWithOpsets)
    return bad("does not say for which version of ONNX's operators it is written; add an "
               "opset_import with that version");
  return absl::OkStatus();
}

absl::Status Importer::checkOperators() const {
  // Name and, where it is the version that is wrong, the reason.
  std::map<std::string, std::pair<int, std::string>> missing;
  forEachNode(graph_, [&](const onnx::NodeProto &node) {
    bool standard = isStandardDomain(node.domain());
    const Translation *known = standard ? findTranslation(node.op_type()) : nullptr;
    std::string why;
    if (known && context_.opset < known->since)
      why = "; ONNX has it from version " + std::to_string(known->since) + " on";
    else if (known && context_.opset > known->until)
      why = "; ONNX has it up to version " + std::to_string(known->until);
    else if (known)
      return;
    auto &entry = missing[(standard ? "" : node.domain() + ".") + node.op_type()];
    ++entry.first;
    entry.second = why;
  });
  if (missing.empty())
    return absl::OkStatus();
  std::string list = join(missing, ", ", [](const auto &entry) {
    return printable(entry.first) + " (" + std::to_string(entry.second.first) +
           entry.second.second + ")";
  });
  return makeError(ErrorKind::NotSupported, "uses operators that have no translation: " + list);
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
absl::Status Importer::define(const std::string &name, Variable v, Place place) {
  bool named = !v.name().empty();
  if (auto found = declarations_.find(name); found != declarations_.end())
    for (const Declaration &declaration : found->second) {
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
    if (absl::Status s = define(proto.name(), value, value.place()); !s.ok())
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
  for (const std::string &name : proto.input()) {
    const Variable *found = name.empty() ? nullptr : find(name);
    if (!name.empty() && !found)
      return bad(what + ": " + quoted(name) + " is used before anything defines it");
    inputs.push_back(found ? *found : Variable());
  }
  OnnxNode node(proto, std::move(inputs), place, context_);
  node.checkSignature();
  Variables outputs;
  if (node.status().ok())
    outputs = findTranslation(proto.op_type())->translate(node);
  if (!node.status().ok())
    return prefixError(node.status(), what);
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string &name = proto.output(i);
    if (name.empty())
      continue;
    if (i >= int(outputs.size()))
      return makeError(ErrorKind::NotSupported,
                       what + ": output " + std::to_string(i) + " is not supported");
    if (!outputs[i].ok())
      return prefixError(outputs[i].status(), what);
    if (absl::Status s = define(name, outputs[i], place); !s.ok())
      return prefixError(s, what);
  }
  return absl::OkStatus();
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
  if (absl::Status s = checkOperators(); !s.ok())
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

absl::StatusOr<Variables> Importer::runWithin(const Variables &inputs) {
  findDeclarations();
  for (size_t k = 0; k < inputs.size(); ++k)
    if (absl::Status s = define(graph_.input(int(k)).name(), inputs[k], filePlace(path_)); !s.ok())
      return s;
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
