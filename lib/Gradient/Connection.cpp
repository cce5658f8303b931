//===- Connection.cpp - what depends on what -------------------------------===//
#include "Connection.h"

#include "Graph/CalledAs.h"
#include "Support/Text.h"

namespace graphc {

Connection::Connection(absl::Span<const Apply> order, absl::Span<const Variable> of) {
  for (const Variable &v : of)
    dependent_.insert(v.node());
  for (const Apply &node : order) {
    int outputs = node.numOutputs();
    Op op = node.op();
    for (int i = 0; i < node.numInputs(); ++i) {
      if (!dependent_.contains(node.input(i).node()))
        continue;
      for (int o = 0; o < outputs; ++o)
        if (isConnected(op, i, o))
          dependent_.insert(node.output(o).node());
    }
  }
}

std::string whyDisconnected(absl::Span<const Apply> order, const Variable &v) {
  constexpr size_t kMostListed = 4;
  Connection flows(order, {v});
  std::vector<std::string> ends;
  bool isUsed = false;
  for (const Apply &node : order)
    for (int i = 0; i < node.numInputs(); ++i) {
      if (!flows.depends(node.input(i)))
        continue;
      isUsed = true;
      bool any = false;
      for (int o = 0; o < node.numOutputs(); ++o)
        any |= isConnected(node.op(), i, o);
      if (any)
        continue;
      std::string place = node.place().str();
      ends.push_back(std::string(calledName(node.op())) + (place.empty() ? "" : " at " + place));
    }
  if (!isUsed)
    return "it is not computed from it";
  if (ends.empty())
    return "every way ends at a Variable that counts as constant or has a known gradient";
  std::string text = "every way leads through an op whose result does not depend on the elements: ";
  size_t listed = std::min(ends.size(), kMostListed);
  text += join(absl::MakeConstSpan(ends).first(listed), ", ");
  if (listed < ends.size())
    text += " and " + std::to_string(ends.size() - listed) + " more";
  return text;
}

} // namespace graphc
