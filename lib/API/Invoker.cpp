//===- Invoker.cpp --------------------------------------------------------===//
#include "Invoker.h"

#include <algorithm>

#include "Runtime/ArrayMemory.h"
#include "Support/NoMemory.h"

namespace graphc {

using detail::Access;

struct Invoker::Frame {
  std::vector<Tensor> read;   // by container
  std::vector<Tensor> values; // by slot
  std::vector<bool> isGiven;  // by slot: by the caller
  std::vector<bool> isMoved;  // by slot: its old value became another slot's
  std::vector<Tensor> inputs, results, next;
  std::vector<Access::Update> updates;

  /// Handles are dropped: what a call read may be written to after it.
  void clear() {
    for (std::vector<Tensor> *tensors : {&read, &values, &inputs, &results, &next})
      std::fill(tensors->begin(), tensors->end(), Tensor());
  }
};

static Access accessOf(const std::vector<Slot> &slots) {
  std::vector<Access::Use> uses;
  for (const Slot &slot : slots)
    if (slot.container)
      uses.push_back({slot.container.get(), slot.isUpdated()});
  return Access(std::move(uses));
}

Invoker::Invoker(std::shared_ptr<const Runner> runner, std::vector<Slot> slots,
                 std::vector<bool> areBorrowed, size_t numResults, Explain explain)
    : runner_(std::move(runner)), explain_(std::move(explain)), slots_(std::move(slots)),
      areBorrowed_(std::move(areBorrowed)), numResults_(numResults), access_(accessOf(slots_)) {
  findReuses();
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot &slot = slots_[i];
    numInputs_ += slot.input >= 0;
    if (!slot.container)
      continue;
    containers_.push_back(slot.container.get());
    containerSlots_.push_back(i);
    if (!slot.isUpdated())
      continue;
    updates_.push_back({slot.container.get(), mayReplace(i)});
    updatedSlots_.push_back(i);
  }
}

/// What results may share with arguments and containers.
void Invoker::findReuses() {
  if (std::ranges::count(areBorrowed_, true) > 0) {
    lending_.emplace();
    lending_->outputs = areBorrowed_;
    lending_->outputs.resize(numResults_);
    lending_->inputs.resize(slots_.size());
  }
  size_t argument = 0;
  for (const Slot &slot : slots_) {
    bool sharesMemory = slot.takesArgument ? slot.isBorrowed : true;
    if (lending_ && slot.input >= 0)
      lending_->inputs[size_t(slot.input)] = sharesMemory;
    if (slot.takesArgument && slot.isMutable)
      for (size_t k = 0; k < areBorrowed_.size(); ++k)
        if (slot.input >= 0 && runner_->overwrites(k) == slot.input)
          reuses_.push_back({argument, size_t(slot.input), k});
    argument += slot.takesArgument;
  }
}

/// F-162: what a caller has given away altogether becomes a result's memory.
void Invoker::takeArguments(absl::Span<const Tensor> arguments, absl::Span<Tensor> results) const {
  for (const Reuse &reuse : reuses_)
    if (!results[reuse.result].defined() && arguments[reuse.argument].isUnique())
      results[reuse.result] = arguments[reuse.argument];
}

/// F-162, F-163: and what a caller has still, if the result may share it, and nothing else that
/// the call reads does.
void Invoker::borrowArguments(absl::Span<const Tensor> arguments, absl::Span<const Tensor> inputs,
                              absl::Span<Tensor> results) const {
  for (const Reuse &reuse : reuses_) {
    const Tensor &argument = arguments[reuse.argument];
    if (results[reuse.result].defined() || !areBorrowed_[reuse.result] || !argument.defined())
      continue;
    auto isApart = [&](const Tensor &other) {
      return &other == &inputs[reuse.input] || !other.overlaps(argument);
    };
    if (std::ranges::all_of(inputs, isApart) && std::ranges::all_of(results, isApart))
      results[reuse.result] = argument;
  }
}

absl::Status Invoker::runPlain(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                               OutputMemory memory) const {
  if (memory == OutputMemory::Given) // typed calls: results are the caller's in any case
    return explained(runner_->run(arguments, results, memory, nullptr), arguments);
  std::fill(results.begin(), results.end(), Tensor());
  takeArguments(arguments, results);
  borrowArguments(arguments, arguments, results);
  return explained(
      runner_->run(arguments, results, OutputMemory::Given, lending_ ? &*lending_ : nullptr),
      arguments);
}

/// F-181: whether code may compute the next value over this one, which nothing else needs.
bool Invoker::mayReplace(size_t number) const {
  const Slot &slot = slots_[number];
  if (slot.output < 0 || slot.input < 0 || runner_->overwrites(size_t(slot.output)) != slot.input)
    return false;
  for (size_t i = 0; i < slots_.size(); ++i)
    if (i != number && (slots_[i].container == slot.container || slots_[i].source == int(number)))
      return false;
  return true;
}

Invoker::~Invoker() = default;

std::unique_ptr<Invoker::Frame> Invoker::takeFrame() const {
  {
    std::lock_guard lock(mutex_);
    if (!frames_.empty()) {
      std::unique_ptr<Frame> frame = std::move(frames_.back());
      frames_.pop_back();
      return frame;
    }
  }
  auto frame = std::make_unique<Frame>();
  frame->read.resize(containers_.size());
  frame->values.resize(slots_.size());
  frame->isGiven.resize(slots_.size());
  frame->isMoved.resize(slots_.size());
  frame->inputs.resize(numInputs_);
  frame->results.resize(numResults_);
  frame->next.resize(updates_.size());
  frame->updates = updates_;
  std::lock_guard lock(mutex_);
  frames_.reserve(++numFrames_);
  return frame;
}

absl::Status noMemoryForCall() {
  return makeError(ErrorKind::OutOfMemory,
                   std::string("no memory for the tables of a call") + kMemoryRemedy);
}

void Invoker::free() const {
  runner_->free();
  for (const Access::Update &update : updates_)
    update.container->free();
  std::lock_guard lock(mutex_);
  frames_.clear();
}

absl::Status Invoker::run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                          OutputMemory memory, const Accept *accept) const {
  if (isPlain()) {
    absl::Status status = runPlain(arguments, results, memory);
    return status.ok() && accept ? (*accept)(results) : status;
  }
  absl::StatusOr<Access::Turn> turn = access_.begin();
  if (!turn.ok())
    return turn.status();
  std::unique_ptr<Frame> frame = takeFrame();
  absl::Status status = run(arguments, results, memory == OutputMemory::Fresh, accept, *frame);
  frame->clear();
  std::lock_guard lock(mutex_);
  if (frames_.size() < frames_.capacity()) // takeFrame made room
    frames_.push_back(std::move(frame));
  return status;
}

absl::Status Invoker::run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                          bool mayShare, const Accept *accept, Frame &frame) const {
  if (mayShare)
    takeArguments(arguments, absl::MakeSpan(frame.results)); // while there is no other handle
  size_t argument = 0;
  for (size_t i = 0; i < slots_.size(); ++i) {
    frame.isGiven[i] = slots_[i].takesArgument && arguments[argument].defined();
    frame.isMoved[i] = false;
    if (frame.isGiven[i])
      frame.values[i] = arguments[argument];
    argument += slots_[i].takesArgument;
  }
  for (size_t i = 0; i < updates_.size(); ++i)
    // What outputs that are not accepted must not have overwritten stays.
    frame.updates[i].mayReplace =
        updates_[i].mayReplace && !accept && !frame.isGiven[updatedSlots_[i]];
  // Next values are computed into memory that nobody sees; results are fresh, since a caller's
  // memory may be a container's, too.
  if (absl::Status s = access_.take(containers_, absl::MakeSpan(frame.read), frame.updates,
                                    absl::MakeSpan(frame.next));
      !s.ok())
    return s;
  for (size_t i = 0; i < containers_.size(); ++i)
    if (size_t slot = containerSlots_[i]; !frame.isGiven[slot])
      frame.values[slot] = std::move(frame.read[i]);
  for (size_t i = 0; i < updates_.size(); ++i) {
    Tensor &value = frame.values[updatedSlots_[i]];
    frame.updates[i].mayReplace = !value.defined(); // it was taken away
    if (!value.defined())
      value = frame.next[i];
  }
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].input >= 0)
      frame.inputs[size_t(slots_[i].input)] = frame.values[i];
  // What is thrown must be an error here, that values go back to their containers.
  absl::Status status = unlessNoMemory([&] { return moveValues(frame); }, noMemoryForCall);
  if (mayShare)
    borrowArguments(arguments, frame.inputs, absl::MakeSpan(frame.results));
  if (status.ok())
    status = unlessNoMemory(
        [&] {
          return explained(runner_->run(frame.inputs, absl::MakeSpan(frame.results),
                                        OutputMemory::Given,
                                        mayShare && lending_ ? &*lending_ : nullptr),
                           frame.inputs);
        },
        noMemoryForCall);
  if (status.ok() && accept)
    status = (*accept)(absl::MakeConstSpan(frame.results).first(areBorrowed_.size()));
  if (!status.ok()) {
    for (size_t i = 0; i < updates_.size(); ++i)
      frame.next[i] = frame.updates[i].mayReplace ? frame.values[updatedSlots_[i]] : Tensor();
    access_.store(frame.updates, absl::MakeSpan(frame.next));
    return status;
  }
  for (size_t i = 0; i < updates_.size(); ++i)
    if (int output = slots_[updatedSlots_[i]].output; output >= 0)
      frame.next[i] = std::move(frame.results[size_t(output)]);
  std::fill(frame.inputs.begin(), frame.inputs.end(), Tensor());
  std::fill(frame.values.begin(), frame.values.end(), Tensor());
  access_.store(frame.updates, absl::MakeSpan(frame.next));
  std::move(frame.results.begin(), frame.results.begin() + ptrdiff_t(areBorrowed_.size()),
            results.begin());
  return absl::OkStatus();
}

/// Next values that are old ones, and memory for those that are computed. No two containers may
/// have one memory (F-227), nor a container the caller's.
absl::Status Invoker::moveValues(Frame &frame) const {
  for (size_t i = 0; i < updates_.size(); ++i) {
    const Slot &slot = slots_[updatedSlots_[i]];
    if (slot.output >= 0) {
      frame.results[size_t(slot.output)] = std::move(frame.next[i]);
      continue;
    }
    size_t source = size_t(slot.source);
    bool leaves = slots_[source].isUpdated() && !frame.isGiven[source] && !frame.isMoved[source];
    frame.isMoved[source] = true;
    frame.next[i] = leaves ? frame.values[source] : frame.values[source].copy();
    if (!frame.next[i].defined())
      return makeError(ErrorKind::OutOfMemory,
                       "no memory for the next value of '" + slot.name + "'");
  }
  return absl::OkStatus();
}

} // namespace graphc
