//===- LoopCases.cpp - recurrences of a thousand steps --------------------===//
//
// Each step needs the state of the one before: what a step costs beside its arithmetic shows here.
//
//===----------------------------------------------------------------------===//
#include "Compare.h"
#include "HandLoops.h"
#include "HandRecurrences.h"
#include "Inputs.h"
#include "absl/strings/str_cat.h"

namespace graphc::bench {
namespace {

constexpr int64_t kSteps = 1000, kState = 64;
constexpr double kStates = double(kSteps * kState);

struct Loop {
  Example example;
  Variable states;

  Variable add(const char *name, const std::vector<int64_t> &shape, double low, double high,
               uint64_t seed) {
    example.values.push_back(makeInput(DType::Float32, shape, low, high, seed));
    example.inputs.push_back(tensor(DType::Float32, shape, name));
    return example.inputs.back();
  }
  /// The mean of the states' squares, and its derivatives with respect to the inputs of these
  /// names.
  void differentiate(const std::vector<std::string> &names, const std::string &prefix = "") {
    Variables wrt;
    example.results = {"loss"};
    for (const std::string &name : names) {
      example.results.push_back(prefix + name);
      for (const Variable &input : example.inputs)
        if (input.name() == name)
          wrt.push_back(input);
    }
    Variable loss = mean(sqr(states));
    example.outputs = {loss};
    for (const Variable &gradient : grad(loss, wrt))
      example.outputs.push_back(gradient);
  }
};

/// A gradient, beside the loop alone: it may take three times its time.
absl::StatusOr<Subject> withForward(Loop loop, std::vector<Hand> hands, const char *forwardName,
                                    const Settings &settings) {
  Example forward = loop.example;
  forward.name = forwardName;
  forward.outputs = {loop.states};
  forward.results.clear();
  absl::StatusOr<Subject> subject = compare(std::move(loop.example), std::move(hands), settings);
  if (!subject.ok() || settings.switches)
    return subject;
  Settings alone = settings;
  alone.workers = nullptr;
  absl::StatusOr<Subject> made = compare(std::move(forward), std::vector<Hand>(), alone);
  if (!made.ok())
    return made;
  subject->rivals.push_back(rivalOf("forward", made->ours, /*isPeer=*/false));
  return subject;
}

/// h = tanh(a h + x)
Loop recurrence() {
  Loop loop;
  Variable x = loop.add("x", {kSteps, kState}, -1.0, 1.0, 90),
           a = loop.add("a", {kState}, 0.5, 0.95, 91), h0 = loop.add("h0", {kState}, -1.0, 1.0, 92);
  ScanOptions options;
  options.sequences = {x};
  options.outputs = {h0};
  options.nonSequences = {a};
  loop.states =
      scan([](const Variables &v) -> ScanStep { return tanh(v[2] * v[1] + v[0]); }, options)
          .outputs[0];
  double bytes = (kStates + 2 * double(kState)) * sizeof(float);
  loop.example.cost = {3 * kStates, bytes, kStates * sizeof(float)};
  return loop;
}

absl::StatusOr<Subject> recurrenceForward(const Settings &settings) {
  Loop loop = recurrence();
  loop.example.name = "cumrec_fwd";
  loop.example.outputs = {loop.states};
  const std::vector<Tensor> &in = loop.example.values;
  auto byHand = [x = in[0], a = in[1], h0 = in[2]](void *const *results) {
    handRecurrence(static_cast<const float *>(x.data()), static_cast<const float *>(a.data()),
                   static_cast<const float *>(h0.data()), static_cast<float *>(results[0]), kSteps,
                   kState);
  };
  return compare(std::move(loop.example), {{kByHand, byHand}}, settings);
}

absl::StatusOr<Subject> recurrenceGradient(const Settings &settings) {
  Loop loop = recurrence();
  loop.example.name = "cumrec_grad";
  loop.differentiate({"x", "a"}, "g");
  loop.example.cost.flops *= 3;
  return withForward(std::move(loop), {}, "cumrec_fwd", settings);
}

/// A gated recurrent unit, as its formula says it: the products of its inputs are made before the
/// loop by a rewrite.
Loop gatedUnit() {
  Loop loop;
  Variable x = loop.add("x", {kSteps, kState}, -1.0, 1.0, 90),
           h0 = loop.add("h0", {kState}, -1.0, 1.0, 92);
  std::vector<Variable> w, u, b;
  uint64_t seed = 101;
  for (const char *name : {"Wz", "Wr", "Wn"})
    w.push_back(loop.add(name, {kState, kState}, -0.125, 0.125, seed++));
  for (const char *name : {"Uz", "Ur", "Un"})
    u.push_back(loop.add(name, {kState, kState}, -0.125, 0.125, seed++));
  for (const char *name : {"bz", "br", "bn"})
    b.push_back(loop.add(name, {kState}, -0.1, 0.1, seed++));
  ScanOptions options;
  options.sequences = {x};
  options.outputs = {h0};
  auto step = [&](const Variables &v) -> ScanStep {
    const Variable &h = v[1];
    auto input = [&](size_t gate) { return dot(v[0], w[gate]) + b[gate]; };
    Variable z = sigmoid(input(0) + dot(h, u[0])), r = sigmoid(input(1) + dot(h, u[1]));
    return (1.0f - z) * tanh(input(2) + r * dot(h, u[2])) + z * h;
  };
  loop.states = scan(step, options).outputs[0];
  double bytes = 0;
  for (const Tensor &value : loop.example.values)
    bytes += double(value.numBytes());
  loop.example.cost = {12 * kStates * double(kState), bytes, kStates * sizeof(float)};
  return loop;
}

absl::StatusOr<Subject> gatedForward(const Settings &settings) {
  Loop loop = gatedUnit();
  loop.example.name = "gru_fwd";
  loop.example.outputs = {loop.states};
  const std::vector<Tensor> in = loop.example.values;
  auto floats = [&](size_t input) { return static_cast<const float *>(in[input].data()); };
  Gru gru{floats(0), floats(1), {}, {}, {}};
  for (size_t gate = 0; gate < 3; ++gate) {
    gru.w[gate] = floats(2 + gate);
    gru.u[gate] = floats(5 + gate);
    gru.b[gate] = floats(8 + gate);
  }
  auto scratch = std::make_shared<std::vector<float>>(size_t(kSteps * 3 * kState));
  auto byHand = [gru, in, scratch](void *const *results) {
    handGru(gru, scratch->data(), static_cast<float *>(results[0]), kSteps);
  };
  return compare(std::move(loop.example), {{kByHand, byHand}}, settings);
}

absl::StatusOr<Subject> gatedGradient(const Settings &settings) {
  Loop loop = gatedUnit();
  loop.example.name = "gru_grad";
  loop.differentiate({"Wz", "Wr", "Wn", "Uz", "Ur", "Un", "bz", "br", "bn"});
  loop.example.cost.flops *= 3;
  loop.example.slack = 10; // a thousand roundings of the state, one after the other
  return withForward(std::move(loop), {}, "gru_fwd", settings);
}

} // namespace

void addLoops(std::vector<Case> &cases) {
  cases.push_back({"cumrec_fwd",
                   "h = tanh(a h + x), 1000 steps, 64 numbers",
                   {.ratio = 1.1},
                   recurrenceForward,
                   &groups::kLoops});
  cases.push_back({"cumrec_grad",
                   "the mean of its squares, and two gradients",
                   {.ratio = 3},
                   recurrenceGradient,
                   &groups::kLoops});
  cases.push_back({"gru_fwd",
                   "gated recurrent unit, 1000 steps, 64 numbers",
                   {.ratio = 1.1},
                   gatedForward,
                   &groups::kLoops});
  cases.push_back({"gru_grad",
                   "the mean of its squares, and nine gradients",
                   {.ratio = 3},
                   gatedGradient,
                   &groups::kLoops});
}

} // namespace graphc::bench
