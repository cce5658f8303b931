//===- CompositeArrays.cpp - arrays joined from blocks, and spaced numbers ------------===//
#include <cmath>

#include "Build.h"
#include "CallScope.h"
#include "Rules.h"
#include "graphc/Arrays.h"

namespace graphc {
namespace {

/// The operands with at least so many axes.
Variables ofRank(const std::vector<Operand> &parts, int rank) {
  Variables all;
  for (const Operand &part : parts)
    all.push_back(atleastNd(part, rank));
  return all;
}

Variable noParts(std::string_view name) {
  return Variable::invalid(
      makeError(ErrorKind::ValueError, std::string(name) + ": there are no parts"));
}

} // namespace

//===--- joining --------------------------------------------------------------------------===//

Variable hstack(const std::vector<Operand> &parts) {
  CallScope scope(parts);
  if (parts.empty())
    return noParts("hstack");
  Variables all = ofRank(parts, 1);
  return concatenate(all, all[0].ok() && all[0].rank() == 1 ? 0 : 1);
}

Variable vstack(const std::vector<Operand> &parts) {
  CallScope scope(parts);
  if (parts.empty())
    return noParts("vstack");
  return concatenate(ofRank(parts, 2), 0);
}

Variable block(const std::vector<std::vector<Operand>> &rows) {
  CallScope scope(rows.empty() ? absl::Span<const Operand>() : absl::MakeConstSpan(rows[0]));
  Variables all;
  int rank = 2;
  for (const std::vector<Operand> &row : rows)
    for (const Operand &part : row)
      if (Variable x = asVariable(part); !x.ok())
        return x;
      else
        rank = std::max(rank, x.rank());
  for (const std::vector<Operand> &row : rows) {
    if (row.empty())
      return noParts("block");
    all.push_back(concatenate(ofRank(row, rank), -1));
  }
  return all.empty() ? noParts("block") : concatenate(all, -2);
}

Variable blockDiag(const std::vector<Operand> &parts) {
  CallScope scope(parts);
  if (parts.empty())
    return noParts("blockDiag");
  Variables blocks = ofRank(parts, 2), lines;
  DType dtype = DType::Bool;
  Variable width = constant(Tensor(int64_t(0))), before = width;
  for (size_t k = 0; k < blocks.size(); ++k) {
    if (!blocks[k].ok())
      return blocks[k];
    if (blocks[k].rank() > 2)
      return invalidAt(parts[k], ErrorKind::ShapeError, "blockDiag",
                       "a block has more than two axes");
    dtype = k ? promote(dtype, blocks[k].dtype()) : blocks[k].dtype();
    width = width + shape(blocks[k], 1);
  }
  for (const Variable &block : blocks) {
    Variable rows = shape(block, 0), after = before + shape(block, 1);
    lines.push_back(concatenate(
        {zeros({rows, before}, dtype), cast(block, dtype), zeros({rows, width - after}, dtype)},
        1));
    before = after;
  }
  return concatenate(lines, 0);
}

//===--- spaced numbers --------------------------------------------------------------------===//

Variable logspace(const Operand &start, const Operand &stop, int64_t num, bool endpoint,
                  double base) {
  CallScope scope(start);
  Variable exponents = linspace(start, stop, num, endpoint);
  if (!exponents.ok())
    return exponents;
  return pow(constant(Tensor(base).cast(exponents.dtype())), exponents);
}

Variable geomspace(const Operand &start, const Operand &stop, int64_t num, bool endpoint) {
  CallScope scope(start);
  Variable first = asVariable(start), last = asVariable(stop);
  if (!first.ok() || !last.ok())
    return first.ok() ? last : first;
  if (first.rank() != 0 || last.rank() != 0)
    return invalidAt(start, ErrorKind::TypeError, "geomspace", "start and stop must be numbers");
  DType dtype = promote(first.dtype(), last.dtype());
  if (!isFloat(dtype))
    dtype = DType::Float64;
  first = cast(first, dtype), last = cast(last, dtype);
  Variable steps = linspace(Operand(constant(Tensor(0.0).cast(dtype)), start.place()),
                            log(last / first), num, endpoint);
  if (!steps.ok())
    return steps;
  Variable values = first * exp(steps);
  // The ends as they were given.
  Variable number = arange(num);
  values = where(graphc::eq(number, 0), first, values);
  return endpoint && num > 1 ? where(graphc::eq(number, num - 1), last, values) : values;
}

Variables indices(const std::vector<Operand> &extents, bool isOpen) {
  CallScope scope(extents);
  std::vector<Operand> axes;
  for (const Operand &extent : extents)
    axes.push_back(arange(extent));
  return meshgrid(axes, "ij", isOpen);
}

//===--- differences and norms ----------------------------------------------------------------===//

Variable gradient(const Operand &operand, int axis, const Operand &spacing) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  absl::StatusOr<std::vector<int>> plain = normalizeAxes({axis}, x.rank());
  if (!plain.ok())
    return invalidAt(operand, "gradient", plain.status());
  axis = (*plain)[0];
  if (int64_t extent = x.type().extent(axis); extent != kDynamic && extent < 2)
    return invalidAt(operand, ErrorKind::ValueError, "gradient",
                     "an axis of " + std::to_string(extent) + " elements has no differences");
  if (!isFloat(x.dtype()))
    x = cast(x, promoteToFloat(x.dtype()));
  auto part = [&](const Operand &first, const Operand &end) {
    std::vector<Index> index(size_t(axis) + 1, Index(Slice()));
    index.back() = Slice(first, end);
    return subtensor(x, index);
  };
  Variable front = part(1, 2) - part(0, 1), back = part(-1, kEnd) - part(-2, -1);
  Variable middle = (part(2, kEnd) - part(0, -2)) * constant(Tensor(0.5).cast(x.dtype()));
  return trueDiv(concatenate({front, middle, back}, axis), spacing);
}

Variable vectorNorm(const Operand &operand, double order, const ReductionOptions &options) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  if (!isFloat(x.dtype()))
    x = cast(x, promoteToFloat(x.dtype()));
  Variable size = abs(x);
  if (order == 0)
    return cast(sum(neq(x, 0.0), options), x.dtype());
  if (order == 1)
    return sum(size, options);
  if (order == 2)
    return norm2(Operand(x, operand.place()), options);
  if (std::isinf(order))
    return order > 0 ? max(size, options) : min(size, options);
  if (std::isnan(order))
    return invalidAt(operand, ErrorKind::ValueError, "vectorNorm", "the order is NaN");
  Variable power = constant(Tensor(order).cast(x.dtype()));
  return pow(sum(pow(size, power), options), constant(Tensor(1 / order).cast(x.dtype())));
}

MaxAndArgmax maxAndArgmax(const Operand &x, const ReductionOptions &options) {
  return {max(x, options), argmax(x, options)};
}

} // namespace graphc
