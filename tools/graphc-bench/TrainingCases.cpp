//===- TrainingCases.cpp - updates of many parameters ---------------------===//
#include <cmath>
#include <memory>

#include "Case.h"
#include "Compare.h"
#include "HandLoops.h"
#include "absl/strings/str_format.h"
#include "graphc/graphc.h"

namespace graphc::bench {
namespace {

constexpr int64_t kParameters = 10, kElements = 1000000;
/// Sums of these are exact in float32 for more steps than anybody measures.
constexpr float kGradient = 0x1p-20f, kStep = 0.5f;

struct Training {
  Function function;
  std::vector<SharedVariable> weights;
  std::vector<Tensor> byHand, gradients;
  int64_t steps = 0, stepsByHand = 0;
  absl::Status status;
};

absl::Status checkWeight(const Tensor &w, int64_t steps, const char *side) {
  double expected = 1 - double(steps) * double(kStep * kGradient),
         found = double(w.flat<float>().back());
  if (found == expected)
    return absl::OkStatus();
  return makeError(ErrorKind::ValueError,
                   absl::StrFormat("%s gives %g instead of %g", side, found, expected));
}

/// Steps of gradient descent; with `twoBuffers`, as if somebody had read weights meanwhile.
absl::StatusOr<Subject> descend(bool twoBuffers, const Settings &settings) {
  auto state = std::make_shared<Training>();
  std::vector<std::pair<Variable, Variable>> updates;
  Tensor ones = *Tensor::full(DType::Float32, {kElements}, Tensor(1.0f));
  for (int64_t i = 0; i < kParameters; ++i) {
    state->gradients.push_back(*Tensor::full(DType::Float32, {kElements}, Tensor(kGradient)));
    state->byHand.push_back(ones.copy());
    state->weights.push_back(shared(ones));
    SharedVariable gradient = shared(state->gradients.back());
    updates.emplace_back(state->weights.back(), state->weights.back() - kStep * gradient);
  }
  absl::StatusOr<Function> f = function({}, {}, {.updates = updates, .threads = settings.threads});
  if (!f.ok())
    return f.status();
  state->function = *std::move(f);
  if (twoBuffers) {
    std::vector<Tensor> held;
    for (const SharedVariable &w : state->weights)
      held.push_back(w.get({.borrow = true}));
    state->status = state->function().status();
    ++state->steps;
  }
  Subject subject;
  subject.ours = [state](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      if (absl::Status s = state->function().status(); !s.ok())
        state->status = s;
    state->steps += count;
  };
  Work byHand = [state, settings](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      for (size_t k = 0; k < state->byHand.size(); ++k)
        onThreads(kElements, settings, [&](int64_t begin, int64_t end) {
          handDescend(static_cast<float *>(state->byHand[k].data()),
                      state->gradients[k].flat<float>().data(), kStep, begin, end);
        });
    state->stepsByHand += count;
  };
  subject.rivals = {rivalOf(kByHand, std::move(byHand))};
  constexpr double kBytes = double(kParameters * kElements) * sizeof(float);
  subject.cost = {double(kParameters * kElements) * 2, 2 * kBytes, kBytes};
  subject.check = [state]() -> absl::Status {
    if (!state->status.ok())
      return state->status;
    if (absl::Status s = checkWeight(state->weights.back().get(), state->steps, "graphc"); !s.ok())
      return s;
    return checkWeight(state->byHand.back(), state->stepsByHand, "the loop by hand");
  };
  return subject;
}

} // namespace

void addTraining(std::vector<Case> &cases) {
  cases.push_back({"train_sgd",
                   "w - 0.5 g for ten parameters of 10^6 f32, in place",
                   {.ratio = 1.05},
                   [](const Settings &s) { return descend(false, s); },
                   &groups::kRows});
  cases.push_back({"train_sgd_two_buffers",
                   "the same after somebody has held the weights",
                   {},
                   [](const Settings &s) { return descend(true, s); },
                   &groups::kRows});
}

} // namespace graphc::bench
