//===- NodeOrder.cpp - nodes after what they read ---------------------------===//
#include "Import/NodeOrder.h"

#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace graphc {
namespace {

/// The nodes of one graph by the names of their outputs.
using Makers = absl::flat_hash_map<std::string_view, int>;

void addReads(const onnx::NodeProto &node, const Makers &makers, std::vector<int> &reads) {
  auto add = [&](std::string_view name) {
    if (auto found = makers.find(name); found != makers.end())
      reads.push_back(found->second);
  };
  for (const std::string &name : node.input())
    add(name);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (!attribute.has_g())
      continue;
    for (const onnx::NodeProto &inner : attribute.g().node())
      addReads(inner, makers, reads);
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      add(output.name());
  }
}

} // namespace

std::vector<int> nodeOrder(const onnx::GraphProto &graph) {
  const int count = graph.node_size();
  Makers makers;
  for (int i = 0; i < count; ++i)
    for (const std::string &output : graph.node(i).output())
      if (!output.empty())
        makers.try_emplace(output, i);

  struct Visit {
    int node;
    std::vector<int> reads;
    size_t next = 0;
  };
  std::vector<int> order;
  std::vector<bool> seen(size_t(count), false);
  std::vector<Visit> stack;
  auto enter = [&](int node) {
    if (seen[size_t(node)])
      return;
    seen[size_t(node)] = true;
    stack.push_back({node, {}});
    addReads(graph.node(node), makers, stack.back().reads);
  };
  for (int first = 0; first < count; ++first) {
    enter(first);
    while (!stack.empty()) {
      Visit &visit = stack.back();
      if (visit.next < visit.reads.size()) {
        enter(visit.reads[visit.next++]);
      } else {
        order.push_back(visit.node);
        stack.pop_back();
      }
    }
  }
  return order;
}

} // namespace graphc
