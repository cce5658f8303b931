//===- Rewrites/Guards.cpp ------------------------------------------------===//
#include "Guards.h"

#include <algorithm>

namespace graphc {

Guard isInteger(std::string name) {
  return [name](const Match &m) {
    DType dtype = m[name].dtype();
    return !isFloat(dtype) && !isBool(dtype);
  };
}

Guard isFloat(std::string name) {
  return [name](const Match &m) { return isFloat(m[name].dtype()); };
}

Guard singleClient(std::string name) {
  return [name](const Match &m) { return m.graph().numClients(m[name]) == 1; };
}

Guard allOf(std::vector<Guard> guards) {
  return [guards](const Match &m) {
    return std::all_of(guards.begin(), guards.end(), [&](const Guard &g) { return g(m); });
  };
}

} // namespace graphc
