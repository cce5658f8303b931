//===- Compare.cpp --------------------------------------------------------===//
#include "Compare.h"

#include "Inputs.h"
#include "Runtime/ThreadPool.h"

namespace graphc::bench {
namespace {

struct Comparison {
  Function function;
  std::vector<Tensor> values;
  Tensor result, byHand;
  absl::Status status;
};

} // namespace

absl::StatusOr<Subject> compare(Example example, std::function<void(void *memory)> peer,
                                const Settings &settings) {
  FunctionOptions options;
  options.threads = settings.threads;
  absl::StatusOr<Function> function =
      graphc::function(InputList(example.inputs), example.output, options);
  if (!function.ok())
    return function.status();
  auto state = std::make_shared<Comparison>(*std::move(function), std::move(example.values),
                                            Tensor(), Tensor(), absl::OkStatus());
  Subject subject;
  subject.ours = [state](int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      state->result = Tensor(); // its memory is free for the next call
      absl::StatusOr<Results> results = state->function.call(state->values);
      if (!results.ok())
        state->status = results.status();
      else
        state->result = (*results)[0];
    }
  };
  absl::StatusOr<Results> first = state->function.call(state->values);
  if (!first.ok())
    return first.status();
  absl::StatusOr<Tensor> memory = Tensor::zeros((*first)[0].dtype(), (*first)[0].shape());
  if (!memory.ok())
    return memory.status();
  state->byHand = *std::move(memory);
  subject.peer = [state, peer](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      peer(state->byHand.data());
  };
  subject.check = [state, name = example.name]() -> absl::Status {
    if (!state->status.ok())
      return state->status;
    if (absl::Status s = checkSums(name, "graphc", state->result); !s.ok())
      return s;
    return checkSums(name, "the loop by hand", state->byHand);
  };
  return subject;
}

void onThreads(int64_t extent, const Settings &settings,
               absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (settings.threads <= 1)
    return body(0, extent);
  int64_t grain = (extent + settings.threads - 1) / settings.threads;
  grain = (grain + 63) / 64 * 64; // no two threads write to one cache line
  ThreadPool::shared().parallelFor(0, extent, grain, settings.threads,
                                   [&](int64_t begin, int64_t end, int) { body(begin, end); });
}

} // namespace graphc::bench
