//===- Rules.cpp - type rules and emissions that ops share -----------------===//
#include "Rules.h"

#include <algorithm>

#include "StaticShapes.h"
#include "Support/BroadcastHint.h"

namespace graphc {

//===--- dtypes ---------------------------------------------------------------===//

DType promoteAll(const TypeRequest &request) {
  std::vector<DType> dtypes;
  for (size_t i = 0; i < request.size(); ++i)
    dtypes.push_back(request.type(i).dtype());
  return promote(dtypes);
}

static absl::Status refuse(DType dtype, std::string_view wanted) {
  return makeError(ErrorKind::TypeError, std::string(dtypeName(dtype)) +
                                             " operands are refused: it takes " +
                                             std::string(wanted));
}

absl::Status checkAccepted(const TypeRequest &request, Accept accept) {
  bool anyBool = false, allBool = true;
  for (size_t i = 0; i < request.size(); ++i) {
    DType dtype = request.type(i).dtype();
    anyBool |= isBool(dtype);
    allBool &= isBool(dtype);
    switch (accept) {
    case Accept::Any:
      break;
    case Accept::NotBool:
      break;
    case Accept::Bits:
      if (isFloat(dtype))
        return refuse(dtype, "integers or bools");
      break;
    case Accept::Integers:
      if (!isInteger(dtype))
        return refuse(dtype, "integers");
      break;
    case Accept::Floats:
      if (!isFloat(dtype))
        return refuse(dtype, "floats; cast it first");
      break;
    }
  }
  if (accept == Accept::NotBool && allBool)
    return refuse(DType::Bool, "numbers; cast them, or use logicalXor or logicalNot");
  if (accept == Accept::Bits && anyBool && !allBool)
    return makeError(ErrorKind::TypeError, "bool and integer operands are not mixed; cast one");
  if ((accept == Accept::Bits || accept == Accept::Integers) && isFloat(promoteAll(request)))
    return makeError(ErrorKind::TypeError,
                     "int64 and uint64 have no common integer dtype; cast one"); // F-007
  return absl::OkStatus();
}

DType computeDType(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16 ? DType::Float32 : dtype;
}

DType accumulatorDType(DType dtype) {
  return dtype == DType::Float32 ? DType::Float64 : computeDType(dtype);
}

//===--- type rules -------------------------------------------------------------===//

absl::StatusOr<std::vector<int64_t>> broadcastShape(absl::Span<const Type> types) {
  int rank = 0;
  for (const Type &type : types)
    rank = std::max(rank, type.rank());
  std::vector<int64_t> shape(rank, 1);
  for (const Type &type : types)
    for (int own = 0; own < type.rank(); ++own) {
      int axis = own + rank - type.rank();
      int64_t extent = type.extent(own);
      if (extent == 1)
        continue;
      if (shape[axis] == 1 || shape[axis] == kDynamic)
        shape[axis] = extent;
      else if (extent != kDynamic && extent != shape[axis])
        return makeError(ErrorKind::ShapeError,
                         "extents differ along axis " + std::to_string(axis) + ": " +
                             std::to_string(shape[axis]) + " and " + std::to_string(extent) +
                             std::string(kBroadcastHint));
    }
  return shape;
}

static std::vector<Type> operandTypes(const TypeRequest &request) {
  std::vector<Type> types;
  for (size_t i = 0; i < request.size(); ++i)
    types.push_back(request.type(i));
  return types;
}

TypeRule elementwise(Result result, Accept accept) {
  return [=](const TypeRequest &request) -> TypesOr {
    if (absl::Status s = checkAccepted(request, accept); !s.ok())
      return s;
    auto shape = broadcastShape(operandTypes(request));
    if (!shape.ok())
      return shape.status();
    DType dtype = result == Result::Bool ? DType::Bool : promoteAll(request);
    if (result == Result::Floating)
      dtype = promoteToFloat(dtype);
    return std::vector<Type>{Type(dtype, *shape)};
  };
}

TypesOr inferLikeFirst(const TypeRequest &request) {
  return inferShapes(request, {request.type(0).dtype()});
}

absl::Status requireIntegers(const TypeRequest &request, size_t i, int rank) {
  const Type &type = request.type(i);
  if (isInteger(type.dtype()) && type.rank() == rank)
    return absl::OkStatus();
  return makeError(ErrorKind::TypeError,
                   "operand " + std::to_string(i) + " must be an integer " +
                       (rank == 0 ? "scalar" : "array of rank " + std::to_string(rank)) + ", not " +
                       type.text());
}

absl::StatusOr<int> vectorLength(const TypeRequest &request, size_t i) {
  if (absl::Status s = requireIntegers(request, i, 1); !s.ok())
    return s;
  int64_t length = request.type(i).extent(0);
  if (length == kDynamic)
    return makeError(ErrorKind::TypeError, "the length of the shape must be known, since it is the "
                                           "result's rank");
  if (length > Tensor::kMaxRank)
    return makeError(ErrorKind::ValueError, "a rank of " + std::to_string(length) +
                                                " is above the limit of " +
                                                std::to_string(Tensor::kMaxRank));
  return int(length);
}

//===--- attributes ---------------------------------------------------------------===//

AttributeSpec optionalAttribute(std::string name, AttributeKind kind, std::string doc) {
  return {std::move(name), kind, NoneAttr(), /*acceptsNone=*/true, std::move(doc)};
}

absl::StatusOr<int> normalizeAxis(int64_t axis, int rank) {
  if (axis >= -rank && axis < rank)
    return int(axis < 0 ? axis + rank : axis);
  return makeError(ErrorKind::AxisError, "axis " + std::to_string(axis) +
                                             " is out of range for rank " + std::to_string(rank));
}

absl::Status requireAxis(const TypeRequest &request) {
  return normalizeAxis(request.attributes().integer("axis"), request.type(0).rank()).status();
}

absl::StatusOr<std::vector<int>> normalizeAxes(absl::Span<const int64_t> axes, int rank) {
  std::vector<int> result;
  for (int64_t axis : axes) {
    auto plain = normalizeAxis(axis, rank);
    if (!plain.ok())
      return plain.status();
    if (std::find(result.begin(), result.end(), *plain) != result.end())
      return makeError(ErrorKind::ValueError, "axis " + std::to_string(axis) + " is repeated");
    result.push_back(*plain);
  }
  return result;
}

std::vector<int> axesOf(const Attributes &attributes, int rank) {
  std::vector<int> axes;
  if (attributes.isNone("axes"))
    for (int axis = 0; axis < rank; ++axis)
      axes.push_back(axis);
  else
    for (int64_t axis : attributes.ints("axes"))
      axes.push_back(int(axis < 0 ? axis + rank : axis));
  return axes;
}

//===--- emission -----------------------------------------------------------------===//

EmitRule mapTo(ScalarOp op) {
  return [op](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
    DType dtype = e.resultType(0).dtype();
    return {e.map(in, [&](const Scalars &s) {
      Scalars operands;
      for (Scalar x : s)
        operands.push_back(cast(x, dtype));
      return graphc::apply(op, operands); // std::apply is a candidate, too
    })};
  };
}

EmitRule mapWith(MapBody body) {
  return [body = std::move(body)](Emitter &e, const Arrays &in,
                                  const Attributes &attributes) -> Arrays {
    DType dtype = e.resultType(0).dtype();
    return {e.map(in, [&](const Scalars &s) {
      Scalars operands;
      for (Scalar x : s)
        operands.push_back(cast(x, computeDType(dtype)));
      return cast(body(e, operands, attributes), dtype);
    })};
  };
}

EmitRule mapRaw(MapBody body) {
  return [body = std::move(body)](Emitter &e, const Arrays &in,
                                  const Attributes &attributes) -> Arrays {
    return {e.map(in, [&](const Scalars &s) { return body(e, s, attributes); })};
  };
}

Array reduceMapped(Emitter &e, Combine combine, Array x, const std::vector<int> &axes,
                   bool keepDims, const std::function<Scalar(Scalar)> &body,
                   const ReduceOptions &options) {
  int rank = e.rank(x);
  std::vector<int> position(rank, -1); // in `axes`
  Extents parallel, reduction, kept;
  for (size_t k = 0; k < axes.size(); ++k) {
    position[axes[k]] = int(k);
    reduction.push_back(e.dim(x, axes[k]));
  }
  for (int axis = 0; axis < rank; ++axis) {
    bool reduced = position[axis] >= 0;
    if (!reduced)
      parallel.push_back(e.dim(x, axis));
    kept.push_back(reduced ? e.size(1) : e.dim(x, axis));
  }
  Array result = e.reduce(
      combine, parallel, reduction,
      [&](Indices i, Indices r) {
        Scalars at;
        int next = 0;
        for (int axis = 0; axis < rank; ++axis)
          at.push_back(position[axis] < 0 ? i[next++] : r[position[axis]]);
        return body(e.load(x, at));
      },
      options);
  return keepDims ? e.view(result, kept) : result;
}

Scalar loadKept(Emitter &e, Array kept, Indices i, const std::vector<int> &axes) {
  Scalars at(i.begin(), i.end());
  for (int axis : axes)
    at[axis] = e.index(0);
  return e.load(kept, at);
}

Array castArray(Emitter &e, Array x, DType dtype) {
  if (e.dtype(x) == dtype)
    return x;
  return e.map({x}, [&](const Scalars &s) { return cast(s[0], dtype); });
}

} // namespace graphc
