//===- Import/NarrowTypes.h - element types of 8 and 4 bits ---------*- C++ -*-===//
//
// graphc computes with none of ONNX's floats of 8 and 4 bits and integers of 4. Their values are
// kept in dtypes that have all of them, float16, int8 and uint8, and which of them a value is of is
// remembered beside it while a model is read.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>

#include "Import/OnnxNode.h"

namespace graphc {

/// The dtype in which values of that TensorProto.DataType are kept; empty if it is none of these.
std::optional<DType> narrowStorage(int dataType);
inline bool isNarrow(int dataType) { return narrowStorage(dataType).has_value(); }
/// How many elements a byte has: 1 or 2.
int elementsPerByte(int dataType);
/// Elements that are stored in `bytes`, as many as the shape says.
absl::StatusOr<Tensor> decodeNarrow(int dataType, absl::Span<const uint8_t> bytes,
                                    absl::Span<const int64_t> shape);

/// x as values of a narrow type, in its storage: floats rounded to the nearest, ties to even, and,
/// beyond the greatest, that one (`saturate`) or infinity or NaN, whichever the type has; integers
/// cut to four bits.
Variable narrowed(OnnxNode &n, const Variable &x, int dataType, bool saturate);
/// The least and the greatest number of a narrow integer type.
std::pair<double, double> narrowRange(int dataType);

/// Whether ONNX's operator takes elements of narrow types, and whether it gives what its first
/// input is of.
bool takesNarrow(std::string_view op);
bool movesNarrow(std::string_view op);

} // namespace graphc
