//===- NestEval.cpp --------------------------------------------------------===//
//
// The iterations of all loops, parallel ones outermost, are taken in row-major order in chunks of
// kLanes; the body is evaluated node by node over a chunk, and its values are joined in order.
//
//===----------------------------------------------------------------------===//
#include "NestEval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "Emit/Scatter.h"
#include "ScalarEval.h"

namespace graphc {
namespace {

constexpr size_t kLanes = 256;

//===--- the body -----------------------------------------------------------------===//

class BodyEval {
public:
  /// The loop `leftOut` runs once.
  BodyEval(const Nest &nest, const NestInputs &inputs, int32_t leftOut = -1);

  /// Evaluates the next `lanes` iterations.
  void run(size_t lanes);
  const std::vector<Lane> &values(int32_t node) const { return values_[node]; }
  /// Whether a load left its array: a mistake in the op's emission.
  bool leftArray() const { return leftArray_; }

private:
  void countIterations(size_t lanes);
  void load(const ScalarNode &node, size_t lanes, std::vector<Lane> &out);

  const Nest &nest_;
  const NestInputs &inputs_;
  std::vector<int64_t> extents_;
  std::vector<int64_t> counters_;
  std::vector<std::vector<Lane>> values_;
  bool leftArray_ = false;
};

BodyEval::BodyEval(const Nest &nest, const NestInputs &inputs, int32_t leftOut)
    : nest_(nest), inputs_(inputs), counters_(nest.extents.size(), 0), values_(nest.body.size()) {
  size_t lanes = 1; // as many as there are iterations
  for (int32_t id : nest.extents) {
    extents_.push_back(int32_t(extents_.size()) == leftOut ? 1 : inputs.sizes[id]);
    lanes = size_t(std::clamp<int64_t>(extents_.back(), 0, kLanes)) * lanes;
    lanes = std::min(lanes, kLanes);
  }
  for (size_t k = 0; k < nest.body.size(); ++k) {
    const ScalarNode &node = nest.body[k];
    Lane value = {};
    if (node.op == ScalarOp::Constant)
      value = laneOfBits(node.dtype, node.payload);
    else if (node.op == ScalarOp::Size)
      value.i = inputs.sizes[node.payload];
    values_[k].assign(lanes, value);
  }
}

void BodyEval::countIterations(size_t lanes) {
  std::vector<std::vector<Lane> *> indices(counters_.size(), nullptr);
  for (size_t k = 0; k < nest_.body.size(); ++k)
    if (nest_.body[k].op == ScalarOp::Index)
      indices[nest_.body[k].payload] = &values_[k];
  for (size_t lane = 0; lane < lanes; ++lane) {
    for (size_t loop = 0; loop < counters_.size(); ++loop)
      if (indices[loop])
        (*indices[loop])[lane].i = counters_[loop];
    for (size_t loop = counters_.size(); loop-- > 0;) {
      if (++counters_[loop] < extents_[loop])
        break;
      counters_[loop] = 0;
    }
  }
}

void BodyEval::load(const ScalarNode &node, size_t lanes, std::vector<Lane> &out) {
  const Tensor &array = inputs_.arrays[node.loadArray()];
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (node.args[0] >= 0 && !values_[node.args[0]][lane].u) {
      out[lane] = values_[node.args[1]][lane];
      continue;
    }
    int64_t flat = 0;
    bool inside = true;
    for (int axis = 0; axis < array.rank(); ++axis) {
      int64_t index = values_[nest_.indices[node.loadFirstIndex() + axis]][lane].i;
      inside &= index >= 0 && index < array.shape()[axis];
      flat = flat * array.shape()[axis] + index;
    }
    out[lane].u = 0;
    if (inside)
      out[lane] = readLane(array.dtype(), array.data(), flat);
    leftArray_ |= !inside;
  }
}

void BodyEval::run(size_t lanes) {
  countIterations(lanes);
  for (size_t k = 0; k < nest_.body.size(); ++k) {
    const ScalarNode &node = nest_.body[k];
    auto operand = [&](int i) {
      return node.args[i] >= 0 ? values_[node.args[i]].data() : nullptr;
    };
    switch (node.op) {
    case ScalarOp::Constant:
    case ScalarOp::Index:
    case ScalarOp::Size:
      break;
    case ScalarOp::Load:
      load(node, lanes, values_[k]);
      break;
    default: {
      int first = node.op == ScalarOp::Select ? 1 : 0;
      evaluateLanes(node.op, nest_.body[node.args[first]].dtype, node.dtype, operand(0), operand(1),
                    operand(2), absl::MakeSpan(values_[k].data(), lanes));
    }
    }
  }
}

//===--- joining ---------------------------------------------------------------------===//

/// Joins the values of one parallel point.
class Joiner {
public:
  Joiner(const Nest &nest, DType body, DType result)
      : combine_(nest.combine), body_(body), accumulator_(nest.accumulator), result_(result) {
    reset();
  }

  void reset();
  void add(Lane value);
  /// Rounds what has been joined so far.
  void round() {
    if (isFloat(accumulator_))
      wide_ = roundTo(accumulator_, wide_);
  }
  Lane finish() const;

private:
  void addPosition(Lane value);

  Combine combine_;
  DType body_, accumulator_, result_;
  long double wide_ = 0; // float sums and products
  Lane joined_ = {};
  int64_t count_ = 0, position_ = 0;
};

void Joiner::reset() {
  count_ = 0;
  wide_ = combine_ == Combine::Prod ? 1 : 0;
  joined_.u = combine_ == Combine::Prod;
  if (combine_ == Combine::And)
    joined_ = wrapTo(body_, ~uint64_t(0));
  if (combine_ != Combine::Max && combine_ != Combine::Min)
    return;
  bool isMax = combine_ == Combine::Max;
  if (isFloat(body_))
    joined_.f = isMax ? -HUGE_VAL : HUGE_VAL;
  else if (isSignedInt(body_)) // the least value is the sign bit alone
    joined_ = wrapTo(body_, (uint64_t(1) << (bitWidth(body_) - 1)) - (isMax ? 0 : 1));
  else
    joined_ = wrapTo(body_, isMax ? 0 : ~uint64_t(0));
}

/// The first NaN wins, else the first of the greatest.
void Joiner::addPosition(Lane value) {
  bool better = count_ == 0;
  if (!better) {
    ScalarOp op = combine_ == Combine::ArgMax ? ScalarOp::Gt : ScalarOp::Lt;
    Lane isBetter, isNan = {}, wasNan = {};
    evaluateLanes(op, body_, DType::Bool, &value, &joined_, nullptr, absl::MakeSpan(&isBetter, 1));
    if (isFloat(body_)) {
      isNan.u = std::isnan(value.f);
      wasNan.u = std::isnan(joined_.f);
    }
    better = !wasNan.u && (isNan.u || isBetter.u);
  }
  if (better) {
    joined_ = value;
    position_ = count_;
  }
}

void Joiner::add(Lane value) {
  bool sums = hasAccumulator(combine_);
  if (isArg(combine_)) {
    addPosition(value);
  } else if (sums && isFloat(accumulator_)) {
    double term = castLane(body_, accumulator_, value).f;
    wide_ = combine_ == Combine::Sum ? wide_ + term : wide_ * term;
  } else {
    DType dtype = sums ? accumulator_ : body_;
    Lane term = castLane(body_, dtype, value);
    ScalarOp op = joinOp(combine_);
    if (isBool(dtype)) // as numbers: the greater is or, the less is and
      op = op == ScalarOp::Add || op == ScalarOp::Maximum   ? ScalarOp::Or
           : op == ScalarOp::Mul || op == ScalarOp::Minimum ? ScalarOp::And
                                                            : op;
    evaluateLanes(op, dtype, dtype, &joined_, &term, nullptr, absl::MakeSpan(&joined_, 1));
  }
  ++count_;
}

Lane Joiner::finish() const {
  Lane value = joined_;
  if (isArg(combine_)) {
    value.i = position_;
    return castLane(DType::Int64, result_, value);
  }
  if (!hasAccumulator(combine_))
    return castLane(body_, result_, value);
  if (isFloat(accumulator_))
    value.f = roundTo(accumulator_, wide_);
  return castLane(accumulator_, result_, value);
}

//===--- the nest -----------------------------------------------------------------------===//

absl::Status failedCheck(const BodyEval &body, const NestInputs &inputs, size_t lanes,
                         const ElementCheck *&failed) {
  for (size_t lane = 0; lane < lanes; ++lane)
    for (const ElementCheck *check : inputs.checks)
      if (!body.values(check->condition)[lane].u) {
        failed = check;
        return makeError(check->kind, check->message);
      }
  if (body.leftArray())
    return makeError(ErrorKind::Internal, "emission: a load outside its array");
  return absl::OkStatus();
}

/// Joins each term where it belongs, in the order of the reduction.
absl::Status runScatter(const Nest &nest, const Scatter &scatter, const NestInputs &inputs,
                        Tensor &result, const ElementCheck *&failed) {
  if (result.numElements() == 0) // no place that the body could be run for
    return absl::OkStatus();
  int64_t reduction = inputs.sizes[nest.extents[scatter.reduction]];
  int64_t extent = inputs.sizes[nest.extents[scatter.loop]], inner = 1, outer = 1;
  for (int32_t loop = 0; loop < nest.numParallel; ++loop)
    if (loop != scatter.loop)
      (loop < scatter.loop ? outer : inner) *= inputs.sizes[nest.extents[loop]];
  std::vector<Joiner> joiners(size_t(result.numElements()),
                              Joiner(nest, nest.body[nest.root].dtype, result.dtype()));
  // Runs the body with one of the loops left out; `see` gets each iteration's number and lane.
  auto run = [&](int32_t leftOut, int64_t total, auto see) -> absl::Status {
    BodyEval body(nest, inputs, leftOut);
    for (int64_t done = 0; done < total;) {
      size_t lanes = size_t(std::min<int64_t>(kLanes, total - done));
      body.run(lanes);
      if (absl::Status s = failedCheck(body, inputs, lanes, failed); !s.ok())
        return s;
      for (size_t lane = 0; lane < lanes; ++lane, ++done)
        see(body, done, lane);
    }
    return absl::OkStatus();
  };
  int64_t points = reduction > 0 ? result.numElements() : 0;
  absl::Status status = run(scatter.reduction, points, [&](BodyEval &body, int64_t i, size_t lane) {
    joiners[size_t(i)].add(body.values(scatter.start)[lane]);
  });
  if (!status.ok())
    return status;
  int64_t terms = outer * inner * std::max<int64_t>(reduction, 0);
  status = run(scatter.loop, terms, [&](BodyEval &body, int64_t i, size_t lane) {
    int64_t point = i / reduction, position = body.values(scatter.position)[lane].i;
    if (i % reduction == 0 || position < 0 || position >= extent)
      return;
    Joiner &joiner = joiners[size_t((point / inner * extent + position) * inner + point % inner)];
    joiner.add(body.values(scatter.value)[lane]);
    joiner.round();
  });
  for (size_t point = 0; point < joiners.size(); ++point)
    writeLane(result.dtype(), result.data(), int64_t(point), joiners[point].finish());
  return status;
}

} // namespace

absl::Status runNest(const Nest &nest, const NestInputs &inputs, Tensor &result,
                     const ElementCheck *&failed) {
  if (std::optional<Scatter> scatter = scatterOf(nest))
    return runScatter(nest, *scatter, inputs, result, failed);
  int64_t points = result.numElements(), reduction = 1;
  for (size_t loop = size_t(nest.numParallel); loop < nest.extents.size(); ++loop)
    reduction *= std::max<int64_t>(inputs.sizes[nest.extents[loop]], 0);
  BodyEval body(nest, inputs);
  bool joins = nest.combine != Combine::None;
  Joiner joiner(nest, nest.body[nest.root].dtype, result.dtype());
  if (reduction == 0 && joins)
    for (int64_t point = 0; point < points; ++point)
      writeLane(result.dtype(), result.data(), point, joiner.finish());

  int64_t total = points * reduction, point = 0, joined = 0;
  for (int64_t done = 0; done < total;) {
    size_t lanes = size_t(std::min<int64_t>(kLanes, total - done));
    body.run(lanes);
    if (absl::Status s = failedCheck(body, inputs, lanes, failed); !s.ok())
      return s;
    const std::vector<Lane> &root = body.values(nest.root);
    for (size_t lane = 0; lane < lanes; ++lane) {
      if (!joins) {
        writeLane(result.dtype(), result.data(), point++, root[lane]);
        continue;
      }
      joiner.add(root[lane]);
      if (++joined == reduction) {
        writeLane(result.dtype(), result.data(), point++, joiner.finish());
        joiner.reset();
        joined = 0;
      }
    }
    done += int64_t(lanes);
  }
  return absl::OkStatus();
}

} // namespace graphc
