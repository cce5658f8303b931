//===- OpFromGraph.cpp ----------------------------------------------------===//
#include "graphc/OpFromGraph.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "Graph/CalledAs.h"
#include "Graph/InnerGraph.h"
#include "Graph/Literals.h"
#include "Support/Text.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Shared.h"
#include "graphc/Traversal.h"

namespace graphc {

static absl::StatusOr<Op> makeOp(const Variables &inputs, const Variables &outputs,
                                 OpFromGraphOptions options) {
  Variables all = inputs, captured;
  for (const Variable &v : graphInputs(outputs, inputs)) {
    if (v.isConstant() || std::ranges::find(inputs, v) != inputs.end() || !SharedVariable::from(v))
      continue;
    if (options.strict)
      return makeError(ErrorKind::MissingInput,
                       "the outputs need the shared variable '" + std::string(v.name()) +
                           "', which is no input; list it, or let it be captured (strict = false)",
                       v.place());
    captured.push_back(v);
    all.push_back(v);
  }
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(all, outputs);
  if (!graph.ok())
    return graph.status();
  absl::StatusOr<FrozenGraph> frozen = graph->freeze();
  if (!frozen.ok())
    return frozen.status();
  return detail::callOp(detail::InnerGraph::intern(*std::move(frozen), std::move(captured)),
                        std::move(options.name));
}

OpFromGraph::OpFromGraph(const Variables &inputs, const Variables &outputs,
                         OpFromGraphOptions options, std::source_location loc)
    : op_(absl::UnknownError("")) {
  std::string name = options.name;
  op_ = makeOp(inputs, outputs, std::move(options));
  if (!op_.ok())
    op_ = withPlace(prefixError(op_.status(), name), loc);
}

static absl::StatusOr<Op> nothing() {
  return makeError(ErrorKind::ValueError, "the OpFromGraph has been moved from");
}

OpFromGraph::OpFromGraph(OpFromGraph &&other) noexcept : op_(std::exchange(other.op_, nothing())) {}
OpFromGraph &OpFromGraph::operator=(OpFromGraph &&other) noexcept {
  if (this != &other)
    op_ = std::exchange(other.op_, nothing());
  return *this;
}

Op OpFromGraph::op() const { return op_.ok() ? *op_ : Apply().op(); }

Variables OpFromGraph::inputs() const {
  return ok() ? op_->def().inner->graph().inputs() : Variables();
}
Variables OpFromGraph::outputs() const {
  return ok() ? op_->def().inner->graph().outputs() : Variables();
}
Variables OpFromGraph::captured() const {
  return ok() ? op_->def().inner->captured() : Variables();
}

bool operator==(const OpFromGraph &a, const OpFromGraph &b) {
  return a.ok() && b.ok() && *a.op_ == *b.op_;
}

/// An operand of the type that the graph has there.
static absl::StatusOr<Variable> converted(const Operand &operand, const Type &type) {
  if (!operand.isWeak())
    return operand.variable().ok() ? filterVariable(type, operand.variable()) : operand.variable();
  DType dtype = type.dtype();
  absl::StatusOr<Tensor> value = wrapLiteral(operand.weakValue(), {&dtype, 1}, Literals::Promote);
  if (!value.ok())
    return value.status();
  if (isFloat(dtype)) { // as a number beside a tensor of that dtype
    value = value->cast(dtype);
    if (!std::isfinite(value->cast(DType::Float64).item<double>()) &&
        std::isfinite(operand.weakValue().cast(DType::Float64).item<double>()))
      return makeError(ErrorKind::TypeError, "the number " + toString(operand.weakValue()) +
                                                 " is beyond " + std::string(dtypeName(dtype)));
  }
  return filterVariable(type, Constant::adopt(*std::move(value), {}, operand.place()));
}

Variables OpFromGraph::apply(absl::Span<const Operand> operands, Place place) const {
  if (!ok())
    return {Variable::invalid(status())};
  const detail::InnerGraph &inner = *op_->def().inner;
  size_t expected = size_t(inner.graph().numInputs()) - inner.captured().size();
  auto fail = [&](const absl::Status &status) {
    return Variables(size_t(inner.graph().numOutputs()), Variable::invalid(status));
  };
  if (operands.size() != expected)
    return fail(makeError(ErrorKind::ValueError,
                          std::string(calledName(*op_)) + ": expected " +
                              counted(expected, "operand") + ", got " +
                              std::to_string(operands.size()),
                          place));
  std::vector<Operand> all;
  Variables formal = inner.graph().inputs();
  for (size_t i = 0; i < expected; ++i) {
    absl::StatusOr<Variable> v = converted(operands[i], formal[i].type());
    absl::Status status = v.ok() ? v->status() : v.status();
    if (!status.ok() && (operands[i].isWeak() || operands[i].variable().ok()))
      return fail(withPlace(
          prefixError(status, std::string(calledName(*op_)) + ": operand " + std::to_string(i)),
          place));
    if (!status.ok())
      return fail(status);
    all.emplace_back(*v, place);
  }
  for (const Variable &v : inner.captured())
    all.emplace_back(v, place);
  return op_->callAll(all, place);
}

Variable OpFromGraph::call(absl::Span<const Operand> operands, Place place) const {
  Variables outputs = apply(operands, place);
  if (outputs.size() == 1)
    return outputs[0];
  return Variable::invalid(makeError(ErrorKind::ValueError,
                                     std::string(calledName(*op_)) + ": there are " +
                                         std::to_string(outputs.size()) + " results; use apply",
                                     place));
}

} // namespace graphc
