//===- ProgramTables.cpp --------------------------------------------------===//
#include "AOT/ProgramTables.h"

#include <algorithm>

#include "Runtime/LoopErrors.h"
#include "Runtime/ProgramLayout.h"
#include "Runtime/RunError.h"
#include "graphc/Type.h"

namespace graphc {
namespace {

using Storage = Program::Array::Storage;

static_assert(kAotConstant == int(SizeOp::Constant) && kAotDim == int(SizeOp::Dim) &&
              kAotElement == int(SizeOp::Element) && kAotAdd == int(SizeOp::Add) &&
              kAotSub == int(SizeOp::Sub) && kAotMul == int(SizeOp::Mul) &&
              kAotFloorDiv == int(SizeOp::FloorDiv) && kAotMod == int(SizeOp::Mod) &&
              kAotMax == int(SizeOp::Max) && kAotMin == int(SizeOp::Min) &&
              kAotLess == int(SizeOp::Less) && kAotEqual == int(SizeOp::Equal) &&
              kAotSelect == int(SizeOp::Select) && kAotWrapAdd == int(SizeOp::WrapAdd) &&
              kAotWrapSub == int(SizeOp::WrapSub) && kAotWrapMul == int(SizeOp::WrapMul));
static_assert(kAotWithin != MessagePiece::kNoSize && kAotWithin != MessagePiece::kIndex);
static_assert(kAotNoSize == MessagePiece::kNoSize && kAotIndex == MessagePiece::kIndex);
static_assert(kAotMustEqual == int(Predicate::Equal) &&
              kAotMustLessEqual == int(Predicate::LessEqual) &&
              kAotMustLess == int(Predicate::Less) && kAotMustFit == int(Predicate::Fits));
static_assert(kAotValueError == int(ErrorKind::ValueError) &&
              kAotShapeError == int(ErrorKind::ShapeError) &&
              kAotIndexError == int(ErrorKind::IndexError) &&
              kAotNotSupported == int(ErrorKind::NotSupported) &&
              kAotOutOfMemory == int(ErrorKind::OutOfMemory));

class TableBuilder {
public:
  /// `interface`: null of a body.
  TableBuilder(const Program &program, const ProgramLayout &layout, const CallInterface *interface)
      : p_(program), layout_(layout), interface_(interface) {}

  absl::StatusOr<ProgramTables> build() {
    addSizes();
    addArrays();
    for (size_t k = 0; k < p_.steps.size(); ++k)
      addStep(int32_t(k));
    addSegments();
    if (interface_)
      addMembers();
    else
      addBodyMembers();
    for (const Program::Control &control : p_.controls)
      if (absl::Status s = addControl(control); !s.ok())
        return s;
    t_.counts.numSizes = int32_t(p_.sizes.size());
    t_.counts.numArrays = int32_t(p_.arrays.size());
    t_.counts.numSegments = int32_t(t_.segments.size());
    t_.counts.numInputs = int32_t(t_.inputs.size());
    t_.counts.numOutputs = int32_t(t_.outputs.size());
    t_.counts.numConstants = int32_t(p_.constants.size());
    t_.counts.numBodies = int32_t(t_.bodies.size());
    t_.counts.stateField = interface_ ? interface_->stateOffset : 0;
    return std::move(t_);
  }

private:
  AotRange numbers(absl::Span<const int32_t> list) {
    AotRange range = {int32_t(t_.numbers.size()), int32_t(list.size())};
    t_.numbers.insert(t_.numbers.end(), list.begin(), list.end());
    return range;
  }
  AotRange text(std::string_view text) {
    AotRange range = {int32_t(t_.text.size()), int32_t(text.size())};
    t_.text += text;
    return range;
  }
  int32_t message(ErrorKind kind, const std::vector<MessagePiece> &pieces, int32_t indices = -1,
                  int32_t extent = -1) {
    t_.messages.push_back(
        {int32_t(kind), {int32_t(t_.pieces.size()), int32_t(pieces.size())}, indices, extent});
    for (const MessagePiece &piece : pieces)
      t_.pieces.push_back({text(piece.text), piece.size});
    return int32_t(t_.messages.size()) - 1;
  }

  void addSizes() {
    Numbers dims;
    for (size_t id = 0; id < p_.sizes.size(); ++id) {
      const SizeNode &n = p_.sizes[id];
      // Where there is no operand, any number within the table will do.
      t_.sizes.push_back({int32_t(n.op), n.a, std::max(n.b, 0), std::max(n.c, 0), n.value});
      if (n.op == SizeOp::Dim)
        dims.push_back(int32_t(id));
    }
    t_.counts.dims = numbers(dims);
    for (const Program::SizeCheck &check : p_.checks)
      t_.checks.push_back({int32_t(check.predicate), check.a, check.b,
                           message(check.kind, messageOf(p_, check)),
                           check.predicate == Predicate::Fits
                               ? message(check.kind, messageOf(p_, check, /*isNegative=*/true))
                               : -1,
                           numbers(check.shape)});
  }

  void addArrays() {
    std::vector<int32_t> constants(p_.constants.size(), 0);
    for (size_t a = 0; a < p_.arrays.size(); ++a) {
      const Program::Array &array = p_.arrays[a];
      Numbers begins;
      forEachBegin(p_, int32_t(a), [&](int32_t begin) { begins.push_back(begin); });
      t_.arrays.push_back({layout_.root[a], int32_t(byteSize(array.dtype)),
                           isSignedInt(array.dtype), -1, numbers(array.shape), numbers(begins)});
      if (array.storage == Storage::Constant)
        constants[size_t(array.number)] = int32_t(a);
    }
    t_.counts.constants = numbers(constants);
    if (interface_)
      return;
    for (size_t k = 0; k < p_.inputs.size(); ++k)
      t_.arrays[size_t(p_.inputs[k].array)].source = int32_t(k);
    for (size_t k = 0; k < p_.outputs.size(); ++k)
      t_.arrays[size_t(layout_.outputRoot[k])].source = int32_t(p_.inputs.size() + k);
  }

  /// Where the failure's indices are, unless an output lies in their place.
  int32_t readableIndices(const Program::Step &step, const Program::Failure &failure) const {
    if (failure.indices < 0)
      return -1;
    auto rootOf = [&](size_t k) { return layout_.root[size_t(step.arrays[k])]; };
    for (size_t k = size_t(step.numInputs); k < step.arrays.size(); ++k)
      if (rootOf(k) == rootOf(size_t(failure.indices)))
        return -1;
    return failure.indices;
  }

  void addStep(int32_t number) {
    const Program::Step &step = p_.steps[size_t(number)];
    AotStep out = {};
    const bool isControl = step.kind == Program::Step::Kind::Control;
    out.kernel = step.kind == Program::Step::Kind::Kernel ? step.callee
                 : isControl                              ? kAotControl
                                                          : kAotCopy;
    out.control = isControl ? step.callee : -1;
    out.numInputs = step.numInputs;
    out.split = out.kernel >= 0 && p_.kernels[size_t(step.callee)].splits ? step.splitSize : -1;
    out.arrays = numbers(step.arrays);
    out.sizes = numbers(step.sizes);
    out.scratch = {int32_t(t_.scratch.size()), int32_t(step.scratch.size())};
    for (const Program::Step::Scratch &scratch : step.scratch)
      t_.scratch.push_back(
          {numbers(scratch.shape), scratch.kept.input < 0 ? int32_t(byteSize(scratch.dtype)) : 0});
    Numbers failures;
    for (int32_t failure : step.failures) {
      const Program::Failure &f = p_.failures[size_t(failure)];
      failures.push_back(
          isControl ? messageAround(f)
                    : message(f.kind, messageOf(p_, f), readableIndices(step, f), f.extent));
    }
    out.failures = numbers(failures);

    out.allocate = numbers(layout_.lifetimes[size_t(number)].allocate);
    out.release = numbers(layout_.lifetimes[size_t(number)].release);
    const auto numPointers = int32_t(step.arrays.size() + step.scratch.size());
    t_.counts.maxPointers = std::max(t_.counts.maxPointers, numPointers);
    if (!interface_) {
      t_.counts.allPointers += numPointers;
      t_.counts.allArguments += int32_t(step.sizes.size()) + 2;
    }
    t_.counts.maxArguments = std::max(t_.counts.maxArguments, int32_t(step.sizes.size()) + 2);
    t_.steps.push_back(out);
  }

  void addSegments() {
    knownIn_.assign(p_.sizes.size(), 0);
    for (size_t k = 0; k < layout_.segments.size(); ++k) {
      const ProgramLayout::Segment &s = layout_.segments[k];
      t_.segments.push_back({{s.firstStep, s.endStep - s.firstStep},
                             numbers(s.readSizes),
                             numbers(s.sizes),
                             numbers(s.checks),
                             numbers(s.outputs)});
      for (int32_t size : s.sizes)
        knownIn_[size_t(size)] = int32_t(k);
    }
  }

  static std::string quoted(const char *what, const std::string &name,
                            const CallInterface::Member &member) {
    return std::string(what) + " `" + (name.empty() ? member.name : name) + "`";
  }

  void addMembers() {
    addInputs();
    addOutputs();
  }

  void addInputs() {
    for (size_t k = 0; k < p_.inputs.size(); ++k) {
      const Program::Input &input = p_.inputs[k];
      const CallInterface::Member &member = interface_->inputs[k];
      t_.inputs.push_back({member.offset, int32_t(input.shape.size()),
                           int32_t(byteSize(input.dtype)), input.array, int32_t(t_.extents.size()),
                           text(quoted("input", input.name, member)),
                           text(std::string(dtypeShortName(input.dtype)) + member.shape)});
      t_.extents.insert(t_.extents.end(), input.shape.begin(), input.shape.end());
    }
  }

  void addOutputs() {
    for (size_t k = 0; k < p_.outputs.size(); ++k) {
      const Program::Output &output = p_.outputs[k];
      const Program::Array &array = p_.arrays[size_t(output.array)];
      const CallInterface::Member &member = interface_->outputs[k];
      int32_t segment = 0;
      for (int32_t size : array.shape)
        segment = std::max(segment, knownIn_[size_t(size)]);
      t_.outputs.push_back({member.offset, int32_t(array.shape.size()),
                            int32_t(byteSize(array.dtype)), layout_.outputRoot[k], output.array,
                            segment, text(quoted("output", output.name, member)), AotRange{}});
    }
  }

  /// As messages call them: shapes without the axis of the parts of complex numbers.
  void addBodyMembers() {
    for (size_t k = 0; k < p_.inputs.size(); ++k) {
      const Program::Input &input = p_.inputs[k];
      t_.inputs.push_back({-1, int32_t(input.shape.size()), int32_t(byteSize(input.dtype)),
                           input.array, int32_t(t_.extents.size()),
                           text("input " + std::to_string(k) + " of a body"),
                           text(Type(input.dtype, input.shape).brief())});
      t_.extents.insert(t_.extents.end(), input.shape.begin(), input.shape.end());
    }
    for (size_t k = 0; k < p_.outputs.size(); ++k) {
      const Program::Output &output = p_.outputs[k];
      const Program::Array &array = p_.arrays[size_t(output.array)];
      DType dtype = output.isComplex ? complexDType(array.dtype) : array.dtype;
      t_.outputs.push_back({-1, int32_t(array.shape.size()) - output.isComplex,
                            int32_t(byteSize(array.dtype)), layout_.outputRoot[k], output.array, 0,
                            text(Type(dtype, {}).brief()), text(output.name)});
    }
  }

  /// The step's words, with a piece where its body's come.
  int32_t messageAround(Program::Failure failure) {
    constexpr char kMark = '\1';
    failure.message = std::string(1, kMark);
    std::vector<MessagePiece> pieces = messageOf(p_, failure);
    for (size_t k = 0; k < pieces.size(); ++k)
      if (size_t place = pieces[k].text.find(kMark); place != std::string::npos) {
        MessagePiece rest{pieces[k].text.substr(place + 1), pieces[k].size};
        pieces[k] = {pieces[k].text.substr(0, place), kAotWithin};
        pieces.insert(pieces.begin() + ptrdiff_t(k) + 1, rest);
        break;
      }
    return message(failure.kind, pieces);
  }

  AotRange tapsOf(const Program::Control &control, bool ofStates) {
    const auto &lists = ofStates ? control.states : control.sequences;
    AotRange range = {int32_t(t_.taps.size()), int32_t(lists.size())};
    for (size_t k = 0; k < lists.size(); ++k) {
      AotTaps &taps = t_.taps.emplace_back(AotTaps{});
      taps.taps = numbers(lists[k]);
      if (ofStates) {
        taps.history = control.history(k);
        taps.hasAxis = control.hasHistoryAxis(k);
        taps.keepsLast = control.keepsLast[k] != 0;
      } else {
        taps.lead = int32_t(control.lead(k));
        taps.margin = int32_t(control.margin(k));
      }
    }
    return range;
  }

  absl::Status addControl(const Program::Control &control) {
    AotControl out = {};
    out.isLoop = control.isLoop;
    out.givesExtents = control.givesExtents;
    out.hasUntil = control.hasUntil;
    out.goesBackwards = control.goesBackwards;
    out.stacksBackwards = control.stacksBackwards;
    out.numLevels = control.numLevels;
    if (control.numLevels > 0) {
      Numbers levels(control.levels.begin(), control.levels.end());
      // Results have all of them.
      levels.resize(numArraysOf(control), int32_t((uint32_t(1) << control.numLevels) - 1));
      out.levels = numbers(levels);
    }
    out.sequences = tapsOf(control, false);
    out.states = tapsOf(control, true);
    out.firstBody = int32_t(t_.bodies.size());
    t_.controls.push_back(out);
    for (Program body : control.bodies) { // its steps name the whole program's kernels
      body.kernels = p_.kernels;
      for (size_t k = 0; k < body.outputs.size(); ++k)
        body.outputs[k].name =
            nameOfResult(body.outputs[k].name, k, control.isLoop ? control.states.size() : 0);
      absl::StatusOr<ProgramTables> tables = ProgramTables::ofBody(body);
      if (!tables.ok())
        return tables.status();
      t_.bodies.push_back(*std::move(tables));
    }
    return absl::OkStatus();
  }
  size_t numArraysOf(const Program::Control &control) const {
    size_t most = 0;
    for (const Program::Step &step : p_.steps)
      if (step.kind == Program::Step::Kind::Control &&
          &p_.controls[size_t(step.callee)] == &control)
        most = std::max(most, step.arrays.size());
    return most;
  }

  const Program &p_;
  const ProgramLayout &layout_;
  const CallInterface *interface_;
  ProgramTables t_;
  std::vector<int32_t> knownIn_; // segment, by size
};

} // namespace

/// NotSupported for a host callback.
static absl::Status checkSteps(const Program &program) {
  for (const Program::Step &step : program.steps) {
    if (step.kind != Program::Step::Kind::Host)
      continue;
    int32_t number = program.failures[size_t(step.failures[0])].node;
    Program::Node node;
    if (number >= 0)
      node = program.nodes[size_t(number)];
    return makeError(ErrorKind::NotSupported,
                     (node.op.empty() ? "an op" : node.op) +
                         ": it is computed by a function of this program, which libraries and "
                         "programs do not have",
                     node.place);
  }
  return absl::OkStatus();
}

static absl::StatusOr<ProgramTables> tablesOf(const Program &program,
                                              const CallInterface *interface) {
  if (absl::Status s = checkSteps(program); !s.ok())
    return s;
  absl::StatusOr<ProgramLayout> layout = ProgramLayout::create(program);
  if (!layout.ok())
    return layout.status();
  return TableBuilder(program, *layout, interface).build();
}

absl::StatusOr<ProgramTables> ProgramTables::create(const Program &program,
                                                    const CallInterface &interface) {
  return tablesOf(program, &interface);
}

absl::StatusOr<ProgramTables> ProgramTables::ofBody(const Program &body) {
  return tablesOf(body, nullptr);
}

} // namespace graphc
