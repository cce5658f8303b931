//===- Rounding.cpp - rounding and casts -----------------------------------===//
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

OpDef rounding(std::string name, std::string family, std::string doc, Accept accept, ScalarOp op,
               std::string example) {
  return withPartials({.name = std::move(name),
                       .doc = std::move(doc),
                       .operands = {{"x"}},
                       .type = elementwise(Result::Floating, accept),
                       .emit = mapTo(op),
                       .golden = {std::move(family)},
                       .section = section(kRounding),
                       .example = std::move(example)},
                      {Partial::zero()});
}

} // namespace

std::vector<OpDef> roundingOps() {
  return {
      rounding("floor", "floor", "The greatest integer not above x, as a float.\n-0 stays.",
               Accept::Any, ScalarOp::Floor, "floor([1.5, -1.5]) = [1.0, -2.0]"),
      rounding("ceil", "ceil", "The least integer not below x, as a float.\nceil(-0.5) is -0.",
               Accept::Any, ScalarOp::Ceil, "ceil([1.5, -1.5]) = [2.0, -1.0]"),
      rounding("trunc", "trunc", "x without its fraction, as a float.\nThe sign stays.",
               Accept::Any, ScalarOp::Trunc, "trunc([1.5, -1.5]) = [1.0, -1.0]"),
      rounding("roundHalfToEven", "round_half_to_even",
               "The nearest integer, of two the even one. `round` in C++.\n"
               "Exact above 2 ** 52. Integers are refused (TypeError).",
               Accept::Floats, ScalarOp::RoundEven, "roundHalfToEven([0.5, 1.5]) = [0.0, 2.0]"),
      rounding("roundHalfAwayFromZero", "round_half_away_from_zero",
               "The nearest integer, of two the one farther from 0.\n"
               "0.49999999999999994 gives 0. Integers are refused (TypeError).",
               Accept::Floats, ScalarOp::RoundAway,
               "roundHalfAwayFromZero([0.5, -0.5]) = [1.0, -1.0]"),
      withPartials(
          {.name = "cast",
           .doc =
               "x as another dtype.\n"
               "Float to integer truncates and saturates, NaN gives 0; integers wrap; to bool is "
               "!= 0; to a narrower float rounds to nearest even.",
           .operands = {{"x"}},
           .attributes = {{"dtype", AttributeKind::DType}},
           .type = [](const TypeRequest &request) -> TypesOr {
             return std::vector<Type>{
                 request.type(0).withDType(request.attributes().dtype("dtype"))};
           },
           .emit = mapRaw([](Emitter &e, const Scalars &s, const Attributes &) {
             return cast(s[0], e.resultType(0).dtype());
           }),
           .golden = {"cast"},
           .section = section(kRounding),
           .example = "cast([2.9, -300.0, nan]) {dtype = i8} = [2, -128, 0]"},
          {Partial::one()}),
  };
}

} // namespace graphc
