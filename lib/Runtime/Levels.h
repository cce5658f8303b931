//===- Runtime/Levels.h - how deep programs stand in each other ---*- C++ -*-===//
#pragma once

namespace graphc {

/// Bodies of branches and of loops, counted together.
constexpr int kMostLevels = 64;

} // namespace graphc
