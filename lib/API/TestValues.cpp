//===- API/TestValues.cpp -------------------------------------------------===//
#include "API/TestValues.h"

#include "API/CheckGraph.h"
#include "API/Container.h"
#include "API/Runner.h"
#include "Eval/Evaluate.h"
#include "Graph/NodeHook.h"
#include "Rewrites/ModeRewrites.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"

namespace graphc {

static thread_local const TestValues *current = nullptr;

struct TestValues::State {
  explicit State(const TestValues &owner)
      : hook([this](const Apply &node) { return compute(node); }), before(current), scope(&hook) {
    current = &owner;
  }
  ~State() { current = before; }

  std::optional<Tensor> find(const Variable &v) const;
  absl::Status compute(const Apply &node);

  absl::flat_hash_map<Variable, Tensor> values;
  NodeHook hook;
  const TestValues *before;
  NodeHookScope scope;
};

std::optional<Tensor> TestValues::State::find(const Variable &v) const {
  if (auto found = values.find(v); found != values.end())
    return found->second;
  if (std::optional<Constant> constant = Constant::from(v))
    return constant->data();
  std::optional<SharedVariable> shared = SharedVariable::from(v);
  if (!shared)
    return std::nullopt;
  absl::StatusOr<Tensor> value = detail::containerOf(*shared)->peek();
  return value.ok() ? std::optional(*std::move(value)) : std::nullopt;
}

absl::Status TestValues::State::compute(const Apply &node) {
  std::vector<Tensor> operands;
  for (const Variable &input : node.inputs()) {
    std::optional<Tensor> value = find(input);
    if (!value)
      return absl::OkStatus();
    operands.push_back(*std::move(value));
  }
  NodeHookScope quiet(nullptr); // what the evaluation makes is not the user's
  TensorsOr results = evaluate(node, operands);
  if (errorKind(results.status()) == ErrorKind::MethodNotDefined)
    return absl::OkStatus();
  if (!results.ok())
    return prefixError(results.status(), "with test values");
  for (int i = 0; i < node.numOutputs(); ++i)
    values.insert_or_assign(node.output(i), (*results)[size_t(i)]);
  return absl::OkStatus();
}

TestValues::TestValues() : state_(std::make_unique<State>(*this)) {}
TestValues::~TestValues() = default;

absl::Status TestValues::set(const Variable &v, const Tensor &value) {
  if (!v.ok())
    return v.status();
  std::string got =
      value.defined() ? Type(value.dtype(), value.shape()).brief() : "an undefined Tensor";
  if (!v.type().isTensor() || !value.defined() ||
      !v.type().isSuperOf(Type(value.dtype(), value.shape())))
    return makeError(ErrorKind::TypeError,
                     "the test value of " + quoted(v) + " wants " + v.type().brief() + " but is " +
                         got,
                     v.place());
  state_->values.insert_or_assign(v, value);
  return absl::OkStatus();
}

std::optional<Tensor> TestValues::find(const Variable &v) const { return state_->find(v); }

absl::Status checkTestValues(const GraphModule &module, const std::vector<Slot> &slots,
                             const FunctionOptions &options) {
  if (!current || !options.rewrites || !rowOf(options.mode).rewrites)
    return absl::OkStatus();
  std::vector<Tensor> values(module.inputs.size());
  for (const Slot &slot : slots) {
    if (slot.input < 0)
      continue;
    std::optional<Tensor> value = current->find(slot.variable);
    if (!value && slot.container)
      if (absl::StatusOr<Tensor> kept = slot.container->peek(); kept.ok())
        value = *std::move(kept);
    if (!value)
      return absl::OkStatus();
    values[size_t(slot.input)] = *std::move(value);
  }
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module.inputs, module.outputs);
  if (!graph.ok())
    return graph.status();
  if (absl::Status s = checkMode(options.mode); !s.ok())
    return s;
  RewriteOptions rules;
  rules.check = checkValues(std::move(values), {.comparesValues = false});
  absl::Status status = rewriteAs(options.mode, *graph, rules).status();
  return status.ok() ? status : prefixError(status, "with test values");
}

} // namespace graphc
