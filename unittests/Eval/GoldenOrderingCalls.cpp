#include "GoldenCallTable.h"
#include "OpCases.h"
#include "graphc/Arrays.h"
#include "graphc/Neural.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

using Json = nlohmann::json;

std::vector<int64_t> extents(const Json &value) { return value.get<std::vector<int64_t>>(); }
AxisOption axisOf(const Json &attrs) { return {optionalInt(attrs["axis"])}; }

CumulativeOptions directionOf(const Json &attrs) {
  return {.exclusive = attrs["exclusive"].get<bool>(), .reverse = attrs["reverse"].get<bool>()};
}

SortOptions orderOf(const Json &attrs) {
  return {.axis = attrs["axis"].get<int>(), .descending = attrs["descending"].get<bool>()};
}

Variable convolution(const Json &attrs, const Variables &in) {
  const std::string mode = attrs["mode"].get<std::string>();
  return convolve(in[0], in[1],
                  mode == "full"   ? ConvolveMode::Full
                  : mode == "same" ? ConvolveMode::Same
                                   : ConvolveMode::Valid);
}

Variables uniqueOf(const Variable &x, std::optional<int> axis = std::nullopt) {
  Unique all = unique(x, axis);
  return {all.values, all.index, all.inverse, all.counts};
}

} // namespace

const GoldenCallTable &orderingCalls() {
  static const auto &table = *new GoldenCallTable{
      {"cumsum", GRAPHC_ONE(cumsum(in[0], optionalInt(a["axis"])))},
      {"cumprod", GRAPHC_ONE(cumprod(in[0], optionalInt(a["axis"])))},
      {"cumsum_run", GRAPHC_ONE(cumsum(in[0], a["axis"].get<int>(), directionOf(a)))},
      {"cumprod_run", GRAPHC_ONE(cumprod(in[0], a["axis"].get<int>(), directionOf(a)))},
      {"linear_recurrence", GRAPHC_ONE(callBuiltin("linearRecurrence",
                                                   {{"axis", int64_t(0)},
                                                    {"reverse", a["reverse"].get<bool>()},
                                                    {"shifted", a["shifted"].get<bool>()}},
                                                   in))},
      {"sort_descending", GRAPHC_ONE(sort(in[0], orderOf(a)))},
      {"argsort_descending", GRAPHC_ONE(argsort(in[0], orderOf(a)))},
      {"argsort_rows", GRAPHC_ONE(callBuiltin("argsortRows", {}, in))},
      {"set_take", GRAPHC_ONE(setTake(in[0], in[1], in[2], {.axis = a["axis"].get<int>()}))},
      {"put_along_axis", GRAPHC_ONE(putAlongAxis(in[0], in[1], in[2], a["axis"].get<int>()))},
      {"quantile",
       GRAPHC_ONE(a["q"] == 0.5 ? median(in[0]) : quantile(in[0], a["q"].get<double>()))},
      {"unique_rows", GRAPHC_ALL(uniqueOf(in[0], 0))},
      {"unique_columns", GRAPHC_ALL(uniqueOf(in[0], -1))},
      {"sort", GRAPHC_ONE(sort(in[0], {.axis = optionalInt(a["axis"])}))},
      {"argsort", GRAPHC_ONE(argsort(in[0], {.axis = optionalInt(a["axis"])}))},
      {"topk", GRAPHC_ONE(topk(in[0], a["k"].get<int64_t>(), axisOf(a)))},
      {"argtopk", GRAPHC_ONE(argtopk(in[0], a["k"].get<int64_t>(), axisOf(a)))},
      {"searchsorted", GRAPHC_ONE(searchsorted(in[0], in[1], {.right = a["side"] == "right"}))},
      {"unique", GRAPHC_ALL(uniqueOf(in[0]))},
      {"bincount",
       GRAPHC_ONE(bincount(in[0], in.size() > 1 ? std::optional<Operand>(in[1]) : std::nullopt,
                           a["minlength"].get<int64_t>()))},
      {"nonzero", GRAPHC_ALL(nonzero(in[0]))},
      {"flatnonzero", GRAPHC_ONE(flatnonzero(in[0]))},
      {"take_along_axis", GRAPHC_ONE(takeAlongAxis(in[0], in[1], axisOf(a)))},
      {"scatter_add", GRAPHC_ONE(addAlongAxis(in[0], in[1], in[2], a["axis"].get<int>()))},
      {"compress", GRAPHC_ONE(compress(in[0], in[1], optionalInt(a["axis"])))},
      {"choose", GRAPHC_ONE(choose(in[0], {in.begin() + 1, in.end()}))},
      {"fill_diagonal", GRAPHC_ONE(fillDiagonal(in[0], in[1]))},
      {"ravel_multi_index",
       GRAPHC_ONE(ravelMultiIndex({in.begin(), in.end()}, extents(a["dims"])))},
      {"unravel_index", GRAPHC_ALL(unravelIndex(in[0], extents(a["dims"])))},
      {"one_hot", GRAPHC_ONE(oneHot(in[0], a["depth"].get<int64_t>(),
                                    parseDType(a["dtype"].get<std::string>()).value()))},
      {"non_max_suppression",
       GRAPHC_ONE(nonMaxSuppression(in[0], in[1],
                                    {.most = in[2],
                                     .overlap = in[3],
                                     .score = in[4],
                                     .centered = a["centered"].get<bool>()}))},
      {"convolve1d", one(convolution)},
      {"causal_conv1d", GRAPHC_ONE(causalConv1d(in[0], in[1], a["dilation"].get<int>()))},
      {"embedding", GRAPHC_ONE(embedding(in[0], in[1]))},
  };
  return table;
}

} // namespace graphc
