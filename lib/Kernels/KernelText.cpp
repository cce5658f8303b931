//===- KernelText.cpp - kernels and programs as text ----------------------===//
//
//   kernel @mul_add(%0: f32[n0], %1: f32[n0]) -> (%2: f32[n0]) shared 1 {
//     %2[i0] = add(%0[i0], mul(%1[i0], 2.0))            i0 < n0
//   }
//
// Values that are computed once and used more than once get a name: `v3 = exp(...)`.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstring>

#include "Kernels/KernelGraph.h"
#include "absl/strings/str_format.h"

namespace graphc {
namespace {

std::string constantText(const ScalarNode &n) {
  double real;
  switch (n.dtype) {
  case DType::Bool:
    return n.payload ? "true" : "false";
  case DType::Float16: {
    Half half;
    half.bits = uint16_t(n.payload);
    real = float(half);
    break;
  }
  case DType::BFloat16: {
    BFloat16 half;
    half.bits = uint16_t(n.payload);
    real = float(half);
    break;
  }
  case DType::Float32: {
    uint32_t bits = uint32_t(n.payload);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    real = value;
    break;
  }
  case DType::Float64:
    std::memcpy(&real, &n.payload, sizeof real);
    break;
  default: {
    int width = bitWidth(n.dtype);
    if (isUnsignedInt(n.dtype))
      return std::to_string(n.payload);
    return std::to_string(int64_t(n.payload << (64 - width)) >> (64 - width));
  }
  }
  std::string text = absl::StrFormat("%.*g", n.dtype == DType::Float64 ? 17 : 9, real);
  if (std::isfinite(real) && text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string_view combineName(Combine combine) {
  constexpr std::string_view kNames[] = {"",    "sum", "prod", "max",    "min",
                                         "and", "or",  "xor",  "argmax", "argmin"};
  return kNames[size_t(combine)];
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
      if (nest_.combine == Combine::Sum || nest_.combine == Combine::Prod)
        out += "." + std::string(dtypeShortName(nest_.accumulator));
      out += "(";
      for (size_t d = size_t(nest_.numParallel); d < nest_.extents.size(); ++d)
        out += (d > size_t(nest_.numParallel) ? ", i" : "i") + std::to_string(d);
      out += ") ";
    }
    return out + texts_[nest_.root] + "\n";
  }

private:
  int32_t rankOf(const ScalarNode &n) const {
    return n.op == ScalarOp::Load ? int32_t(kernel_.arrays[n.loadArray()].shape.size()) : 0;
  }
  std::string expression(const ScalarNode &n) const {
    switch (n.op) {
    case ScalarOp::Constant:
      return constantText(n);
    case ScalarOp::Index:
      return "i" + std::to_string(n.payload);
    case ScalarOp::Size:
      return "n" + std::to_string(n.payload);
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
    for (int k = 0; k < numScalarOperands(n.op); ++k)
      text += (k ? ", " : "") + texts_[n.args[k]];
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

} // namespace

std::string toString(const Kernel &kernel) {
  std::string out = "kernel @" + kernel.name + "(";
  const Kernel::Role roles[] = {Kernel::Role::Input, Kernel::Role::Output, Kernel::Role::Local};
  const char *before[] = {"", ") -> (", ") local ("};
  for (int r = 0; r < 3; ++r) {
    bool first = true;
    for (size_t a = 0; a < kernel.arrays.size(); ++a) {
      const Kernel::ArrayDecl &decl = kernel.arrays[a];
      if (decl.role != roles[r])
        continue;
      if (first)
        out += before[r];
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
  out += " {\n";
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

std::string toString(const KernelGraph &graph) {
  std::string out;
  for (const Kernel &kernel : graph.kernels)
    out += toString(kernel) + "\n";
  return out + toString(graph.program);
}

} // namespace graphc
