//===- Making.cpp - arrays from attributes and shapes ----------------------===//
#include "Import/NarrowTypes.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

/// The output is of a tensor's narrow type, if that has one.
void giveTypeOf(OnnxNode &n, std::string_view attribute) {
  if (int type = n.tensorType(attribute); isNarrow(type))
    n.giveNarrow(0, type);
}

Variables constantOf(OnnxNode &n) {
  if (std::optional<Tensor> value = n.getTensor("value")) {
    giveTypeOf(n, "value");
    return {n.adopt(*value)};
  }
  if (n.hasAttribute("value_int"))
    return {n.adopt(Tensor(n.getInt("value_int", 0)))};
  if (n.hasAttribute("value_float"))
    return {n.adopt(Tensor(float(n.getFloat("value_float", 0))))};
  if (std::optional<Ints> list = n.getInts("value_ints"))
    return {n.vector(*list)};
  if (std::optional<std::vector<float>> list = n.getFloats("value_floats"))
    return {n.vector(*list)};
  return {n.unsupported("a constant that is no tensor of numbers")};
}

Variables constantOfShape(OnnxNode &n) {
  Tensor value = n.getTensor("value").value_or(Tensor(0.0f));
  if (value.numElements() != 1)
    return {n.fail(ErrorKind::ValueError, "attribute value must have one element")};
  giveTypeOf(n, "value");
  Terms terms = vectorTerms(n, 0, n.declaredRank(0));
  if (!n.status().ok())
    return {};
  return {full(shapeOf(n, terms), n.adopt(*value.reshape({})))};
}

Variables range(OnnxNode &n) {
  return {
      arange(n.at(scalarOf(n, 0)), n.at(scalarOf(n, 1)), n.at(scalarOf(n, 2)), n.in(0).dtype())};
}

Variables eyeLike(OnnxNode &n) {
  Variable x = n.in(0);
  if (!x.ok() || x.rank() != 2)
    return {n.fail(ErrorKind::TypeError, "the operand must be a matrix: " + x.type().brief())};
  return {eye(extentTerm(n, x, 0), extentTerm(n, x, 1), n.getInt("k", 0),
              n.getDType("dtype").value_or(x.dtype()))};
}

/// `on` where the new axis' position is the index (negative ones count from the end), else `off`.
Variables oneHot(OnnxNode &n) {
  Variable indices = cast(n.arg(0), DType::Int64), values = n.in(2);
  Variable depth = cast(n.at(scalarOf(n, 1)), DType::Int64);
  int rank = indices.rank() + 1, axis = n.plainAxis(n.getInt("axis", -1), rank);
  Variable positive = where(n.at(lt(n.at(indices), 0)), add(n.at(indices), depth), indices);
  Variable places = positionsAlong(n, n.at(depth), axis, rank);
  Variable hit = eq(n.at(expandDims(n.at(positive), Axis(axis))), places);
  Variable on = subtensor(n.at(values), {Index(1)}), off = subtensor(n.at(values), {Index(0)});
  return {where(n.at(hit), on, off)};
}

/// What lies on one side of diagonal k; 0 elsewhere.
Variables triangle(OnnxNode &n) {
  Variable x = n.in(0);
  if (!x.ok() || x.rank() < 2)
    return {n.fail(ErrorKind::TypeError, "the operand has no matrices: " + x.type().brief())};
  Operand k(int64_t(0));
  if (n.isComputed(1))
    k = n.at(scalarOf(n, 1));
  else if (n.has(1))
    k = Operand(n.constantInt(1));
  Variable rows = arange(extentTerm(n, x, x.rank() - 2));
  Variable columns = arange(extentTerm(n, x, x.rank() - 1));
  Variable edge = add(n.at(dimshuffle(n.at(rows), {0, -1})), k);
  Variable row = dimshuffle(n.at(columns), {-1, 0});
  Variable kept = n.getBool("upper", true) ? ge(n.at(row), edge) : le(n.at(row), edge);
  return {where(n.at(kept), x, n.scalar(0, x.dtype()))};
}

} // namespace

absl::Span<const Translation> makingTranslations() {
  static constexpr Translation kTable[] = {
      {"Constant", constantOf, 1, "numbers only"},
      {"ConstantOfShape", constantOfShape, 9, "the number of extents must be known or declared"},
      {"EyeLike", eyeLike, 9},
      {"OneHot", oneHot, 9},
      {"Range", range, 11},
      {"Trilu", triangle, 14},
  };
  return kTable;
}

} // namespace graphc
