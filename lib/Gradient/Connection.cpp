//===- Connection.cpp - what depends on what -------------------------------===//
#include "Connection.h"

#include <algorithm>
#include <functional>
#include <iterator>

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

Endings::Endings(absl::Span<const Apply> order,
                 absl::FunctionRef<bool(const Variable &)> hasGradient)
    : order_(order) {
  // Consumers first, so that what is known of a Variable's readers is whole; of two lists of first
  // nodes, the first ones of both are those of their union.
  auto join = [](First &into, const First &more) {
    First all;
    std::ranges::set_union(into, more, std::back_inserter(all), std::greater<>());
    if (all.size() > kMostListed + 1)
      all.erase(all.begin(), all.end() - (kMostListed + 1));
    into = std::move(all);
  };
  for (size_t n = order.size(); n-- > 0;) {
    const Apply &node = order[n];
    const Op &op = node.op();
    for (int i = 0; i < node.numInputs(); ++i) {
      First here;
      bool goesOn = false;
      for (int o = 0; o < node.numOutputs(); ++o) {
        if (!isConnected(op, i, o))
          continue;
        auto known = ends_.find(node.output(o).node());
        if (known != ends_.end())
          join(here, known->second);
        goesOn |= known != ends_.end() || hasGradient(node.output(o));
      }
      if (!goesOn)
        here = {int32_t(n)};
      join(ends_[node.input(i).node()], here);
    }
  }
}

std::string Endings::why(const Variable &v) const {
  auto found = ends_.find(v.node());
  if (found == ends_.end())
    return "it is not computed from it";
  if (found->second.empty())
    return "every way ends at a Variable that counts as constant or has a known gradient";
  std::vector<std::string> ends;
  for (size_t i = found->second.size(); i-- > 0 && ends.size() < kMostListed;) {
    ends.push_back(calledAt(order_[size_t(found->second[i])]));
  }
  return "every way leads through an op whose result does not depend on the elements: " +
         join(ends, ", ") + (found->second.size() > kMostListed ? " and others" : "");
}

} // namespace graphc
