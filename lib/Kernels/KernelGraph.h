//===- KernelGraph.h - a whole program of kernels -----------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "Kernels/Kernel.h"
#include "Runtime/Program.h"

namespace graphc {

/// What fusion makes of a graph: the distinct kernels, and the program that calls them.
/// `program.kernels[i]` names the compiled form of `kernels[i]`.
struct KernelGraph {
  std::vector<Kernel> kernels;
  Program program;
};

/// As `--emit=kernels` prints it: the kernels, then the program with its buffers.
std::string toString(const KernelGraph &graph);

} // namespace graphc
