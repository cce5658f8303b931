#include "OrderingCases.h"

#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

using V = const Variables &;
using Call = std::function<Variable(const Variables &)>;

OpCase unknownOnes(OpCase c) {
  c.hasUnknownOnes = true;
  return c;
}

/// An op along an axis of one operand, or of several of one shape.
std::vector<OpCase> along(size_t operands, const std::function<Call(int axis, bool option)> &call) {
  auto shapes = [&](std::vector<int64_t> shape) {
    return std::vector<std::vector<int64_t>>(operands, std::move(shape));
  };
  return {{shapes({5}), call(0, false)},       {shapes({4, 3}), call(0, true)},
          {shapes({4, 3}), call(-1, false)},   {shapes({2, 1, 3, 1, 2, 2, 1, 2}), call(2, true)},
          {shapes({2, 0, 3}), call(1, false)}, {shapes({0, 3}), call(1, true)},
          {shapes({3, 300}), call(1, false)},  unknownOnes({shapes({1, 3, 1}), call(1, true)})};
}

Call builtinCall(std::string op, Attributes attributes) {
  return [=](V x) { return callBuiltin(op, attributes, x); };
}

std::vector<OpCase> cumulative(std::string op, std::string other, size_t operands) {
  std::vector<OpCase> cases = along(operands, [=](int axis, bool reverse) {
    return builtinCall(op, {{"axis", int64_t(axis)}, {"reverse", reverse}});
  });
  cases.push_back({std::vector<std::vector<int64_t>>(operands, {5, 3}),
                   builtinCall(op, {{"axis", int64_t(0)}, {other, true}})});
  return cases;
}

std::vector<OpCase> sorting(Variable (*call)(const Operand &, SortOptions)) {
  std::vector<OpCase> cases = along(1, [=](int axis, bool descending) {
    return [=](V x) { return call(x[0], {.axis = axis, .descending = descending}); };
  });
  // Of many elements some are so close that differences exchange them.
  std::erase_if(cases, [](const OpCase &c) { return c.shapes[0] == std::vector<int64_t>{3, 300}; });
  return cases;
}

Call suppress(int64_t most, bool centered) {
  return [=](V x) {
    auto floats = [](const Variable &v) {
      return isFloat(v.dtype()) ? v : cast(v, DType::Float32);
    };
    return nonMaxSuppression(floats(x[0]), floats(x[1]),
                             {.most = most, .overlap = 0.25, .score = 0.0, .centered = centered});
  };
}

} // namespace

std::map<std::string, std::vector<OpCase>> orderingCases() {
  Call setRows = [](V x) { return setTake(x[0], x[2], x[1], {.axis = 0}); };
  Call setColumns = [](V x) {
    return setTake(x[0], x[2], x[1], {.axis = -1, .mode = TakeMode::Wrap});
  };
  Call top = [](V x) { return argtopk(x[0], 2, {.axis = 1}); };
  Call rows = builtinCall("argsortRows", {});
  Call find = [](V x) { return callBuiltin("searchsorted", {}, x); };
  Call findRight = [](V x) { return callBuiltin("searchsorted", {{"right", true}}, x); };
  Call nonzeros = builtinCall("nonzero", {});
  Call ravel = [](V x) { return ravelMultiIndex({x[0], x[0]}, {5, 5}); };
  Call ravelWrapped = [](V x) { return ravelMultiIndex({x[0]}, {3}, TakeMode::Wrap); };
  return {
      {"cumsum", cumulative("cumsum", "exclusive", 1)},
      {"cumprod", cumulative("cumprod", "exclusive", 1)},
      {"linearRecurrence", cumulative("linearRecurrence", "shifted", 2)},
      {"sort", sorting(&sort)},
      {"argsort", sorting(&argsort)},
      {"argtopk",
       {{{{4, 3}}, top},
        {{{0, 3}}, top},
        {{{2, 300}}, top},
        {{{4, 3}}, [](V x) { return argtopk(x[0], -3, {.axis = 0}); }},
        unknownOnes({{{1, 3}}, top})}},
      {"argsortRows", {{{{7, 3}}, rows}, {{{7, 0}}, rows}, {{{0, 3}}, rows}, {{{1, 3}}, rows}}},
      {"searchsorted",
       {{{{5}, {3, 2}}, find},
        {{{0}, {3}}, findRight},
        {{{5}, {}}, findRight},
        {{{5}, {0}}, find}}},
      {"nonzero",
       {{{{5, 3}}, nonzeros},
        {{{0, 3}}, nonzeros},
        {{{2, 1, 3, 1, 2, 2, 1, 2}}, nonzeros},
        unknownOnes({{{1, 3, 1}}, nonzeros})}},
      {"ravelIndex",
       {{{{4, 2}}, ravel, false, 0, 5},
        {{{}}, ravel, false, 0, 5},
        {{{3}}, ravelWrapped, false, 0, 99},
        {{{0}}, ravel, false, 0, 5}}},
      {"setTake",
       {{{{5, 3}, {2, 2}, {2, 2}}, [](V x) { return setTake(x[0], x[2], x[1]); }, false, 2, 15},
        {{{5, 3}, {20, 3}, {20}}, setRows, false, 2, 5},
        {{{5, 3}, {5, 4}, {4}}, setColumns, false, 2, 99},
        {{{5, 3}, {0, 3}, {0}}, setRows, false, 2, 5},
        {{{1, 1}, {1, 1}, {1}}, setRows, false, 2, 1, true}}},
      {"nonMaxSuppression",
       {{{{2, 6, 4}, {2, 3, 6}}, suppress(2, false)},
        {{{1, 6, 4}, {1, 1, 6}}, suppress(9, true)},
        {{{0, 6, 4}, {0, 3, 6}}, suppress(2, false)},
        {{{1, 0, 4}, {1, 3, 0}}, suppress(2, false)}}},
      {"assert",
       {{{{5, 3}, {}}, [](V x) { return assertTrue(x[0], ge(x[1], 0), "negative"); }, false, 1, 5},
        {{{0}, {}}, [](V x) { return assertTrue(x[0], ge(x[1], 0), "negative"); }, false, 1, 5}}},
  };
}

} // namespace graphc
