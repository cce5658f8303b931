//===- RandomOrder.cpp - positions, order, products, windows, loops --------===//
#include "RandomProgram.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"
#include "graphc/Sorting.h"

namespace graphc::random {

using V = const Variables &;

//===--- positions --------------------------------------------------------===//

Step indexStep(Chooser &c) {
  std::optional<size_t> found =
      c.where([](const Value &v) { return v.rank() > 0 && v.dtype() != DType::Bool; });
  std::optional<size_t> at = c.integer();
  if (!found || !at)
    return {};
  size_t a = *found;
  int axis = c.axisOf(a);
  TakeMode mode = c.random.oneIn(2) ? TakeMode::Wrap : TakeMode::Clip;
  // Of which there may be the same several times.
  auto taken = [=](const Variable &x, const Variable &i) {
    return take(x, i, {.axis = axis, .mode = mode});
  };
  auto along = [=](const Variable &x) { return argsort(x, {.axis = axis}); };
  switch (c.random.below(c.isExact ? 12 : 6)) {
  case 0:
  case 1:
    return {[=](V in) { return list(taken(in[0], in[1])); }, {a, *at}};
  case 2:
  case 3:
    return {[=](V in) {
              return list(incTake(in[0], in[1], taken(in[0], in[1]), {.axis = axis, .mode = mode}));
            },
            {a, *at}};
  case 4:
    return {[=](V in) {
              return list(
                  setTake(in[0], in[1], taken(in[0], in[1]) * 2, {.axis = axis, .mode = mode}));
            },
            {a, *at}};
  case 5: // rows of a table
    return {[](V in) { return list(in[0][{mod(in[1], shape(in[0], 0))}]); }, {a, *at}};
  case 6:
    return {[=](V in) { return list(takeAlongAxis(in[0], along(in[0]), {axis})); }, {a}};
  case 7:
    return {[=](V in) { return list(putAlongAxis(in[0], along(in[0]), in[0], axis)); }, {a}};
  case 8: {
    std::vector<Index> first = wholeAxes(axis);
    first.push_back(Slice(0, 1));
    return {[=](V in) {
              return list(addAlongAxis(in[0], subtensor(along(in[0]), first), in[0], axis));
            },
            {a}};
  }
  case 9:
    return {[](V in) { return Variables{sum(in[0][{gt(in[0], 0)}]), flatnonzero(in[0])}; }, {a}};
  case 10:
    return {[](V in) { return list(setSubtensor(in[0], {Index(lt(in[0], 0))}, 1)); }, {a}};
  default:
    return {[](V in) { return list(oneHot(mod(in[0], 5), 5)); }, {*at}};
  }
}

//===--- order ------------------------------------------------------------===//

Step orderStep(Chooser &c) {
  std::optional<size_t> found = c.where([&](const Value &v) {
    return v.rank() > 0 && (c.isExact ? !isComplex(v.dtype()) : isFloat(v.dtype()));
  });
  if (!found)
    return {};
  size_t a = *found;
  int axis = c.axisOf(a);
  std::optional<int> maybe = c.random.oneIn(5) ? std::nullopt : std::optional(axis);
  bool turned = c.random.oneIn(3), exclusive = c.random.oneIn(3);
  CumulativeOptions options{.exclusive = exclusive, .reverse = turned};
  switch (c.random.below(c.isExact ? 9 : 3)) {
  case 0:
    return {[=](V in) { return list(cumsum(in[0], maybe, options)); }, {a}};
  case 1:
    return {[=](V in) { return list(diff(in[0], 1, axis)); }, {a}};
  case 2:
    return {[=](V in) { return list(linearRecurrence(in[0] * 0, in[0], axis, turned)); }, {a}};
  case 3:
    return {[=](V in) { return list(sort(in[0], {.axis = maybe, .descending = turned})); }, {a}};
  case 4:
    return {[=](V in) { return list(argsort(in[0], {.axis = maybe, .descending = turned})); }, {a}};
  case 5: {
    int64_t k = std::min<int64_t>(c.values[a].extent(axis), c.from(1, 4)) * (turned ? -1 : 1);
    return {[=](V in) { return Variables{topk(in[0], k, {axis}), argtopk(in[0], k, {axis})}; },
            {a}};
  }
  case 6:
    return {[=](V in) { return list(cumprod(sgn(in[0]), maybe, options)); }, {a}};
  case 7:
    return {[](V in) {
              Unique u = unique(in[0]);
              return Variables{u.values, u.inverse, u.counts};
            },
            {a}};
  default:
    return {[turned](V in) {
              return list(searchsorted(sort(flatten(in[0])), in[0], {.right = turned}));
            },
            {a}};
  }
}

//===--- products ---------------------------------------------------------===//

Step productStep(Chooser &c) {
  auto isFactor = [](const Value &v) { return isInexact(v.dtype()) && v.rank() > 0; };
  std::optional<size_t> found = c.where(isFactor);
  if (!found)
    return {};
  size_t a = *found;
  const Value &x = c.values[a];
  size_t like = c.beside(a);
  // What has a's last extent at a given place.
  auto fitting = [&](auto place) {
    return c.where([&](const Value &v) {
      return isFactor(v) && v.extent(place(v)) == x.extent(x.rank() - 1);
    });
  };
  std::optional<size_t> inner = fitting([](const Value &v) { return std::max(v.rank() - 2, 0); });
  std::optional<size_t> last = fitting([](const Value &v) { return v.rank() - 1; });
  size_t b = inner.value_or(like);
  switch (c.random.below(10)) {
  case 0:
  case 1:
    return {[](V in) { return list(dot(in[0], in[1])); }, {a, b}};
  case 2:
    return {[](V in) { return list(matmul(in[0], in[1])); }, {a, b}};
  case 3: // with itself turned, or with another of its shape
    return {[](V in) { return list(matmul(in[0], swapaxes(in[1], -1, -2))); }, {a, like}};
  case 4:
    return {[](V in) { return list(batchedDot(in[0], swapaxes(in[1], -1, -2))); }, {a, like}};
  case 5:
    return {[](V in) { return list(dot(transpose(in[0]), in[1])); }, {a, like}};
  case 6: // beside a join
    return {[](V in) {
              Variable y = matmul(in[0], swapaxes(in[1], -1, -2));
              return list(concatenate({y, y + 1}, 0));
            },
            {a, last.value_or(like)}};
  case 7: // of a join
    return {[](V in) { return list(dot(concatenate({in[0], in[0] * 2}, 0), in[1])); }, {a, b}};
  case 8:
    return {[](V in) { return list(tensordot(in[0], in[1], {-1}, {-1})); }, {a, last.value_or(a)}};
  default:
    return {[](V in) { return list(outer(in[0], in[1])); }, {a, b}};
  }
}

//===--- windows ----------------------------------------------------------===//

Step windowStep(Chooser &c) {
  std::optional<size_t> a =
      c.where([](const Value &v) { return isFloat(v.dtype()) && v.rank() > 0; });
  if (!a)
    return {};
  int size = int(c.from(1, 3)), stride = int(c.from(1, 2));
  int channels = int(c.from(1, 5));
  PoolMode mode = c.isExact && c.random.oneIn(2) ? PoolMode::Max : PoolMode::Sum;
  int rank = c.values[*a].rank();
  if (rank < 3)
    return {[=](V in) { return list(pool(in[0], {size}, {.stride = {stride}, .mode = mode})); },
            {*a}};
  std::vector<int64_t> shape = {channels, c.values[*a].extent(1)};
  for (int axis = 2; axis < rank; ++axis)
    shape.push_back(size);
  Tensor kernel = *Tensor::zeros(DType::Float64, shape);
  for (double &k : kernel.mutableFlat<double>())
    k = double(c.from(-1, 1));
  ConvOptions options{.stride = std::vector<int>(size_t(rank) - 2, stride),
                      .padding = Padding(size - 1),
                      .filterFlip = c.random.oneIn(2)};
  return {[=](V in) {
            Variable w = cast(constant(kernel), in[0].dtype());
            return list(rank == 3   ? conv1d(in[0], w, options)
                        : rank == 4 ? conv2d(in[0], w, options)
                                    : conv3d(in[0], w, options));
          },
          {*a}};
}

//===--- branches and loops -----------------------------------------------===//

/// What keeps a state small.
static Variable damped(const Variable &v, bool isExact) {
  return isExact ? mod(v, 5) - 2 : tanh(v);
}

Step controlStep(Chooser &c) {
  bool isExact = c.isExact;
  std::optional<size_t> found =
      c.where([](const Value &v) { return isFloat(v.dtype()) && v.rank() > 0; });
  std::optional<size_t> number =
      c.where([](const Value &v) { return isInteger(v.dtype()) && v.rank() == 0; });
  if (!found || !number)
    return {};
  size_t a = *found, like = c.beside(a);
  int64_t n = c.from(0, 3);
  bool backwards = c.random.oneIn(3);
  switch (c.random.below(7)) {
  case 0:
    return {[n](V in) { return list(ifElse(gt(in[2], n), in[0], cast(in[1], in[0].dtype()))); },
            {a, like, *number}};
  case 1: // a branch that could not be computed
    return {[n](V in) { return list(ifElse(gt(in[1], n), in[0][{0}] + 1, in[0][{-1}] * 2)); },
            {a, *number}};
  case 2:
    return {[=](V in) {
              ScanResult r = scan([=](V v) { return ScanStep(damped(v[1] + v[0], isExact)); },
                                  {.sequences = {in[0]},
                                   .outputs = {ScanOutput(zerosLike(sum(in[0], Axis(0))))},
                                   .goBackwards = backwards});
              return Variables{r.outputs[0], r.last[0]};
            },
            {a}};
  case 3: // neighbours, without a state
    return {[=](V in) {
              return list(scan([](V v) { return ScanStep(Variables{v[1] - v[0], sum(v[0])}); },
                               {.sequences = {ScanSequence(in[0], {0, 1})}})
                              .outputs[0]);
            },
            {a}};
  case 4: // so many steps, over the whole
    return {[=](V in) {
              return list(scan([=](V v) { return ScanStep(damped(v[0] * 2 + v[1], isExact)); },
                               {.outputs = {ScanOutput(in[0])},
                                .nonSequences = {in[0]},
                                .numSteps = Operand(n)})
                              .last[0]);
            },
            {a}};
  case 5: // an end that elements decide
    if (!isExact)
      return {};
    return {
        [=](V in) {
          ScanResult r = scan(
              [](V v) {
                Variable s = mod(v[1] + sum(v[0]), 7);
                return ScanStep({s}, {}, gt(s, 4));
              },
              {.sequences = {in[0]}, .outputs = {ScanOutput(cast(constant(0.0), in[0].dtype()))}});
          return Variables{r.outputs[0], r.last[0]};
        },
        {a}};
  default:
    return {[=](V in) {
              return list(
                  whileLoop([](V v) { return lt(v[1], 3); },
                            [=](V v) { return ScanStep({damped(v[0] + 1, isExact), v[1] + 1}); },
                            {in[0], constant(int64_t(0))})
                      .last[0]);
            },
            {a}};
  }
}

} // namespace graphc::random
