//===- RandomGraph.cpp - graphs to be built flat and with OpFromGraphs -----===//
//
// While a recipe is made its steps are tried on Variables with static extents: what no op takes is
// not kept. These extents stand for those that values have, which may be equal, or 0: an extent is
// 1 in both where ops may broadcast. Functions are smooth and keep values near 1, so that
// derivatives of several orders have few rounding errors, and what jumps is computed from values
// that are no results of arithmetic.
//
//===----------------------------------------------------------------------===//
#include "RandomGraph.h"

#include <algorithm>

#include "graphc/Gradient.h"
#include "graphc/Ops.h"

namespace graphc::random {

//===--- building ---------------------------------------------------------===//

static Variables scaled(const Variables &operands, double factor) {
  Variables all;
  for (const Variable &v : operands)
    all.push_back(isFloat(v.dtype()) ? gradScale(v, factor) : v);
  return all;
}

static Variables onlyFloats(const Variables &all) {
  Variables some;
  for (const Variable &v : all)
    if (isFloat(v.dtype()))
      some.push_back(v);
  return some;
}

/// What stands beside the floats of `of`.
static Variables besideFloats(absl::Span<const Variable> of, absl::Span<const Variable> all) {
  Variables some;
  for (size_t i = 0; i < of.size(); ++i)
    if (isFloat(of[i].dtype()))
      some.push_back(all[i]);
  return some;
}

static Variables resultsOf(const Step &step, const Variables &operands, Build how) {
  if (step.reads)
    return {how == Build::Trial ? Variable(step.trial) : Variable(*step.reads)};
  return step.body ? build(*step.body, operands, how) : step.build(operands);
}

/// The steps of `body`, with bodies in it built as `how` says.
static Variables steps(const Body &body, const Variables &operands, Build how) {
  Variables values = operands, outputs;
  for (const Step &step : body.steps) {
    Variables in;
    for (size_t i : step.operands)
      in.push_back(values[i]);
    Variables out = resultsOf(step, in, how);
    values.insert(values.end(), out.begin(), out.end());
  }
  for (size_t i : body.outputs)
    outputs.push_back(values[i]);
  return outputs;
}

/// Overrides that give the derivatives of the body with its inputs scaled.
static void override(OpFromGraphOptions &options, const Body &body, const Variables &inputs,
                     const Variables &outputs) {
  double factor = *body.derivativeFactor;
  std::vector<Override> pullbacks, pushforwards;
  for (size_t i = 0; i < inputs.size(); ++i)
    pullbacks.push_back(
        !isFloat(inputs[i].dtype())
            ? Override::byDefault()
            : Override([&body, factor, i](Inputs in, Outputs out, Gradients g) {
                Variables outputs =
                    steps(body, scaled({in.begin(), in.end()}, factor), Build::Wrapped);
                return pullback(onlyFloats(outputs), {in[i]}, besideFloats(out, g),
                                {.disconnectedInputs = DisconnectedInputs::Ignore})[0];
              }));
  for (size_t o = 0; o < outputs.size(); ++o)
    pushforwards.push_back(
        !isFloat(outputs[o].dtype())
            ? Override::byDefault()
            : Override([&body, factor, o](Inputs in, Gradients tangents) {
                Variables all(in.begin(), in.end());
                Variables outputs = steps(body, scaled(all, factor), Build::Wrapped);
                return pushforward({outputs[o]}, onlyFloats(all), besideFloats(in, tangents),
                                   {.disconnectedInputs = DisconnectedInputs::Ignore})[0];
              }));
  options.pullback = Overrides(std::move(pullbacks));
  options.pushforward = Overrides(std::move(pushforwards));
}

Variables build(const Body &body, const Variables &operands, Build how) {
  if (how != Build::Wrapped)
    return steps(body, body.derivativeFactor ? scaled(operands, *body.derivativeFactor) : operands,
                 how);
  Variables inputs;
  for (const Type &type : body.inputs)
    inputs.emplace_back(type);
  Variables outputs = steps(body, inputs, how);
  OpFromGraphOptions options{.inlined = body.inlining};
  if (body.derivativeFactor)
    override(options, body, inputs, outputs);
  OpFromGraph op(inputs, outputs, options);
  if (!op.ok())
    return Variables(outputs.size(), Variable::invalid(op.status()));
  return op.apply(std::vector<Operand>(operands.begin(), operands.end()));
}

//===--- making -----------------------------------------------------------===//

namespace {

constexpr int64_t kTrial[] = {11, 13, 17};
constexpr int64_t kLeast = 6; // what is less is no such extent, nor a slice of one
constexpr int64_t kMostElements = 20000;

class Maker {
public:
  explicit Maker(uint64_t seed) : random_(seed) {
    for (int64_t &extent : extents_)
      extent = random_.oneIn(16) ? 0 : int64_t(1 + random_.below(4));
    isEmpty_ = std::ranges::any_of(extents_, [](int64_t extent) { return extent < 2; });
  }
  Recipe recipe();

private:
  using Choice = std::pair<Step, Variables>; // and what it computes for the trial

  int64_t extentOf(int64_t trial) const {
    for (size_t i = 0; i < std::size(kTrial); ++i)
      if (trial == kTrial[i])
        return extents_[i];
    return trial < kLeast ? trial : kDynamic;
  }
  /// What a Variable may be declared as whose values have the extents that `trial` stands for.
  Type declared(const Type &trial);
  Tensor valueOf(const Type &trial);
  Variable pick(const Variables &values) { return random_.of(values); }
  /// One of the same type as `like`.
  size_t pickLike(const Variables &values, const Type &like);
  size_t pickFloat(const Variables &values);
  /// A step that may be none: what the ops refuse is left out.
  Step primitive(const Variables &values);
  Step elementwise(const Variables &values, size_t a);
  Step moving(const Variables &values, size_t a);
  Step joining(const Variables &values, size_t a);
  Step reading(const Variables &values);
  Step application(const Variables &values, int depth);
  /// `values` are those of the trial.
  Body body(Variables values, int depth, size_t numSteps);

  Numbers random_;
  int64_t extents_[std::size(kTrial)];
  bool isEmpty_; // or may become so by slices
  Recipe recipe_;
  std::vector<Type> trials_; // of recipe_.shared
  struct Known {
    std::shared_ptr<const Body> body;
    std::vector<Type> types; // of the trial
  };
  std::vector<Known> known_;
};

Type Maker::declared(const Type &trial) {
  std::vector<int64_t> shape;
  for (int64_t extent : trial.shape())
    shape.push_back(extent < kLeast || random_.oneIn(3) ? extentOf(extent) : kDynamic);
  return trial.withShape(shape);
}

Tensor Maker::valueOf(const Type &trial) {
  std::vector<int64_t> shape;
  for (int64_t extent : trial.shape())
    shape.push_back(extentOf(extent));
  Tensor value = *Tensor::zeros(DType::Float64, shape);
  for (double &element : value.mutableFlat<double>())
    element = isFloat(trial.dtype()) ? random_.real(-1.5, 1.5) : double(random_.below(5));
  return value.cast(trial.dtype());
}

size_t Maker::pickLike(const Variables &values, const Type &like) {
  std::vector<size_t> fit;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].type() == like)
      fit.push_back(i);
  return random_.of(fit);
}

size_t Maker::pickFloat(const Variables &values) {
  std::vector<size_t> fit;
  for (size_t i = 0; i < values.size(); ++i)
    if (isFloat(values[i].dtype()))
      fit.push_back(i);
  // Later ones more often: graphs are deep rather than wide.
  return fit[std::max(random_.below(fit.size()), random_.below(fit.size()))];
}

Step Maker::elementwise(const Variables &values, size_t a) {
  size_t b = random_.oneIn(2) ? pickFloat(values) : pickLike(values, values[a].type());
  double c = random_.real(0.1, 0.9);
  switch (random_.below(14)) {
  case 0:
    return {[](const Variables &in) { return Variables{tanh(in[0])}; }, {a}};
  case 1:
    return {[](const Variables &in) { return Variables{sigmoid(in[0])}; }, {a}};
  case 2:
    return {[](const Variables &in) { return Variables{sin(in[0]) * 2}; }, {a}};
  case 3:
    return {[](const Variables &in) { return Variables{log1p(sqr(tanh(in[0])))}; }, {a}};
  case 4:
    return {[](const Variables &in) { return Variables{exp(-sqr(in[0]))}; }, {a}};
  case 5:
    return {[c](const Variables &in) { return Variables{in[0] * c + (1 - c)}; }, {a}};
  case 6:
    return {[](const Variables &in) { return Variables{in[0] / (sqr(in[1]) + 2)}; }, {a, b}};
  case 7:
  case 8:
    return {[](const Variables &in) { return Variables{tanh(in[0]) * in[1]}; }, {a, b}};
  case 9:
    return {[](const Variables &in) { return Variables{in[0] + in[1]}; }, {a, b}};
  case 10:
    return {[](const Variables &in) { return Variables{sin(in[0]) - in[1]}; }, {a, b}};
  case 11: // the mask of F-295; log of a negative number is NaN
    return {[](const Variables &in) {
              return Variables{where(cos(in[0]) > 0.123, log(cos(in[0])), in[1])};
            },
            {a, b}};
  case 12: {
    DType dtype = values[a].dtype() == DType::Float64 ? DType::Float32 : DType::Float64;
    return {[dtype](const Variables &in) { return Variables{cast(in[0], dtype)}; }, {a}};
  }
  default:
    return {[](const Variables &in) { return Variables{sqrt(sqr(in[0]) + 0.5), in[0] - 0.25}; },
            {a}};
  }
}

Step Maker::moving(const Variables &values, size_t a) {
  int rank = values[a].rank(), axis = rank ? int(random_.below(size_t(rank))) : 0;
  int position = random_.oneIn(2) ? 0 : -1;
  switch (random_.below(12)) {
  case 0:
    return {[axis](const Variables &in) { return Variables{sum(in[0], Axis(axis)) * 0.5}; }, {a}};
  case 1:
    return {[axis](const Variables &in) {
              return Variables{sum(in[0], {.axes = Axis(axis), .keepDims = true})};
            },
            {a}};
  case 2: // of no elements they are not defined
    if (isEmpty_)
      return {};
    return {[axis](const Variables &in) {
              return Variables{mean(in[0]), logsumexp(in[0], Axis(axis))};
            },
            {a}};
  case 3:
    if (isEmpty_)
      return {};
    return {[axis](const Variables &in) { return Variables{softmax(in[0], Axis(axis))}; }, {a}};
  case 4:
    return {[](const Variables &in) { return Variables{transpose(in[0])}; }, {a}};
  case 5:
    return {[axis](const Variables &in) { return Variables{expandDims(in[0], Axis(axis))}; }, {a}};
  case 6: // an index that needs an element
    if (isEmpty_)
      return {};
    return {[position](const Variables &in) { return Variables{in[0][{position}]}; }, {a}};
  case 7:
    return {[](const Variables &in) { return Variables{in[0][{Slice(kEnd, kEnd, -1)}]}; }, {a}};
  case 8: // of what may not become empty by it
    if (isEmpty_ || rank == 0 || std::ranges::count(kTrial, values[a].type().extent(0)) == 0)
      return {};
    return {[](const Variables &in) {
              return Variables{in[0][{Slice(0, -1)}], in[0][{Slice(1, kEnd)}]};
            },
            {a}};
  case 9:
    return {[](const Variables &in) { return Variables{flatten(in[0])}; }, {a}};
  case 10:
    return {[](const Variables &in) {
              return Variables{reshape(in[0], {shape(in[0], 1), shape(in[0], 0)})};
            },
            {a}};
  default:
    return {[axis](const Variables &in) {
              Variable count = shape(in[0], axis);
              return Variables{count, cast(count, DType::Float64) * 0.1};
            },
            {a}};
  }
}

Step Maker::joining(const Variables &values, size_t a) {
  size_t b = pickFloat(values), like = pickLike(values, values[a].type());
  std::vector<size_t> integers;
  for (size_t i = 0; i < values.size(); ++i)
    if (!isFloat(values[i].dtype()) && values[i].dtype() != DType::Bool)
      integers.push_back(i);
  size_t integer = random_.of(integers);
  switch (random_.below(11)) {
  case 0:
  case 1:
    return {[](const Variables &in) { return Variables{dot(in[0], in[1]) * 0.3}; }, {a, b}};
  case 2:
    return {[](const Variables &in) { return Variables{dot(in[0], transpose(in[1])) * 0.3}; },
            {a, like}};
  case 3:
    return {[](const Variables &in) { return Variables{outer(in[0], in[1])}; }, {a, b}};
  case 4:
    return {[](const Variables &in) { return Variables{concatenate({in[0], in[1]}, 0)}; },
            {a, random_.oneIn(2) ? like : b}};
  case 5:
    return {[](const Variables &in) { return Variables{stack({in[0], in[1]}, 0)}; }, {a, like}};
  case 6:
    if (isEmpty_)
      return {};
    return {[](const Variables &in) {
              return Variables{setSubtensor(in[0], {0}, in[1]), incSubtensor(in[0], {-1}, in[1])};
            },
            {a, b}};
  case 7:
    if (isEmpty_)
      return {};
    return {[](const Variables &in) {
              return Variables{take(in[0], in[1], {.axis = 0, .mode = TakeMode::Wrap})};
            },
            {a, integer}};
  case 8: // an index that is computed
    if (isEmpty_)
      return {};
    return {
        [](const Variables &in) { return Variables{in[0][{mod(max(in[1]), shape(in[0], 0))}]}; },
        {a, integer}};
  case 9:
    return {[](const Variables &in) {
              return Variables{in[0] * cast(mod(in[1], 3), DType::Float32) + 0.5, in[1] * 2 + 1};
            },
            {a, integer}};
  default:
    return {[](const Variables &in) { return Variables{second(in[0], in[1])}; }, {a, b}};
  }
}

Step Maker::reading(const Variables &values) {
  if (!recipe_.shared.empty() && random_.oneIn(2)) {
    size_t old = random_.below(recipe_.shared.size());
    return {.reads = recipe_.shared[old], .trial = trials_[old]};
  }
  // Only what the extents of inputs make has an extent that is known.
  Type like = values[pickFloat(values)].type();
  Type type = declared(like);
  for (int64_t extent : like.shape())
    if (extentOf(extent) == kDynamic)
      return {};
  SharedOptions options;
  options.shape = std::vector<int64_t>(type.shape().begin(), type.shape().end());
  recipe_.shared.push_back(
      shared(valueOf(like), "s" + std::to_string(recipe_.shared.size()), options));
  recipe_.updates.emplace_back(random_.real(-1, 1), random_.real(-0.1, 0.1));
  trials_.push_back(like);
  return {.reads = recipe_.shared.back(), .trial = like};
}

Step Maker::primitive(const Variables &values) {
  size_t a = pickFloat(values);
  switch (random_.below(10)) {
  case 0:
  case 1:
  case 2:
    return moving(values, a);
  case 3:
  case 4:
  case 5:
    return joining(values, a);
  default:
    return elementwise(values, a);
  }
}

Step Maker::application(const Variables &values, int depth) {
  auto operandsFor = [&](const std::vector<Type> &types) -> std::vector<size_t> {
    std::vector<size_t> operands;
    for (const Type &type : types) {
      if (std::ranges::none_of(values, [&](const Variable &v) { return v.type() == type; }))
        return {};
      operands.push_back(pickLike(values, type));
    }
    return operands;
  };
  if (!known_.empty() && random_.oneIn(2)) {
    const Known &again = random_.of(known_);
    if (std::vector<size_t> operands = operandsFor(again.types); !operands.empty())
      return {.operands = operands, .body = again.body};
  }
  std::vector<Type> types;
  Variables inputs;
  auto take = [&](const Type &type) {
    types.push_back(type);
    inputs.emplace_back(type);
  };
  take(values[pickFloat(values)].type());
  for (size_t more = random_.below(4); more > 0; --more)
    take(pick(values).type());
  auto made = std::make_shared<Body>(body(inputs, depth - 1, 1 + random_.below(4)));
  made->inlining =
      std::vector{Inline::No, Inline::No, Inline::Yes, Inline::Automatic}[random_.below(4)];
  for (const Step &step : made->steps)
    made->captures |= step.reads || (step.body && step.body->captures);
  // With respect to what it captures the graph's own derivative holds, which an override does not
  // scale: a factor would hold for some second derivatives and not for others.
  if (random_.oneIn(4))
    made->derivativeFactor = made->captures || random_.oneIn(2) ? 1.0 : random_.real(-2, 2);
  known_.push_back({made, types});
  return {.operands = operandsFor(types), .body = made};
}

Body Maker::body(Variables values, int depth, size_t numSteps) {
  Body result;
  for (const Variable &v : values) {
    result.inputs.push_back(declared(v.type()));
    recipe_.isNarrow |= v.dtype() == DType::Float32;
  }
  // Integers to index by are at hand everywhere.
  result.steps.push_back(
      {[](const Variables &) { return Variables{constant(Tensor({1, 0, 2}).cast(DType::Int64))}; },
       {}});
  values.push_back(constant(Tensor({1, 0, 2}).cast(DType::Int64)));
  for (size_t tries = 0, made = 0; made < numSteps && tries < 60; ++tries) {
    Step step = depth > 0 && random_.oneIn(3) ? application(values, depth)
                : random_.oneIn(12)           ? reading(values)
                                              : primitive(values);
    if (!step.build && !step.body && !step.reads)
      continue;
    Variables in;
    for (size_t i : step.operands)
      in.push_back(values[i]);
    Variables out = resultsOf(step, in, Build::Trial);
    bool fits = true;
    for (Variable &v : out) {
      int64_t elements = 1;
      for (int64_t extent : v.ok() ? v.type().shape() : std::vector<int64_t>{})
        elements *= extent == kDynamic ? 20 : extent;
      fits &= v.ok() && v.rank() <= 3 && elements <= kMostElements;
    }
    if (!fits)
      continue;
    for (const Variable &v : out) {
      values.emplace_back(v.type());
      recipe_.isNarrow |= v.dtype() == DType::Float32;
    }
    result.steps.push_back(std::move(step));
    ++made;
  }
  for (size_t more = 1 + random_.below(3); more > 0; --more)
    result.outputs.push_back(
        random_.oneIn(5) ? random_.below(values.size())
                         : values.size() - 1 - random_.below(std::min<size_t>(4, values.size())));
  return result;
}

Recipe Maker::recipe() {
  Variables inputs;
  for (size_t count = 2 + random_.below(3); count > 0; --count) {
    std::vector<int64_t> shape;
    for (size_t rank = random_.below(4); rank > 0; --rank)
      shape.push_back(random_.oneIn(6) ? 1 : kTrial[random_.below(std::size(kTrial))]);
    inputs.emplace_back(TensorType(random_.oneIn(3) ? DType::Float32 : DType::Float64, shape));
  }
  inputs.emplace_back(TensorType(random_.oneIn(2) ? DType::Int64 : DType::Int32, {}));
  for (const Variable &v : inputs)
    recipe_.values.push_back(valueOf(v.type()));
  recipe_.main = body(inputs, 4, 4 + random_.below(6));
  return std::move(recipe_);
}

} // namespace

Recipe randomRecipe(uint64_t seed) { return Maker(seed).recipe(); }

} // namespace graphc::random
