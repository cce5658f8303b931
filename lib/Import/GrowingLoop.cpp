//===- GrowingLoop.cpp ------------------------------------------------------===//
//
// A loop's arrays have their extents before it runs. So a state that grows is carried as a vector
// with room for its elements, and its shape. How much room is enough is found by loops that stop
// where it is not, and which have twice as much the next time; then the loop runs with as much as
// it needs. Of the former nothing is used but sizes, the number of steps, and what these depend on:
// where shapes do not depend on values, nothing else is computed there.
//
//===----------------------------------------------------------------------===//
#include "Import/GrowingLoop.h"

#include "Import/PerAxis.h"
#include "graphc/Arrays.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

/// One state that grows, or another one, which stays as it is.
class Carried {
public:
  Carried(const LoopParts &loop, size_t k) : loop_(loop), k_(k) {}

  bool isGrowing() const { return loop_.isGrowing(k_); }
  /// How many Variables it is carried as.
  size_t width() const { return isGrowing() ? 2 : 1; }
  const Variable &initial() const { return loop_.initial[k_]; }

  /// `value` with room for `room` elements, of which the last ones are left out if there are more.
  Variables packed(const Variable &value, const Variable &room) const {
    if (!isGrowing())
      return {value};
    OnnxNode &n = loop_.n;
    Variable flat = flatten(n.at(value)), count = size(n.at(value));
    Variable kept = subtensor(n.at(flat), {Slice(kEnd, n.at(minimum(n.at(count), room)))});
    Variable rest = maximum(n.at(sub(n.at(room), count)), int64_t(0));
    Variable zeros = full(ShapeList({n.at(rest)}), n.at(n.scalar(0, value.dtype())));
    return {concatenate({n.at(kept), n.at(zeros)}), shape(n.at(value))};
  }
  /// The same where `like` is such a vector.
  Variables packedAs(const Variable &value, const Variable &like) const {
    Variables result = packed(value, isGrowing() ? shape(loop_.n.at(like), 0) : Variable());
    if (isGrowing())
      result[0] = specifyShapeLike(loop_.n.at(result[0]), like);
    return result;
  }
  /// The state that is carried so.
  Variable unpacked(const Variable *carried) const {
    if (!isGrowing())
      return carried[0];
    OnnxNode &n = loop_.n;
    const std::vector<int> &changes = loop_.body.changes(k_);
    Terms extents;
    Operand count(int64_t(1));
    for (int axis = 0; axis < initial().rank(); ++axis) {
      bool stays = std::ranges::find(changes, axis) == changes.end();
      extents.push_back(stays ? extentTerm(n, initial(), axis)
                              : n.at(subtensor(n.at(carried[1]), {Index(axis)})));
      count = product(n, count, extents.back());
    }
    Variable elements = subtensor(n.at(carried[0]), {Slice(kEnd, count)});
    return reshape(n.at(elements), shapeOf(n, extents));
  }

private:
  const LoopParts &loop_;
  size_t k_;
};

class GrowingLoop {
public:
  explicit GrowingLoop(const LoopParts &loop) : loop_(loop), n_(loop.n) {
    for (size_t k = 0; k < loop.numStates(); ++k)
      states_.emplace_back(loop, k);
  }

  OnnxValues run() const {
    Variables found = findRoom();
    const Variable steps = found.back();
    ScanOptions options{.numSteps = n_.at(steps), .name = "Loop"};
    Variables initial = packedStates(found);
    for (const Variable &v : initial)
      options.outputs.emplace_back(n_.at(v));
    options.outputs.emplace_back(n_.scalar(0, DType::Int64));
    for (size_t k = loop_.numStates(); k < n_.numOutputs(); ++k)
      options.outputs.push_back(ScanOutput::none());
    ScanResult made = scan(
        [&](const Variables &now) { // a step that is run has a true condition
          Variables outputs = step(now, n_.scalar(1, DType::Bool));
          Variables next = packedNext(outputs, now);
          next.push_back(nextNumber(n_, now[initial.size()]));
          next.insert(next.end(), outputs.begin() + 1 + ptrdiff_t(states_.size()), outputs.end());
          return ScanStep(next);
        },
        options);
    OnnxValues results;
    size_t at = 0;
    for (const Carried &state : states_) {
      results.push_back(made.last[at].ok() ? state.unpacked(&made.last[at]) : made.last[at]);
      at += state.width();
    }
    results.insert(results.end(), made.outputs.begin() + ptrdiff_t(at) + 1, made.outputs.end());
    return results;
  }

private:
  /// The initial states; those that grow have the room that is said for them.
  Variables packedStates(const Variables &room) const {
    Variables packed;
    size_t next = 0;
    for (const Carried &state : states_)
      for (const Variable &v :
           state.packed(state.initial(), state.isGrowing() ? room[next++] : Variable()))
        packed.push_back(v);
    return packed;
  }
  /// The states of a step's outputs, as `now` has those before it.
  Variables packedNext(const Variables &outputs, const Variables &now) const {
    Variables packed;
    for (size_t k = 0; k < states_.size(); ++k)
      for (const Variable &v : states_[k].packedAs(outputs[1 + k], now[packed.size()]))
        packed.push_back(v);
    return packed;
  }
  /// What the body gives for carried states and, behind them, the step's number.
  Variables step(const Variables &now, const Variable &condition) const {
    Variables states;
    size_t at = 0;
    for (const Carried &state : states_) {
      states.push_back(state.unpacked(&now[at]));
      at += state.width();
    }
    states.push_back(now[at]);
    return stepOf(loop_, states, condition);
  }

  /// The loop with as much room: the greatest numbers of elements that states had, and the number
  /// of steps. It stops after a step whose state is larger.
  Variables sizesWithin(const Variables &room) const {
    std::vector<Operand> initial;
    for (const Variable &v : packedStates(room))
      initial.push_back(n_.at(v));
    const size_t number = initial.size(), condition = number + 1, sizes = number + 2;
    initial.push_back(n_.at(n_.scalar(0, DType::Int64)));
    initial.push_back(n_.at(loop_.condition));
    for (const Carried &state : states_)
      if (state.isGrowing())
        initial.push_back(n_.at(size(n_.at(state.initial()))));
    auto fits = [&](const Variables &now) {
      Variable all = now[condition];
      for (size_t k = 0; k < room.size(); ++k)
        all = logicalAnd(n_.at(all), le(n_.at(now[sizes + k]), room[k]));
      return all;
    };
    auto next = [&](const Variables &now) {
      Variables outputs = step(now, now[condition]), result = packedNext(outputs, now);
      result.push_back(nextNumber(n_, now[number]));
      result.push_back(cast(n_.at(outputs[0]), DType::Bool));
      for (size_t k = 0; k < states_.size(); ++k)
        if (states_[k].isGrowing()) {
          Variable most = now[result.size()];
          result.push_back(maximum(n_.at(most), size(n_.at(outputs[1 + k]))));
        }
      return ScanStep(result);
    };
    WhileOptions options{.name = "Loop"};
    if (loop_.count)
      options.maxSteps = n_.at(*loop_.count);
    Variables last = whileLoop(fits, next, initial, options).outputs;
    Variables result(last.begin() + ptrdiff_t(sizes), last.end());
    result.push_back(last[number]);
    return result;
  }

  /// The room that each growing state needs, and the number of steps.
  Variables findRoom() const {
    std::vector<Operand> initial;
    for (const Carried &state : states_)
      if (state.isGrowing())
        initial.push_back(n_.at(size(n_.at(state.initial()))));
    const size_t steps = initial.size(), isFound = steps + 1;
    initial.push_back(n_.at(n_.scalar(0, DType::Int64)));
    initial.push_back(n_.at(n_.scalar(0, DType::Bool)));
    auto isOpen = [&](const Variables &now) { return logicalNot(n_.at(now[isFound])); };
    auto next = [&](const Variables &now) {
      Variables room(now.begin(), now.begin() + ptrdiff_t(steps)), needed = sizesWithin(room);
      Variable fits = n_.scalar(1, DType::Bool);
      for (size_t k = 0; k < room.size(); ++k)
        fits = logicalAnd(n_.at(fits), le(n_.at(needed[k]), room[k]));
      Variables result;
      for (size_t k = 0; k < room.size(); ++k) {
        Variable twice = maximum(n_.at(mul(n_.at(room[k]), int64_t(2))), needed[k]);
        Variable more = where(n_.at(gt(n_.at(needed[k]), room[k])), twice, room[k]);
        result.push_back(where(n_.at(fits), needed[k], more));
      }
      result.push_back(needed.back());
      result.push_back(fits);
      return ScanStep(result);
    };
    Variables found = whileLoop(isOpen, next, initial, {.name = "Loop"}).outputs;
    found.pop_back();
    return found;
  }

  const LoopParts &loop_;
  OnnxNode &n_;
  std::vector<Carried> states_;
};

} // namespace

OnnxValues growingLoop(const LoopParts &loop) {
  // Two copies of the body, of which those within have some in turn.
  return loop.n.affords(2 * loop.body.cost()) ? GrowingLoop(loop).run() : OnnxValues();
}

} // namespace graphc
