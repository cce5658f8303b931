//===- ReadKernels.h - kernels and programs from text -------------*- C++ -*-===//
//
// The text that toString(KernelGraph) writes. White space and `// comments` separate words.
//
//   text      = kernel* [program [constants]]
//   kernel    = "kernel" @NAME[.N] "(" arrays ")" "->" "(" arrays ")" ["local" "(" arrays ")"]
//               ["shared" N] ["whole"] ["long"] "{" nest+ "}"
//   arrays    = [%N ":" type ("," %N ":" type)*]      numbered from 0: inputs, outputs, locals
//   type      = DTYPE "[" sizes "]"
//   size      = nN | N                                an argument, or known
//   nest      = "for" "(" [i0 "<" size ("," i1 "<" size)*] ")"
//               (vN "=" value | "check" value)*
//               %N "[" i0, i1... "]" "=" [join "(" i2, i3... ")"] value
//   join      = "sum" "." DTYPE | "prod" "." DTYPE | "max" | "min" | "and" | "or" | "xor"
//             | "argmax" | "argmin"                   over the loops that are no index of the
//             result
//   value     = load | "(" value "?" load ":" value ")" | iN | nN | "size" "(" N ")" | vN
//             | NUMBER | DTYPE "(" NUMBER ")" | "true" | "false"
//             | OP "(" value ("," value)* ")" | "cast" "." DTYPE "(" value ")"
//   load      = %N "[" value ("," value)* "]"
//
// Arguments nN are passed in the order of their numbers. A number has the dtype of what stands
// beside it. `shared` stands where there are several nests, `whole` where threads share no work
// although they could, `long` where sums of products may have more than kShortSum terms. Programs:
// Runtime/ProgramText.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

#include "Kernels/KernelGraph.h"
#include "absl/status/statusor.h"

namespace graphc {

/// The text may hold anything. What is returned can be compiled: all numbers are inside of their
/// tables, dtypes agree, arrays are stored once and before they are loaded, and the program calls
/// kernels with what they take, in memory that is theirs (GuardProgram.h). Indices in bodies are
/// code, and are not checked. `program` has no outputs where the text has none. Errors:
/// ValueError with a place, also for a host call, which no text can hold.
absl::StatusOr<KernelGraph> readKernels(std::string_view text, std::string_view name);

} // namespace graphc
