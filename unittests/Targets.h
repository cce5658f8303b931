//===- Targets.h - processors that tests make code for ----------*- C++ -*-===//
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "JIT/Target.h"

namespace graphc::testing {

/// Loops that AVX-512 gets on Intel's processors; its code runs on others, too.
inline TargetDescription intelTarget() {
  TargetDescription target = *parseTarget("x86-64-v4");
  target.name += " of Intel";
  target.isIntel = true;
  return target;
}

/// The targets that this build makes code for.
inline std::vector<TargetDescription> allTargets() {
  std::vector<TargetDescription> targets;
  for (const char *name :
       {"x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16", "x86-64-v4-amx", "aarch64"})
    if (auto target = parseTarget(name); target.ok())
      targets.push_back(*target);
  if (parseTarget("x86-64-v4").ok())
    targets.push_back(intelTarget());
  return targets;
}

/// Of these those whose code runs on this machine.
inline std::vector<TargetDescription> runnableTargets() {
  std::vector<TargetDescription> targets;
  for (TargetDescription &target : allTargets())
    if (target.whyNotHere.empty())
      targets.push_back(std::move(target));
  EXPECT_FALSE(targets.empty());
  return targets;
}

/// The same, and first this machine with all that it can do.
inline std::vector<TargetDescription> hostAndRunnableTargets() {
  std::vector<TargetDescription> targets = runnableTargets();
  targets.insert(targets.begin(), hostTarget());
  return targets;
}

} // namespace graphc::testing
