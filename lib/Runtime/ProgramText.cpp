//===- ProgramText.cpp - a program as text --------------------------------===//
//
//   program(%0: f32[s0, s1] = input 0 `x`) {
//     %2: f32[s0, s1] = arena
//     kernel @graphc_exp_… (%0) -> (%2) sizes (s3)
//   }
//
// Sizes that are not constants are listed first, with what they are made of.
//
//===----------------------------------------------------------------------===//
#include "Runtime/Program.h"

namespace graphc {
namespace {

class ProgramText {
public:
  explicit ProgramText(const Program &program) : p_(program) {}

  std::string run() {
    out_ = "program {\n";
    for (size_t id = 0; id < p_.sizes.size(); ++id)
      if (p_.sizes[id].op != SizeOp::Constant)
        out_ += "  s" + std::to_string(id) + " = " + expression(p_.sizes[id]) + "\n";
    for (const Program::SizeCheck &check : p_.checks)
      out_ += "  check " +
              (check.predicate == Predicate::Fits
                   ? std::to_string(check.a) + " bytes x " + shape(check.shape) + " fit"
                   : size(check.a) + symbol(check.predicate) + size(check.b)) +
              "\n";
    for (size_t id = 0; id < p_.arrays.size(); ++id)
      out_ += "  " + array(int32_t(id)) + "\n";
    for (const Program::Step &step : p_.steps)
      out_ += "  " + stepText(step) + "\n";
    for (const Program::Output &output : p_.outputs)
      out_ += "  return %" + std::to_string(output.array) + named(output.name) + "\n";
    return out_ + "}\n";
  }

private:
  static std::string named(const std::string &name) {
    return name.empty() ? "" : " `" + name + "`";
  }
  std::string size(int32_t id) const {
    const SizeNode &n = p_.sizes[id];
    return n.op == SizeOp::Constant ? std::to_string(n.value) : "s" + std::to_string(id);
  }
  static std::string symbol(Predicate predicate) {
    return predicate == Predicate::Equal       ? " == "
           : predicate == Predicate::LessEqual ? " <= "
                                               : " < ";
  }
  std::string expression(const SizeNode &n) const {
    switch (n.op) {
    case SizeOp::Constant:
      return std::to_string(n.value);
    case SizeOp::Dim:
      return "dim(input " + std::to_string(n.a) + ", " + std::to_string(n.b) + ")";
    case SizeOp::Element:
      return "element(%" + std::to_string(n.a) + ", " + size(n.b) + ")";
    case SizeOp::Select:
      return "select(" + size(n.a) + ", " + size(n.b) + ", " + size(n.c) + ")";
    default:
      break;
    }
    static constexpr const char *kNames[] = {
        "",    "",    "",     "add",   "sub", "mul",      "floor_div", "mod",
        "max", "min", "less", "equal", "",    "wrap_add", "wrap_sub",  "wrap_mul"};
    return std::string(kNames[size_t(n.op)]) + "(" + size(n.a) + ", " + size(n.b) + ")";
  }
  std::string shape(const std::vector<int32_t> &sizes) const {
    std::string text = "[";
    for (size_t k = 0; k < sizes.size(); ++k)
      text += (k ? ", " : "") + size(sizes[k]);
    return text + "]";
  }
  std::string array(int32_t id) const {
    const Program::Array &a = p_.arrays[id];
    std::string text = "%" + std::to_string(id) + ": " + std::string(dtypeShortName(a.dtype)) +
                       shape(a.shape) + " = ";
    std::string number = std::to_string(a.number);
    switch (a.storage) {
    case Program::Array::Storage::Input:
      return text + "input " + number + named(p_.inputs[a.number].name);
    case Program::Array::Storage::Constant:
      return text + "constant " + number;
    case Program::Array::Storage::Output:
      return text + "output " + number;
    case Program::Array::Storage::Arena:
      return text + "arena";
    case Program::Array::Storage::Same:
      return text + "memory of %" + number;
    }
    return text;
  }
  std::string stepText(const Program::Step &step) const {
    std::string text = "copy";
    if (step.kind == Program::Step::Kind::Kernel)
      text = "kernel @" + p_.kernels[step.callee].symbol;
    if (step.kind == Program::Step::Kind::Host)
      text = "host " + std::to_string(step.callee);
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
      text += " scratch " + std::string(dtypeShortName(scratch.dtype)) + shape(scratch.shape);
    return text;
  }

  const Program &p_;
  std::string out_;
};

} // namespace

std::string toString(const Program &program) { return ProgramText(program).run(); }

} // namespace graphc
