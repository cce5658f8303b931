//===- RunError.cpp - what a failed call says -----------------------------===//
//
//   add: extents differ along axis 1: 3 and 5 (an extent broadcasts only where its type says 1)
//     at model.cpp:42:21, in the add that makes `h`
//     dot(x, w): f32[8,3]   b: f32[8,5]
//
//===----------------------------------------------------------------------===//
#include "Runtime/Plan.h"

namespace graphc {
namespace {

std::string shapeText(DType dtype, const std::vector<int32_t> &shape,
                      const std::vector<int64_t> &values) {
  std::string text(dtypeShortName(dtype));
  text += '[';
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis)
      text += ',';
    text += std::to_string(values[shape[axis]]);
  }
  return text + ']';
}

absl::Status describe(const Program &program, ErrorKind kind, std::string message, int32_t number,
                      const std::vector<int64_t> &values) {
  if (number < 0 || size_t(number) >= program.nodes.size())
    return makeError(kind, message);
  const Program::Node &node = program.nodes[number];
  message = node.op + ": " + message;
  if (node.place.known()) {
    message += "\n  at " + node.place.str();
    if (!node.result.empty())
      message += ", in the " + node.op + " that makes `" + node.result + "`";
  } else if (!node.result.empty()) {
    message += "\n  in the " + node.op + " that makes `" + node.result + "`";
  }
  std::string operands;
  for (const Program::Node::Operand &operand : node.operands) {
    operands += operands.empty() ? "\n  " : "   ";
    operands += operand.label + ": " + shapeText(operand.dtype, operand.shape, values);
  }
  return makeError(kind, message + operands, node.place);
}

} // namespace

absl::Status sizeError(const Program &program, const Program::SizeCheck &check,
                       const std::vector<int64_t> &values) {
  return describe(program, check.kind, failureText(check.message, values[check.a], values[check.b]),
                  check.node, values);
}

absl::Status failureError(const Program &program, const Program::Failure &failure,
                          const std::vector<int64_t> &values) {
  return describe(program, failure.kind, failure.message, failure.node, values);
}

} // namespace graphc
