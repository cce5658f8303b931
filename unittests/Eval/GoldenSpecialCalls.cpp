#include "GoldenCallTable.h"
#include "OpCases.h"
#include "graphc/Special.h"

namespace graphc {
namespace {

/// A number of the attributes in the dtype of the operand.
Variable like(const nlohmann::json &number, const Variable &x) {
  return constant(Tensor(number.get<double>()).cast(x.dtype()));
}

} // namespace

const GoldenCallTable &specialCalls() {
  static const auto &table = *new GoldenCallTable{
      {"digamma", GRAPHC_ONE(digamma(in[0]))},
      {"trigamma", GRAPHC_ONE(trigamma(in[0]))},
      {"polygamma", GRAPHC_ONE(polygamma(a["order"].get<int>(), in[0]))},
      {"ndtri", GRAPHC_ONE(ndtri(in[0]))},
      {"j0", GRAPHC_ONE(j0(in[0]))},
      {"j1", GRAPHC_ONE(j1(in[0]))},
      {"i0", GRAPHC_ONE(i0(in[0]))},
      {"i1", GRAPHC_ONE(i1(in[0]))},
      // Without gradients by the order.
      {"jv", GRAPHC_ONE(jv(a["order"].get<double>(), in[0]))},
      {"iv", GRAPHC_ONE(iv(a["order"].get<double>(), in[0]))},
      {"ive", GRAPHC_ONE(ive(a["order"].get<double>(), in[0]))},
      {"kv", GRAPHC_ONE(kv(a["order"].get<double>(), in[0]))},
      {"kve", GRAPHC_ONE(kve(a["order"].get<double>(), in[0]))},
      {"gammainc_shape",
       GRAPHC_ONE(callBuiltin("gammaincShape", {}, {like(a["a"], in[0]), in[0]}))},
      {"betainc_shape",
       GRAPHC_ONE(callBuiltin("betaincShape", {{"byB", int64_t(a["by_b"].get<bool>())}},
                              {like(a["a"], in[0]), like(a["b"], in[0]), in[0]}))},
  };
  return table;
}

} // namespace graphc
