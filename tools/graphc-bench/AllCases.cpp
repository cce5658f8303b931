//===- AllCases.cpp -------------------------------------------------------===//
#include "Case.h"

namespace graphc::bench {

std::vector<Case> allCases() {
  std::vector<Case> cases;
  addElementwise(cases);
  addRows(cases);
  addMath(cases);
  addProducts(cases);
  addBoundProducts(cases);
  addLinear(cases);
  addConvolutions(cases);
  addNetworks(cases);
  addModels(cases);
  addLoops(cases);
  addSwitches(cases);
  addCalls(cases);
  addTraining(cases);
  addCompilation(cases);
  addSites(cases);
  addRewriting(cases);
  addGradients(cases);
  addLargeGraphs(cases);
  return cases;
}

} // namespace graphc::bench
