//===- OperatorCheck.cpp - which operators a model uses --------------------===//
#include "Import/OperatorCheck.h"

#include <algorithm>
#include <map>
#include <optional>

#include "Import/Translations.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_set.h"

namespace graphc {
namespace {

/// Why a node of ONNX's own domain has no translation: its version, a reason of ours, or a name
/// that is nearly right. Nothing if it has one.
std::optional<std::string> whyMissing(const std::string &name, int opset) {
  const Translation *known = findTranslation(name);
  const Refusal *refused = known ? nullptr : findRefusal(name);
  int since = known ? known->since : refused ? refused->since : 1;
  if (opset < since)
    return "; ONNX has it from version " + std::to_string(since) + " on";
  if (known && opset > known->until)
    return "; ONNX has it up to version " + std::to_string(known->until);
  if (known)
    return std::nullopt;
  if (refused)
    return "; " + std::string(refused->reason);
  std::vector<std::string> names;
  for (const Translation *t : allTranslations())
    names.emplace_back(t->name);
  return didYouMean(name, names);
}

class Check {
public:
  explicit Check(const ModelFunctions &functions) : functions_(functions) {}

  absl::Status visit(const onnx::NodeProto &node, int opset) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        if (absl::Status s = visit(attribute.g().node(), opset); !s.ok())
          return s;
      for (const onnx::GraphProto &graph : attribute.graphs())
        if (absl::Status s = visit(graph.node(), opset); !s.ok())
          return s;
    }
    if (const onnx::FunctionProto *function = functions_.find(node)) {
      if (!visited_.insert(function).second)
        return absl::OkStatus();
      auto own = importedOpset(function->opset_import(), opset);
      if (!own.ok())
        return prefixError(own.status(), "function " + printable(functionName(*function)));
      pending_.push_back({function, *own});
      return absl::OkStatus();
    }
    const bool isStandard = isStandardDomain(node.domain());
    std::optional<std::string> why =
        isStandard ? whyMissing(node.op_type(), opset) : std::optional<std::string>("");
    if (!why)
      return absl::OkStatus();
    auto &[count, reason] = missing_[(isStandard ? "" : node.domain() + ".") + node.op_type()];
    ++count;
    reason = *why;
    return absl::OkStatus();
  }

  absl::Status visit(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, int opset) {
    for (const onnx::NodeProto &node : nodes)
      if (absl::Status s = visit(node, opset); !s.ok())
        return s;
    return absl::OkStatus();
  }

  /// Of the functions that were called, and those that these call.
  absl::Status visitFunctions() {
    while (!pending_.empty()) {
      auto [function, opset] = pending_.back();
      pending_.pop_back();
      if (absl::Status s = visit(function->node(), opset); !s.ok())
        return s;
    }
    return absl::OkStatus();
  }

  absl::Status result() const {
    if (missing_.empty())
      return absl::OkStatus();
    std::string list = join(missing_, ", ", [](const auto &entry) {
      const auto &[name, found] = entry;
      return printable(name) + " (" + std::to_string(found.first) + found.second + ")";
    });
    return makeError(ErrorKind::NotSupported, "uses operators that have no translation: " + list);
  }

private:
  const ModelFunctions &functions_;
  absl::flat_hash_set<const onnx::FunctionProto *> visited_;
  std::vector<std::pair<const onnx::FunctionProto *, int>> pending_;
  /// By name: how often, and why.
  std::map<std::string, std::pair<int, std::string>> missing_;
};

} // namespace

bool isStandardDomain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

absl::StatusOr<int>
importedOpset(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports,
              int otherwise) {
  std::optional<int64_t> found;
  for (const onnx::OperatorSetIdProto &set : imports) {
    if (!isStandardDomain(set.domain()))
      continue;
    int64_t version = set.version();
    if (found && *found != version)
      return makeError(ErrorKind::ValueError, "names two versions of ONNX's operators, " +
                                                  std::to_string(*found) + " and " +
                                                  std::to_string(version) +
                                                  "; keep the one that it is written for");
    found = version;
    if (version < 1 || version > kNewestOpset)
      return makeError(ErrorKind::NotSupported,
                       "is written for version " + std::to_string(version) +
                           " of ONNX's operators; 1 to " + std::to_string(kNewestOpset) +
                           " are known: convert it to version " +
                           std::to_string(version < 1 ? 1 : kNewestOpset) + ", the nearest");
  }
  return int(found.value_or(otherwise));
}

absl::Status checkOperators(const onnx::ModelProto &model, int opset,
                            const ModelFunctions &functions) {
  Check check(functions);
  if (absl::Status s = check.visit(model.graph().node(), opset); !s.ok())
    return s;
  if (absl::Status s = check.visitFunctions(); !s.ok())
    return s;
  return check.result();
}

} // namespace graphc
