//===- Rewrite/UpcastConstants.cpp - constants of their op's own dtype ----===//
#include <algorithm>

#include "Graph/Nodes.h"
#include "Rewrite/NodeRewriter.h"

namespace graphc {
namespace {

/// Ops that convert each operand to the result's dtype.
constexpr std::string_view kPromoting[] = {"add", "sub", "mul", "maximum", "minimum"};
/// Larger constants would take their memory a second time.
constexpr int64_t kMostElements = 4096;

class UpcastConstants : public NodeRewriter {
public:
  const std::string &name() const override {
    static const std::string &name = *new std::string("upcast_constants");
    return name;
  }

  std::string_view className() const override { return "UpcastConstants"; }

  Proposal propose(FunctionGraph &, const Apply &node, std::vector<Apply> *) const override {
    if (std::ranges::find(kPromoting, node.op().name()) == std::end(kPromoting))
      return {};
    DType wanted = node.output(0).dtype();
    // A complex constant has an imaginary part of its own: v + 1 keeps the sign of v's zero, v + (1
    // + 0j) makes it positive, and infinity times (2 + 0j) has a NaN.
    auto isNarrow = [&](const detail::VariableNode *v) {
      return v->constant && v->type.dtype() != wanted && v->type.numElements() <= kMostElements &&
             isComplex(v->type.dtype()) == isComplex(wanted);
    };
    detail::ApplyNode *counted = node.node();
    bool any = false;
    for (uint32_t i = 0; i < counted->numInputs; ++i)
      any |= isNarrow(counted->input(i));
    if (!any)
      return {};
    std::vector<Operand> operands;
    for (uint32_t i = 0; i < counted->numInputs; ++i) {
      Variable v = Variable::fromNode(counted->input(i));
      if (isNarrow(counted->input(i)))
        v = Constant::adopt(Constant::from(v)->data().cast(wanted).contiguous(), v.name(),
                            v.place());
      operands.emplace_back(v, node.place());
    }
    return Variables{node.op().call(operands, node.place())};
  }
};

} // namespace

NodeRewriterPtr upcastConstants() { return std::make_shared<UpcastConstants>(); }

} // namespace graphc
