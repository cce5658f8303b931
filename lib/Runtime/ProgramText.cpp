//===- ProgramText.cpp - a program as text --------------------------------===//
//
//   program `main` {
//     s0 = dim(input 0, 0)
//     check 4 bytes x [s0] fit else ValueError "..." at node 0
//     %0: f32[s0] = input 0 `x`
//     %1: f32[s0] = output 0
//     kernel @exp (%0) -> (%1) sizes [s0] work [s0 x 0.2]
//     return %1
//     node 0 = "exp" "rows.mlir":2:8 (`x`: f32[s0])
//   }
//
// Sizes that are not constants are listed first, with what they are made of, and have numbers of
// their own. After the steps come the nodes of the graph that messages name; after the program,
// the elements of constants.
//
//===----------------------------------------------------------------------===//
#include <bit>
#include <cstring>

#include "Runtime/LiteralText.h"
#include "Runtime/Program.h"
#include "Support/Text.h"
#include "graphc/Type.h"

namespace graphc {
namespace {

/// Constants of more elements stand as the hexadecimal digits of their bytes.
constexpr int64_t kMaxListed = 16;

class ProgramText {
public:
  ProgramText(const Program &program, absl::Span<const std::string> labels)
      : p_(program), labels_(labels) {
    for (const SizeNode &n : p_.sizes)
      numbers_.push_back(n.op == SizeOp::Constant ? -1 : numSizes_++);
  }

  std::string run() {
    out_ = "program" + named(p_.name) + " {\n";
    for (size_t id = 0; id < p_.sizes.size(); ++id)
      if (p_.sizes[id].op != SizeOp::Constant)
        line(size(int32_t(id)) + " = " + expression(p_.sizes[id]));
    for (const Program::SizeCheck &check : p_.checks)
      line("check " +
           (check.predicate == Predicate::Fits
                ? std::to_string(check.a) + " bytes x " + shape(check.shape) + " fit"
                : size(check.a) + symbol(check.predicate) + size(check.b)) +
           " else " + errorText(check.kind, check.message, check.node));
    for (size_t id = 0; id < p_.arrays.size(); ++id)
      line(array(int32_t(id)));
    for (const Program::Step &step : p_.steps)
      line(stepText(step));
    for (const Program::Output &output : p_.outputs)
      line("return %" + std::to_string(output.array) + named(output.name) +
           (output.isComplex ? " complex" : ""));
    for (size_t id = 0; id < p_.nodes.size(); ++id)
      line("node " + std::to_string(id) + " = " + node(p_.nodes[id]));
    out_ += "}\n";
    addConstants();
    addBodies();
    return std::move(out_);
  }

private:
  void line(const std::string &text) { out_ += "  " + text + "\n"; }
  static std::string named(const std::string &name) {
    return name.empty() ? "" : " " + quotedText(name, '`');
  }
  std::string size(int32_t id) const {
    const SizeNode &n = p_.sizes[id];
    return n.op == SizeOp::Constant ? std::to_string(n.value) : "s" + std::to_string(numbers_[id]);
  }
  static std::string symbol(Predicate predicate) {
    return predicate == Predicate::Equal       ? " == "
           : predicate == Predicate::LessEqual ? " <= "
                                               : " < ";
  }
  static std::string errorText(ErrorKind kind, const std::string &message, int32_t node) {
    return std::string(errorKindName(kind)) +
           (message.empty() ? "" : " " + quotedText(message, '"')) +
           (node < 0 ? "" : " at node " + std::to_string(node));
  }
  std::string expression(const SizeNode &n) const {
    switch (n.op) {
    case SizeOp::Dim:
      return "dim(input " + std::to_string(n.a) + ", " + std::to_string(n.b) + ")";
    case SizeOp::Element:
      return "element(%" + std::to_string(n.a) + ", " + size(n.b) + ")";
    case SizeOp::Select:
      return "select(" + size(n.a) + ", " + size(n.b) + ", " + size(n.c) + ")";
    default:
      break;
    }
    return std::string(sizeOpName(n.op)) + "(" + size(n.a) + ", " + size(n.b) + ")";
  }
  std::string shape(const Numbers &sizes) const {
    return "[" + join(sizes, ", ", [&](int32_t id) { return size(id); }) + "]";
  }
  std::string type(DType dtype, const Numbers &sizes) const {
    return std::string(dtypeShortName(dtype)) + shape(sizes);
  }
  std::string array(int32_t id) const {
    const Program::Array &a = p_.arrays[id];
    std::string text = "%" + std::to_string(id) + ": " + type(a.dtype, a.shape) + " = ";
    std::string number = std::to_string(a.number);
    switch (a.storage) {
    case Program::Array::Storage::Input:
      return text + "input " + number + named(p_.inputs[a.number].name) +
             declared(p_.inputs[a.number], a);
    case Program::Array::Storage::Constant:
      return text + "constant " + number;
    case Program::Array::Storage::Output:
      return text + "output " + number;
    case Program::Array::Storage::Arena:
      return text + "arena";
    case Program::Array::Storage::Same:
      return text + "memory of %" + number + (a.isPart() ? " from " + size(a.begin) : "");
    }
    return text;
  }
  /// The extents that callers may count on, where they are not those of the array.
  std::string declared(const Program::Input &input, const Program::Array &array) const {
    std::vector<int64_t> shape = staticShape(p_, array);
    std::string text = isComplex(input.dtype) ? " complex" : "";
    if (isComplex(input.dtype))
      shape.pop_back();
    if (input.shape == shape)
      return text;
    auto extent = [](int64_t n) { return n == kDynamic ? std::string("?") : std::to_string(n); };
    return text + " declared [" + join(input.shape, ", ", extent) + "]";
  }
  std::string stepText(const Program::Step &step) const {
    std::string text = "copy";
    if (step.kind == Program::Step::Kind::Kernel)
      text = "kernel @" +
             (labels_.empty() ? p_.kernels[step.callee].symbol : labels_[size_t(step.callee)]);
    if (step.kind == Program::Step::Kind::Host)
      text = "host " + std::to_string(step.callee);
    if (step.kind == Program::Step::Kind::Control)
      text = controlText(p_.controls[size_t(step.callee)]) + " " + std::to_string(step.callee);
    for (int k = 0; k < 2; ++k) {
      size_t begin = k ? size_t(step.numInputs) : 0;
      size_t end = k ? step.arrays.size() : size_t(step.numInputs);
      text += k ? " -> (" : " (";
      for (size_t i = begin; i < end; ++i)
        text += (i > begin ? ", %" : "%") + std::to_string(step.arrays[i]);
      text += ")";
    }
    if (!step.sizes.empty())
      text += " sizes " + shape(step.sizes);
    for (const Program::Step::Scratch &scratch : step.scratch)
      text += scratch.kept.input < 0 ? " scratch " + type(scratch.dtype, scratch.shape)
                                     : (scratch.kept.columns ? " panels of %" : " rows of %") +
                                           std::to_string(step.arrays[size_t(scratch.kept.input)]);
    if (!step.work.empty())
      text += " work [" +
              join(step.work, ", ",
                   [&](const Program::Step::Work &work) {
                     return size(work.count) + " x " +
                            literalText(DType::Float32, std::bit_cast<uint32_t>(work.nanoseconds));
                   }) +
              "]";
    for (int32_t number : step.failures) {
      const Program::Failure &failure = p_.failures[size_t(number)];
      text += " else " + errorText(failure.kind, failure.message, failure.node);
      if (failure.extent >= 0)
        text += " extent " + size(failure.extent);
      if (failure.indices >= 0)
        text += " indices " + std::to_string(failure.indices);
    }
    return text;
  }
  /// "loop over [0] [-1, 0] states [-2, -1] last [-1] until backwards": the taps.
  static std::string controlText(const Program::Control &control) {
    std::string text = control.isLoop ? "loop" : "branch";
    auto number = [](int32_t tap) { return std::to_string(tap); };
    for (const std::vector<int32_t> &taps : control.sequences)
      text += " over [" + join(taps, ", ", number) + "]";
    for (size_t k = 0; k < control.states.size(); ++k)
      text += (control.keepsLast[k] ? " last [" : " state [") +
              join(control.states[k], ", ", number) + "]";
    if (control.hasUntil)
      text += " until";
    if (control.goesBackwards)
      text += " backwards";
    if (control.stacksBackwards)
      text += " stacks_backwards";
    if (control.givesExtents)
      text += " extents";
    if (control.numLevels > 0) {
      text += " levels " + std::to_string(control.numLevels) + " [" +
              join(control.levels, ", ", [](uint32_t has) { return std::to_string(has); }) + "]";
    }
    return text;
  }
  std::string node(const Program::Node &node) const {
    std::string text = quotedText(node.op, '"');
    if (node.place.known())
      text += " at " + quotedText(node.place.file, '"') + ":" + std::to_string(node.place.line) +
              ":" + std::to_string(node.place.column);
    text += named(node.result) + " (";
    return text +
           join(node.operands, ", ",
                [&](const Program::Node::Operand &operand) {
                  return quotedText(operand.label, '`') + ": " + type(operand.dtype, operand.shape);
                }) +
           ")";
  }

  void addConstants() {
    if (p_.constants.empty())
      return;
    out_ += "\nconstants {\n";
    for (size_t k = 0; k < p_.constants.size(); ++k) {
      Tensor dense = p_.constants[k].contiguous();
      out_ += "  " + std::to_string(k) + ": " + std::string(dtypeShortName(dense.dtype())) + "[" +
              join(dense.shape(), ", ", [](int64_t n) { return std::to_string(n); }) + "] = ";
      const auto *bytes = static_cast<const unsigned char *>(dense.data());
      int64_t size = byteSize(dense.dtype()), count = dense.numElements();
      auto element = [&](int64_t i) {
        uint64_t bits = 0;
        std::memcpy(&bits, bytes + i * size, size_t(size));
        return literalText(dense.dtype(), bits);
      };
      // All elements are equal.
      if (count > 1 && std::memcmp(bytes, bytes + size, size_t((count - 1) * size)) == 0) {
        out_ += element(0) + "\n";
        continue;
      }
      if (count <= kMaxListed) {
        out_ += "[";
        for (int64_t i = 0; i < count; ++i)
          out_ += (i ? ", " : "") + element(i);
        out_ += "]\n";
        continue;
      }
      out_ += '"';
      for (int64_t i = 0; i < dense.numBytes(); ++i) {
        out_ += "0123456789abcdef"[bytes[i] >> 4];
        out_ += "0123456789abcdef"[bytes[i] & 15];
      }
      out_ += "\"\n";
    }
    out_ += "}\n";
  }

  /// "body 0.1 of `main`": the second body of the first step that has some.
  void addBodies() {
    std::vector<std::string> labels(labels_.begin(), labels_.end());
    if (labels.empty())
      for (const Program::Kernel &kernel : p_.kernels)
        labels.push_back(kernel.symbol);
    for (size_t k = 0; k < p_.controls.size(); ++k)
      for (size_t b = 0; b < p_.controls[k].bodies.size(); ++b)
        out_ += "\nbody " + std::to_string(k) + "." + std::to_string(b) + " of" +
                named(p_.name.empty() ? "program" : p_.name) + "\n" +
                ProgramText(p_.controls[k].bodies[b], labels).run();
  }

  const Program &p_;
  absl::Span<const std::string> labels_;
  std::string out_;
  std::vector<int32_t> numbers_; // of the sizes that are no constants
  int32_t numSizes_ = 0;
};

} // namespace

std::string_view sizeOpName(SizeOp op) {
  static constexpr std::string_view kNames[] = {
      "",    "dim", "element", "add",   "sub",    "mul",      "floor_div", "mod",
      "max", "min", "less",    "equal", "select", "wrap_add", "wrap_sub",  "wrap_mul"};
  return kNames[size_t(op)];
}

std::string toString(const Program &program, absl::Span<const std::string> labels) {
  return ProgramText(program, labels).run();
}

} // namespace graphc
