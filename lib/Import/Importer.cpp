//===- Importer.cpp - models as graphs -------------------------------------===//
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>

#include "Eval/Evaluate.h"
#include "Graph/Nodes.h"
#include "Import/TensorReader.h"
#include "Import/Translations.h"
#include "Support/ReadFile.h"
#include "Support/StageOfText.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
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

/// A whole file, or what has no line in it: "model.onnx: node 5 (Add)".
Place filePlace(const std::string &what) { return Place(internFileName(what), 0, 0); }

class Importer {
public:
  Importer(const onnx::ModelProto &model, const std::string &path)
      : model_(model), graph_(model.graph()), path_(path),
        folder_(std::filesystem::path(path).parent_path().string()) {}

  absl::StatusOr<GraphModule> run();

private:
  absl::Status findOpset();
  absl::Status checkOperators() const;
  absl::Status addInitializers();
  absl::Status addInputs();
  absl::Status addNodes();
  absl::Status addNode(int number);
  absl::Status addOutputs();
  absl::Status define(const std::string &name, const Variable &v);
  absl::StatusOr<Type> typeOf(const onnx::ValueInfoProto &info) const;
  Variable withHint(const std::string &name, const Variable &v, Place place) const;
  const onnx::ModelProto &model_;
  const onnx::GraphProto &graph_;
  const std::string &path_;
  std::string folder_;
  EvaluationBudget budget_{kFoldingBudget};
  OnnxContext context_{1, folder_, budget_};
  absl::flat_hash_map<std::string, Variable> values_;
  absl::flat_hash_map<std::string, const onnx::ValueInfoProto *> hints_;
  GraphModule module_;
};

absl::Status Importer::findOpset() {
  for (const onnx::OperatorSetIdProto &set : model_.opset_import()) {
    if (!isStandardDomain(set.domain()))
      continue;
    if (set.version() < 1 || set.version() > kNewestOpset)
      return makeError(ErrorKind::NotSupported, "is written for version " +
                                                    std::to_string(set.version()) +
                                                    " of ONNX's operators; 1 to " +
                                                    std::to_string(kNewestOpset) + " are known");
    context_.opset = int(set.version());
  }
  return absl::OkStatus();
}

absl::Status Importer::checkOperators() const {
  // Name and, where it is the version that is wrong, the reason.
  std::map<std::string, std::pair<int, std::string>> missing;
  for (const onnx::NodeProto &node : graph_.node()) {
    bool standard = isStandardDomain(node.domain());
    const Translation *known = standard ? findTranslation(node.op_type()) : nullptr;
    std::string why;
    if (known && context_.opset < known->since)
      why = "; ONNX has it from version " + std::to_string(known->since) + " on";
    else if (known && context_.opset > known->until)
      why = "; ONNX has it up to version " + std::to_string(known->until);
    else if (known)
      continue;
    auto &entry = missing[(standard ? "" : node.domain() + ".") + node.op_type()];
    ++entry.first;
    entry.second = why;
  }
  if (missing.empty())
    return absl::OkStatus();
  std::string list = join(missing, ", ", [](const auto &entry) {
    return printable(entry.first) + " (" + std::to_string(entry.second.first) +
           entry.second.second + ")";
  });
  return makeError(ErrorKind::NotSupported, "uses operators that have no translation: " + list);
}

absl::Status Importer::define(const std::string &name, const Variable &v) {
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
    if (absl::Status s = define(proto.name(), value); !s.ok())
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
    if (absl::Status s = define(info.name(), input); !s.ok())
      return s;
  }
  for (const onnx::ValueInfoProto &info : graph_.value_info())
    hints_.emplace(info.name(), &info);
  return absl::OkStatus();
}

/// Extents that the model states and that do not follow from the inputs are taken over, checked
/// at run time: broadcasting must know extents of 1.
Variable Importer::withHint(const std::string &name, const Variable &v, Place place) const {
  auto found = hints_.find(name);
  if (found == hints_.end() || v.type().hasStaticShape())
    return v;
  auto hint = typeOf(*found->second);
  if (!hint.ok() || hint->rank() != v.rank())
    return v;
  Ints shape(v.rank(), kDynamic);
  bool news = false;
  for (int axis = 0; axis < v.rank(); ++axis)
    if (v.type().extent(axis) == kDynamic && hint->extent(axis) != kDynamic) {
      shape[axis] = hint->extent(axis);
      news = true;
    }
  return news ? specifyShape(Operand(v, place), shape) : v;
}

absl::Status Importer::addNode(int number) {
  const onnx::NodeProto &proto = graph_.node(number);
  std::string what = "node " + std::to_string(number + 1) + " (" + proto.op_type() +
                     (proto.name().empty() ? "" : " \"" + printable(proto.name()) + "\"") + ")";
  Place place = filePlace(path_ + ": " + what);
  Variables inputs;
  for (const std::string &name : proto.input()) {
    auto found = values_.find(name);
    if (!name.empty() && found == values_.end())
      return bad(what + ": " + quoted(name) + " is used before anything defines it");
    inputs.push_back(name.empty() ? Variable() : found->second);
  }
  OnnxNode node(proto, std::move(inputs), place, context_);
  Variables outputs = findTranslation(proto.op_type())->translate(node);
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
    Variable v = withHint(name, outputs[i], place);
    if (!v.ok())
      return prefixError(v.status(), what);
    // Where nothing was computed (Identity), the Variable keeps its first name.
    if (v.name().empty())
      v.setName(name);
    if (absl::Status s = define(name, v); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

absl::Status Importer::addNodes() {
  for (int i = 0; i < graph_.node_size(); ++i)
    if (absl::Status s = addNode(i); !s.ok())
      return s;
  return absl::OkStatus();
}

absl::Status Importer::addOutputs() {
  for (const onnx::ValueInfoProto &info : graph_.output()) {
    auto found = values_.find(info.name());
    if (found == values_.end())
      return bad("output " + quoted(info.name()) + " is computed by no node");
    module_.outputs.push_back(found->second);
    module_.outputNames.push_back(info.name());
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphModule> Importer::run() {
  if (absl::Status s = findOpset(); !s.ok())
    return s;
  if (absl::Status s = checkOperators(); !s.ok())
    return s;
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
    return makeError(errorKind(module.status()), {message.data(), message.size()}, filePlace(path));
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
