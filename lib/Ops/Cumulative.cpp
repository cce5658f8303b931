//===- Cumulative.cpp - sums, products and recurrences along an axis ----------===//
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Routines/Routines.h"
#include "Rules.h"
#include "graphc/Arrays.h"

namespace graphc {
namespace {

//===--- types and emissions -----------------------------------------------------===//

std::vector<AttributeSpec> runAttributes(std::string other, std::string doc) {
  return {{.name = "axis", .kind = AttributeKind::Int, .doc = "from the end if negative"},
          {.name = "reverse",
           .kind = AttributeKind::Bool,
           .defaultValue = false,
           .doc = "whether it begins at the last position"},
          {.name = std::move(other),
           .kind = AttributeKind::Bool,
           .defaultValue = false,
           .doc = std::move(doc)}};
}

/// All operands and the result are of one type; bools count, in int64.
TypesOr runType(const TypeRequest &request) {
  if (absl::Status s = requireAxis(request); !s.ok())
    return s;
  DType dtype = request.type(0).dtype();
  return inferShapes(request, {dtype == DType::Bool ? DType::Int64 : dtype});
}

TypesOr recurrenceType(const TypeRequest &request) {
  const Type &a = request.type(0), &b = request.type(1);
  if (!isFloat(a.dtype()) || a.dtype() != b.dtype() || a.rank() != b.rank())
    return makeError(ErrorKind::TypeError, "a and b must be floats of one dtype and rank");
  return runType(request);
}

/// The routine on the operands as (outer, n, inner).
EmitRule runEmission(const Routine &routine, std::string_view second) {
  return [&routine, second](Emitter &e, const Arrays &in, const Attributes &attributes) -> Arrays {
    int axis = *normalizeAxis(attributes.integer("axis"), e.rank(in[0]));
    for (size_t k = 1; k < in.size(); ++k)
      for (int i = 0; i < e.rank(in[0]); ++i)
        e.requireEqual(e.dim(in[k], i), e.dim(in[0], i),
                       "a has {b} elements along axis " + std::to_string(i) + " and b {a}");
    Extents lines = {e.size(1), e.dim(in[0], axis), e.size(1)};
    for (int i = 0; i < e.rank(in[0]); ++i)
      if (i != axis)
        lines[i < axis ? 0 : 2] = lines[i < axis ? 0 : 2] * e.dim(in[0], i);
    Arrays operands;
    const DType dtype = e.resultType(0).dtype();
    for (Array x : in)
      operands.push_back(e.view(castArray(e, x, dtype), lines));
    Array result = e.routine(routine, {attributes.boolean("reverse"), attributes.boolean(second)},
                             operands, {{dtype, lines}})[0];
    return {e.view(result, e.shape(in[0]))};
  };
}

//===--- derivatives ---------------------------------------------------------------===//

Variable run(std::string_view op, int64_t axis, bool isReverse, std::string_view second,
             bool isSecond, const Variables &operands) {
  return build(
      builtin(op, {{"axis", axis}, {"reverse", isReverse}, {std::string(second), isSecond}}),
      std::vector<Operand>(operands.begin(), operands.end()));
}

/// The attributes of a node.
struct Run {
  int64_t axis;
  bool isReverse, isSecond;
  Run(const Op &op, std::string_view second)
      : axis(op.attributes().integer("axis")), isReverse(op.attributes().boolean("reverse")),
        isSecond(op.attributes().boolean(second)) {}
};

/// Each element moved to the next position in a direction, 0 where it begins.
Variable shifted(const Variable &x, int64_t axis, bool toFront) {
  int at = int(axis < 0 ? axis + x.rank() : axis);
  std::vector<Index> index(size_t(at) + 1, Index(Slice())), edge = index;
  index.back() = toFront ? Slice(1, kEnd) : Slice(kEnd, -1);
  // As many as there are, up to one: of no elements none is left.
  edge.back() = Slice(0, 1);
  Variable zero = zerosLike(subtensor(x, edge)), rest = subtensor(x, index);
  return toFront ? concatenate({rest, zero}, at) : concatenate({zero, rest}, at);
}

Variable sumAlong(const Run &r, bool isReverse, const Variable &x) {
  return run("cumsum", r.axis, isReverse, "exclusive", r.isSecond, {x});
}

Variables sumPullback(const Op &op, Inputs, Outputs, Gradients g) {
  Run r(op, "exclusive");
  return {sumAlong(r, !r.isReverse, g[0])};
}

/// y[k] = e[k] x[k] where e is the product before k. What g says of y comes to x[i] as
/// e[i] (g[i] + x[i + 1] (g[i + 1] + x[i + 2] (...))): a recurrence from the other end, which
/// divides by no x.
Variables productPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  Run r(op, "exclusive");
  Variable before = run("cumprod", r.axis, r.isReverse, "exclusive", true, {in[0]});
  Variable terms = r.isSecond ? shifted(g[0], r.axis, !r.isReverse) : g[0];
  Variable after = run("linearRecurrence", r.axis, !r.isReverse, "shifted", true, {in[0], terms});
  return {before * after};
}

/// dy[k] = x[k] dy[k - 1] + e[k] dx[k].
Variables productPushforward(const Op &op, Inputs in, Outputs, Tangents t) {
  Run r(op, "exclusive");
  Variable before = run("cumprod", r.axis, r.isReverse, "exclusive", true, {in[0]});
  Variable dy =
      run("linearRecurrence", r.axis, r.isReverse, "shifted", false, {in[0], before * t[0]});
  return {r.isSecond ? shifted(dy, r.axis, r.isReverse) : dy};
}

/// The adjoint of r[k] = a[k] r[p] + b[k] runs the other way with the factors of the position
/// before, and the other way round.
Variables recurrencePullback(const Op &op, Inputs in, Outputs out, Gradients g) {
  Run r(op, "shifted");
  Variable b = run("linearRecurrence", r.axis, !r.isReverse, "shifted", !r.isSecond, {in[0], g[0]});
  Variable a = r.isSecond ? shifted(b, r.axis, !r.isReverse) * out[0]
                          : b * shifted(out[0], r.axis, r.isReverse);
  return {a, b};
}

Variables recurrencePushforward(const Op &op, Inputs in, Outputs out, Tangents t) {
  Run r(op, "shifted");
  return {sumOverTangents(t, {0, 1}, [&](size_t operand) {
    Variable term = t[operand];
    if (operand == 0) {
      term = term * (r.isSecond ? out[0] : shifted(out[0], r.axis, r.isReverse));
      if (r.isSecond)
        term = shifted(term, r.axis, r.isReverse);
    }
    return run("linearRecurrence", r.axis, r.isReverse, "shifted", r.isSecond, {in[0], term});
  })};
}

constexpr std::string_view kExclusive = "whether each joins what is before its position only";

} // namespace

std::vector<OpDef> cumulativeOps() {
  return {
      {.name = "cumsum",
       .doc = "Sums of all elements up to each position along an axis, of x's dtype; of bools, "
              "int64.\n"
              "Floats are joined in float64 and rounded once each; integers wrap.",
       .operands = {{"x"}},
       .attributes = runAttributes("exclusive", std::string(kExclusive)),
       .type = runType,
       .emit = runEmission(kCumulativeSum, "exclusive"),
       .pullback = sumPullback,
       .pushforward = sameOpOnTangent(),
       .elements = Elements::Moved,
       .maxUlp = {-1, -1},
       .golden = {"cumsum", "cumsum_run"},
       .section = section(kReductions),
       .example = "cumsum([[1, 2, 3], [4, 5, 6]]) {axis = 1} = [[1, 3, 6], [4, 9, 15]]"},
      {.name = "cumprod",
       .doc = "Products of all elements up to each position along an axis, of x's dtype; of bools, "
              "int64.\n"
              "Floats are joined in float64 and rounded once each; integers wrap. The gradient is "
              "right where elements are 0.",
       .operands = {{"x"}},
       .attributes = runAttributes("exclusive", std::string(kExclusive)),
       .type = runType,
       .emit = runEmission(kCumulativeProduct, "exclusive"),
       .pullback = productPullback,
       .pushforward = productPushforward,
       .maxUlp = {-1, -1},
       .golden = {"cumprod", "cumprod_run"},
       .section = section(kReductions),
       .example = "cumprod([2, 3, 4]) {axis = 0, exclusive = true} = [1, 2, 6]"},
      {.name = "linearRecurrence",
       .doc = "r[k] = a[k] r[k - 1] + b[k] along an axis, where r before the first position is 0.\n"
              "Floats of one dtype and shape, joined in float64 and rounded once each.",
       .operands = {{"a"}, {"b"}},
       .attributes = runAttributes("shifted", "whether a[k - 1] is in the place of a[k]"),
       .type = recurrenceType,
       .emit = runEmission(kLinearRecurrence, "shifted"),
       .pullback = recurrencePullback,
       .pushforward = recurrencePushforward,
       .maxUlp = {-1, -1},
       .golden = {"linear_recurrence"},
       .section = section(kReductions),
       .example = "linearRecurrence([9., 2., 3.], [1., 1., 1.]) {axis = 0} = [1., 3., 10.]"},
  };
}

} // namespace graphc
