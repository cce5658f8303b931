//===- DebugRunner.cpp ----------------------------------------------------===//
#include "API/DebugRunner.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "API/CheckGraph.h"
#include "Control/Control.h"
#include "Eval/Evaluate.h"
#include "Graph/CalledAs.h"
#include "Graph/InnerGraph.h"
#include "Rewrites/ModeRewrites.h"
#include "Runtime/ContentHash.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

/// What a result may be off by: |got - wanted| <= relative * |wanted| + absolute.
struct Allowance {
  double relative = 0, absolute = 0;
};

/// One unit in the last place of 1, and the smallest positive number.
std::pair<double, double> unitsOf(DType dtype) {
  switch (dtype) {
  case DType::Float64:
    return {0x1p-52, 0x1p-1074};
  case DType::Float32:
    return {0x1p-23, 0x1p-149};
  case DType::BFloat16:
    return {0x1p-7, 0x1p-133};
  default:
    return {0x1p-10, 0x1p-24};
  }
}

/// Undefined where there is no memory.
Tensor absolute(const Tensor &t) {
  if (!isFloat(t.dtype()))
    return t;
  Tensor values = t.cast(DType::Float64).copy();
  for (double &x : values.mutableFlat<double>())
    x = std::fabs(x);
  return values.cast(t.dtype());
}

/// How often nodes run in a branch or a loop; a loop within counts as one step.
double nodesRun(const Control &control, absl::Span<const Tensor> operands) {
  double nodes = 0, steps = 1;
  for (const FrozenGraph &body : control.bodies)
    for (const Apply &inner : body.order()) {
      const Control *nested = controlOf(inner.op());
      nodes += nested ? nodesRun(*nested, {}) : 1;
    }
  if (control.loop && !operands.empty()) {
    if (control.loop->hasSteps)
      steps = operands[0].cast(DType::Float64).item<double>();
    else if (!control.loop->sequences.empty())
      steps = double(operands[control.loop->firstSequence()].shape()[0]);
  }
  return std::max(nodes, 1.0) * std::max(steps, 1.0);
}

/// An op with a bound in units in the last place: that many, and one half for the evaluator's own
/// rounding and, for halves, one for rounding what was computed in float32. An op without is a sum
/// of n terms in some order: each addition loses half a unit of a partial sum, which is no more
/// than the sum of the terms' absolute values; the op gives that for its operands' absolute values.
/// What `vectorize` gives is a graph, whose nodes lose that and, functions, up to 8 units of their
/// own; so are branches, and loops, step after step, whose bodies may be larger for smaller
/// operands (1 - tanh(x)^2): the result itself is a bound there, too. Nothing where there is no
/// memory to compute that.
std::optional<Allowance> allowanceOf(const Apply &node, int output,
                                     absl::Span<const Tensor> operands) {
  const OpDef &op = node.op().def();
  DType dtype = node.output(output).dtype();
  if (!isFloat(dtype))
    return Allowance();
  auto [unit, smallest] = unitsOf(dtype);
  double bound = dtype == DType::Float64 ? op.maxUlp.f64 : op.maxUlp.f32;
  const Control *control = controlOf(node.op());
  if (bound >= 0 && !control)
    return Allowance{(bound + 1.5) * unit, (bound + 1.5) * smallest};
  double terms = 1, largest = 0;
  std::vector<Tensor> magnitudes;
  for (const Tensor &t : operands) {
    terms = std::max(terms, double(t.numElements()));
    magnitudes.push_back(absolute(t));
    if (!magnitudes.back().defined())
      return std::nullopt;
  }
  if (op.vectorized)
    terms *= 8 * double(op.vectorized->numNodes());
  double relative = 2 * unit;
  if (control) {
    terms *= 8 * nodesRun(*control, operands);
    relative = terms * unit;
  }
  TensorsOr sums = evaluate(node, magnitudes);
  if (errorKind(sums.status()) == ErrorKind::OutOfMemory)
    return std::nullopt;
  if (sums.ok()) {
    Tensor doubles = (*sums)[size_t(output)].cast(DType::Float64).contiguous();
    if (!doubles.defined())
      return std::nullopt;
    for (double x : doubles.flat<double>())
      if (std::isfinite(x))
        largest = std::max(largest, std::fabs(x));
  }
  return Allowance{relative, (terms + 1) * unit * largest + smallest};
}

bool isNear(double got, double wanted, const Allowance &allowed) {
  if (std::isnan(got) || std::isnan(wanted))
    return std::isnan(got) && std::isnan(wanted);
  if (got == wanted)
    return true;
  return std::isfinite(wanted) &&
         std::fabs(got - wanted) <= allowed.relative * std::fabs(wanted) + allowed.absolute;
}

/// Every step of the rewrites keeps the values of this call.
absl::Status checkRewrites(const GraphModule &module, absl::Span<const Tensor> arguments,
                           const Mode &mode) {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module.inputs, module.outputs);
  if (!graph.ok())
    return graph.status();
  RewriteOptions options;
  options.check = checkValues({arguments.begin(), arguments.end()}, mode.debugOptions());
  return rewriteAs(mode, *graph, options).status();
}

/// The same elements in every other place of the last axis, forwards or backwards, with other bytes
/// between them.
Tensor spread(const Tensor &t, bool backwards) {
  Tensor wide = t.copy();
  if (t.rank() == 0 || t.numElements() == 0)
    return wide;
  std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
  int64_t count = shape.back(), step = backwards ? -2 : 2;
  shape.back() *= 2;
  absl::StatusOr<Tensor> all = Tensor::allocate(t.dtype(), shape);
  if (!all.ok())
    return wide;
  std::memset(all->data(), 0xA5, size_t(all->numBytes()));
  absl::StatusOr<Tensor> some =
      all->slice(t.rank() - 1, backwards ? 2 * count - 1 : 0, count, step);
  return some.ok() && some->assign(t).ok() ? *some : wide;
}

/// Memory that is no result's of this shape.
Tensor tooLong(const Tensor &t) {
  std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
  shape.empty() ? shape.push_back(2) : void(++shape[0]);
  absl::StatusOr<Tensor> memory = Tensor::zeros(t.dtype(), shape);
  return memory.ok() ? *std::move(memory) : Tensor();
}

} // namespace

/// How far apart complex numbers are at most, in roundings of the greatest one: each term of a sum,
/// and each of the operations that an op is for its parts, may add one.
static double complexDistance(const Tensor &got, const Tensor &wanted,
                              absl::Span<const Tensor> operands) {
  constexpr double kOperations = 64;
  double terms = kOperations;
  for (const Tensor &t : operands)
    terms += double(t.numElements());
  Tensor a = got.realView().cast(DType::Float64).contiguous();
  Tensor b = wanted.realView().cast(DType::Float64).contiguous();
  double greatest = 0, apart = 0;
  for (size_t i = 0; i < a.flat<double>().size(); ++i) {
    double x = a.flat<double>()[i], y = b.flat<double>()[i];
    if (std::isfinite(y))
      greatest = std::max(greatest, std::fabs(y));
    if (x != y && !(std::isnan(x) && std::isnan(y)))
      apart = std::isfinite(x) && std::isfinite(y) ? std::max(apart, std::fabs(x - y)) : HUGE_VAL;
  }
  auto [unit, smallest] = unitsOf(realDType(got.dtype()));
  return apart / (terms * (unit * greatest + smallest));
}

absl::Status checkResult(const Apply &node, int output, absl::Span<const Tensor> operands,
                         const Tensor &got, const Tensor &wanted) {
  auto differs = [&](const std::string &how) {
    return makeError(ErrorKind::DebugMismatch,
                     std::string(calledName(node.op())) + ": " + nameOf(node, output) +
                         " as compiled differs from the interpreter's: " + how,
                     node.place());
  };
  if (got.dtype() != wanted.dtype() || got.shape() != wanted.shape())
    return differs(Type(got.dtype(), got.shape()).brief() + " instead of " +
                   Type(wanted.dtype(), wanted.shape()).brief());
  if (isComplex(got.dtype())) {
    if (double apart = complexDistance(got, wanted, operands); apart > 1)
      return differs("numbers are " + toString(Tensor(apart)) +
                     " times as far apart as rounding says");
    return absl::OkStatus();
  }
  if (got == wanted) // integers and bools, whatever their size, and most floats
    return absl::OkStatus();
  std::optional<Allowance> allowed = allowanceOf(node, output, operands);
  Tensor a = got.cast(DType::Float64).contiguous(), b = wanted.cast(DType::Float64).contiguous();
  if (!allowed || !a.defined() || !b.defined())
    return makeError(ErrorKind::OutOfMemory,
                     std::string(calledName(node.op())) + ": no memory to compare " +
                         nameOf(node, output) + " with the interpreter's",
                     node.place());
  for (int64_t i = 0; i < a.numElements(); ++i) {
    double x = a.flat<double>()[size_t(i)], y = b.flat<double>()[size_t(i)];
    if (isFloat(got.dtype()) ? !isNear(x, y, *allowed) : x != y)
      return differs("element " + std::to_string(i) + " is " +
                     toString(Tensor(x).cast(got.dtype())) + " instead of " +
                     toString(Tensor(y).cast(got.dtype())));
  }
  if (!isFloat(got.dtype()))
    return differs("integers that float64 cannot tell apart");
  return absl::OkStatus();
}

absl::Status DebugRunner::fail(size_t value, const std::string &what) const {
  std::optional<std::pair<Apply, int>> computed = nodeOf(value);
  if (!computed)
    return makeError(ErrorKind::DebugMismatch, "an output " + what);
  const auto &[node, output] = *computed;
  return makeError(ErrorKind::DebugMismatch,
                   std::string(calledName(node.op())) + ": " + nameOf(node, output) + " " + what,
                   node.place());
}

/// The evaluator looks at every index, which code does not.
absl::Status DebugRunner::checkBefore(absl::Span<const Tensor> arguments) const {
  std::vector<uint64_t> before;
  for (const Tensor &argument : arguments)
    before.push_back(hashOfContent(argument));
  if (absl::Status s = evaluate(module().outputs, module().inputs, arguments).status(); !s.ok())
    return s;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (hashOfContent(arguments[i]) != before[i])
      return makeError(ErrorKind::DebugMismatch,
                       numbered(i, module().inputs[i]) +
                           " was changed by the call: a host op writes to its operands",
                       module().inputs[i].place());
  return mode_ ? checkRewrites(module(), arguments, *mode_) : absl::OkStatus();
}

absl::Status ComparedNodes::checkNode(const Apply &node, absl::Span<const Tensor> operands,
                                      absl::Span<const Tensor> results) const {
  TensorsOr wanted = evaluate(node, operands);
  if (!wanted.ok())
    return wanted.status();
  for (int i = 0; i < node.numOutputs(); ++i)
    if (absl::Status s = checkResult(node, i, operands, results[size_t(i)], (*wanted)[size_t(i)]);
        !s.ok())
      return s;
  return absl::OkStatus();
}

absl::Status DebugRunner::checkRun(absl::Span<const Tensor> arguments,
                                   absl::Span<const Tensor> values) const {
  if (absl::Status s = checkMemory(arguments, values); !s.ok())
    return s;
  if (absl::Status s = checkAgain(arguments, values); !s.ok())
    return s;
  if (absl::Status s = checkLayouts(arguments, values); !s.ok())
    return s;
  if (absl::Status s = checkOrder(arguments); !s.ok())
    return s;
  return checkRewritten(arguments);
}

/// Nodes that only rewriting makes are run and compared, too. What both graphs give may differ by
/// what the rules say, which checkRewrites has looked at.
absl::Status DebugRunner::checkRewritten(absl::Span<const Tensor> arguments) const {
  if (!rewritten_)
    return absl::OkStatus();
  std::vector<Tensor> results(module().outputs.size());
  absl::Status status =
      rewritten_->run(arguments, absl::MakeSpan(results), OutputMemory::Fresh, nullptr);
  return status.ok() ? status : prefixError(status, "after the rewrites");
}

absl::Status DebugRunner::checkMemory(absl::Span<const Tensor> arguments,
                                      absl::Span<const Tensor> values) const {
  // Sorted by address, what overlaps anything overlaps a neighbour.
  struct Block {
    const char *begin, *end;
    size_t value; // beyond the values: an argument
  };
  std::vector<Block> blocks;
  auto add = [&](const Tensor &t, size_t number) {
    if (t.isContiguous() && t.numBytes() > 0) {
      auto *begin = static_cast<const char *>(t.data());
      blocks.push_back({begin, begin + t.numBytes(), number});
    }
  };
  for (size_t i = 0; i < values.size(); ++i)
    add(values[i], i);
  for (const Tensor &argument : arguments)
    add(argument, values.size());
  std::sort(blocks.begin(), blocks.end(),
            [](const Block &a, const Block &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < blocks.size(); ++i) {
    size_t first = std::min(blocks[i - 1].value, blocks[i].value);
    if (blocks[i].begin < blocks[i - 1].end && first < values.size())
      return fail(first, "shares memory with an argument or another result");
  }
  return absl::OkStatus();
}

/// Twice more, into memory full of one byte and of another: what a run does not write is left of
/// the one and of the other.
absl::Status DebugRunner::checkAgain(absl::Span<const Tensor> arguments,
                                     absl::Span<const Tensor> values) const {
  constexpr unsigned char kFill[] = {0xA5, 0x5A};
  std::vector<std::vector<Tensor>> again(2);
  for (int k = 0; k < 2; ++k) {
    for (const Tensor &value : values) {
      Tensor &memory = again[size_t(k)].emplace_back(value.copy());
      if (memory.defined())
        std::memset(memory.data(), kFill[k], size_t(memory.numBytes()));
    }
    if (absl::Status s =
            all().run(arguments, absl::MakeSpan(again[size_t(k)]), OutputMemory::Given, nullptr);
        !s.ok())
      return s;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Tensor &a = again[0][i], &b = again[1][i];
    if (a.identical(values[i]) && b.identical(values[i]))
      continue;
    auto *x = static_cast<const unsigned char *>(a.data());
    auto *y = static_cast<const unsigned char *>(b.data());
    for (int64_t k = 0; k < a.numBytes(); ++k)
      if (x[k] == kFill[0] && y[k] == kFill[1])
        return fail(i, "has elements that are not written, the first of which is number " +
                           std::to_string(k / byteSize(a.dtype())));
    return fail(i, "differs from one run to the next");
  }
  return absl::OkStatus();
}

/// Results of code never depend on how arguments lie in memory, nor on what it is offered for them.
absl::Status DebugRunner::checkLayouts(absl::Span<const Tensor> arguments,
                                       absl::Span<const Tensor> values) const {
  std::vector<Tensor> strided, results;
  for (const Tensor &argument : arguments)
    strided.push_back(spread(argument, strided.size() % 2));
  for (const Tensor &value : values)
    results.push_back(results.size() % 2 ? spread(value, false) : tooLong(value));
  if (absl::Status s = all().run(strided, absl::MakeSpan(results), OutputMemory::Given, nullptr);
      !s.ok())
    return s;
  for (size_t i = 0; i < values.size(); ++i)
    if (!results[i].identical(values[i]))
      return fail(i, "differs where arguments, and memory for results, are strided");
  return absl::OkStatus();
}

/// Nodes without a path between them may be computed in any order.
absl::Status DebugRunner::checkOrder(absl::Span<const Tensor> arguments) const {
  std::vector<Tensor> values(withAllOutputs(module()).outputs.size());
  absl::Status status =
      reversed_->run(arguments, absl::MakeSpan(values), OutputMemory::Fresh, nullptr);
  std::reverse(values.begin(), values.end());
  if (status.ok())
    status = checkNodes(arguments, values);
  return status.ok() ? status : prefixError(status, "in another order of nodes");
}

} // namespace graphc
