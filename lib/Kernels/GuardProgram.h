//===- GuardProgram.h - programs that strangers wrote -------------*- C++ -*-===//
#pragma once

#include <string>

#include "Kernels/KernelGraph.h"

namespace graphc {

/// What is wrong with a program of text, whose numbers are all inside of their tables, and where.
struct ProgramMistake {
  /// Empty for a program that is good.
  std::string what;
  /// The step concerned; -1 for the program as a whole.
  int32_t step = -1;
};

/// Sees to it that the program calls its kernels with memory that is theirs:
///  - an array is written before it is read, by steps, sizes (`element`) and as an output;
///  - inputs, constants, and what a step reads, are not written: but for an input whose memory an
///    output takes over as reusableInputs(kernel) allows, and which nothing reads afterwards;
///  - memory that two arrays share is as long as each of them, and parts of an array follow each
///    other from its begin to its end;
///  - what a kernel and the program say of an array's number of elements is the same.
/// Where only sizes that are known later can tell the last two, a check is added to the program,
/// which runs before the step does. Programs that graphc wrote get them where sums and products of
/// extents are not seen to be equal.
///
/// Indices in the bodies of kernels are code, as that of later stages is: they are not looked at.
ProgramMistake guardProgram(KernelGraph &graph);

} // namespace graphc
