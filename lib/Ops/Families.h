//===- Ops/Families.h - the files of the registry -------------------*- C++ -*-===//
#pragma once

#include <vector>

#include "graphc/OpDef.h"

namespace graphc {

std::vector<OpDef> arithmeticOps();
std::vector<OpDef> comparisonOps();
std::vector<OpDef> roundingOps();
std::vector<OpDef> complexOps();
std::vector<OpDef> transcendentalOps();
std::vector<OpDef> specialOps();
std::vector<OpDef> activationOps();
std::vector<OpDef> reductionOps();
std::vector<OpDef> cumulativeOps();
std::vector<OpDef> sortingOps();
std::vector<OpDef> softmaxOps();
std::vector<OpDef> productOps();
std::vector<OpDef> fourierOps();
std::vector<OpDef> linearAlgebraOps();
std::vector<OpDef> decompositionOps();
std::vector<OpDef> matrixFactorOps();
std::vector<OpDef> matrixEquationOps();
std::vector<OpDef> convolutionOps();
std::vector<OpDef> poolingOps();
std::vector<OpDef> shapeOps();
std::vector<OpDef> joinOps();
std::vector<OpDef> padOps();
std::vector<OpDef> indexingOps();
std::vector<OpDef> indexedChangeOps();
std::vector<OpDef> takenChangeOps();
std::vector<OpDef> positionOps();
std::vector<OpDef> makingOps();
std::vector<OpDef> distributionOps();
std::vector<OpDef> controlFlowOps();
std::vector<OpDef> assertOps();
std::vector<OpDef> gradientStopOps();
std::vector<OpDef> productOfOthersOps();
std::vector<OpDef> ctcOps();
std::vector<OpDef> printOps();
std::vector<OpDef> complexProductOps();
std::vector<OpDef> eigenvalueOps();

} // namespace graphc
