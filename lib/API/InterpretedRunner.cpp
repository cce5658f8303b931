//===- InterpretedRunner.cpp ----------------------------------------------===//
#include "API/InterpretedRunner.h"

#include "Kernels/EmitGraph.h"
#include "Kernels/Fuse.h"
#include "Runtime/ArrayMemory.h"
#include "Support/Thrown.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Traversal.h"

namespace graphc {

static int64_t bytesOf(absl::Span<const Tensor> tensors) {
  int64_t bytes = 0;
  for (const Tensor &t : tensors)
    bytes += t.defined() ? t.numBytes() : 0;
  return bytes;
}

/// What the callback says of a node; the evaluator, which calls it, lets nothing through that is
/// thrown.
static absl::Status told(const char *who, const MonitorCallback &callback,
                         const MonitoredNode &node) {
  return unlessNoMemory(
      [&] {
        absl::Status status = unlessItThrows(who, [&] { return callback(node); });
        return errorPlace(status) || status.ok()
                   ? status
                   : makeError(errorKind(status), std::string(status.message()), node.node.place());
      },
      [&] {
        return makeError(ErrorKind::OutOfMemory, std::string(who) + ": no memory for what it needs",
                         node.node.place());
      });
}

InterpretedRunner::InterpretedRunner(GraphModule module, std::shared_ptr<ProfilePart> profile,
                                     MonitorOptions monitor)
    : module_(std::move(module)), profile_(std::move(profile)), monitor_(std::move(monitor)) {
  if (!profile_ && !isMonitored())
    return;
  std::vector<detail::ProfileRecord::Step> steps;
  for (const Apply &node : ioToposort(module_.inputs, module_.outputs)) {
    numbers_[node.node()] = int32_t(steps.size());
    steps.push_back({"interpreter", {{std::string(node.op().name()), node.place()}}});
  }
  for (const Variable &output : module_.outputs)
    isOutput_.insert(output.node());
  if (profile_)
    profile_->setSteps(std::move(steps));
}

/// What the callbacks and the profile, if any, are told.
NodeWatch InterpretedRunner::watch(RunProfile *profile) const {
  auto numberOf = [this](const Apply &node) { return numbers_.at(node.node()); };
  NodeWatch watch;
  if (monitor_.before)
    watch.before = [this, numberOf](const Apply &node, absl::Span<const Tensor> inputs) {
      return told("mode 'monitor': the callback before a node", monitor_.before,
                  {node, size_t(numberOf(node)), inputs, {}});
    };
  if (!monitor_.after && !profile)
    return watch;
  watch.after = [this, numberOf, profile](const NodeRun &ran) {
    if (profile) {
      profile->steps.push_back({numberOf(ran.node),
                                ran.start,
                                ran.end,
                                {bytesOf(ran.inputs), bytesOf(ran.outputs), ran.flops}});
      for (int i = 0; i < ran.node.numOutputs(); ++i)
        if (!isOutput_.contains(ran.node.output(i).node()))
          profile->memory.intermediateBytes += bytesOf(ran.outputs.subspan(size_t(i), 1));
    }
    if (!monitor_.after)
      return absl::OkStatus();
    return told("mode 'monitor': the callback after a node", monitor_.after,
                {ran.node, size_t(numberOf(ran.node)), ran.inputs, ran.outputs});
  };
  return watch;
}

static absl::Status evaluateInto(const GraphModule &module, absl::Span<const Tensor> arguments,
                                 absl::Span<Tensor> results, const NodeWatch &watch) {
  absl::StatusOr<std::vector<Tensor>> values =
      evaluate(module.outputs, module.inputs, arguments, nullptr, watch);
  if (!values.ok())
    return values.status();
  // The evaluator hands constants and arguments through; results share no memory (F-171).
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor &value = (*values)[i];
    results[i] = value.copy();
    if (!results[i].defined())
      return makeError(ErrorKind::OutOfMemory, "result " + std::to_string(i) + ": no memory for " +
                                                   std::to_string(value.numBytes()) + " bytes of " +
                                                   Type(value.dtype(), value.shape()).brief());
  }
  return absl::OkStatus();
}

absl::Status InterpretedRunner::run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                                    OutputMemory, const Lending *) const {
  ++calls_;
  if (!profile_)
    return evaluateInto(module_, arguments, results, watch(nullptr));
  RunProfile profile;
  int64_t allocations = ArrayMemory::allocationsOfThread();
  RunProfile::Clock::time_point start = RunProfile::Clock::now();
  absl::Status status = evaluateInto(module_, arguments, results, watch(&profile));
  profile.memory.resultBytes = bytesOf(results);
  profile.allocations = ArrayMemory::allocationsOfThread() - allocations;
  profile_->add(start, std::move(profile));
  return status;
}

bool InterpretedRunner::canFail() const {
  if (isMonitored())
    return true;
  int known = canFail_; // of threads that ask at once several may look
  if (known < 0)
    canFail_ = known = programCanFail();
  return known != 0;
}

/// As the program that would be compiled: its whole graph is emitted and fused.
bool InterpretedRunner::programCanFail() const {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module_.inputs, module_.outputs);
  if (!graph.ok())
    return true;
  absl::StatusOr<GraphRecord> record = emitGraph(*graph);
  if (!record.ok())
    return true;
  absl::StatusOr<KernelGraph> kernels = fuse(*std::move(record));
  return !kernels.ok() || graphc::canFail(kernels->program);
}

Function::Counters InterpretedRunner::counters() const {
  Function::Counters counters;
  counters.calls = calls_;
  return counters;
}

} // namespace graphc
