//===- ModelCases.cpp - options, bodies, radon ----------------------------===//
#include <map>
#include <memory>

#include "Compare.h"
#include "Graphs.h"
#include "HandModels.h"
#include "Inputs.h"
#include "absl/strings/str_cat.h"

namespace graphc::bench {
namespace {

const float *floats(const Tensor &t) { return static_cast<const float *>(t.data()); }
const double *doubles(const Tensor &t) { return static_cast<const double *>(t.data()); }

//===--- options ----------------------------------------------------------------===//

absl::StatusOr<Subject> blackScholes(const Settings &settings) {
  constexpr int64_t kOptions = 1000000;
  Tensor s = makeInput(DType::Float32, {kOptions}, 10.0, 50.0, 60),
         k = makeInput(DType::Float32, {kOptions}, 10.0, 50.0, 61),
         t = makeInput(DType::Float32, {kOptions}, 0.5, 2.0, 62),
         v = makeInput(DType::Float32, {kOptions}, 0.1, 0.5, 63);
  Variable vs = fvector("s"), vk = fvector("k"), vt = fvector("t"), vv = fvector("v");
  Variable q = vv * sqrt(vt), d1 = (log(vs / vk) + (0.02f + vv * vv / 2.0f) * vt) / q, d2 = d1 - q;
  auto normal = [](const Variable &z) { return 0.5f * (1.0f + erf(z / 1.4142135623730951f)); };
  Variable discounted = vk * exp(-0.02f * vt), n1 = normal(d1), n2 = normal(d2);
  Example example{"blackscholes",
                  {vs, vk, vt, vv},
                  {vs * n1 - discounted * n2, discounted * (1.0f - n2) - vs * (1.0f - n1)},
                  {s, k, t, v}};
  example.results = {"call", "put"};
  constexpr double kArray = double(kOptions) * sizeof(float);
  example.cost = {35.0 * double(kOptions), 4 * kArray, 2 * kArray};
  auto byHand = [=](void *const *results) {
    onThreads(kOptions, settings, [&](int64_t begin, int64_t end) {
      handBlackScholes({floats(s), floats(k), floats(t), floats(v)},
                       static_cast<float *>(results[0]), static_cast<float *>(results[1]), begin,
                       end);
    });
  };
  return compare(std::move(example), {{kByHand, byHand}}, settings);
}

//===--- bodies -----------------------------------------------------------------===//

absl::StatusOr<Subject> nbody(const Settings &settings) {
  constexpr int64_t kBodies = 1024;
  Tensor p = makeInput(DType::Float32, {kBodies, 3}, -1.0, 1.0, 64),
         u = makeInput(DType::Float32, {kBodies, 3}, -0.1, 0.1, 65),
         m = makeInput(DType::Float32, {kBodies}, 0.1, 1.0, 66);
  Variable vp = tensor(DType::Float32, {kDynamic, 3}, "p"),
           vu = tensor(DType::Float32, {kDynamic, 3}, "u"), vm = fvector("m");
  // [i, j, axis]: p_j - p_i
  Variable d = dimshuffle(vp, {-1, 0, 1}) - dimshuffle(vp, {0, -1, 1});
  Variable square = sum(sqr(d), Axis(2)) + 0.01f;
  Variable pull = dimshuffle(vm, {-1, 0}) * pow(square, -1.5f);
  Variable speed = vu + 0.001f * sum(dimshuffle(pull, {0, 1, -1}) * d, Axis(1));
  Example example{"nbody", {vp, vu, vm}, {vp + 0.001f * speed, speed}, {p, u, m}};
  example.results = {"p", "u"};
  constexpr double kArray = 3.0 * double(kBodies) * sizeof(float);
  example.cost = {19.0 * double(kBodies * kBodies), 3 * kArray, 2 * kArray};
  auto scratch = std::make_shared<std::vector<float>>(size_t(3 * kBodies));
  auto byHand = [=](void *const *results) {
    Bodies bodies{floats(p), floats(u), floats(m), kBodies};
    handNbodyPrepare(bodies, scratch->data());
    onThreads(kBodies, settings, [&](int64_t begin, int64_t end) {
      handNbody(bodies, scratch->data(), static_cast<float *>(results[0]),
                static_cast<float *>(results[1]), begin, end);
    });
  };
  return compare(std::move(example), {{kByHand, byHand}}, settings);
}

//===--- radon ------------------------------------------------------------------===//

constexpr int64_t kCounties = 85, kObservations = 919;
const char *const kRadonNumbers[] = {"mu_a", "mu_b", "ga", "gb", "lsa", "lsb", "lsy"};

/// The inputs by name, and their values, in the order of the streams 70 to 83.
struct RadonInputs {
  Variables inputs;
  std::vector<Tensor> values;

  RadonInputs() {
    uint64_t seed = 70;
    for (const char *name : kRadonNumbers)
      add(name, makeInput(DType::Float64, {}, -0.5, 0.5, seed++));
    for (const char *name : {"za", "zb", "zs"})
      add(name, makeInput(DType::Float64, {kCounties}, -1.0, 1.0, seed++));
    add("c", makeInput(DType::Int64, {kObservations}, 0.0, double(kCounties), seed++));
    add("fl", makeInput(DType::Int64, {kObservations}, 0.0, 2.0, seed++));
    add("y", makeInput(DType::Float64, {kObservations}, -1.0, 3.0, seed++));
    add("ur", makeInput(DType::Float64, {kCounties}, -1.0, 1.0, seed++));
  }
  void add(const char *name, const Tensor &value) {
    inputs.push_back(tensor(value.dtype(), value.shape(), name));
    values.push_back(value);
  }
};

constexpr double kLogTwoPi = 1.8378770664093453, kLogTwoOverPi = -0.4515827052894548;

Variable normalLogp(const Variable &x, const Variable &mean, const Variable &logDeviation) {
  return -0.5 * sqr((x - mean) * exp(-logDeviation)) - logDeviation - 0.5 * kLogTwoPi;
}
Variable normalLogp(const Variable &x, double deviation) {
  return -0.5 * sqr(x / deviation) - (std::log(deviation) + 0.5 * kLogTwoPi);
}

/// `step`: of zs, 0.1 in the model.
Variable radonLogp(const Variables &in, double step) {
  Variable muA = in[0], muB = in[1], ga = in[2], gb = in[3], lsa = in[4], lsb = in[5], lsy = in[6],
           za = in[7], zb = in[8], zs = in[9], c = in[10], fl = in[11], y = in[12], ur = in[13];
  Variable sa = exp(lsa), sb = exp(lsb), sy = exp(lsy);
  Variable a = muA + ga * ur + sa * za, b = muB + gb * ur + sb * zb, ls = lsy + step * take(zs, c);
  Variable logp = sum(normalLogp(y, take(a, c) + take(b, c) * fl, ls));
  logp = logp + normalLogp(muA, 10) + normalLogp(muB, 10) + normalLogp(ga, 5) + normalLogp(gb, 5);
  const std::pair<Variable, Variable> scales[] = {{sa, lsa}, {sb, lsb}, {sy, lsy}};
  for (const auto &[scale, logarithm] : scales)
    logp = logp + (0.5 * kLogTwoOverPi - sqr(scale) / 2.0 + logarithm);
  for (const Variable &z : {za, zb, zs})
    logp = logp + sum(normalLogp(z, 1));
  return logp;
}

absl::StatusOr<Subject> radon(const Settings &settings) {
  RadonModel model = radonModel();
  Example example{"radon", model.inputs, model.outputs, model.values};
  example.results = {"logp"};
  for (int i = 0; i < 10; ++i)
    example.results.emplace_back(model.inputs[size_t(i)].name());
  auto byHand = [values = model.values](void *const *results) {
    Radon r{};
    double *numbers[] = {&r.muA, &r.muB, &r.ga, &r.gb, &r.lsa, &r.lsb, &r.lsy}, gradients[7];
    for (int i = 0; i < 7; ++i)
      *numbers[i] = *doubles(values[size_t(i)]);
    r.za = doubles(values[7]);
    r.zb = doubles(values[8]);
    r.zs = doubles(values[9]);
    r.c = static_cast<const int64_t *>(values[10].data());
    r.fl = static_cast<const int64_t *>(values[11].data());
    r.y = doubles(values[12]);
    r.ur = doubles(values[13]);
    r.counties = kCounties;
    r.observations = kObservations;
    auto to = [&](int i) { return static_cast<double *>(results[i]); };
    *to(0) = handRadon(r, gradients, to(8), to(9), to(10));
    for (int i = 0; i < 7; ++i)
      *to(1 + i) = gradients[i];
  };
  return compare(std::move(example), {{kByHand, byHand}}, settings);
}

} // namespace

RadonModel radonModel(double step) {
  RadonInputs data;
  Variable logp = radonLogp(data.inputs, step);
  RadonModel model{data.inputs, {logp}, data.values};
  Variables parameters(data.inputs.begin(), data.inputs.begin() + 10);
  for (const Variable &gradient : grad(logp, parameters))
    model.outputs.push_back(gradient);
  return model;
}

void addModels(std::vector<Case> &cases) {
  cases.push_back({"blackscholes",
                   "prices of 10^6 options, f32",
                   {.ratio = 1.05},
                   blackScholes,
                   &groups::kMathChains});
  cases.push_back(
      {"nbody", "one step of 1024 bodies, f32", {.ratio = 1.05}, nbody, &groups::kModels});
  cases.push_back({"radon",
                   "a hierarchical model's log-probability and gradient, 919 observations, f64",
                   {.ratio = 1.05},
                   radon,
                   &groups::kModels});
}

} // namespace graphc::bench
