//===- Routines/Routines.h - functions on arrays that programs name -*- C++ -*-===//
//
// What loops over independent elements cannot say well. Ops call them by Emitter::routine; each
// says which parameters it has and of which dtypes and shapes its arrays are, on which it relies.
// Elements are visited in one order for any number of threads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Host.h"

namespace graphc {

//===--- running along an axis (Cumulate.cpp) ----------------------------------------===//

/// Parameters: isReverse, isExclusive. Arrays x and the result, (outer, n, inner), of one dtype:
/// y[k] = x[0] + ... + x[k], or before k. Floats are joined in float64, integers wrap.
extern const Routine kCumulativeSum;
extern const Routine kCumulativeProduct;
/// Parameters: isReverse, isShifted. Floats a, b and the result r, (outer, n, inner):
/// r[k] = a[k] r[p] + b[k], where p is the position before k and r before the first is 0; a[p] in
/// the place of a[k] where it is shifted.
extern const Routine kLinearRecurrence;

/// As kLinearRecurrence of complex numbers: aRe, aIm, bRe, bIm to both parts of r; float32 or
/// float64.
extern const Routine kComplexRecurrence;

//===--- order (Sort.cpp) ------------------------------------------------------------===//
//
// Numbers ascend with NaNs, which are all equal, behind them; -0 equals 0. All sorting is stable,
// also where the order is descending (NaNs in front).

/// Parameters: isDescending. Rows (rows, n) of any dtype to rows of the same dtype.
extern const Routine kSort;
/// To the int64 positions in the row.
extern const Routine kArgsort;
/// To those of the first k, (rows, k), k <= n.
extern const Routine kArgtopk;
/// Rows (n, m) in lexicographic order: n int64 positions. No parameters.
extern const Routine kArgsortRows;

//===--- search (Search.cpp) ---------------------------------------------------------===//

/// Parameters: isRight. How many elements of a sorted vector are less than each value, (any
/// shape), or not greater: int64. One dtype.
extern const Routine kSearchSorted;
/// Positions of the elements that are not 0 in row-major order: int64 (rank, count), of an array
/// that has so many.
extern const Routine kNonzero;
/// int64 positions below n, and n int64: the last k with positions[k] = i, or -1.
extern const Routine kLastWriters;

//===--- sequences (Ctc.cpp) ---------------------------------------------------------===//

/// Parameters: the blank. Float64 logarithms of probabilities (times, batch, classes), int64 labels
/// (batch, most), and how many times and labels each element has, (batch). To the losses (batch),
/// or their gradient by the logarithms. IndexError for labels, ValueError for numbers out of range.
extern const Routine kCtcLoss;
extern const Routine kCtcGradient;
/// The same with a direction of the logarithms as fifth input: the gradient's derivative along it.
extern const Routine kCtcGradientAlong;

//===--- messages (Print.cpp) --------------------------------------------------------===//

/// Parameters: whether a debugger is called. Uint8 text, a bool, and x, of which it gives a copy.
extern const Routine kPrint;

//===--- Fourier transforms (Fourier.cpp) --------------------------------------------===//
//
// Along the middle axis of arrays (outer, n, inner) of float32 or float64, without a factor, n
// >= 1.

/// Parameter: isInverse. Real and imaginary parts to those of the transform.
extern const Routine kComplexFourier;
/// No parameters. A real array to both parts of the first n/2 + 1 numbers of its transform.
extern const Routine kRealFourier;
/// No parameters. Both parts of n/2 + 1 numbers to the n real ones of the inverse transform.
extern const Routine kRealInverseFourier;

//===--- boxes (Boxes.cpp) -----------------------------------------------------------===//

/// Parameters: isCentered. Float32 boxes (batch, n, 4), scores (batch, classes, n), and of one
/// element each: int64 most, float32 overlap and score. Gives int64 (most, 3) positions, those of
/// the boxes that are kept in front, and their number.
extern const Routine kNonMaxSuppression;

} // namespace graphc
