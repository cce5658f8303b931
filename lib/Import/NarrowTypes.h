//===- Import/NarrowTypes.h - element types of 8, 4 and 2 bits ------*- C++ -*-===//
//
// graphc computes with none of ONNX's floats of 8 and 4 bits and integers of 4 and 2. Their values
// are kept in dtypes that have all of them, float16, float32 (of powers of 2), int8 and uint8, and
// which of them a value is of is remembered beside it while a model is read.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>

#include "Import/OnnxNode.h"

namespace graphc {

/// The dtype in which values of that TensorProto.DataType are kept; empty if it is none of these.
std::optional<DType> narrowStorage(int dataType);
inline bool isNarrow(int dataType) { return narrowStorage(dataType).has_value(); }
/// Of a narrow type: 8, 4 or 2, so that a byte has one element, or 2, or 4.
int narrowBits(int dataType);
/// Elements that are stored in `bytes`, as many as the shape says.
absl::StatusOr<Tensor> decodeNarrow(int dataType, absl::Span<const uint8_t> bytes,
                                    absl::Span<const int64_t> shape);

/// x as values of a narrow type, in its storage: floats rounded to the nearest, ties to even, and,
/// beyond the greatest, that one (`saturate`) or infinity or NaN, whichever the type has; integers
/// cut to their bits. Powers of 2 (FLOAT8E8M0) are rounded as attribute round_mode says, "up" where
/// it is not given; what is less than the least one is that one, or NaN without `saturate`.
Variable narrowed(OnnxNode &n, const Variable &x, int dataType, bool saturate);
/// The bits of values x of a narrow type as int64 numbers from 0 on, and the values of such
/// numbers. Of several NaNs one is meant.
Variable narrowCodes(OnnxNode &n, const Variable &x, int dataType);
Variable ofNarrowCodes(OnnxNode &n, const Variable &codes, int dataType);
/// The least and the greatest number of a narrow integer type.
std::pair<double, double> narrowRange(int dataType);

/// Whether ONNX's operator takes elements of narrow types, and whether it gives what its first
/// input is of.
bool takesNarrow(std::string_view op);
bool movesNarrow(std::string_view op);

} // namespace graphc
