//===- ProgramBuilder.h - groups become a program -----------------*- C++ -*-===//
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "Kernels/Callee.h"
#include "Kernels/Canonicalize.h"
#include "Kernels/FusionState.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"

namespace graphc {

/// Turns finished groups into distinct kernels and the program that calls them.
class ProgramBuilder {
public:
  explicit ProgramBuilder(Fusion &fusion);
  KernelGraph build();
  /// As fuseCallee.
  absl::StatusOr<std::shared_ptr<const Callee>> buildCallee(const std::string &name);

private:
  void addInputs();
  void addGroups();
  void addKernel(FusionGroup &group);
  Program::Step::Work workOf(const Kernel &kernel, size_t nest, double cost,
                             absl::FunctionRef<int32_t(int32_t)> sizeOf);
  void addHost(int32_t step);
  /// Where the callback runs graphs that have code: a step with them, instead of `step`'s call.
  void addBodies(const HostCall &host, Program::Step &step);
  /// The program of a body, with numbers of this program's kernels.
  Program bodyWith(const KernelGraph &body);
  void addFacts(absl::Span<const int32_t> results, absl::Span<const int32_t> operands,
                const Kernel *kernel);
  void addOutputs();

  // BuildCalls.cpp
  void addCall(int32_t step);
  void orderArrays();
  void expand(const Callee::Call &call);
  int32_t viewOf(int32_t array, DType dtype, Numbers shape);
  int32_t constantOf(const Callee &callee, int32_t array, absl::Span<const int32_t> sizes);

  void addChecks();
  void addSizes();
  int32_t arrayOf(int32_t id);
  void addParts(int32_t id);
  int32_t nodeOf(int32_t node);
  KernelDraft draftOf(FusionGroup &group);
  int32_t kernelNumber(const Kernel &kernel);

  Fusion &f_;
  const Emission &e_;
  KernelGraph out_;
  std::vector<int32_t> arrays_; // of the program, by array of the emission
  std::unordered_map<int32_t, int32_t> nodes_;
  absl::flat_hash_map<std::string, int32_t> kernels_; // by content

  // Of callees: what is in the program already.
  std::map<std::pair<const Callee *, int32_t>, int32_t> calleeKernels_, calleeConstants_;
  bool isCallee_ = false;
  std::string name_; // of the callee
  std::vector<Callee::Call> calls_;
  int64_t numSteps_ = 0; // of callees
  bool hasEffects_ = false;
};

/// Lets outputs of kernels take over the memory of inputs that nobody needs any more, and finds the
/// inputs of the program that calls may have overwritten (Program::Output::over).
void shareMemory(KernelGraph &graph);

} // namespace graphc
