//===- Gradients.cpp ------------------------------------------------------===//
#include "Gradients.h"

#include <algorithm>

#include "Command.h"
#include "Gradient/Connection.h"
#include "Graph/PlaceScope.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "graphc/Gradient.h"
#include "graphc/Optim.h"

namespace graphc {
namespace {

/// What is near to `wrong`, or what there is.
std::string hint(const std::string &wrong, const std::vector<std::string> &names,
                 const std::string &whatThereIs) {
  std::string near = didYouMean(wrong, names);
  return near.empty() ? "; " + whatThereIs : near;
}

/// A graph's outputs, and what gradients are taken with respect to.
class Names {
public:
  explicit Names(const GraphModule &module) {
    for (size_t i = 0; i < module.outputs.size(); ++i)
      outputs_.push_back(outputName(module.outputNames, i));
    for (const Variable &input : module.inputs)
      add(input);
    numInputs_ = leaves_.size();
    for (const Global &global : module.globals)
      add(global.value);
    for (const Variable &v : ancestors(module.outputs))
      if (v.isConstant())
        add(v);
  }

  /// The number of the output that `name` names. KeyError.
  absl::StatusOr<size_t> output(const std::string &name) const;
  /// The input or constant. KeyError.
  absl::StatusOr<Variable> leaf(const std::string &name) const;
  /// What `name` stands for: a leaf, or, if none is called so, "all" weights that `cost` depends
  /// on.
  absl::StatusOr<Variables> leaves(const std::string &name, const Variable &cost) const;
  const std::string &nameOf(size_t output) const { return outputs_[output]; }
  /// The output and what follows its name and a colon. Names may have colons in them.
  absl::StatusOr<std::pair<size_t, std::string>> split(const std::string &given) const;

private:
  void add(const Variable &v) {
    std::string name(v.name());
    if (!name.empty() && byName_.try_emplace(name, v).second)
      leaves_.push_back(name);
  }

  std::vector<std::string> outputs_, leaves_;
  size_t numInputs_ = 0;
  absl::flat_hash_map<std::string, Variable> byName_;
};

absl::StatusOr<size_t> Names::output(const std::string &name) const {
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i] == name)
      return i;
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (std::to_string(i) == name)
      return i;
  return makeError(ErrorKind::KeyError,
                   "--grad: the graph has no output '" + name + "'" +
                       hint(name, outputs_, "its outputs are " + join(outputs_, ", ")));
}

absl::StatusOr<Variable> Names::leaf(const std::string &name) const {
  auto found = byName_.find(name);
  if (found != byName_.end())
    return found->second;
  std::string inputs =
      numInputs_ ? "its inputs are " + join(absl::MakeConstSpan(leaves_).first(numInputs_), ", ")
                 : "it has no inputs";
  return makeError(ErrorKind::KeyError, "--grad: the graph has no input or constant '" + name +
                                            "'" + hint(name, leaves_, inputs));
}

absl::StatusOr<Variables> Names::leaves(const std::string &name, const Variable &cost) const {
  if (name != "all" || byName_.contains(name)) {
    absl::StatusOr<Variable> one = leaf(name);
    return one.ok() ? absl::StatusOr<Variables>({*one}) : one.status();
  }
  Variables weights;
  for (const Variable &v : graphInputs(Variables{cost}))
    if (isWeight(v))
      weights.push_back(v);
  if (weights.empty())
    return makeError(ErrorKind::KeyError,
                     "--grad: the output depends on no weights, which are named constants of "
                     "floats with at least one axis; name what the derivatives are with respect to",
                     cost.place());
  return weights;
}

absl::StatusOr<std::pair<size_t, std::string>> Names::split(const std::string &given) const {
  for (size_t colon = given.find(':'); colon != given.npos; colon = given.find(':', colon + 1))
    if (absl::StatusOr<size_t> found = output(given.substr(0, colon)); found.ok())
      return std::pair(*found, given.substr(colon + 1));
  return output(given.substr(0, given.find(':'))).status();
}

absl::Status addGradient(GraphModule &module, const Names &names, const std::string &given) {
  absl::StatusOr<std::pair<size_t, std::string>> parts = names.split(given);
  if (!parts.ok())
    return parts.status();
  const std::string &costName = names.nameOf(parts->first);
  Variable cost = module.outputs[parts->first];
  std::vector<std::string> wanted = absl::StrSplit(parts->second, ',');
  Variables wrt;
  for (const std::string &name : wanted) {
    absl::StatusOr<Variables> leaves = names.leaves(name, cost);
    if (!leaves.ok())
      return leaves.status();
    for (const Variable &leaf : *leaves) {
      wrt.push_back(leaf);
      module.outputNames.push_back("(d" + costName + "/d" + std::string(leaf.name()) + ")");
      auto end = module.outputNames.end() - 1;
      if (std::find(module.outputNames.begin(), end, *end) != end)
        return makeError(ErrorKind::TypeError,
                         "--grad " + given + ": there is an output " + *end + " already");
    }
  }
  // Errors and nodes stand where the cost does.
  PlaceScope scope(cost.place());
  auto fail = [&](ErrorKind kind, const std::string &what) {
    return makeError(kind, "--grad " + given + ": " + what, cost.place());
  };
  if (cost.type().isTensor() && cost.rank() != 0)
    return fail(ErrorKind::TypeError, "output '" + costName + "' is " + cost.type().text() +
                                          ", and a cost has rank 0: return its sum or mean");
  Variables gradients = grad(cost, wrt,
                             {.disconnectedInputs = DisconnectedInputs::Ignore,
                              .returnDisconnected = ReturnDisconnected::Disconnected});
  for (size_t i = 0; i < wrt.size(); ++i) {
    if (!gradients[i].ok())
      return prefixError(gradients[i].status(), "--grad " + given);
    if (gradients[i].type().kind() != Type::Kind::Disconnected)
      continue;
    std::vector<Apply> order = ioToposort({}, Variables{cost});
    Endings endings(order, [&](const Variable &output) { return output == cost; });
    return fail(ErrorKind::DisconnectedInput, "output '" + costName + "' does not depend on '" +
                                                  std::string(wrt[i].name()) +
                                                  "': " + endings.why(wrt[i]));
  }
  module.outputs.insert(module.outputs.end(), gradients.begin(), gradients.end());
  return absl::OkStatus();
}

} // namespace

CLI::Validator gradientForm() {
  auto check = [](std::string &text) {
    size_t colon = text.find(':');
    bool good = colon != text.npos && colon > 0;
    if (good) {
      std::string wrt = "," + text.substr(colon + 1) + ",";
      good = wrt.find(",,") == wrt.npos;
    }
    return good ? std::string() : "'" + text + "' is not COST:WRT,...";
  };
  return CLI::Validator(check, "", "");
}

absl::Status addGradients(GraphModule &module, const std::vector<std::string> &given) {
  if (given.empty())
    return absl::OkStatus();
  if (absl::Status s = nameOutputs(module); !s.ok())
    return s;
  Names names(module);
  for (const std::string &one : given)
    if (absl::Status s = addGradient(module, names, one); !s.ok())
      return s;
  return absl::OkStatus();
}

} // namespace graphc
