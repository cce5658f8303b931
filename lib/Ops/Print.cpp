//===- Print.cpp - values shown while a program runs ------------------------------------===//
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Routines/Routines.h"
#include "Rules.h"
#include "graphc/ControlFlow.h"

namespace graphc {
namespace {

TypesOr printType(const TypeRequest &request) {
  if (request.type(1).rank() != 0)
    return makeError(ErrorKind::TypeError,
                     "the condition must be one number, not an array; use any(...)");
  return std::vector<Type>{request.type(0)};
}

Arrays printEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  const std::string &message = a.string("message");
  std::vector<uint8_t> bytes(message.begin(), message.end());
  Array text = e.constant(*Tensor::fromSpan<uint8_t>(bytes, {int64_t(bytes.size())}));
  Array condition = castArray(e, in[1], DType::Bool);
  return e.routine(kPrint, {a.boolean("stops")}, {text, condition, in[0]},
                   {{e.dtype(in[0]), e.shape(in[0])}});
}

Variables printPullback(const Op &, Inputs, Outputs, Gradients g) {
  return {g[0], Variable(Type::disconnected())};
}

Variables printPushforward(const Op &, Inputs, Outputs, Tangents t) { return {t[0]}; }

Variable shown(const Operand &x, const Operand &condition, std::string_view message, bool stops) {
  return build(builtin("print", {{"message", std::string(message)}, {"stops", stops}}),
               {x, condition});
}

} // namespace

std::vector<OpDef> printOps() {
  return {
      {.name = "print",
       .doc = "x; where the condition is not 0, the message and x are written to the standard "
              "output.\nEach node prints once in a call, equal ones too; what nothing depends on "
              "prints "
              "nothing.",
       .operands = {{"x"}, {"condition"}},
       .attributes = {{.name = "message",
                       .kind = AttributeKind::String,
                       .defaultValue = std::string(),
                       .doc = "stands in front"},
                      {.name = "stops",
                       .kind = AttributeKind::Bool,
                       .defaultValue = false,
                       .doc = "whether a debugger that watches the process is called after it"}},
       .type = printType,
       .emit = printEmission,
       .pullback = printPullback,
       .pushforward = printPushforward,
       .elements = Elements::Moved,
       .foldable = false,
       .connection = {{true}, {false}},
       .section = section(kControl),
       .example = "print([1, 2], false) {message = \"x = \"} = [1, 2]"},
  };
}

Variable print(const Operand &x, std::string_view message) {
  return shown(x, constant(Tensor(1).cast(DType::Bool)), message, false);
}

Variable breakpoint(const Operand &x, const Operand &condition, std::string_view message) {
  return shown(x, condition, message, true);
}

} // namespace graphc
