//===- Functions.cpp - functions that a model defines ----------------------===//
#include "Import/Functions.h"

#include <google/protobuf/unknown_field_set.h>

#include "Support/Text.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

// Fields that newer versions of ONNX's messages have.
constexpr int kOverloadOfNode = 8, kAttributeProtoOfFunction = 11, kOverloadOfFunction = 13;

/// What a node costs besides its bytes, a call besides its nodes, and for each node a byte of the
/// names of the functions around it, which its place has. Reading takes some five times as much
/// memory as all this.
constexpr int64_t kCostOfNode = 256, kCostOfCall = 3 * kCostOfNode, kCostOfNameByte = 2;
/// What all calls of a file may come to: so many times the file, and some that a small file may
/// have. Of plain nodes these are 8,192 and one for each 4 bytes.
constexpr int64_t kTimesFile = 64, kAlways = int64_t(2) << 20;

std::string textField(const google::protobuf::UnknownFieldSet &fields, int number) {
  for (int i = 0; i < fields.field_count(); ++i)
    if (const auto &field = fields.field(i);
        field.number() == number &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      return field.length_delimited();
  return {};
}

/// The attributes of a function that have default values.
std::vector<onnx::AttributeProto> defaultsOf(const onnx::FunctionProto &function) {
  std::vector<onnx::AttributeProto> list;
  const google::protobuf::UnknownFieldSet &fields = function.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto &field = fields.field(i);
    onnx::AttributeProto attribute;
    if (field.number() == kAttributeProtoOfFunction &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
        attribute.ParseFromString(field.length_delimited()))
      list.push_back(std::move(attribute));
  }
  return list;
}

std::string keyOf(const std::string &domain, const std::string &name, const std::string &overload) {
  // ONNX's own domain has two names. No name has a 0 in it.
  std::string key = domain == "ai.onnx" ? "" : domain;
  return (key += '\0') + name + '\0' + overload;
}

/// Puts a call's attributes in the places of a function's, and omits what the call omits.
class Substitution {
public:
  /// The bytes of attributes that are put in places are taken from the budget. Where it is used up,
  /// no more are.
  Substitution(const onnx::FunctionProto &function, const onnx::NodeProto &call, int64_t &budget)
      : budget_(budget) {
    for (const onnx::AttributeProto &attribute : defaultsOf(function))
      attributes_[attribute.name()] = attribute;
    for (const onnx::AttributeProto &attribute : call.attribute())
      attributes_[attribute.name()] = attribute;
    for (int i = 0; i < function.input_size(); ++i)
      if (i >= call.input_size() || call.input(i).empty())
        omitted_.insert(function.input(i));
  }

  void apply(onnx::NodeProto &node) const {
    for (std::string &name : *node.mutable_input())
      if (omitted_.contains(name))
        name.clear();
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> kept;
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (!attribute.ref_attr_name().empty()) {
        auto found = attributes_.find(attribute.ref_attr_name());
        if (found == attributes_.end())
          continue; // the node's own default
        budget_ -= int64_t(found->second.ByteSizeLong());
        if (budget_ < 0)
          return;
        onnx::AttributeProto value = found->second;
        value.set_name(attribute.name());
        attribute = std::move(value);
      } else if (attribute.has_g()) {
        apply(*attribute.mutable_g());
      }
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        apply(graph);
      kept.Add()->Swap(&attribute);
    }
    node.mutable_attribute()->Swap(&kept);
  }

private:
  void apply(onnx::GraphProto &graph) const {
    for (onnx::NodeProto &node : *graph.mutable_node())
      apply(node);
  }

  int64_t &budget_;
  absl::flat_hash_map<std::string, onnx::AttributeProto> attributes_;
  absl::flat_hash_set<std::string> omitted_;
};

absl::Status checkCall(const onnx::FunctionProto &function, const onnx::NodeProto &call) {
  auto tooMany = [&](int given, int most, const std::string &what) {
    return makeError(ErrorKind::ValueError, "has " + counted(size_t(given), what) + "; function " +
                                                printable(functionName(function)) + " has " +
                                                std::to_string(most));
  };
  if (call.input_size() > function.input_size())
    return tooMany(call.input_size(), function.input_size(), "input");
  if (call.output_size() > function.output_size())
    return tooMany(call.output_size(), function.output_size(), "output");
  std::vector<std::string> known(function.attribute().begin(), function.attribute().end());
  for (const onnx::AttributeProto &attribute : defaultsOf(function))
    known.push_back(attribute.name());
  const absl::flat_hash_set<absl::string_view> isKnown(known.begin(), known.end());
  for (const onnx::AttributeProto &attribute : call.attribute())
    if (!attribute.name().starts_with("__") && !isKnown.contains(attribute.name()))
      return makeError(ErrorKind::ValueError,
                       "function " + printable(functionName(function)) + " has no attribute '" +
                           printable(attribute.name()) + "'" + didYouMean(attribute.name(), known));
  return absl::OkStatus();
}

} // namespace

std::string functionName(const onnx::FunctionProto &function) {
  std::string overload = textField(function.unknown_fields(), kOverloadOfFunction);
  return (function.domain().empty() ? "" : function.domain() + ".") + function.name() +
         (overload.empty() ? "" : ":" + overload);
}

ModelFunctions::ModelFunctions(const onnx::ModelProto &model)
    : budget_(kAlways + kTimesFile * int64_t(model.ByteSizeLong())) {
  for (const onnx::FunctionProto &function : model.functions()) {
    std::string key = keyOf(function.domain(), function.name(),
                            textField(function.unknown_fields(), kOverloadOfFunction));
    if (!byName_.emplace(key, &function).second && status_.ok())
      status_ = makeError(ErrorKind::ValueError,
                          "defines function " + printable(functionName(function)) + " twice");
  }
}

const onnx::FunctionProto *ModelFunctions::find(const onnx::NodeProto &node) const {
  if (byName_.empty())
    return nullptr;
  auto found = byName_.find(
      keyOf(node.domain(), node.op_type(), textField(node.unknown_fields(), kOverloadOfNode)));
  return found == byName_.end() ? nullptr : found->second;
}

absl::Status ModelFunctions::checkBudget() const {
  if (budget_ >= 0)
    return absl::OkStatus();
  return makeError(ErrorKind::NotSupported,
                   "calls of the model's functions come to more than " +
                       std::to_string(kTimesFile) + " times the file and " +
                       std::to_string(kAlways / kCostOfNode) +
                       " nodes; inline them in the file (onnx.inliner.inline_local_functions "
                       "does), or call fewer from each other");
}

absl::StatusOr<onnx::GraphProto> ModelFunctions::bodyOf(const onnx::FunctionProto &function,
                                                        const onnx::NodeProto &call,
                                                        int64_t nameBytes) {
  if (absl::Status s = checkCall(function, call); !s.ok())
    return s;
  auto [bytes, isNew] = bytes_.try_emplace(&function, 0);
  if (isNew)
    bytes->second = int64_t(function.ByteSizeLong());
  budget_ -= bytes->second + int64_t(call.ByteSizeLong()) + kCostOfCall +
             function.node_size() * (kCostOfNode + kCostOfNameByte * nameBytes);
  if (absl::Status s = checkBudget(); !s.ok())
    return s;
  onnx::GraphProto graph;
  for (const std::string &input : function.input())
    graph.add_input()->set_name(input);
  Substitution substitution(function, call, budget_);
  for (const onnx::NodeProto &node : function.node()) {
    *graph.add_node() = node;
    substitution.apply(*graph.mutable_node(graph.node_size() - 1));
  }
  if (absl::Status s = checkBudget(); !s.ok())
    return s;
  for (int i = 0; i < call.output_size(); ++i)
    if (!call.output(i).empty())
      graph.add_output()->set_name(function.output(i));
  return graph;
}

} // namespace graphc
