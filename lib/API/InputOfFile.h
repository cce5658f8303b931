//===- API/InputOfFile.h - inputs that stand in no line of source -*- C++ -*-===//
#pragma once

#include "Graph/Nodes.h"

namespace graphc {

/// An input of a function that a file brings without the place where it was made. Variable's own
/// constructor would take the line of graphc that calls it for that.
inline Variable inputOfFile(Type type, std::string_view name) {
  detail::LeafNode *leaf = detail::makeLeaf(std::move(type), name, Place());
  Variable made = Variable::fromNode(leaf);
  detail::release(leaf);
  return made;
}

} // namespace graphc
