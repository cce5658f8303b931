//===- Compare.cpp --------------------------------------------------------===//
#include "Compare.h"

#include <algorithm>

#include "Clock.h"
#include "Inputs.h"
#include "Runtime/ThreadPool.h"
#include "Switches.h"
#include "Workers.h"
#include "absl/strings/str_format.h"

namespace graphc::bench {
namespace {

/// Others sum in float32, where graphc and the loops by hand join partial sums.
constexpr double kSlackOfOthers = 20;

/// One rival's results, in memory that stays.
struct Answer {
  std::string side;
  std::vector<Tensor> results;
  std::vector<void *> memory;
};

struct Comparison {
  Call call;
  Example example;
  std::vector<Tensor> results; // of the outputs
  std::vector<Answer> answers;
  absl::Status status;

  std::string expectedName(size_t result) const {
    return example.results.empty() ? example.name : example.name + "." + example.results[result];
  }
  DType dtypeOf(size_t result) const {
    size_t outputs = example.outputs.size();
    return result < outputs ? example.outputs[result].type().dtype()
                            : example.updates[result - outputs].first.type().dtype();
  }
  absl::Status checkResults(std::string_view side, const std::vector<Tensor> &found,
                            double slack = 1) const {
    size_t wanted = std::max<size_t>(1, example.results.size());
    if (found.size() != wanted)
      return makeError(ErrorKind::ValueError,
                       absl::StrFormat("%s: %s has %d results instead of %d", example.name, side,
                                       found.size(), wanted));
    for (size_t i = 0; i < found.size(); ++i) {
      DType dtype = dtypeOf(i);
      if (found[i].defined() && found[i].dtype() != dtype)
        return makeError(ErrorKind::TypeError,
                         absl::StrFormat("%s: results of %s are %s instead of %s", expectedName(i),
                                         side, dtypeName(found[i].dtype()), dtypeName(dtype)));
      if (absl::Status s = checkSums(expectedName(i), side, found[i], slack * example.slack);
          !s.ok())
        return s;
    }
    return absl::OkStatus();
  }
  void run() { run(call, results); }
  void run(const Call &which, std::vector<Tensor> &to) {
    if (absl::Status s = which(to); !s.ok())
      status = std::move(s);
  }
  /// Outputs, and what the updates have put in place of the old values.
  std::vector<Tensor> allResults() const {
    std::vector<Tensor> all = results;
    for (const auto &[variable, next] : example.updates)
      all.push_back(variable.get());
    return all;
  }
  absl::Status check() const {
    if (!status.ok())
      return status;
    if (!example.updates.empty())
      return absl::OkStatus(); // later steps give other values
    if (absl::Status s = checkResults("graphc", results); !s.ok())
      return s;
    for (const Answer &answer : answers)
      if (absl::Status s = checkResults(answer.side, answer.results); !s.ok())
        return s;
    return absl::OkStatus();
  }
};

absl::StatusOr<Answer> memoryFor(const std::string &side, const std::vector<Tensor> &like) {
  Answer answer{side, {}, {}};
  for (const Tensor &tensor : like) {
    absl::StatusOr<Tensor> memory = Tensor::zeros(tensor.dtype(), tensor.shape());
    if (!memory.ok())
      return memory.status();
    answer.results.push_back(*std::move(memory));
    answer.memory.push_back(answer.results.back().data());
  }
  return answer;
}

/// Compiles the example; not called yet.
absl::StatusOr<Call> callOf(const Example &example, const FunctionOptions &options) {
  absl::StatusOr<Function> function =
      graphc::function(InputList(example.inputs), OutputList(example.outputs), options);
  if (!function.ok())
    return function.status();
  if (example.bind)
    return example.bind(*function);
  return Call([f = *std::move(function), values = example.values](std::vector<Tensor> &results) {
    results.clear(); // their memory is free for the next call
    absl::StatusOr<Results> answer = f.call(values);
    if (!answer.ok())
      return answer.status();
    for (size_t i = 0; i < answer->size(); ++i)
      results.push_back((*answer)[i]);
    return absl::OkStatus();
  });
}

/// The same with each optimization switched off that the case is for.
absl::StatusOr<std::vector<Rival>> switchedOff(const std::shared_ptr<Comparison> &state,
                                               const FunctionOptions &options,
                                               std::string_view name) {
  std::vector<Rival> rivals;
  for (const Switch &one : kSwitches) {
    if (!shows(name, one, options.threads.value_or(1)))
      continue;
    absl::StatusOr<Call> call = callOf(state->example, without(options, one));
    if (!call.ok())
      return call.status();
    size_t index = state->answers.size();
    state->answers.push_back({std::string(one.name), {}, {}});
    rivals.push_back(rivalOf(
        std::string(one.name),
        [state, index, call = *std::move(call)](int64_t count) {
          for (int64_t i = 0; i < count; ++i)
            state->run(call, state->answers[index].results);
        },
        /*isPeer=*/false));
  }
  return rivals;
}

/// The values by the names that workers know them by.
Feeds feedsOf(const Example &example) {
  Feeds feeds = example.constants;
  for (size_t i = 0; i < example.inputs.size(); ++i)
    feeds.emplace_back(example.inputs[i].name(), example.values[i]);
  for (const auto &[variable, next] : example.updates)
    feeds.emplace_back(variable.name(), variable.get());
  return feeds;
}

} // namespace

absl::StatusOr<Subject> compare(Example example, std::vector<Hand> hands,
                                const Settings &settings) {
  auto state = std::make_shared<Comparison>();
  state->example = std::move(example);
  const Example &kept = state->example;
  Feeds feeds = feedsOf(kept); // before a call replaces them
  FunctionOptions options;
  options.threads = settings.threads;
  options.cache = false; // the time of compilation is one of the figures
  options.updates = kept.updates;

  Clock clock;
  absl::StatusOr<Call> call = callOf(kept, options);
  if (!call.ok())
    return call.status();
  state->call = *std::move(call);
  state->run();
  Subject subject;
  subject.compileSeconds = clock.lap();
  subject.cost = kept.cost;
  if (!state->status.ok())
    return state->status;
  std::vector<Tensor> first = state->allResults();
  if (absl::Status s = state->checkResults("graphc", first); !s.ok())
    return s;

  subject.ours = [state](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      state->run();
  };
  subject.check = [state] { return state->check(); };
  if (settings.switches) {
    absl::StatusOr<std::vector<Rival>> rivals = switchedOff(state, options, settings.caseName);
    if (!rivals.ok())
      return rivals.status();
    subject.rivals = *std::move(rivals);
    return subject;
  }
  for (const Hand &hand : hands) {
    absl::StatusOr<Answer> answer = memoryFor(hand.name, first);
    if (!answer.ok())
      return answer.status();
    size_t index = state->answers.size();
    state->answers.push_back(*std::move(answer));
    subject.rivals.push_back(rivalOf(hand.name, [state, index, run = hand.run](int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        run(state->answers[index].memory.data());
    }));
  }
  if (!settings.workers)
    return subject;
  absl::StatusOr<std::vector<Rival>> others =
      settings.workers->rivals(kept.formula.empty() ? kept.name : kept.formula, feeds, kept.numbers,
                               [&](const std::string &side, const std::vector<Tensor> &found) {
                                 return state->checkResults(side, found, kSlackOfOthers);
                               });
  if (!others.ok())
    return others.status();
  subject.rivals.insert(subject.rivals.end(), others->begin(), others->end());
  return subject;
}

absl::StatusOr<Subject> compare(Example example, std::function<void(void *memory)> byHand,
                                const Settings &settings) {
  auto run = [byHand = std::move(byHand)](void *const *results) { byHand(results[0]); };
  return compare(std::move(example), std::vector<Hand>{{kByHand, std::move(run)}}, settings);
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
