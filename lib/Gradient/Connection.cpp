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
    const auto depends =
        dependentOutputs(node, [&](int i) { return dependent_.contains(node.input(i).node()); });
    for (int o = 0; o < node.numOutputs(); ++o)
      if (depends[size_t(o)])
        dependent_.insert(node.output(o).node());
  }
}

/// Of two lists of first nodes, the first ones of both are those of their union.
void Endings::merge(First &into, const First &more) {
  First all;
  std::ranges::set_union(into, more, std::back_inserter(all), std::greater<>());
  if (all.size() > kMostListed + 1)
    all.erase(all.begin(), all.end() - (kMostListed + 1));
  into = std::move(all);
}

Endings::Endings(absl::Span<const Apply> order,
                 absl::FunctionRef<bool(const Variable &)> hasGradient)
    : order_(order) {
  // Consumers first, so that what is known of a Variable's readers is whole.
  for (size_t n = order.size(); n-- > 0;) {
    const Apply &node = order[n];
    const detail::Dependence dependence =
        dependenceOf(node.op(), node.numInputs(), node.numOutputs());
    struct Way {
      First first;
      bool goesOn = false;
      void add(const Way &other) {
        merge(first, other.first);
        goesOn |= other.goesOn;
      }
    };
    std::vector<Way> outputs(dependence.distinct().size()), inputs(size_t(node.numInputs()));
    for (int o = 0; o < node.numOutputs(); ++o) {
      auto known = ends_.find(node.output(o).node());
      bool isRead = known != ends_.end();
      outputs[size_t(dependence.which(o))].add(
          {isRead ? known->second : First(), isRead || hasGradient(node.output(o))});
    }
    for (size_t k = 0; k < outputs.size(); ++k)
      for (auto [begin, end] : dependence.distinct()[k])
        for (int32_t i = begin; i < end; ++i)
          inputs[size_t(i)].add(outputs[k]);
    for (size_t i = 0; i < inputs.size(); ++i)
      merge(ends_[node.input(int(i)).node()],
            inputs[i].goesOn ? inputs[i].first : First{int32_t(n)});
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
