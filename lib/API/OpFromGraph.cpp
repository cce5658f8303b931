//===- OpFromGraph.cpp ----------------------------------------------------===//
#include "graphc/OpFromGraph.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "Graph/CalledAs.h"
#include "Graph/Label.h"
#include "Graph/Literals.h"
#include "Ops/CallOp.h"
#include "Overrides.h"
#include "Support/Text.h"

namespace graphc {

static detail::Inlining inliningOf(Inline inlined) {
  switch (Inline::Kind(inlined)) {
  case Inline::No:
    return detail::Inlining::No;
  case Inline::Yes:
    return detail::Inlining::Yes;
  case Inline::Automatic:
    break;
  }
  return detail::Inlining::Automatic;
}

/// F-244.
static absl::StatusOr<std::vector<int>> readDestroyMap(const OpFromGraphOptions &options,
                                                       size_t numInputs, size_t numOutputs) {
  if (options.destroyMap.empty())
    return std::vector<int>();
  std::vector<int> destroyed(numOutputs, -1);
  for (auto [output, input] : options.destroyMap) {
    if (output < 0 || size_t(output) >= numOutputs || input < 0 || size_t(input) >= numInputs)
      return makeError(ErrorKind::ValueError,
                       "destroyMap says that output " + std::to_string(output) +
                           " overwrites input " + std::to_string(input) + "; there are " +
                           counted(numOutputs, "output") + " and " + counted(numInputs, "input"));
    int &of = destroyed[size_t(output)];
    if (of >= 0 && of != input)
      return makeError(ErrorKind::ValueError, "destroyMap says that output " +
                                                  std::to_string(output) + " overwrites inputs " +
                                                  std::to_string(of) + " and " +
                                                  std::to_string(input) + ": one at most");
    of = input;
  }
  return destroyed;
}

/// F-283: what has no connection has no gradient.
static absl::Status checkConnection(const std::vector<std::vector<bool>> &connection,
                                    const detail::FrozenRule &pullback, const Variables &inputs) {
  using Kind = detail::FrozenRule::Kind;
  if (connection.empty())
    return absl::OkStatus();
  for (size_t i = 0; i < pullback.entries.size(); ++i) {
    Kind kind = pullback.entries[i].kind;
    if (kind != Kind::Default && kind != Kind::Disconnected &&
        std::ranges::count(connection[i], true) == 0)
      return makeError(ErrorKind::TypeError,
                       "pullback: there is an override for input " + std::to_string(i) + ", " +
                           operandLabel(inputs[i]) +
                           ", of which connectionPattern says that no output depends on it: "
                           "expected Override::disconnected() there");
  }
  return absl::OkStatus();
}

/// The ops in whose graphs an error is, as a payload: "outer > inner", with which its message
/// begins.
static constexpr char kWithinUrl[] = "graphc.within";

/// An input that was forgotten is a mistake in the op's list, whose place is told; where it was
/// made is a note. An op within has told of its own.
static absl::Status ofTheList(const absl::Status &status, Place place) {
  std::optional<Place> made = errorPlace(status);
  if (errorKind(status) != ErrorKind::MissingInput || !made || status.GetPayload(kWithinUrl))
    return status;
  return makeError(ErrorKind::MissingInput,
                   std::string(status.message()) + "\n  it was made at " + made->str(), place);
}

static absl::StatusOr<Op> makeOp(const Variables &inputs, const Variables &outputs,
                                 const OpFromGraphOptions &options, std::source_location loc) {
  if (!options.updates.empty())
    return makeError(ErrorKind::NotImplemented,
                     "a graph within an op has no updates: make the new value an output, and "
                     "update with it in the function");
  if (!options.givens.empty())
    return makeError(ErrorKind::NotImplemented,
                     "a graph within an op has no givens: replace with cloneReplace before, or "
                     "give them to the function");
  absl::StatusOr<CapturingGraph> made = freezeCapturing(inputs, outputs, options.strict);
  if (!made.ok())
    return ofTheList(made.status(), loc);
  const std::vector<std::vector<bool>> &connection = options.connectionPattern;
  for (const std::vector<bool> &row : connection)
    if (connection.size() != inputs.size() || row.size() != outputs.size())
      return makeError(ErrorKind::ValueError,
                       "connectionPattern has " + counted(connection.size(), "row") + ", one of " +
                           std::to_string(row.size()) + "; expected one for each of " +
                           counted(inputs.size(), "input") + ", with a bool for each of " +
                           counted(outputs.size(), "output"));
  detail::InnerTraits traits{.inlining = inliningOf(options.inlined), .connection = connection};
  absl::StatusOr<std::vector<int>> destroyed =
      readDestroyMap(options, inputs.size(), outputs.size());
  if (!destroyed.ok())
    return destroyed.status();
  traits.destroyMap = *std::move(destroyed);
  absl::StatusOr<ReadingRule> pullback =
      freezePullback(options, traits.inlining, loc, inputs, outputs);
  if (!pullback.ok())
    return pullback.status();
  if (absl::Status status = checkConnection(connection, pullback->rule, inputs); !status.ok())
    return status;
  absl::StatusOr<ReadingRule> pushforward =
      freezePushforward(options, traits.inlining, loc, inputs, outputs);
  if (!pushforward.ok())
    return pushforward.status();
  // F-259: what the overrides read becomes operands, too.
  Variables more = pullback->reads;
  more.insert(more.end(), pushforward->reads.begin(), pushforward->reads.end());
  if (!more.empty())
    made = freezeCapturing(inputs, outputs, options.strict, more);
  if (!made.ok())
    return made.status();
  Variables all = inputs;
  all.insert(all.end(), made->captured.begin(), made->captured.end());
  for (ReadingRule *read : {&*pullback, &*pushforward})
    for (const Variable &v : read->reads)
      read->rule.reads.push_back(int32_t(std::ranges::find(all, v) - all.begin()));
  traits.pullback = std::move(pullback->rule);
  traits.pushforward = std::move(pushforward->rule);
  traits.numCaptured = int(made->captured.size());
  return detail::callOp(detail::InnerGraph::intern(std::move(made->graph),
                                                   std::move(made->captured), std::move(traits)),
                        options.name);
}

/// An error of the op itself, whose message begins with its name.
static absl::Status ofOp(absl::Status status, const Op &op) {
  std::string name(calledName(op));
  std::string_view message(status.message().data(), status.message().size());
  if (!status.GetPayload(kWithinUrl) && message.starts_with(name + ": "))
    status.SetPayload(kWithinUrl, absl::Cord(name));
  return status;
}

/// "outer > inner: what is wrong": all ops are one prefix, of eight names at most.
static absl::Status within(const absl::Status &status, const std::string &name) {
  std::string message(status.message().data(), status.message().size());
  std::string prefix = name;
  if (absl::optional<absl::Cord> payload = status.GetPayload(kWithinUrl))
    if (std::string known(*payload); message.starts_with(known + ": ")) {
      message.erase(0, known.size() + 2);
      prefix = nested(name, known);
    }
  absl::Status result(status.code(), prefix + ": " + message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord &payload) { result.SetPayload(url, payload); });
  result.SetPayload(kWithinUrl, absl::Cord(prefix));
  return result;
}

OpFromGraph::OpFromGraph(const Variables &inputs, const Variables &outputs,
                         const OpFromGraphOptions &options, std::source_location loc)
    : op_(absl::UnknownError("")) {
  op_ = makeOp(inputs, outputs, options, loc);
  if (!op_.ok())
    op_ = withPlace(within(op_.status(), options.name), loc);
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
    return Variables(size_t(inner.graph().numOutputs()), Variable::invalid(ofOp(status, *op_)));
  };
  if (operands.size() != expected)
    return fail(makeError(ErrorKind::ValueError,
                          std::string(calledName(*op_)) + ": expected " +
                              counted(expected, "operand") + ", got " +
                              std::to_string(operands.size()),
                          place));
  std::vector<Operand> all;
  all.reserve(expected + inner.captured().size());
  Variables formal = inner.graph().inputs();
  for (size_t i = 0; i < expected; ++i) {
    absl::StatusOr<Variable> v = converted(operands[i], formal[i].type());
    absl::Status status = v.ok() ? v->status() : v.status();
    if (!status.ok() && (operands[i].isWeak() || operands[i].variable().ok()))
      return fail(withPlace(
          prefixError(status, std::string(calledName(*op_)) + ": operand " + std::to_string(i)),
          place));
    if (!status.ok()) // an operand's own
      return Variables(size_t(inner.graph().numOutputs()), Variable::invalid(status));
    all.emplace_back(*v, place);
  }
  for (const Variable &v : inner.captured())
    all.emplace_back(v, place);
  Variables results = op_->callAll(all, place);
  for (Variable &result : results)
    if (!result.ok())
      result = Variable::invalid(ofOp(result.status(), *op_));
  return results;
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
