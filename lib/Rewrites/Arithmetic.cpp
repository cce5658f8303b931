//===- Rewrites/Arithmetic.cpp - rules of sums and products ---------------===//
#include "Catalogue.h"
#include "Guards.h"

namespace graphc {

RuleFamily arithmeticRules() {
  return {"Arithmetic",
          {"canonicalize", "fast_run", "fast_compile"},
          kCanonicalize,
          {
              {.name = "neg_neg", .pattern = "-(-x)", .replacement = "x"},
              {.name = "sub_zero",
               .pattern = "x - 0",
               .replacement = "x",
               .effects = kZeroSign,
               .doc = "x - 0.0 is x; a constant -0.0 counts as 0 here."},
              {.name = "mul_one", .pattern = "x * 1", .replacement = "x"},
              {.name = "div_one", .pattern = "x / 1", .replacement = "x"},
              {.name = "sub_self",
               .pattern = "x - x",
               .replacement = "second(x, 0)",
               .when = isInteger("x"),
               .where = "x is an integer"},
          }};
}

} // namespace graphc
