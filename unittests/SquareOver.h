//===- SquareOver.h - an op that overwrites its operand ---------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {

/// x * x in the memory of x.
inline OpDef squareOver(std::string name) {
  OpDef def;
  def.name = std::move(name);
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) { return std::vector<Type>{r.type(0)}; };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return Arrays{e.map(in, [](const Scalars &s) { return s[0] * s[0]; })};
  };
  def.pullback = [](const Op &, Inputs in, Outputs, Gradients g) {
    return Variables{2 * g[0] * in[0]};
  };
  def.pushforward = [](const Op &, Inputs in, Outputs, Tangents t) {
    return Variables{2 * t[0] * in[0]};
  };
  def.destroyMap = {0};
  return def;
}

} // namespace graphc
