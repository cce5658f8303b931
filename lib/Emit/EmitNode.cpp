//===- EmitNode.cpp -------------------------------------------------------===//
#include "EmitNode.h"

#include "Graph/TypesOf.h"

namespace graphc {

Arrays emitNode(Emitter &e, const Apply &node, int32_t number, const Arrays &operands) {
  e.beginNode(number, typesOf(node.outputs()));
  Arrays results = node.op().def().emit(e, operands, node.op().attributes());
  e.endNode(results);
  return results;
}

} // namespace graphc
