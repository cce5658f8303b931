//===- Ops/Rules.h - type rules and emissions that ops share ------*- C++ -*-===//
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "graphc/OpDef.h"

namespace graphc {

using TypesOr = absl::StatusOr<std::vector<Type>>;

//===--- dtypes ---------------------------------------------------------------===//

/// How an elementwise op's result dtype follows from its operands' (docs/Ops.md's letters).
enum class Result {
  Promoted, // P
  Floating, // PF: promotion, then F-009
  Bool,     // B
};

/// Dtypes that an op takes.
enum class Accept {
  Any,
  NotBool,  // F-013
  Bits,     // integers, or all bool
  Integers, // no bool
  Floats,
};

/// Promotion of all operands.
DType promoteAll(const TypeRequest &request);
/// A TypeError if an operand is not accepted.
absl::Status checkAccepted(const TypeRequest &request, Accept accept);
/// Halves are computed in float32 and rounded once (F-009).
DType computeDType(DType dtype);
/// F-012: sums and products of float32 and the halves are joined in a wider dtype.
DType accumulatorDType(DType dtype);

//===--- type rules -------------------------------------------------------------===//

/// F-019 to F-023: the static shape of an elementwise op; ShapeError where extents differ.
absl::StatusOr<std::vector<int64_t>> broadcastShape(absl::Span<const Type> types);
/// Broadcast shape, dtype by `result`.
TypeRule elementwise(Result result, Accept accept = Accept::Any);
/// The types of the results, of these dtypes: the shapes are those that the op's emission gives,
/// with extents that follow from types, constants and small integer operands computed from them
/// (F-024); a requirement of the emission that surely fails is the error.
TypesOr inferShapes(const TypeRequest &request, absl::Span<const DType> results);
/// One result with the dtype of the first operand, shape by inferShapes.
TypesOr inferLikeFirst(const TypeRequest &request);
/// A TypeError unless operand i is an integer array of that rank.
absl::Status requireIntegers(const TypeRequest &request, size_t i, int rank);
/// Length of operand i, an integer vector of known length that is a shape.
absl::StatusOr<int> vectorLength(const TypeRequest &request, size_t i);

//===--- attributes ---------------------------------------------------------------===//

/// One that may be none, and is so by default.
AttributeSpec optionalAttribute(std::string name, AttributeKind kind, std::string doc);
/// Axes counted from the end become plain. AxisError out of range, ValueError for repeats; `what`
/// stands in messages ("axis").
absl::StatusOr<std::vector<int>> normalizeAxes(absl::Span<const int64_t> axes, int rank);
absl::StatusOr<int> normalizeAxis(int64_t axis, int rank);
/// An AxisError unless the op's attribute `axis` is one of operand 0.
absl::Status requireAxis(const TypeRequest &request);
/// The op's attribute `axes`: all axes where it is none. Valid after the type rule.
std::vector<int> axesOf(const Attributes &attributes, int rank);

//===--- emission -----------------------------------------------------------------===//

/// Operands that one nest joins. More go through arrays between nests: the time of LLVM grows
/// faster than a body, and joining along an axis compares with each part's range at each element.
constexpr size_t kMaxJoined = 16;
/// One map: operands cast to the result's dtype, then `op`.
EmitRule mapTo(ScalarOp op);
using MapBody = std::function<Scalar(Emitter &, const Scalars &, const Attributes &)>;
/// One map: operands cast to the result's dtype (halves to float32), `body`, cast to the result's.
EmitRule mapWith(MapBody body);
/// The same where the body sees operands as they are and gives the result's dtype.
EmitRule mapRaw(MapBody body);
/// One nest: joins body(x[...]) over `axes`, each element as the scalar of x.
Array reduceMapped(Emitter &e, Combine combine, Array x, const std::vector<int> &axes,
                   bool keepDims, const std::function<Scalar(Scalar)> &body,
                   const ReduceOptions &options = {});
/// The element at `i` of an array whose `axes` have extent 1.
Scalar loadKept(Emitter &e, Array kept, Indices i, const std::vector<int> &axes);
/// x cast by a map; x itself where it has the dtype.
Array castArray(Emitter &e, Array x, DType dtype);

//===--- documentation ------------------------------------------------------------===//

/// Sections of docs/Ops.md, in its order.
inline constexpr std::string_view kSections[] = {"Elementwise arithmetic",
                                                 "Comparison, logic, bits",
                                                 "Rounding and casts",
                                                 "Complex numbers",
                                                 "Exponential and trigonometric",
                                                 "Special functions",
                                                 "Activations",
                                                 "Reductions",
                                                 "Products",
                                                 "Fourier transforms",
                                                 "Linear algebra",
                                                 "Convolution and pooling",
                                                 "Shape",
                                                 "Indexing",
                                                 "Making arrays",
                                                 "Random numbers",
                                                 "Control flow",
                                                 "Gradient stops",
                                                 "Parts of derivatives"};
enum Section {
  kArithmetic,
  kComparison,
  kRounding,
  kComplex,
  kTranscendental,
  kSpecial, // their functions are in graphc/Special.h
  kActivations,
  kReductions,
  kProducts,
  kFourier, // their functions are in graphc/Fourier.h
  kLinearAlgebra,
  kConvolution,
  kShape,
  kIndexing,
  kMaking,
  kRandom,  // their functions are in graphc/Random.h
  kControl, // their functions are in graphc/ControlFlow.h
  kStops,
  kDerivatives, // ops that gradients are made of; they have no functions in C++
};
inline std::string section(Section s) { return std::string(kSections[s]); }

} // namespace graphc
