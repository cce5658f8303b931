//===- ShapeFunctions.cpp - shapes, joining, making arrays -----------------===//
#include <algorithm>

#include "Build.h"
#include "CallScope.h"
#include "Graph/CalledAs.h"
#include "Rules.h"
#include "graphc/Arrays.h"

namespace graphc {
namespace {

/// An int64 vector of numbers.
Operand vectorOf(absl::Span<const int64_t> values, Place place) {
  absl::StatusOr<Tensor> data = Tensor::fromSpan(values, {int64_t(values.size())});
  return Operand(data.ok() ? Variable(Constant::adopt(*data, {}, place))
                           : Variable::invalid(data.status()),
                 place);
}

/// The integer of a weak number or a constant, if it is one.
std::optional<int64_t> integerOf(const Operand &x) {
  if (x.isWeak() && isInteger(x.weakValue().dtype()))
    return x.weakValue().item<int64_t>();
  if (x.isWeak() || !x.variable().isConstant() || x.variable().rank() != 0 ||
      !isInteger(x.variable().dtype()))
    return std::nullopt;
  return Constant::from(x.variable())->data().item<int64_t>();
}

/// x with axes taken in another order; `order` as dimshuffle's.
Variable shuffled(std::string_view function, const Operand &place, const Variable &x,
                  IntList order) {
  return build(calledAs(builtin("dimshuffle", {{"order", std::move(order)}}), function),
               {Operand(x, place.place())});
}

Variable expanded(std::string_view function, const Operand &operand, const Axes &axes) {
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  if (!axes.list())
    return invalidAt(operand, ErrorKind::ValueError, function, "the axes must be given");
  int rank = x.rank() + int(axes.list()->size());
  auto plain = normalizeAxes(*axes.list(), rank);
  if (!plain.ok())
    return invalidAt(operand, function, plain.status());
  IntList order;
  int next = 0;
  for (int axis = 0; axis < rank; ++axis)
    order.push_back(std::find(plain->begin(), plain->end(), axis) != plain->end() ? -1 : next++);
  return shuffled(function, operand, x, order);
}

Variable joined(std::string_view function, absl::Span<const Operand> parts, int axis) {
  if (parts.empty())
    return Variable::invalid(
        makeError(ErrorKind::ValueError, std::string(function) + ": there are no parts"));
  Variable first = asVariable(parts[0]);
  return build(calledAs(builtin("join", {{"axis", plainAxis(axis, first)}}), function), parts);
}

/// An int64 vector whose entries are 0-d operands.
Operand vectorOf(absl::Span<const Operand> entries, Place place) {
  std::vector<int64_t> numbers;
  for (const Operand &entry : entries)
    if (std::optional<int64_t> number = integerOf(entry))
      numbers.push_back(*number);
  if (numbers.size() == entries.size())
    return vectorOf(numbers, place);
  std::vector<Operand> parts;
  for (const Operand &entry : entries) {
    Operand extent(asVariable(entry), entry.place());
    if (int rank = extent.variable().rank(); extent.variable().ok() && rank != 0)
      return Operand(invalidAt(extent, ErrorKind::ShapeError, "extents",
                               "one is an array of rank " + std::to_string(rank)),
                     place);
    parts.push_back(Operand(expanded("extents", extent, Axis(0)), entry.place()));
  }
  return Operand(joined("extents", parts, 0), place);
}

IntList counting(int n) {
  IntList list;
  for (int i = 0; i < n; ++i)
    list.push_back(i);
  return list;
}

bool contains(const std::vector<int> &list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

} // namespace

ShapeList::ShapeList(std::initializer_list<Operand> extents)
    : operand_(vectorOf(absl::MakeConstSpan(extents.begin(), extents.size()),
                        extents.size() ? extents.begin()->place() : Place())) {}
ShapeList::ShapeList(absl::Span<const int64_t> extents, Place place)
    : operand_(vectorOf(extents, place)) {}

//===--- shapes -------------------------------------------------------------------===//

Variable shape(const Operand &x) { return build(builtin("shape"), {x}); }
Variable shape(const Operand &x, int axis) {
  Variable v = asVariable(x);
  return build(builtin("shapeI", {{"axis", plainAxis(axis, v)}}), {Operand(v, x.place())});
}
Variable size(const Operand &x) { return build(builtin("size"), {x}); }
Variable reshape(const Operand &x, const ShapeList &shape) {
  return build(builtin("reshape"), {x, shape.operand()});
}
Variable broadcastTo(const Operand &x, const ShapeList &shape) {
  return build(builtin("broadcastTo"), {x, shape.operand()});
}
Variable specifyShape(const Operand &x, const std::vector<int64_t> &shape) {
  return build(builtin("specifyShape", {{"shape", IntList(shape)}}), {x});
}

Variable unbroadcast(const Operand &x, const Axes &axes) {
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  IntList list;
  for (int axis = 0; !axes.list() && axis < v.rank(); ++axis)
    list.push_back(axis);
  for (int64_t axis : axes.list().value_or(IntList()))
    list.push_back(plainAxis(int(axis), v));
  return build(builtin("unbroadcast", {{"axes", list}}), {Operand(v, x.place())});
}

Variable specifyShapeLike(const Operand &x, const Operand &like) {
  return build(builtin("specifyShapeLike"), {x, like});
}
Variable flatten(const Operand &x, int ndim) {
  return build(builtin("flatten", {{"ndim", int64_t(ndim)}}), {x});
}

Variable dimshuffle(const Operand &x, const std::vector<int> &order) {
  return shuffled("dimshuffle", x, asVariable(x), IntList(order.begin(), order.end()));
}

Variable transpose(const Operand &operand) {
  Variable x = asVariable(operand);
  IntList order = counting(x.rank());
  std::reverse(order.begin(), order.end());
  return x.ok() ? shuffled("transpose", operand, x, order) : x;
}

Variable transpose(const Operand &operand, const std::vector<int> &axes) {
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  auto plain = normalizeAxes(IntList(axes.begin(), axes.end()), x.rank());
  if (!plain.ok())
    return invalidAt(operand, "transpose", plain.status());
  if (int(plain->size()) != x.rank())
    return invalidAt(operand, ErrorKind::ValueError, "transpose",
                     "the order names " + std::to_string(plain->size()) + " of " +
                         std::to_string(x.rank()) + " axes");
  return shuffled("transpose", operand, x, IntList(plain->begin(), plain->end()));
}

Variable swapaxes(const Operand &operand, int axis1, int axis2) {
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  auto first = normalizeAxis(axis1, x.rank()), other = normalizeAxis(axis2, x.rank());
  for (const auto *axis : {&first, &other})
    if (!axis->ok())
      return invalidAt(operand, "swapaxes", axis->status());
  IntList order = counting(x.rank());
  std::swap(order[*first], order[*other]);
  return shuffled("swapaxes", operand, x, order);
}

Variable moveaxis(const Operand &operand, const std::vector<int> &source,
                  const std::vector<int> &destination) {
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  auto from = normalizeAxes(IntList(source.begin(), source.end()), x.rank());
  auto to = normalizeAxes(IntList(destination.begin(), destination.end()), x.rank());
  for (const auto *axes : {&from, &to})
    if (!axes->ok())
      return invalidAt(operand, "moveaxis", axes->status());
  if (from->size() != to->size())
    return invalidAt(operand, ErrorKind::ValueError, "moveaxis",
                     "source has " + std::to_string(from->size()) + " axes and destination " +
                         std::to_string(to->size()));
  IntList order(x.rank(), -1);
  for (size_t k = 0; k < from->size(); ++k)
    order[(*to)[k]] = (*from)[k];
  int next = 0;
  for (int64_t &axis : order) {
    if (axis >= 0)
      continue;
    while (contains(*from, next))
      ++next;
    axis = next++;
  }
  return shuffled("moveaxis", operand, x, order);
}

Variable expandDims(const Operand &x, const Axes &axes) { return expanded("expandDims", x, axes); }

Variable squeeze(const Operand &operand, const Axes &axes) {
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  IntList dropped;
  if (axes.list()) {
    auto plain = normalizeAxes(*axes.list(), x.rank());
    if (!plain.ok())
      return invalidAt(operand, "squeeze", plain.status());
    dropped.assign(plain->begin(), plain->end());
    std::sort(dropped.begin(), dropped.end());
  } else {
    for (int axis = 0; axis < x.rank(); ++axis)
      if (x.type().broadcastable(axis))
        dropped.push_back(axis);
  }
  return build(builtin("squeeze", {{"axes", dropped}}), {Operand(x, operand.place())});
}

Variable atleastNd(const Operand &operand, int rank) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (x.rank() >= rank)
    return x;
  if (rank > Tensor::kMaxRank)
    return Variable::invalid(makeError(ErrorKind::ValueError,
                                       "atleastNd: rank " + std::to_string(rank) + " is above " +
                                           std::to_string(Tensor::kMaxRank),
                                       operand.place()));
  IntList order(rank - x.rank(), -1);
  for (int64_t axis : counting(x.rank()))
    order.push_back(axis);
  return x.ok() ? shuffled("atleastNd", operand, x, order) : x;
}

//===--- joining and splitting ------------------------------------------------------===//

static std::vector<Operand> operandsOf(const Variables &variables) {
  std::vector<Operand> operands;
  for (const Variable &v : variables)
    operands.emplace_back(v, v.place());
  return operands;
}

Variable concatenate(const std::vector<Operand> &parts, int axis) {
  return joined("concatenate", parts, axis);
}
Variable concatenate(std::initializer_list<Operand> parts, int axis) {
  return joined("concatenate", std::vector<Operand>(parts), axis);
}
Variable concatenate(const Variables &parts, int axis) {
  return joined("concatenate", operandsOf(parts), axis);
}

Variable stack(const std::vector<Operand> &parts, int axis) {
  CallScope scope(parts);
  std::vector<Operand> rows;
  int rank = parts.empty() ? 0 : asVariable(parts[0]).rank();
  for (const Operand &part : parts) {
    Variable v = asVariable(part);
    if (v.ok() && v.rank() != rank)
      return invalidAt(part, ErrorKind::ShapeError, "stack",
                       "ranks differ: " + std::to_string(rank) + " and " +
                           std::to_string(v.rank()));
    rows.emplace_back(expanded("stack", Operand(v, part.place()), Axis(axis)), part.place());
  }
  return joined("stack", rows, axis);
}
Variable stack(std::initializer_list<Operand> parts, int axis) {
  return stack(std::vector<Operand>(parts), axis);
}
Variable stack(const Variables &parts, int axis) { return stack(operandsOf(parts), axis); }

/// A piece's op reads all sizes. Of more pieces than these each reads a row: what is in front of
/// it, it, and what is behind.
static constexpr int kFewPieces = 16;

/// Each is an op.
static constexpr int kMostPieces = 1 << 16;

Variables split(const Operand &x, const Operand &sizes, int pieces, int axis) {
  CallScope scope(x);
  if (pieces < 0 || pieces > kMostPieces)
    return {invalidAt(x, ErrorKind::ValueError, "split",
                      std::to_string(pieces) + " pieces are wanted; there can be 0 to " +
                          std::to_string(kMostPieces))};
  Variable v = asVariable(x);
  Variable list = asVariable(sizes);
  if (list.ok() && list.rank() == 1 && list.type().extent(0) != pieces) {
    Op counted = calledAs(builtin("specifyShape", {{"shape", IntList{pieces}}}), "split");
    list = build(counted, {Operand(list, sizes.place())});
  }
  auto pieceOf = [&](const Variable &all, int64_t piece) {
    Op op = builtin("splitPiece", {{"piece", piece}, {"axis", plainAxis(axis, v)}});
    return build(calledAs(op, "split"), {Operand(v, x.place()), Operand(all, sizes.place())});
  };
  Variables result;
  if (pieces <= kFewPieces || !list.ok() || list.rank() != 1) {
    for (int64_t piece = 0; piece < pieces; ++piece)
      result.push_back(pieceOf(list, piece));
    return result;
  }
  list = cast(list, DType::Int64);
  Variable ends = cumsum(list, 0), rows = stack({ends - list, list, sum(list) - ends}, 1);
  for (int64_t piece = 0; piece < pieces; ++piece)
    result.push_back(pieceOf(rows, piece));
  return result;
}
Variables split(const Operand &x, const std::vector<int64_t> &sizes, int axis) {
  CallScope scope(x);
  int64_t total = 0, before = 0;
  bool isPlain = sizes.size() > kFewPieces; // and no mistake, of which the list tells more
  for (int64_t size : sizes)
    isPlain = isPlain && size >= 0 && !__builtin_add_overflow(total, size, &total);
  Variable v = asVariable(x);
  int64_t plain = isPlain && v.ok() ? plainAxis(axis, v) : -1;
  if (plain < 0 || plain >= v.rank() ||
      (v.type().extent(int(plain)) != kDynamic && v.type().extent(int(plain)) != total))
    return split(x, vectorOf(sizes, x.place()), int(sizes.size()), axis);
  Op op = calledAs(builtin("splitPiece", {{"piece", int64_t(1)}, {"axis", plain}}), "split");
  Variables result;
  for (int64_t size : sizes) {
    const int64_t list[] = {before, size, total - before - size};
    result.push_back(build(op, {Operand(v, x.place()), vectorOf(list, x.place())}));
    before += size;
  }
  return result;
}

Variable pad(const Operand &x, const std::vector<std::pair<int, int>> &widths,
             const PadOptions &options) {
  constexpr std::string_view kModes[] = {"constant",    "edge", "reflect", "symmetric", "wrap",
                                         "linear_ramp", "mean", "maximum", "minimum"};
  IntList flat;
  for (const auto &[front, back] : widths) {
    flat.push_back(front);
    flat.push_back(back);
  }
  std::vector<Operand> operands = {x};
  if (options.value)
    operands.push_back(*options.value);
  return build(builtin("pad", {{"widths", flat}, {"mode", std::string(kModes[int(options.mode)])}}),
               operands);
}

//===--- making arrays ----------------------------------------------------------------===//

Variable arange(const Operand &stop) {
  return arange(Operand(0, stop.place()), stop, Operand(1, stop.place()));
}

Variable arange(const Operand &start, const Operand &stop, const Operand &step,
                std::optional<DType> dtype) {
  AttributeValue wanted = dtype ? AttributeValue(*dtype) : AttributeValue(NoneAttr());
  return build(builtin("arange", {{"dtype", wanted}}), {start, stop, step});
}

static Variable filledWith(std::string_view function, const ShapeList &shape, const Operand &value,
                           std::optional<DType> dtype) {
  Variable filled = asVariable(value);
  if (dtype && filled.ok() && filled.dtype() != *dtype)
    filled = filled.isConstant()
                 ? Variable(Constant::adopt(Constant::from(filled)->data().cast(*dtype), {},
                                            value.place()))
                 : cast(Operand(filled, value.place()), *dtype);
  return build(calledAs(builtin("broadcastTo"), function),
               {Operand(filled, value.place()), shape.operand()});
}
Variable full(const ShapeList &shape, const Operand &value, std::optional<DType> dtype) {
  return filledWith("full", shape, value, dtype);
}
Variable zeros(const ShapeList &shape, DType dtype) {
  return filledWith("zeros", shape, Operand(0, shape.operand().place()), dtype);
}
Variable ones(const ShapeList &shape, DType dtype) {
  return filledWith("ones", shape, Operand(1, shape.operand().place()), dtype);
}

static Variable filledLike(const Operand &operand, int64_t value) {
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  Tensor number = Tensor(value).cast(x.dtype());
  return second(Operand(x, operand.place()),
                Operand(Constant::adopt(number, {}, operand.place()), operand.place()));
}
Variable zerosLike(const Operand &x) { return filledLike(x, 0); }
Variable onesLike(const Operand &x) { return filledLike(x, 1); }

Variable eye(const Operand &n, const std::optional<Operand> &m, const Operand &k, DType dtype) {
  return build(builtin("eye", {{"dtype", dtype}}), {n, m ? *m : n, k});
}

} // namespace graphc
