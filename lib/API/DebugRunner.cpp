//===- DebugRunner.cpp ----------------------------------------------------===//
#include "API/DebugRunner.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "Eval/Evaluate.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Rewrite.h"
#include "graphc/Traversal.h"

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

Tensor absolute(const Tensor &t) {
  if (!isFloat(t.dtype()))
    return t;
  Tensor values = t.cast(DType::Float64).copy();
  for (double &x : values.mutableFlat<double>())
    x = std::fabs(x);
  return values.cast(t.dtype());
}

/// An op with a bound in units in the last place: that many, and one half for the evaluator's own
/// rounding and, for halves, one for rounding what was computed in float32. An op without is a sum
/// of n terms in some order: each addition loses half a unit of a partial sum, which is no more
/// than the sum of the terms' absolute values; the op gives that for its operands' absolute values.
Allowance allowanceOf(const Apply &node, int output, absl::Span<const Tensor> operands) {
  const OpDef &op = node.op().def();
  DType dtype = node.output(output).dtype();
  if (!isFloat(dtype))
    return {};
  auto [unit, smallest] = unitsOf(dtype);
  double bound = dtype == DType::Float64 ? op.maxUlp.f64 : op.maxUlp.f32;
  if (bound >= 0)
    return {(bound + 1.5) * unit, (bound + 1.5) * smallest};
  double terms = 1, largest = 0;
  std::vector<Tensor> magnitudes;
  for (const Tensor &t : operands) {
    terms = std::max(terms, double(t.numElements()));
    magnitudes.push_back(absolute(t));
  }
  if (TensorsOr sums = evaluate(node, magnitudes); sums.ok()) {
    Tensor doubles = (*sums)[size_t(output)].cast(DType::Float64).contiguous();
    for (double x : doubles.flat<double>())
      if (std::isfinite(x))
        largest = std::max(largest, std::fabs(x));
  }
  return {2 * unit, (terms + 1) * unit * largest + smallest};
}

bool isNear(double got, double wanted, const Allowance &allowed) {
  if (std::isnan(got) || std::isnan(wanted))
    return std::isnan(got) && std::isnan(wanted);
  if (got == wanted)
    return true;
  return std::isfinite(wanted) &&
         std::fabs(got - wanted) <= allowed.relative * std::fabs(wanted) + allowed.absolute;
}

/// Every step of what mode fast_run would do keeps the values of this call.
absl::Status checkRewrites(const GraphModule &module, absl::Span<const Tensor> arguments) {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module.inputs, module.outputs);
  if (!graph.ok())
    return graph.status();
  RewriteOptions options;
  options.check = checkValues({arguments.begin(), arguments.end()});
  return rewrite(*graph, options).status();
}

std::string nameOf(const Apply &node, int output) {
  std::string_view name = node.output(output).name();
  if (!name.empty())
    return "`" + std::string(name) + "`";
  return "result " + std::to_string(output);
}

} // namespace

absl::Status checkResult(const Apply &node, int output, absl::Span<const Tensor> operands,
                         const Tensor &got, const Tensor &wanted) {
  auto differs = [&](const std::string &how) {
    return makeError(ErrorKind::DebugMismatch,
                     std::string(node.op().name()) + ": " + nameOf(node, output) +
                         " as compiled differs from the interpreter's: " + how,
                     node.place());
  };
  if (got.dtype() != wanted.dtype() || got.shape() != wanted.shape())
    return differs(Type(got.dtype(), got.shape()).text() + " instead of " +
                   Type(wanted.dtype(), wanted.shape()).text());
  if (got == wanted) // integers and bools, whatever their size, and most floats
    return absl::OkStatus();
  Allowance allowed = allowanceOf(node, output, operands);
  Tensor a = got.cast(DType::Float64).contiguous(), b = wanted.cast(DType::Float64).contiguous();
  for (int64_t i = 0; i < a.numElements(); ++i) {
    double x = a.flat<double>()[size_t(i)], y = b.flat<double>()[size_t(i)];
    if (isFloat(got.dtype()) ? !isNear(x, y, allowed) : x != y)
      return differs("element " + std::to_string(i) + " is " +
                     toString(Tensor(x).cast(got.dtype())) + " instead of " +
                     toString(Tensor(y).cast(got.dtype())));
  }
  if (!isFloat(got.dtype()))
    return differs("integers that float64 cannot tell apart");
  return absl::OkStatus();
}

DebugRunner::DebugRunner(GraphModule module, std::unique_ptr<const Runner> all, bool checksRules)
    : module_(std::move(module)), all_(std::move(all)), checksRules_(checksRules) {
  for (const Apply &node : ioToposort(module_.inputs, module_.outputs))
    nodes_.push_back(node);
}

GraphModule DebugRunner::withAllOutputs(const GraphModule &module) {
  GraphModule all = module;
  all.outputs.clear();
  for (const Apply &node : ioToposort(module.inputs, module.outputs))
    for (int i = 0; i < node.numOutputs(); ++i)
      all.outputs.push_back(node.output(i));
  all.outputs.insert(all.outputs.end(), module.outputs.begin(), module.outputs.end());
  all.outputNames.assign(all.outputs.size(), "");
  return all;
}

absl::Status DebugRunner::run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                              OutputMemory) const {
  // First what checks every index: code does not.
  if (absl::Status s = evaluate(module_.outputs, module_.inputs, arguments).status(); !s.ok())
    return s;
  size_t computed = 0;
  for (const Apply &node : nodes_)
    computed += size_t(node.numOutputs());
  std::vector<Tensor> values(computed + results.size());
  if (absl::Status s = all_->run(arguments, absl::MakeSpan(values), OutputMemory::Fresh); !s.ok())
    return s;
  std::unordered_map<Variable, Tensor> known;
  for (size_t i = 0; i < module_.inputs.size(); ++i)
    known[module_.inputs[i]] = arguments[i];
  size_t at = 0;
  for (const Apply &node : nodes_) {
    std::vector<Tensor> operands;
    for (int i = 0; i < node.numInputs(); ++i) {
      std::optional<Constant> constant = Constant::from(node.input(i));
      operands.push_back(constant ? constant->data() : known.at(node.input(i)));
    }
    TensorsOr wanted = evaluate(node, operands);
    if (!wanted.ok())
      return wanted.status();
    for (int i = 0; i < node.numOutputs(); ++i, ++at) {
      if (absl::Status s = checkResult(node, i, operands, values[at], (*wanted)[size_t(i)]);
          !s.ok())
        return s;
      known[node.output(i)] = values[at];
    }
  }
  if (checksRules_)
    if (absl::Status s = checkRewrites(module_, arguments); !s.ok())
      return s;
  std::move(values.begin() + int64_t(computed), values.end(), results.begin());
  return absl::OkStatus();
}

} // namespace graphc
