//===- Heads.cpp - heads of attention ----------------------------------------===//
#include "Import/Heads.h"

#include "graphc/Arrays.h"

namespace graphc {

Variable withHeads(OnnxNode &n, const Variable &x, int64_t heads) {
  int64_t all = x.ok() ? x.type().extent(2) : kDynamic;
  Operand width(all == kDynamic ? int64_t(-1) : all / heads);
  Variable apart = reshape(
      n.at(x), shapeOf(n, {extentTerm(n, x, 0), extentTerm(n, x, 1), Operand(heads), width}));
  return transpose(n.at(apart), {0, 2, 1, 3});
}

Variable withoutHeads(OnnxNode &n, const Variable &x) {
  Variable apart = transpose(n.at(x), {0, 2, 1, 3});
  return reshape(n.at(apart), shapeOf(n, {extentTerm(n, apart, 0), extentTerm(n, apart, 1),
                                          extentProduct(n, apart, 2, 4)}));
}

std::pair<Variable, Variable> turnedPairs(OnnxNode &n, const Variable &a, const Variable &b,
                                          const Variable &cosine, const Variable &sine) {
  return {sub(n.at(mul(n.at(a), cosine)), mul(n.at(b), sine)),
          add(n.at(mul(n.at(a), sine)), mul(n.at(b), cosine))};
}

} // namespace graphc
