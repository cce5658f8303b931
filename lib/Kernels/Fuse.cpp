//===- Fuse.cpp - the order of the two levels -----------------------------===//
#include "Kernels/Fuse.h"

#include <algorithm>

#include "Kernels/FusionState.h"
#include "Kernels/ProgramBuilder.h"
#include "Support/Cancel.h"

namespace graphc {

absl::StatusOr<KernelGraph> fuse(GraphRecord record) { return Fusion(std::move(record)).run(); }

absl::StatusOr<std::shared_ptr<const Callee>> fuseCallee(GraphRecord record,
                                                         const std::string &name) {
  return Fusion(std::move(record)).runCallee(name);
}

absl::StatusOr<KernelGraph> Fusion::run() {
  if (absl::Status status = makeGroups(); !status.ok())
    return status;
  return ProgramBuilder(*this).build();
}

absl::StatusOr<std::shared_ptr<const Callee>> Fusion::runCallee(const std::string &name) {
  isCallee_ = true;
  if (absl::Status status = makeGroups(); !status.ok())
    return status;
  return ProgramBuilder(*this).buildCallee(name);
}

absl::Status Fusion::makeGroups() {
  separateWindows();
  turnProducts();
  findViews();
  findUses();
  std::vector<Step> &steps = record_.emission.steps;
  for (int32_t s = 0; s < int32_t(steps.size()); ++s) {
    if (absl::Status status = checkCancelled(); !status.ok())
      return status;
    if (steps[s].kind == Step::Kind::Loops) {
      visitLoops(s);
      continue;
    }
    if (steps[s].kind == Step::Kind::View || !isLive(steps[s]))
      continue;
    FusionGroup &group = groups_.emplace_back();
    group.otherStep = s;
    for (int32_t output : steps[s].outputs)
      arrays_[output].group = int32_t(groups_.size()) - 1;
  }

  joinProducts();

  usedOutside_.assign(arrays_.size(), false);
  for (size_t id = 0; id < arrays_.size(); ++id)
    if (arrays_[id].wanted)
      usedOutside_[arrays_[id].base] = true;
  // From the end, so that what unread kernels alone read is not read, either.
  for (int32_t g = int32_t(groups_.size()) - 1; g >= 0; --g) {
    FusionGroup &group = groups_[size_t(g)];
    group.isUnread = group.otherStep < 0 && std::ranges::all_of(
                                                group.nests,
                                                [&](const auto &fused) {
                                                  return fused.checks.empty() &&
                                                         !usedOutside_[size_t(fused.nest.result)];
                                                });
    if (group.isUnread)
      continue;
    for (const FusedNest &fused : group.nests)
      for (const ScalarNode &n : fused.nest.body)
        if (n.op == ScalarOp::Load) {
          int32_t array = n.loadArray(), base = arrays_[array].base;
          if (base != array || arrays_[array].group != g)
            usedOutside_[base] = true;
        }
  }
  return absl::OkStatus();
}

} // namespace graphc
