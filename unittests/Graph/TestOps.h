//===- TestOps.h - small ops for the tests of the graph ---------*- C++ -*-===//
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "Graph/Builtins.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"

namespace graphc {

/// A definition with an elementwise emission that copies its first operand; tests change fields.
inline OpDef testDef(std::string name, int numOperands = 1) {
  OpDef def;
  def.name = std::move(name);
  for (int i = 0; i < numOperands; ++i)
    def.operands.push_back({"x" + std::to_string(i)});
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    std::vector<DType> dtypes;
    for (const Variable &v : r.inputs)
      dtypes.push_back(v.dtype());
    const Type &widest = r.type(0);
    for (size_t i = 1; i < r.size(); ++i)
      if (r.type(i).rank() == widest.rank() && r.type(i).shape() != widest.shape())
        return makeError(ErrorKind::ShapeError,
                         "operands 0 and " + std::to_string(i) + " have different shapes");
    return std::vector<Type>(size_t(r.op.def().numResults), widest.withDType(promote(dtypes)));
  };
  def.emit = [](Emitter &, const Arrays &in, const Attributes &) { return Arrays{in[0]}; };
  return def;
}

/// The built-in op of that name, where there is one.
inline Op testOp(std::string name, int numOperands = 1) {
  if (const OpDef *builtin = findOp(name))
    return *Op::create(*builtin);
  return *defineOp(testDef(std::move(name), numOperands));
}

/// The ops of its nodes, producers first: "add exp ".
inline std::string text(const FunctionGraph &fg) {
  std::string s;
  std::vector<Apply> order = *fg.toposort();
  for (const Apply &node : order)
    s += std::string(node.op().name()) + " ";
  return s;
}

inline void expectSound(const FunctionGraph &fg) {
  EXPECT_TRUE(fg.checkIntegrity().ok()) << fg.checkIntegrity();
}

} // namespace graphc
