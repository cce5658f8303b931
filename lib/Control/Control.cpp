//===- Control.cpp - ops with bodies ---------------------------------------===//
#include "Control/Control.h"

namespace graphc {

namespace {

size_t numOperands(const Control &control) {
  if (!control.loop)
    return 1 + size_t(control.bodies[0].numInputs());
  size_t taps = 0;
  for (const auto *list : {&control.loop->sequences, &control.loop->states})
    for (const std::vector<int> &of : *list)
      taps += of.size();
  return control.loop->firstConstant() + size_t(control.bodies[0].numInputs()) - taps;
}

} // namespace

absl::Status tooManyLevels(Place place) {
  return makeError(ErrorKind::NotSupported,
                   "branches and loops stand in each other more than " +
                       std::to_string(kMostLevels) +
                       " levels deep: choose by switch, or join some of them",
                   place);
}

std::shared_ptr<const ControlStep> controlStep(const Control &control, bool givesExtents) {
  auto step = std::make_shared<ControlStep>();
  step->code = control.code;
  Program::Control &shape = step->shape;
  shape.givesExtents = givesExtents;
  shape.isLoop = control.loop.has_value();
  if (control.loop) {
    const Loop &loop = *control.loop;
    shape.hasUntil = loop.hasUntil;
    shape.goesBackwards = loop.goesBackwards;
    shape.stacksBackwards = loop.stacksBackwards;
    shape.sequences = loop.sequences;
    shape.states = loop.states;
    shape.keepsLast.assign(loop.keepsLast.begin(), loop.keepsLast.end());
  }
  return step;
}

absl::StatusOr<Op> controlOp(Control of) {
  auto control = std::make_shared<const Control>(std::move(of));
  OpDef def;
  def.name = control->loop ? "scan" : "branch";
  for (size_t i = 0; i < numOperands(*control); ++i)
    def.operands.push_back({"x" + std::to_string(i)});
  def.numResults = int(control->results.size());
  def.defaultResult = def.numResults == 1 ? 0 : -1;
  def.type = [types = control->results](const TypeRequest &) -> absl::StatusOr<std::vector<Type>> {
    return types;
  };
  if (control->loop) {
    def.pullback = [control](const Op &, Inputs in, Outputs out, Gradients g) {
      return pullLoop(*control, in, out, g);
    };
    def.pushforward = [control](const Op &, Inputs in, Outputs out, Tangents t) {
      return pushLoop(*control, in, out, t);
    };
  }
  def.complex.isNative = true;
  def.emit = [control](Emitter &e, const Arrays &in, const Attributes &) {
    return control->loop ? emitLoop(control, e, in) : emitBranch(control, e, in);
  };
  def.foldable = false;
  def.control = std::move(control);
  return defineOp(std::move(def));
}

const Control *controlOf(const Op &op) { return op.def().control.get(); }

absl::StatusOr<Op> withCode(const Op &op, std::shared_ptr<const BodyCode> code) {
  Control control = *controlOf(op);
  control.code = std::move(code);
  return controlOp(std::move(control));
}

} // namespace graphc
