//===- Assert.cpp - conditions that must hold ------------------------------------===//
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"
#include "graphc/ControlFlow.h"

namespace graphc {
namespace {

/// The kind of that name; None if there is none.
ErrorKind kindOfName(std::string_view name) {
  for (int k = 0; k <= int(ErrorKind::Io); ++k)
    if (errorKindName(ErrorKind(k)) == name)
      return ErrorKind(k);
  return ErrorKind::None;
}

TypesOr assertType(const TypeRequest &request) {
  if (request.type(1).rank() != 0)
    return makeError(ErrorKind::TypeError,
                     "the condition must be one number, not an array; use all(...)");
  if (const std::string &kind = request.attributes().string("kind");
      kindOfName(kind) == ErrorKind::None)
    return makeError(ErrorKind::ValueError, "there is no kind of error \"" + kind + "\"");
  return std::vector<Type>{request.type(0)};
}

Arrays assertEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  // A step of its own: it is looked at where x has no elements, too.
  e.define({}, [&](Indices) {
    Scalar holds = cast(e.load(in[1], {}), DType::Bool);
    e.check(holds, kindOfName(attributes.string("kind")), attributes.string("message"));
    return holds;
  });
  return {e.view(in[0], e.shape(in[0]))};
}

Variables assertPullback(const Op &, Inputs, Outputs, Gradients g) {
  return {g[0], Variable(Type::disconnected())};
}

Variables assertPushforward(const Op &, Inputs, Outputs, Tangents t) { return {t[0]}; }

} // namespace

std::vector<OpDef> assertOps() {
  return {
      {.name = "assert",
       .doc = "x; the call fails where the condition is 0.\nThe message says why. TypeError for a "
              "condition that is no scalar.",
       .operands = {{"x"}, {"condition"}},
       .attributes = {{"message", AttributeKind::String},
                      {.name = "kind",
                       .kind = AttributeKind::String,
                       .defaultValue = std::string("ValueError"),
                       .doc = "of the error: ValueError, IndexError, ..."}},
       .type = assertType,
       .emit = assertEmission,
       .pullback = assertPullback,
       .pushforward = assertPushforward,
       .elements = Elements::Moved,
       .viewMap = {0},
       .connection = {{true}, {false}},
       .section = section(kControl),
       .example = "assert([1, 2], true) {message = \"too great\"} = [1, 2]"},
  };
}

Variable assertTrue(const Operand &x, const Operand &condition, std::string_view message,
                    ErrorKind kind) {
  return build(builtin("assert", {{"message", std::string(message)},
                                  {"kind", std::string(errorKindName(kind))}}),
               {x, condition});
}

} // namespace graphc
