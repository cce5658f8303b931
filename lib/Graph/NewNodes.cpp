//===- Graph/NewNodes.cpp - what a FunctionGraph must take in -------------===//
#include "Graph/NewNodes.h"

#include "graphc/OpDef.h"

namespace graphc::detail {

std::string describe(const VariableNode *v) {
  std::string text = v->extras ? v->extras->name : "";
  if (text.empty())
    text = v->owner      ? "a result of " + std::string(v->owner->op.name())
           : v->constant ? "a constant"
                         : "an unnamed Variable";
  return text + ": " + v->type.brief();
}

void NewNodes::leaf(VariableNode *v, ApplyNode *, uint32_t) {
  GraphState *graph = v->owner ? v->owner->graph : asLeaf(v)->graph;
  if (graph && graph != &state && status.ok())
    status = makeError(ErrorKind::ValueError, describe(v) + " belongs to another FunctionGraph",
                       v->owner ? v->owner->place : asLeaf(v)->place);
  if (v->owner && graph == &state)
    frontier.push_back(v->owner);
}

/// What is wrong with a leaf that is neither a member nor a constant.
static absl::Status refuseLeaf(const VariableNode *v, const std::string &use, Place usePlace) {
  if (v->type.kind() == Type::Kind::Invalid)
    return v->type.status();
  Place place = asLeaf(v)->place.known() ? asLeaf(v)->place : usePlace;
  if (v->type.kind() == Type::Kind::Null)
    return makeError(ErrorKind::TypeError,
                     use + " is of Null type, not defined: " + v->type.reason(), place);
  return makeError(ErrorKind::MissingInput,
                   describe(v) + " is no input of the FunctionGraph, but " + use, place);
}

absl::Status checkLeaves(const GraphState &state, absl::Span<ApplyNode *const> order,
                         absl::Span<VariableNode *const> roots, std::string_view role) {
  auto needsNoCheck = [&](const VariableNode *v) {
    return v->owner || v->constant || state.slotOf(v) != kNoSlot;
  };
  bool numbered = role.ends_with(' ');
  for (ApplyNode *node : order)
    for (uint32_t i = 0; i < node->numInputs; ++i)
      if (const VariableNode *v = node->input(i); !needsNoCheck(v))
        return refuseLeaf(v, "operand " + std::to_string(i) + " of " + node->op.str(), node->place);
  for (size_t i = 0; i < roots.size(); ++i)
    if (!needsNoCheck(roots[i]))
      return refuseLeaf(roots[i], std::string(role) + (numbered ? std::to_string(i) : ""), Place());
  return absl::OkStatus();
}

} // namespace graphc::detail
