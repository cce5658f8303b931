//===- GraphWriter.cpp -------------------------------------------------------===//
#include "Export/GraphWriter.h"

#include <algorithm>

#include "Eval/Evaluate.h"
#include "Graph/PartsOf.h"
#include "Support/Text.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

/// What follows from constants and is no larger is computed now: axes, shapes, small tables.
constexpr int64_t kFoldedElements = 1 << 12;
constexpr int64_t kFoldingBudget = int64_t(1) << 16;

bool hasComplex(const Apply &node) {
  auto isOne = [](const Variable &v) { return isComplex(v.dtype()); };
  return std::ranges::any_of(node.inputs(), isOne) || std::ranges::any_of(node.outputs(), isOne);
}

/// Values that stand for what cannot be said.
std::vector<Values> refusedResults(OnnxWriter &w, const Apply &node, const std::string &why) {
  std::vector<Values> results;
  for (const Variable &output : node.outputs())
    results.push_back(Values(isComplex(output.dtype()) ? 2 : 1, w.refuse(output.type(), why)));
  return results;
}

} // namespace

Values GraphWriter::valuesOf(const Variable &v) {
  if (auto found = values_.find(v.node()); found != values_.end())
    return found->second;
  if (std::optional<Constant> constant = Constant::from(v)) {
    Values values;
    if (isComplex(v.dtype())) {
      Parts parts = partsOfOperand(v);
      values = {valueOf(parts.re), valueOf(*parts.im)};
    } else {
      values = {{v.type(), std::string(v.name()), constant->data()}};
    }
    bind(v, values);
    return values;
  }
  if (status_.ok())
    status_ =
        makeError(ErrorKind::MissingInput, "'" + printable(v.name()) +
                                               "' is neither an input nor computed from "
                                               "inputs; shared variables must be given values");
  return Values(isComplex(v.dtype()) ? 2 : 1, Value{v.type(), "missing", {}});
}

bool GraphWriter::fold(const Apply &node) {
  const OpDef &def = node.op().def();
  if (!def.foldable || def.inner || def.vectorized || hasComplex(node))
    return false;
  std::vector<Tensor> inputs;
  for (const Variable &input : node.inputs()) {
    inputs.push_back(valueOf(input).constant);
    if (!inputs.back().defined())
      return false;
  }
  for (const Variable &output : node.outputs())
    if (output.type().hasStaticShape() && output.type().numElements() > kFoldedElements)
      return false;
  EvaluationBudget budget{kFoldingBudget};
  TensorsOr results = evaluate(node, inputs, &budget);
  if (!results.ok())
    return false;
  for (const Tensor &result : *results)
    if (!result.defined() || result.numElements() > kFoldedElements)
      return false;
  for (int i = 0; i < node.numOutputs(); ++i)
    bind(node.output(i), {OnnxWriter::known((*results)[size_t(i)])});
  return true;
}

Values GraphWriter::onElements(const Apply &node, const ExportRule &rule) {
  Variable output = node.output(0);
  DType dtype = output.dtype();
  if (rule.compares) {
    dtype = node.input(0).dtype();
    for (int i = 1; i < node.numInputs(); ++i)
      dtype = promote(dtype, node.input(i).dtype());
  }
  DType computed = dtypeWithin(rule.dtypes, dtype);
  Type type = output.type().withDType(rule.compares ? DType::Bool : computed);
  Value result = writer_.as(valueOf(node.input(0)), computed);
  if (node.numInputs() == 1)
    result = writer_.node(rule.onnx, {result}, type);
  for (int i = 1; i < node.numInputs(); ++i) {
    Value next = writer_.as(valueOf(node.input(i)), computed);
    // Of the operands so far.
    IntList shape;
    if (node.numInputs() > 2 && i + 1 < node.numInputs()) {
      int rank = std::max(result.rank(), next.rank());
      for (int axis = 0; axis < rank; ++axis) {
        int64_t a = result.type.extent(axis - rank + result.rank());
        int64_t b = next.type.extent(axis - rank + next.rank());
        bool hasA = axis >= rank - result.rank(), hasB = axis >= rank - next.rank();
        shape.push_back(!hasA || (hasB && a == 1) ? b : !hasB || b == 1 ? a : std::max(a, b));
      }
    }
    result = writer_.node(rule.onnx, {result, next},
                          i + 1 < node.numInputs() ? type.withShape(shape) : type);
  }
  return {writer_.as(result, output.dtype())};
}

void GraphWriter::addParts(const std::vector<Apply> &parts) {
  std::string refusal = writer_.takeRefusal();
  ++compositions_;
  for (const Apply &part : parts) {
    add(part);
    if (std::string why = writer_.takeRefusal(); refusal.empty())
      refusal = why;
  }
  --compositions_;
  if (!refusal.empty())
    writer_.refuse(Type(), refusal);
}

std::vector<Values> GraphWriter::between(const Variables &leaves, const Variables &ends) {
  for (const Variable &end : ends)
    if (!end.ok()) {
      Value none = writer_.refuse(Type(), std::string(end.status().message()));
      return std::vector<Values>(ends.size(), Values(2, none));
    }
  addParts(ioToposort(leaves, ends));
  std::vector<Values> values;
  for (const Variable &end : ends)
    values.push_back(valuesOf(end));
  return values;
}

void GraphWriter::keepNames(const Apply &node) {
  for (const Variable &output : node.outputs())
    if (!output.name().empty() && !isComplex(output.dtype()) && writer_.reserve(output.name()))
      named_.emplace_back(valueOf(output), output.name());
}

std::vector<Values> GraphWriter::graph(const FrozenGraph &graph) {
  Variables outputs = graph.outputs();
  for (const Apply &node : graph.order()) {
    add(node);
    keepNames(node);
  }
  std::vector<Values> values;
  for (const Variable &output : outputs)
    values.push_back(valuesOf(output));
  return values;
}

Values GraphWriter::composed(const Apply &node, const ExportRule &rule) {
  Variables results = rule.compose(node);
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].ok() && results[i].dtype() != node.output(int(i)).dtype())
      results[i] = cast(results[i], node.output(int(i)).dtype());
  if (results.empty())
    return {};
  Values values;
  for (const Values &of : between(node.inputs(), results))
    values.push_back(of[0]);
  return values;
}

Values GraphWriter::byRule(const Apply &node) {
  auto refused = [&](const std::string &why) {
    Values values;
    for (const Values &of : refusedResults(writer_, node, why))
      values.push_back(of[0]);
    return values;
  };
  const ExportRule *rule = findExport(node.op().name());
  if (!rule)
    return refused("graphc knows no form of it in ONNX's operators");
  if (writer_.opset() < rule->since)
    return refused("ONNX has it from version " + std::to_string(rule->since) + " on");
  for (const Variable &output : node.outputs())
    if (!output.type().isTensor())
      return refused("it is no tensor");
  if (rule->compose)
    if (Values values = composed(node, *rule); !values.empty())
      return values;
  if (!rule->onnx.empty())
    return onElements(node, *rule);
  Values in;
  for (const Variable &input : node.inputs())
    in.push_back(valueOf(input));
  return rule->write(writer_, node, in);
}

/// By the op's rule for the parts of complex numbers (36-complex.md).
GraphWriter::Results GraphWriter::byParts(const Apply &node) {
  std::vector<Parts> in;
  Variables leaves, ends;
  for (const Variable &input : node.inputs()) {
    in.push_back(partsOfOperand(input));
    Values values = valuesOf(input);
    Variables own = {in.back().re};
    if (in.back().im)
      own.push_back(*in.back().im);
    for (size_t k = 0; k < own.size(); ++k)
      bind(own[k], {values[k]});
    leaves.insert(leaves.end(), own.begin(), own.end());
  }
  std::vector<Parts> out = partsOf(node, in);
  for (int i = 0; i < node.numOutputs(); ++i) {
    const Parts &parts = out[size_t(i)];
    ends.push_back(parts.re);
    if (isComplex(node.output(i).dtype()))
      ends.push_back(parts.im ? *parts.im : zerosLike(parts.re));
  }
  std::vector<Values> values = between(leaves, ends);
  Results results;
  size_t next = 0;
  for (int i = 0; i < node.numOutputs(); ++i) {
    results.push_back({values[next++][0]});
    if (isComplex(node.output(i).dtype()))
      results.back().push_back(values[next++][0]);
  }
  return results;
}

/// The op that makes complex numbers: both parts with the shape that they have together.
Values GraphWriter::joined(const Apply &node) {
  DType dtype = realDType(node.output(0).dtype());
  Variable re = node.input(0), im = node.input(1), always = constant(Tensor(1).cast(DType::Bool));
  Values values;
  for (const Variable &part : {where(always, re, im), where(always, im, re)})
    values.push_back(between(node.inputs(), {cast(part, dtype)})[0][0]);
  return values;
}

/// Values of a node's results. What it cannot say is noted in the writer.
GraphWriter::Results GraphWriter::made(const Apply &node) {
  const OpDef &def = node.op().def();
  if (const Control *control = controlOf(node.op()))
    return control->loop ? writeLoop(*this, node, *control) : writeBranch(*this, node, *control);
  if (def.vectorized)
    return writeSlices(*this, node, *def.vectorized);
  if (node.op().name() == "complex")
    return {joined(node)};
  if (worksByParts(node))
    return byParts(node);
  if (hasComplex(node))
    return refusedResults(writer_, node, "its complex operands have no rule by parts");
  Results results;
  for (const Value &value : byRule(node))
    results.push_back({value});
  return results;
}

void GraphWriter::bindResults(const Apply &node, const Results &results) {
  for (int i = 0; i < node.numOutputs(); ++i) {
    Variable output = node.output(i);
    bind(output, size_t(i) < results.size() ? results[size_t(i)]
                                            : Values(2, Value{output.type(), "refused", {}}));
  }
}

/// The nodes of the graph that an OpFromGraph stands for, in its place.
void GraphWriter::addCall(const Apply &node, const detail::InnerGraph &inner) {
  std::vector<Type> types;
  for (const Variable &input : node.inputs())
    types.push_back(input.type());
  detail::FlatGraphs::Flat flat = inner.flat(types);
  if (!flat.ok()) {
    bindResults(node, refusedResults(writer_, node, std::string(flat.status().message())));
    return;
  }
  Variables inputs = (*flat)->inputs();
  for (size_t i = 0; i < inputs.size(); ++i)
    bind(inputs[i], valuesOf(node.input(int(i))));
  bindResults(node, graph(**flat));
}

void GraphWriter::add(const Apply &node) {
  if (fold(node))
    return;
  if (node.op().def().inner)
    addCall(node, *node.op().def().inner);
  else
    bindResults(node, made(node));
  if (compositions_ > 0)
    return; // the node that is composed is refused
  if (std::string why = writer_.takeRefusal(); !why.empty()) {
    ++refused_[{std::string(node.op().name()), why}];
    bindResults(node, {}); // of its types, so that what reads them is not refused as well
  }
}

} // namespace graphc
