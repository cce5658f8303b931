//===- Reductions.cpp - reductions over any axes ---------------------------===//
#include <algorithm>
#include <limits>

#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

//===--- attributes and types -------------------------------------------------===//

std::vector<AttributeSpec> axesAttributes() {
  return {optionalAttribute("axes", AttributeKind::Ints,
                            "axes to join, from the end if negative; none: all; []: none of them"),
          {.name = "keepDims",
           .kind = AttributeKind::Bool,
           .defaultValue = false,
           .doc = "whether joined axes stay, with extent 1"}};
}

/// The shape left by the attributes `axes` and `keepDims`.
absl::StatusOr<Type> reducedType(const TypeRequest &request, DType dtype) {
  const Type &x = request.type(0);
  const Attributes &attributes = request.attributes();
  if (!attributes.isNone("axes"))
    if (auto axes = normalizeAxes(attributes.ints("axes"), x.rank()); !axes.ok())
      return axes.status();
  std::vector<int> axes = axesOf(attributes, x.rank());
  std::vector<int64_t> shape;
  for (int axis = 0; axis < x.rank(); ++axis) {
    bool reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (!reduced)
      shape.push_back(x.extent(axis));
    else if (attributes.boolean("keepDims"))
      shape.push_back(1);
  }
  return Type(dtype, shape);
}

TypesOr oneType(absl::StatusOr<Type> type) {
  if (!type.ok())
    return type.status();
  return std::vector<Type>{*std::move(type)};
}

/// max, min, argmax, argmin: no value for no elements (F-366). Statically empty is refused at once.
TypesOr nonEmptyType(const TypeRequest &request, DType dtype) {
  auto type = reducedType(request, dtype);
  if (!type.ok())
    return type.status();
  for (int axis : axesOf(request.attributes(), request.type(0).rank()))
    if (request.type(0).extent(axis) == 0)
      return makeError(ErrorKind::ValueError,
                       "axis " + std::to_string(axis) + " is empty, so there is nothing to choose");
  return oneType(type);
}

void requireElements(Emitter &e, Array x, const std::vector<int> &axes) {
  for (int axis : axes)
    e.require(e.size(1), Predicate::LessEqual, e.dim(x, axis), ErrorKind::ValueError,
              "axis " + std::to_string(axis) + " is empty, so there is nothing to choose");
}

/// F-012: 64 bits for integers and bools.
DType sumDType(DType dtype) {
  if (isFloat(dtype))
    return dtype;
  return isUnsignedInt(dtype) ? DType::UInt64 : DType::Int64;
}

/// F-012: an accumulator holds all values of x.
absl::Status checkAccumulator(const TypeRequest &request) {
  DType x = request.type(0).dtype();
  const AttributeValue *given = request.attributes().find("accDtype");
  if (!given || std::holds_alternative<NoneAttr>(*given) ||
      canCastSafely(x, std::get<DType>(*given)))
    return absl::OkStatus();
  return makeError(ErrorKind::TypeError, "accDtype " +
                                             std::string(dtypeName(std::get<DType>(*given))) +
                                             " would lose range of " + std::string(dtypeName(x)));
}

/// In which terms are joined, where it is given: real terms in the real half of a complex dtype.
DType givenAccumulator(const Attributes &attributes) {
  return realDType(attributes.dtype("accDtype"));
}

TypesOr sumType(const TypeRequest &request) {
  const Attributes &attributes = request.attributes();
  if (absl::Status s = checkAccumulator(request); !s.ok())
    return s;
  DType x = request.type(0).dtype();
  return oneType(
      reducedType(request, attributes.isNone("dtype") ? sumDType(x) : attributes.dtype("dtype")));
}

//===--- emissions --------------------------------------------------------------===//

/// Extents whose product is at most this are known to be few terms: F-012.
constexpr int64_t kFewTerms = 4;

/// Whether types say that each sum over the axes has at most kFewTerms terms.
bool areFewTerms(Emitter &e, Array x, const std::vector<int> &axes) {
  int64_t terms = 1;
  for (int axis : axes) {
    terms *= e.constantValue(e.dim(x, axis)).value_or(kFewTerms + 1);
    if (terms > kFewTerms)
      return false;
  }
  return true;
}

EmitRule sumEmission(Combine combine) {
  return [combine](Emitter &e, const Arrays &in, const Attributes &attributes) -> Arrays {
    DType x = e.dtype(in[0]), result = e.resultType(0).dtype();
    bool isGiven = !attributes.isNone("accDtype");
    ReduceOptions options;
    options.result = result;
    std::vector<int> axes = axesOf(attributes, e.rank(in[0]));
    bool isShort = !isGiven && combine == Combine::Sum && x == DType::Float32 && result == x &&
                   areFewTerms(e, in[0], axes);
    DType accumulator = isGiven   ? givenAccumulator(attributes)
                        : isShort ? x
                                  : accumulatorDType(result);
    options.accumulator = accumulator;
    // Terms that are float32 may be joined in float32 for a while; who asks for more gets wide
    // ones.
    bool isWide = isFloat(x) && (isGiven || result != x);
    return {reduceMapped(
        e, combine, in[0], axes, attributes.boolean("keepDims"),
        [&](Scalar term) { return isWide ? cast(term, accumulator) : term; }, options)};
  };
}

EmitRule extremeEmission(Combine combine, Combine onBool) {
  return [=](Emitter &e, const Arrays &in, const Attributes &attributes) -> Arrays {
    std::vector<int> axes = axesOf(attributes, e.rank(in[0]));
    requireElements(e, in[0], axes);
    return {reduceMapped(e, isBool(e.dtype(in[0])) ? onBool : combine, in[0], axes,
                         attributes.boolean("keepDims"), [](Scalar x) { return x; })};
  };
}

EmitRule logicEmission(Combine combine) {
  return [combine](Emitter &e, const Arrays &in, const Attributes &attributes) -> Arrays {
    return {reduceMapped(e, combine, in[0], axesOf(attributes, e.rank(in[0])),
                         attributes.boolean("keepDims"),
                         [](Scalar x) { return cast(x, DType::Bool); })};
  };
}

EmitRule bitsEmission(Combine combine) {
  return [combine](Emitter &e, const Arrays &in, const Attributes &attributes) -> Arrays {
    return {e.reduceAxes(combine, in[0], axesOf(attributes, e.rank(in[0])),
                         attributes.boolean("keepDims"))};
  };
}

/// Number of elements that each result joins, as a scalar of the dtype.
Scalar count(Emitter &e, Array x, const std::vector<int> &axes, DType dtype) {
  Extent n = e.size(1);
  for (int axis : axes)
    n = n * e.dim(x, axis);
  return cast(e.scalar(n), dtype);
}

/// sum(body(x)) / (n - ddof) in `dtype`.
Array average(Emitter &e, Array x, const std::vector<int> &axes, bool keepDims, DType dtype,
              double ddof) {
  ReduceOptions options;
  options.result = dtype;
  options.accumulator = accumulatorDType(dtype);
  Array sum = reduceMapped(
      e, Combine::Sum, x, axes, keepDims, [&](Scalar s) { return cast(s, dtype); }, options);
  return e.map({sum}, [&](const Scalars &s) {
    Scalar n = count(e, x, axes, dtype);
    return s[0] / (ddof == 0 ? n : n - ddof);
  });
}

Arrays meanEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype();
  DType compute =
      attributes.isNone("accDtype") ? computeDType(result) : attributes.dtype("accDtype");
  Array mean = average(e, in[0], axesOf(attributes, e.rank(in[0])), attributes.boolean("keepDims"),
                       compute, 0);
  return {castArray(e, mean, result)};
}

/// x minus the results of a reduction over `axes` that were kept.
Array deviations(Emitter &e, Array x, Array kept, const std::vector<int> &axes, DType dtype) {
  return e.define(e.shape(x), [&](Indices i) {
    return cast(e.load(x, i), dtype) - loadKept(e, kept, i, axes);
  });
}

/// Two passes: the mean, then the mean of squared deviations from it.
Array variance(Emitter &e, Array x, const Attributes &attributes, DType dtype) {
  std::vector<int> axes = axesOf(attributes, e.rank(x));
  Array mean = average(e, x, axes, true, dtype, 0);
  Array squares =
      e.map({deviations(e, x, mean, axes, dtype)}, [](const Scalars &s) { return s[0] * s[0]; });
  return average(e, squares, axes, attributes.boolean("keepDims"), dtype, attributes.real("ddof"));
}

Arrays varEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype();
  return {castArray(e, variance(e, in[0], attributes, computeDType(result)), result)};
}

Arrays stddevEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype();
  Array squared = variance(e, in[0], attributes, computeDType(result));
  return {e.map({squared}, [&](const Scalars &s) { return cast(sqrt(s[0]), result); })};
}

/// m + log(sum(exp(x - m))) with m the maximum where it is finite (F-368).
Arrays logsumexpEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype(), dtype = computeDType(result);
  std::vector<int> axes = axesOf(attributes, e.rank(in[0]));
  Array x = castArray(e, in[0], dtype);
  Array maxima = reduceMapped(e, Combine::Max, x, axes, true, [](Scalar s) { return s; });
  Array shift = e.map({maxima}, [&](const Scalars &s) {
    return select(abs(s[0]) < std::numeric_limits<double>::infinity(), s[0], e.literal(dtype, 0));
  });
  Array terms =
      e.map({deviations(e, x, shift, axes, dtype)}, [](const Scalars &s) { return exp(s[0]); });
  Array sums = reduceMapped(e, Combine::Sum, terms, axes, true, [](Scalar s) { return s; });
  Array sum =
      e.map({sums, shift}, [&](const Scalars &s) { return cast(log(s[0]) + s[1], result); });
  if (attributes.boolean("keepDims"))
    return {sum};
  Extents left;
  for (int axis = 0; axis < e.rank(x); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end())
      left.push_back(e.dim(x, axis));
  return {e.view(sum, left)};
}

//===--- derivatives --------------------------------------------------------------===//

/// A reduction of x where it is differentiated.
struct Slices {
  const Op &op;
  Variable x, z;
  std::vector<int> axes;

  Slices(const Op &op, Inputs in, Outputs out)
      : op(op), x(in[0]), z(out[0]), axes(axesOf(op.attributes(), in[0].rank())) {}

  bool keepsDims() const { return op.attributes().boolean("keepDims"); }
  /// An array like the result, so that it broadcasts with x.
  Variable kept(const Variable &v) const {
    return keepsDims() || axes.empty() ? v : expandDims(v, Axes(axes));
  }
  /// The sum over the slices of an array like x.
  Variable joined(const Variable &v) const {
    return sum(v, {.axes = Axes(axes), .keepDims = keepsDims()});
  }
  /// x in the dtype in which the result is computed.
  Variable wide() const { return inDType(x, computeDType(z.dtype())); }
  /// Elements of a slice: beyond a half's range, so a float32 at least.
  Variable count() const {
    Variable n = constant(int64_t(1));
    for (int axis : axes)
      n = n * shape(x, axis);
    return cast(n, computeDType(z.dtype()));
  }
};

/// The derivatives of z = reduction(x): `back(s, G)` is the gradient, G being the result's, which
/// broadcasts with x; `forward(s, t)` the
/// tangent of z.
using AtSlices = std::function<Variable(const Slices &, const Variable &)>;
OpDef differentiated(OpDef def, AtSlices back, AtSlices forward) {
  def.elements = Elements::Reduced;
  def.pullback = [back](const Op &op, Inputs in, Outputs out, Gradients g) -> Variables {
    Slices s(op, in, out);
    return {back(s, s.kept(g[0]))};
  };
  def.pushforward = [forward](const Op &op, Inputs in, Outputs out, Tangents t) -> Variables {
    return {isPresent(t[0]) ? forward(Slices(op, in, out), t[0]) : t[0]};
  };
  return def;
}

/// z's tangent from that of each element: sum of t * weight, where the gradient is G * weight.
OpDef weighted(OpDef def, std::function<Variable(const Slices &)> weight) {
  return differentiated(
      std::move(def), [weight](const Slices &s, const Variable &g) { return g * weight(s); },
      [weight](const Slices &s, const Variable &t) { return s.joined(t * weight(s)); });
}

/// Linear reductions: `share` is a term's part in the result.
OpDef linear(OpDef def, AtSlices share) {
  auto spread = [share](const Slices &s, const Variable &g) { return second(s.x, share(s, g)); };
  def = differentiated(std::move(def), spread, nullptr);
  def.pushforward = sameOpOnTangent();
  return def;
}

/// Every element that equals the extreme one takes all.
OpDef chosen(OpDef def) {
  auto only = [](const Slices &s, const Variable &v) {
    return where(eq(s.x, s.kept(s.z)), v, constant(Tensor(0.0).cast(v.dtype())));
  };
  return differentiated(std::move(def), only, [only](const Slices &s, const Variable &t) {
    return s.joined(only(s, t));
  });
}

Variable others(const Variable &x, const std::vector<int> &axes) {
  return build(builtin("productOfOthers", {{"axes", IntList(axes.begin(), axes.end())}}), {x});
}

/// Of var, (x - mean) * 2 / (n - ddof), or half of it.
Variable deviation(const Slices &s, double factor) {
  Variable x = s.wide();
  return (x - mean(x, {.axes = Axes(s.axes), .keepDims = true})) *
         (factor / (s.count() - s.op.attributes().real("ddof")));
}

//===--- definitions --------------------------------------------------------------===//

OpDef reduction(std::string name, std::string doc, TypeRule type, EmitRule emit, MaxUlp maxUlp,
                std::string family, std::string example,
                std::vector<AttributeSpec> moreAttributes = {}) {
  std::vector<AttributeSpec> attributes = axesAttributes();
  attributes.insert(attributes.end(), moreAttributes.begin(), moreAttributes.end());
  return {.name = std::move(name),
          .doc = std::move(doc),
          .operands = {{"x"}},
          .attributes = std::move(attributes),
          .type = std::move(type),
          .emit = std::move(emit),
          .maxUlp = maxUlp,
          .golden = {std::move(family)},
          .section = section(kReductions),
          .example = std::move(example)};
}

TypesOr sameType(const TypeRequest &request) {
  return nonEmptyType(request, request.type(0).dtype());
}
TypesOr positionType(const TypeRequest &request) { return nonEmptyType(request, DType::Int64); }
TypesOr boolType(const TypeRequest &request) { return oneType(reducedType(request, DType::Bool)); }
TypesOr bitsType(const TypeRequest &request) {
  if (isFloat(request.type(0).dtype()))
    return makeError(ErrorKind::TypeError, "bits are joined of integers and bools, not of floats");
  return oneType(reducedType(request, request.type(0).dtype()));
}
TypesOr floatType(const TypeRequest &request) {
  return oneType(reducedType(request, promoteToFloat(request.type(0).dtype())));
}
/// Integers give float64 whatever their width.
TypesOr meanType(const TypeRequest &request) {
  DType x = request.type(0).dtype();
  const AttributeValue *wanted = request.attributes().find("dtype");
  DType dtype = isFloat(x) ? x : DType::Float64;
  if (wanted && !std::holds_alternative<NoneAttr>(*wanted))
    dtype = std::get<DType>(*wanted);
  if (!isFloat(dtype))
    return makeError(ErrorKind::TypeError,
                     "the result of an average is a float, not " + std::string(dtypeName(dtype)));
  if (absl::Status s = checkAccumulator(request); !s.ok())
    return s;
  const AttributeValue *joined = request.attributes().find("accDtype");
  if (joined && std::holds_alternative<DType>(*joined) && !isFloat(std::get<DType>(*joined)))
    return makeError(ErrorKind::TypeError, "an average is computed in floats, not in accDtype " +
                                               std::string(dtypeName(std::get<DType>(*joined))));
  return oneType(reducedType(request, dtype));
}

EmitRule positionEmission(Combine combine) { return extremeEmission(combine, combine); }

} // namespace

std::vector<OpDef> reductionOps() {
  std::vector<AttributeSpec> dtypes = {
      optionalAttribute("dtype", AttributeKind::DType, "dtype of the result"),
      optionalAttribute("accDtype", AttributeKind::DType,
                        "dtype in which terms are joined; must hold x's range")};
  std::vector<AttributeSpec> ddof = {{.name = "ddof",
                                      .kind = AttributeKind::Float,
                                      .defaultValue = 0.0,
                                      .doc = "the divisor is n - ddof"}};
  return {
      linear(reduction(
                 "sum",
                 "Sum over axes.\nIntegers and bools give 64 bits and wrap. float32 is joined in "
                 "float32 sums of at most 16 terms, which are added in float64 (error below 16 * "
                 "2^-24 of the sum of absolute values; accDtype = float64 joins in float64 "
                 "throughout), the halves in float32. A sum starts at 0.0: no elements give 0.0, "
                 "and so "
                 "do elements that are all -0.0, be it one (rules that may change the sign of "
                 "zero, as those of the default mode, may leave one element as it is).",
                 sumType, sumEmission(Combine::Sum), {-1, -1}, "sum",
                 "sum([[1, 2], [3, 4]]) {axes = [0]} = [4, 6]", dtypes),
             [](const Slices &, const Variable &g) { return g; }),
      weighted(
          reduction(
              "prod",
              "Product over axes.\nDtypes as sum, but float32 is joined in float64 throughout. "
              "No elements "
              "give 1.",
              sumType, sumEmission(Combine::Prod), {1, -1}, "prod",
              "prod([[1, 2], [3, 4]]) {axes = [1]} = [2, 12]", dtypes),
          [](const Slices &s) { return others(inDType(s.x, s.z.dtype()), s.axes); }),
      chosen(reduction("max",
                       "Greatest element over axes.\nNaN if one is NaN; no elements: ValueError.",
                       sameType, extremeEmission(Combine::Max, Combine::Or), {}, "max",
                       "max([[1, 2], [4, 3]]) {axes = [1], keepDims = true} = [[2], [4]]")),
      chosen(reduction(
          "min", "Least element over axes.\nNaN if one is NaN; no elements: ValueError.", sameType,
          extremeEmission(Combine::Min, Combine::And), {}, "min", "min([[1, 2], [4, 3]]) = 1")),
      reduction("argmax",
                "Position of the greatest element over axes, the first of equals, the first NaN.\n"
                "Over several axes it is the row-major position among them, in the order given; "
                "over all that of the flattened operand. No elements: ValueError.",
                positionType, positionEmission(Combine::ArgMax), {}, "argmax",
                "argmax([[1, 2], [4, 3]]) {axes = [0]} = [1, 1]"),
      reduction("argmin", "Position of the least element over axes; as argmax.", positionType,
                positionEmission(Combine::ArgMin), {}, "argmin",
                "argmin([[1, 2], [4, 3]]) {axes = [1]} = [0, 1]"),
      reduction("any", "Whether an element is not 0.\nNaN is true; no elements give false.",
                boolType, logicEmission(Combine::Or), {}, "any",
                "any([[0, 1], [0, 0]]) {axes = [1]} = [true, false]"),
      reduction("all", "Whether no element is 0.\nNaN is true; no elements give true.", boolType,
                logicEmission(Combine::And), {}, "all",
                "all([[0, 1], [1, 1]]) {axes = [1]} = [false, true]"),
      reduction("reduceAnd", "The bits that all elements have.\nNo elements give -1: all bits.",
                bitsType, bitsEmission(Combine::And), {}, "reduce_and",
                "reduceAnd([[6, 3], [4, 12]]) {axes = [1]} = [2, 4]"),
      reduction("reduceOr", "The bits that an element has.\nNo elements give 0.", bitsType,
                bitsEmission(Combine::Or), {}, "reduce_or",
                "reduceOr([[6, 3], [4, 8]]) {axes = [1]} = [7, 12]"),
      reduction("reduceXor", "The bits that an odd number of elements has.\nNo elements give 0.",
                bitsType, bitsEmission(Combine::Xor), {}, "reduce_xor",
                "reduceXor([[6, 3], [4, 12]]) {axes = [1]} = [5, 8]"),
      linear(
          reduction("mean",
                    "Sum over axes, divided by the number of elements.\nIntegers give float64. No "
                    "elements give NaN; elements that are all -0.0 give 0.0, as in sum.",
                    meanType, meanEmission, {-1, -1}, "mean",
                    "mean([[1, 2], [3, 4]]) {axes = [0]} = "
                    "[2.0, 3.0]",
                    dtypes),
          [](const Slices &s, const Variable &g) { return g / s.count(); }),
      weighted(
          reduction(
              "var",
              "Mean of the squared deviations from the mean, in two passes.\nNaN or an infinity, "
              "as the division says, where n <= ddof.",
              meanType, varEmission, {-1, -1}, "var", "var([1.0, 2.0, 3.0, 4.0]) = 1.25", ddof),
          [](const Slices &s) { return deviation(s, 2); }),
      weighted(
          reduction("stddev",
                    "Square root of var.\nThe derivative is 0 where all elements are equal.",
                    meanType, stddevEmission, {-1, -1}, "std", "stddev([1.0, 3.0]) = 1.0", ddof),
          [](const Slices &s) {
            Variable z = inDType(s.kept(s.z), computeDType(s.z.dtype()));
            return where(eq(z, 0.0), constant(Tensor(0.0).cast(z.dtype())), deviation(s, 1) / z);
          }),
      weighted(
          reduction(
              "logsumexp",
              "log(sum(exp(x))) without overflow: the maximum is subtracted first.\nAll -inf, or "
              "no elements, give -inf; an inf gives inf.",
              floatType, logsumexpEmission, {-1, -1}, "logsumexp",
              "logsumexp([1000.0, 1000.0]) = 1000.69314718"),
          [](const Slices &s) { return exp(inDType(s.x, s.z.dtype()) - s.kept(s.z)); }),
  };
}

} // namespace graphc
