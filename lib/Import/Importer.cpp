//===- Importer.cpp - models as graphs -------------------------------------===//
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "Eval/Evaluate.h"
#include "Import/TensorReader.h"
#include "Import/Translations.h"
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

absl::StatusOr<onnx::ModelProto> readModel(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code failure;
  if (!file || std::filesystem::is_directory(path, failure))
    return makeError(ErrorKind::Io, path + ": cannot be opened");
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&file))
    return makeError(ErrorKind::Io, path + ": is no ONNX model, or damaged");
  if (!model.has_graph())
    return makeError(ErrorKind::Io, path + ": is no ONNX model: it has no graph");
  return model;
}

class Importer {
public:
  Importer(const onnx::ModelProto &model, const std::string &path)
      : model_(model), graph_(model.graph()), path_(path), placeFile_(internFileName(path)),
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
  absl::Status inFile(const absl::Status &error, const std::string &what) const {
    return prefixError(error, path_ + ": " + what);
  }
  absl::Status bad(const std::string &message) const {
    return makeError(ErrorKind::ValueError, path_ + ": " + message);
  }

  const onnx::ModelProto &model_;
  const onnx::GraphProto &graph_;
  const std::string &path_;
  const char *placeFile_;
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
      return makeError(ErrorKind::NotSupported, path_ + ": is written for version " +
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
    return entry.first + " (" + std::to_string(entry.second.first) + entry.second.second + ")";
  });
  return makeError(ErrorKind::NotSupported,
                   path_ + ": uses operators that have no translation: " + list);
}

absl::Status Importer::define(const std::string &name, const Variable &v) {
  if (!values_.emplace(name, v).second)
    return bad("'" + name + "' is defined twice");
  return absl::OkStatus();
}

absl::Status Importer::addInitializers() {
  if (graph_.sparse_initializer_size() > 0)
    return makeError(ErrorKind::NotSupported, path_ + ": has sparse initializers");
  for (const onnx::TensorProto &proto : graph_.initializer()) {
    auto tensor = readTensor(proto, folder_);
    if (!tensor.ok())
      return inFile(tensor.status(), "initializer '" + proto.name() + "'");
    Constant value = Constant::adopt(*std::move(tensor), proto.name(), Place(placeFile_, 0, 0));
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
      return inFile(type.status(), "input '" + info.name() + "'");
    Variable input = Variable(*type, info.name());
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
  std::string what = "node " + std::to_string(number + 1) +
                     (proto.name().empty() ? "" : " '" + proto.name() + "'") + " (" +
                     proto.op_type() + ")";
  Place place(placeFile_, uint32_t(number + 1), 1);
  Variables inputs;
  for (const std::string &name : proto.input()) {
    auto found = values_.find(name);
    if (!name.empty() && found == values_.end())
      return bad(what + ": '" + name + "' is used before anything defines it");
    inputs.push_back(name.empty() ? Variable() : found->second);
  }
  OnnxNode node(proto, std::move(inputs), place, context_);
  Variables outputs = findTranslation(proto.op_type())->translate(node);
  if (!node.status().ok())
    return inFile(node.status(), what);
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string &name = proto.output(i);
    if (name.empty())
      continue;
    if (i >= int(outputs.size()))
      return inFile(makeError(ErrorKind::NotSupported,
                              "output " + std::to_string(i) + " is not supported", place),
                    what);
    if (!outputs[i].ok())
      return inFile(outputs[i].status(), what);
    Variable v = withHint(name, outputs[i], place);
    if (!v.ok())
      return inFile(v.status(), what);
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
      return bad("output '" + info.name() + "' is computed by no node");
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

absl::StatusOr<GraphModule> importModel(const std::string &path) {
  auto model = readModel(path);
  if (!model.ok())
    return model.status();
  return Importer(*model, path).run();
}

} // namespace
} // namespace graphc

/// What libgraphc looks up in this library: see loadOnnx.
extern "C" __attribute__((visibility("default"))) void
graphcOnnxEntry(const std::string &path, absl::StatusOr<graphc::GraphModule> *result) {
  *result = graphc::importModel(path);
}
