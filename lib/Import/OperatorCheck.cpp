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

/// Why a node of a known domain has no translation: its version, a reason of ours, or a name that
/// is nearly right. Nothing if it has one.
std::optional<std::string> whyMissing(Domain domain, const std::string &name, int opset) {
  const Translation *known = findTranslation(domain, name);
  const Refusal *refused = known || domain != Domain::Onnx ? nullptr : findRefusal(name);
  int since = known ? known->since : refused ? refused->since : 1;
  if (opset < since)
    return "; ONNX has it from version " + std::to_string(since) + " on";
  if (known && opset > known->until)
    return "; ONNX has it up to version " + std::to_string(known->until);
  if (known)
    return std::nullopt;
  if (refused)
    return "; " + std::string(refused->reason);
  if (std::string remedy = remedyFor(domain, name); !remedy.empty())
    return remedy;
  std::vector<std::string> names;
  for (const Translation *t : allTranslations(domain))
    names.emplace_back(t->name);
  return didYouMean(name, names);
}

class Check {
public:
  explicit Check(const ModelFunctions &functions) : functions_(functions) {}

  absl::Status visit(const onnx::NodeProto &node, const Versions &versions) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        if (absl::Status s = visit(attribute.g().node(), versions); !s.ok())
          return s;
      for (const onnx::GraphProto &graph : attribute.graphs())
        if (absl::Status s = visit(graph.node(), versions); !s.ok())
          return s;
    }
    if (const onnx::FunctionProto *function = functions_.find(node)) {
      if (!visited_.insert(function).second)
        return absl::OkStatus();
      auto own = importedVersions(function->opset_import(), versions);
      if (!own.ok())
        return prefixError(own.status(), "function " + printable(functionName(*function)));
      pending_.push_back({function, *own});
      return absl::OkStatus();
    }
    std::optional<Domain> domain = findDomain(node.domain());
    const int version = domain ? versions[size_t(*domain)] : 0;
    if (domain && version == 0)
      return versionIsMissing(*domain);
    const bool isStandard = domain == Domain::Onnx;
    std::optional<std::string> why =
        domain ? whyMissing(*domain, node.op_type(), version) : std::optional<std::string>("");
    if (!why)
      return absl::OkStatus();
    auto &[count, reason] = missing_[(isStandard ? "" : node.domain() + ".") + node.op_type()];
    ++count;
    reason = *why;
    return absl::OkStatus();
  }

  absl::Status visit(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes,
                     const Versions &versions) {
    for (const onnx::NodeProto &node : nodes)
      if (absl::Status s = visit(node, versions); !s.ok())
        return s;
    return absl::OkStatus();
  }

  /// Of the functions that were called, and those that these call.
  absl::Status visitFunctions() {
    while (!pending_.empty()) {
      auto [function, versions] = pending_.back();
      pending_.pop_back();
      if (absl::Status s = visit(function->node(), versions); !s.ok())
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
  std::vector<std::pair<const onnx::FunctionProto *, Versions>> pending_;
  /// By name: how often, and why.
  std::map<std::string, std::pair<int, std::string>> missing_;
};

} // namespace

absl::Status versionIsMissing(Domain domain) {
  return makeError(ErrorKind::ValueError, "does not say for which version of " +
                                              operatorsOf(domain) +
                                              " it is written; add an opset_import with that "
                                              "version");
}

absl::StatusOr<Versions>
importedVersions(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports,
                 const Versions &otherwise) {
  Versions versions = otherwise;
  std::array<bool, kDomains.size()> isFound = {};
  for (const onnx::OperatorSetIdProto &set : imports) {
    std::optional<Domain> domain = findDomain(set.domain());
    if (!domain)
      continue;
    int &own = versions[size_t(*domain)];
    bool &found = isFound[size_t(*domain)];
    int64_t version = set.version();
    const int newest = newestVersion(*domain);
    if (found && own != version)
      return makeError(ErrorKind::ValueError, "names two versions of " + operatorsOf(*domain) +
                                                  ", " + std::to_string(own) + " and " +
                                                  std::to_string(version) +
                                                  "; keep the one that it is written for");
    if (version < 1 || version > newest)
      return makeError(ErrorKind::NotSupported,
                       "is written for version " + std::to_string(version) + " of " +
                           operatorsOf(*domain) + "; 1 to " + std::to_string(newest) +
                           " are known: convert it to version " +
                           std::to_string(version < 1 ? 1 : newest) + ", the nearest");
    found = true;
    own = int(version);
  }
  return versions;
}

absl::Status checkOperators(const onnx::ModelProto &model, const Versions &versions,
                            const ModelFunctions &functions) {
  Check check(functions);
  if (absl::Status s = check.visit(model.graph().node(), versions); !s.ok())
    return s;
  if (absl::Status s = check.visitFunctions(); !s.ok())
    return s;
  return check.result();
}

} // namespace graphc
