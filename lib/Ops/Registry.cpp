//===- Registry.cpp --------------------------------------------------------===//
#include "Registry.h"

#include <algorithm>

#include "ComplexRules.h"
#include "Families.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {
namespace {

constexpr std::string_view kCommutative[] = {
    "add",        "mul",       "maximum",    "minimum",    "eq",        "neq",
    "logicalAnd", "logicalOr", "logicalXor", "bitwiseAnd", "bitwiseOr", "bitwiseXor",
};

template <size_t N> bool has(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

struct Registry {
  std::vector<const OpDef *> ops;
  absl::flat_hash_map<std::string_view, const OpDef *> byName;

  void add(std::vector<OpDef> family) {
    for (OpDef &def : family) {
      def.commutative = has(kCommutative, def.name);
      if (!def.complex.isNative)
        def.complex = complexRuleOf(def.name);
      const OpDef *op = new OpDef(std::move(def));
      ops.push_back(op);
      [[maybe_unused]] bool isNew = byName.try_emplace(op->name, op).second;
      assert(isNew && "two ops of one name");
    }
  }

  Registry() {
    add(arithmeticOps());
    add(comparisonOps());
    add(roundingOps());
    add(complexOps());
    add(transcendentalOps());
    add(specialOps());
    add(activationOps());
    add(ctcOps());
    add(reductionOps());
    add(cumulativeOps());
    add(softmaxOps());
    add(productOps());
    add(fourierOps());
    add(linearAlgebraOps());
    add(decompositionOps());
    add(matrixFactorOps());
    add(matrixEquationOps());
    add(convolutionOps());
    add(poolingOps());
    add(shapeOps());
    add(joinOps());
    add(padOps());
    add(indexingOps());
    add(indexedChangeOps());
    add(takenChangeOps());
    add(positionOps());
    add(sortingOps());
    add(makingOps());
    add(distributionOps());
    add(controlFlowOps());
    add(printOps());
    add(assertOps());
    add(gradientStopOps());
    add(productOfOthersOps());
    add(complexProductOps());
    add(eigenvalueOps());
  }
};

/// Made at the first use and never destroyed, since Ops in static storage refer to it.
const Registry &registry() {
  static const Registry &instance = *new Registry();
  return instance;
}

} // namespace

absl::Span<const OpDef *const> allOps() { return registry().ops; }

const OpDef *findOp(std::string_view name) {
  auto found = registry().byName.find(name);
  return found == registry().byName.end() ? nullptr : found->second;
}

} // namespace graphc
