//===- Rewrite/ConstantFolding.cpp ----------------------------------------===//
#include <algorithm>

#include "Eval/Evaluate.h"
#include "Rewrite/NodeRewriter.h"

namespace graphc {
namespace {

class ConstantFolding : public NodeRewriter {
public:
  explicit ConstantFolding(int64_t maxElements) : maxElements_(maxElements) {}
  const std::string &name() const override {
    static const std::string &name = *new std::string("constant_folding");
    return name;
  }

  std::string_view className() const override { return "ConstantFolding"; }
  /// Nothing is cheaper.
  double cost() const override { return -1e9; }

  Proposal propose(FunctionGraph &, const Apply &node, std::vector<Apply> *) const override {
    const OpDef &def = node.op().def();
    if (!def.foldable || destroysInput(def))
      return {};
    for (int i = 0; i < node.numInputs(); ++i)
      if (!node.input(i).isConstant())
        return {};
    int64_t limit = def.name == "broadcastTo" ? std::min(kMostCopies, maxElements_) : maxElements_;
    for (int i = 0; i < node.numOutputs(); ++i) {
      int64_t n = node.output(i).type().numElements();
      if (n == kDynamic || n > limit)
        return {};
    }
    std::vector<Tensor> values;
    for (int i = 0; i < node.numInputs(); ++i)
      values.push_back(Constant::from(node.input(i))->data());
    // An op that fails stays: its error occurs at the call.
    EvaluationBudget budget{kMostIterations};
    TensorsOr results = evaluate(node, values, &budget);
    Variables constants;
    for (size_t i = 0; results.ok() && i < results->size(); ++i)
      constants.push_back(
          Constant::adopt((*results)[i].contiguous(), node.output(int(i)).name(), node.place()));
    return Proposal(std::move(constants));
  }

private:
  /// Copies of few values are better made where they are needed.
  static constexpr int64_t kMostCopies = 64;
  /// About a tenth of a second.
  static constexpr int64_t kMostIterations = 1'000'000;
  int64_t maxElements_;
};

} // namespace

NodeRewriterPtr constantFolding(int64_t maxElements) {
  return std::make_shared<ConstantFolding>(maxElements);
}

} // namespace graphc
