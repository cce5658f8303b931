//===- KernelText.cpp - kernels and programs as text ----------------------===//
//
//   kernel @mul_add(%0: f32[n0], %1: f32[n0]) -> (%2: f32[n0]) {
//     for (i0 < n0)
//       %2[i0] = add(%0[i0], mul(%1[i0], 2.0))
//   }
//
// ReadKernels.h has the grammar: this text says everything that a Kernel is.
//
//===----------------------------------------------------------------------===//
#include <map>

#include "Kernels/KernelGraph.h"
#include "Runtime/LiteralText.h"

namespace graphc {
namespace {

/// Where nothing beside a constant tells its dtype, it stands there: f64(2.0).
std::string typedLiteral(const ScalarNode &n) {
  return std::string(dtypeShortName(n.dtype)) + "(" + literalText(n.dtype, n.payload) + ")";
}

class NestText {
public:
  NestText(const Kernel &kernel, const Nest &nest) : kernel_(kernel), nest_(nest) {}

  std::string run(const std::vector<int32_t> &conditions) {
    std::vector<int> uses(nest_.body.size(), 0);
    for (const ScalarNode &n : nest_.body) {
      for (int32_t arg : n.args)
        if (arg >= 0)
          ++uses[arg];
      for (int32_t axis = 0; axis < rankOf(n); ++axis)
        ++uses[nest_.indices[n.loadFirstIndex() + axis]];
    }
    std::string out;
    texts_.resize(nest_.body.size());
    for (size_t id = 0; id < nest_.body.size(); ++id) {
      texts_[id] = expression(nest_.body[id]);
      const ScalarNode &n = nest_.body[id];
      bool leaf = n.op < ScalarOp::Load ||
                  (n.op == ScalarOp::Load && n.args[0] < 0 && texts_[id].size() < 20);
      // Named where used twice, and cut where a line would have no end.
      if (leaf || (uses[id] < 2 && texts_[id].size() < 100) || int32_t(id) == nest_.root)
        continue;
      out += "    v" + std::to_string(id) + " = " + texts_[id] + "\n";
      texts_[id] = "v" + std::to_string(id);
    }
    for (int32_t condition : conditions)
      out += "    check " + texts_[condition] + "\n";
    out += "    %" + std::to_string(nest_.result) + "[";
    for (int32_t d = 0; d < nest_.numParallel; ++d)
      out += (d ? ", i" : "i") + std::to_string(d);
    out += "] = ";
    if (nest_.combine != Combine::None) {
      out += combineName(nest_.combine);
      if (hasAccumulator(nest_.combine))
        out += "." + std::string(dtypeShortName(nest_.accumulator));
      out += "(";
      for (size_t d = size_t(nest_.numParallel); d < nest_.extents.size(); ++d)
        out += (d > size_t(nest_.numParallel) ? ", i" : "i") + std::to_string(d);
      out += ") ";
    }
    const ScalarNode &root = nest_.body[nest_.root];
    bool isKnown = root.dtype == kernel_.arrays[nest_.result].dtype || isBool(root.dtype);
    out += root.op == ScalarOp::Constant && !isKnown ? typedLiteral(root) : texts_[nest_.root];
    return out + "\n";
  }

private:
  int32_t rankOf(const ScalarNode &n) const {
    return n.op == ScalarOp::Load ? int32_t(kernel_.arrays[n.loadArray()].shape.size()) : 0;
  }
  std::string expression(const ScalarNode &n) const {
    switch (n.op) {
    case ScalarOp::Constant:
      return literalText(n.dtype, n.payload);
    case ScalarOp::Index:
      return "i" + std::to_string(n.payload);
    case ScalarOp::Size:
      return kernel_.sizes[n.payload].constant
                 ? "size(" + std::to_string(kernel_.sizes[n.payload].value) + ")"
                 : "n" + std::to_string(n.payload);
    case ScalarOp::Load: {
      std::string text = "%" + std::to_string(n.loadArray()) + "[";
      for (int32_t axis = 0; axis < rankOf(n); ++axis)
        text += (axis ? ", " : "") + texts_[nest_.indices[n.loadFirstIndex() + axis]];
      text += "]";
      if (n.args[0] >= 0)
        text = "(" + texts_[n.args[0]] + " ? " + text + " : " + texts_[n.args[1]] + ")";
      return text;
    }
    default:
      break;
    }
    std::string text(scalarOpName(n.op));
    if (n.op == ScalarOp::Cast)
      text += "." + std::string(dtypeShortName(n.dtype));
    text += "(";
    int count = numScalarOperands(n.op), first = n.op == ScalarOp::Select ? 1 : 0;
    bool allConstant = true; // of the operands that have one dtype
    for (int k = first; k < count; ++k)
      allConstant &= nest_.body[n.args[k]].op == ScalarOp::Constant;
    for (int k = 0; k < count; ++k) {
      const ScalarNode &arg = nest_.body[n.args[k]];
      bool needsType = k == first && allConstant && !isBool(arg.dtype);
      text += (k ? ", " : "") + (needsType ? typedLiteral(arg) : texts_[n.args[k]]);
    }
    return text + ")";
  }

  const Kernel &kernel_;
  const Nest &nest_;
  std::vector<std::string> texts_;
};

std::string sizeText(const Kernel &kernel, int32_t number) {
  const Kernel::Size &s = kernel.sizes[number];
  return s.constant ? std::to_string(s.value) : "n" + std::to_string(number);
}

/// `label` stands for the kernel's name, `comment` behind the first line.
std::string kernelText(const Kernel &kernel, const std::string &label, const std::string &comment) {
  std::string out = "kernel @" + label + "(";
  const Kernel::Role roles[] = {Kernel::Role::Input, Kernel::Role::Output, Kernel::Role::Local};
  for (int r = 0; r < 3; ++r) {
    bool first = true;
    if (r == 1)
      out += ") -> (";
    for (size_t a = 0; a < kernel.arrays.size(); ++a) {
      const Kernel::ArrayDecl &decl = kernel.arrays[a];
      if (decl.role != roles[r])
        continue;
      if (first && r == 2)
        out += ") local (";
      out += (first ? "%" : ", %") + std::to_string(a) + ": " +
             std::string(dtypeShortName(decl.dtype)) + "[";
      first = false;
      for (size_t axis = 0; axis < decl.shape.size(); ++axis)
        out += (axis ? ", " : "") + sizeText(kernel, decl.shape[axis]);
      out += "]";
    }
  }
  out += ")";
  if (kernel.nests.size() > 1)
    out += " shared " + std::to_string(kernel.numShared);
  if (kernel.splitExtent < 0 && splitExtentOf(kernel) >= 0)
    out += " whole";
  if (kernel.hasLongSums)
    out += " long";
  out += " {" + comment + "\n";
  for (size_t k = 0; k < kernel.nests.size(); ++k) {
    const Nest &nest = kernel.nests[k];
    out += "  for (";
    for (size_t d = 0; d < nest.extents.size(); ++d)
      out += (d ? ", i" : "i") + std::to_string(d) + " < " + sizeText(kernel, nest.extents[d]);
    out += ")\n";
    std::vector<int32_t> conditions;
    for (const Kernel::Check &check : kernel.checks)
      if (check.nest == int32_t(k))
        conditions.push_back(check.condition);
    out += NestText(kernel, nest).run(conditions);
  }
  return out + "}\n";
}

} // namespace

std::string toString(const Kernel &kernel) { return kernelText(kernel, kernel.name, ""); }

std::string toString(const KernelGraph &graph) {
  std::string out;
  std::vector<std::string> labels;
  std::map<std::string, int> seen;
  for (const Kernel &kernel : graph.kernels) {
    int number = ++seen[kernel.name];
    labels.push_back(kernel.name + (number > 1 ? "." + std::to_string(number) : ""));
    out += kernelText(kernel, labels.back(), " // " + kernel.symbol()) + "\n";
  }
  return out + toString(graph.program, labels);
}

} // namespace graphc
