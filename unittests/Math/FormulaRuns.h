//===- FormulaRuns.h - the formulas as functions over arrays --------*- C++ -*-===//
#pragma once

#include <cstdint>

#include "Lowering/Math/MathFunction.h"

namespace graphc::math {

/// Which of the optional forms are taken: FMA and table lookups (AVX-512), FMA only (AVX2,
/// aarch64), neither (x86-64 without extensions).
enum class Form { FmaAndTables, Fma, Plain };
inline constexpr const char *kFormNames[] = {"fma and tables", "fma", "plain"};

/// out[i] = function(x[i], y[i]) by the C++ backend; n is a multiple of kRunLanes. y is not read
/// for functions of one operand.
inline constexpr int64_t kRunLanes = 16;
void run(MathFunction function, Form form, const float *x, const float *y, float *out, int64_t n);
void run(MathFunction function, Form form, const double *x, const double *y, double *out,
         int64_t n);

/// False where the processor lacks the instructions that FormulaRuns.cpp is compiled for.
bool canRun();

} // namespace graphc::math
