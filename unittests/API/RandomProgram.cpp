//===- RandomProgram.cpp - programs of many ops, shapes and dtypes ---------===//
#include "RandomProgram.h"

#include <cmath>

#include "Eval/Evaluate.h"
#include "graphc/Ops.h"

namespace graphc::random {

bool isInexact(DType dtype) { return isFloat(dtype) || isComplex(dtype); }

size_t Chooser::beside(size_t a) {
  const Value &like = values[a];
  bool mayBroadcast = random.oneIn(2);
  return *where([&](const Value &v) {
    if (!mayBroadcast)
      return v.number.shape() == like.number.shape();
    if (v.rank() > like.rank())
      return false;
    for (int i = 1; i <= v.rank(); ++i)
      if (v.extent(v.rank() - i) != like.extent(like.rank() - i) && v.extent(v.rank() - i) != 1)
        return false;
    return true;
  });
}

std::vector<int> Chooser::axesOf(size_t a) {
  std::vector<int> axes;
  for (int axis = 0; axis < values[a].rank(); ++axis)
    if (random.oneIn(2))
      axes.push_back(random.oneIn(4) ? axis - values[a].rank() : axis);
  return axes;
}

Step randomStep(Numbers &random, const Values &values, bool isExact) {
  Chooser c(random, values, isExact);
  static const std::vector<Step (*)(Chooser &)> kinds = {
      elementwiseStep, elementwiseStep, elementwiseStep, elementwiseStep, reductionStep,
      reductionStep,   movingStep,      movingStep,      joiningStep,     joiningStep,
      besideStep,      besideStep,      indexStep,       indexStep,       orderStep,
      productStep,     productStep,     windowStep,      controlStep};
  return random.of(kinds)(c);
}

namespace {

constexpr int64_t kMostElements = 30000;
constexpr int64_t kMostIterations = 1500000; // of one step in the evaluator
constexpr double kMostExact = 48, kMostSmooth = 4;

double largestOf(const Tensor &t) {
  Tensor real = t.realView().cast(DType::Float64).contiguous();
  double most = 0;
  for (double x : real.flat<double>())
    most = std::max(most, std::isfinite(x) ? std::abs(x) : INFINITY);
  return most;
}

class ProgramMaker {
public:
  explicit ProgramMaker(uint64_t seed) : random_(seed ^ 0x5eed), fewest_(seed % 4 == 1 ? 20 : 4) {}
  Program make();

private:
  void addInput(const std::vector<int64_t> &shape, DType dtype);
  void keep(const Variable &v, const Tensor &number);
  /// Whether the step could be made.
  bool add(const Step &step);
  DType dtype();
  Variable bounded(const Variable &v);

  Numbers random_;
  size_t fewest_; // steps
  Program program_;
  Values values_;
  int openness_ = 0; // 0: all extents are known, 1: none, 2: some
};

DType ProgramMaker::dtype() {
  if (!program_.isExact)
    return random_.oneIn(3) ? DType::Float32 : DType::Float64;
  static const std::vector<DType> all = {
      DType::Float64,   DType::Float64,    DType::Float64, DType::Float32,
      DType::Float32,   DType::Float32,    DType::Float16, DType::BFloat16,
      DType::Complex64, DType::Complex128, DType::Int64,   DType::Int32,
      DType::Int8,      DType::UInt8,      DType::UInt32,  DType::Bool};
  return random_.of(all);
}

void ProgramMaker::addInput(const std::vector<int64_t> &shape, DType dtype) {
  std::vector<int64_t> known;
  for (int64_t extent : shape) {
    bool isOpen = openness_ == 1 || (openness_ == 2 && random_.oneIn(2));
    // What is 1 broadcasts only where the type says so.
    known.push_back(isOpen && (extent != 1 || random_.oneIn(8)) ? kDynamic : extent);
  }
  Tensor value = *Tensor::zeros(DType::Float64, shape);
  bool isSigned = dtype != DType::UInt8 && dtype != DType::UInt32;
  for (double &x : value.mutableFlat<double>())
    x = program_.isExact || !isFloat(dtype) ? double(random_.below(7)) - (isSigned ? 3 : 0)
                                            : random_.real(-1.5, 1.5);
  program_.inputs.emplace_back(Type(dtype, known), "x" + std::to_string(program_.inputs.size()));
  program_.values.push_back(value.cast(dtype));
  keep(program_.inputs.back(), program_.values.back());
}

void ProgramMaker::keep(const Variable &v, const Tensor &number) { values_.push_back({v, number}); }

/// Not above some tens, so that nothing that is made of it rounds.
Variable ProgramMaker::bounded(const Variable &v) {
  if (!program_.isExact)
    return tanh(v);
  if (isFloat(v.dtype()))
    return mod(v, 7) - 3;
  return isInteger(v.dtype()) ? mod(v, 7) : v;
}

bool ProgramMaker::add(const Step &step) {
  if (!step.build)
    return false;
  Variables operands, trial;
  std::vector<Tensor> numbers;
  for (size_t i : step.operands) {
    operands.push_back(values_[i].variable);
    trial.emplace_back(values_[i].variable.type());
    numbers.push_back(values_[i].number);
  }
  auto run = [&](const Variables &outputs) -> TensorsOr {
    for (const Variable &v : outputs)
      if (!v.ok())
        return v.status();
    EvaluationBudget budget{kMostIterations};
    return evaluate(outputs, trial, numbers, &budget);
  };
  Variables made = step.build(trial);
  TensorsOr results = run(made);
  if (!results.ok())
    return false;
  std::vector<bool> isLarge;
  for (const Tensor &t : *results) {
    if (t.numElements() > kMostElements || t.rank() > 5)
      return false;
    isLarge.push_back(largestOf(t) > (program_.isExact ? kMostExact : kMostSmooth));
  }
  Variables out = step.build(operands);
  for (size_t i = 0; i < out.size(); ++i)
    if (isLarge[i]) {
      out[i] = bounded(out[i]);
      TensorsOr small = run({bounded(made[i])});
      if (!small.ok() || largestOf((*small)[0]) > kMostExact)
        return false;
      (*results)[i] = (*small)[0];
    }
  for (size_t i = 0; i < out.size(); ++i)
    keep(out[i], (*results)[i]);
  return true;
}

Program ProgramMaker::make() {
  static const std::vector<int64_t> kExtents = {0,  1,  2,  2,  3,  3,  4,  5,   7,   8,   9,
                                                15, 16, 17, 31, 33, 64, 65, 100, 130, 300, 1000};
  program_.isExact = !random_.oneIn(4);
  openness_ = int(random_.below(3));
  std::vector<int64_t> extents;
  for (int i = 0; i < 3; ++i)
    extents.push_back(random_.of(kExtents));
  for (size_t count = 2 + random_.below(3); count > 0; --count) {
    std::vector<int64_t> shape;
    int64_t elements = 1;
    for (size_t rank = random_.oneIn(8) ? random_.below(5) : 1 + random_.below(3); rank > 0;
         --rank) {
      int64_t extent = random_.oneIn(7) ? 1 : random_.of(extents);
      if (elements * std::max<int64_t>(extent, 1) > kMostElements)
        extent = 2;
      elements *= std::max<int64_t>(extent, 1);
      shape.push_back(extent);
    }
    addInput(shape, count == 1 ? DType::Float64 : dtype());
    if (random_.oneIn(2))
      addInput(shape, dtype()); // of the same shape
  }
  addInput({random_.of(std::vector<int64_t>{1, 3, 4, 17})}, DType::Int64);
  addInput({}, random_.oneIn(2) ? DType::Int64 : DType::Int32);
  size_t first = values_.size();
  for (size_t made = 0, tries = 0, wanted = fewest_ + random_.below(12);
       made < wanted && tries < 60 + 5 * fewest_; ++tries)
    made += add(randomStep(random_, values_, program_.isExact));
  for (size_t more = 1 + random_.below(4); more > 0 && values_.size() > first; --more)
    program_.outputs.push_back(
        values_[random_.oneIn(3) ? first + random_.below(values_.size() - first)
                                 : values_.size() - 1 -
                                       random_.below(std::min<size_t>(4, values_.size() - first))]
            .variable);
  return std::move(program_);
}

} // namespace

Program randomProgram(uint64_t seed) { return ProgramMaker(seed).make(); }

} // namespace graphc::random
