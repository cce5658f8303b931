//===- Graph/TypesOf.h - the types of Variables -----------------*- C++ -*-===//
#pragma once

#include <vector>

#include "graphc/Variable.h"

namespace graphc {

inline std::vector<Type> typesOf(const Variables &variables) {
  std::vector<Type> types;
  types.reserve(variables.size());
  for (const Variable &v : variables)
    types.push_back(v.type());
  return types;
}

} // namespace graphc
