//===- LinearAlgebra.cpp - systems of equations, determinants, exponentials --------===//
#include "Families.h"
#include "Matrices.h"
#include "Phases.h"

namespace graphc {

static DType dtypeOf(ResultOf result, DType numbers) {
  switch (result) {
  case ResultOf::Numbers:
    return numbers;
  case ResultOf::Reals:
    return realDType(numbers);
  case ResultOf::Complexes:
    return complexDType(realDType(numbers));
  case ResultOf::Positions:
    return DType::Int64;
  }
  return numbers;
}

Arrays MatrixCall::call(const Routine &routine, std::vector<int64_t> parameters, const Arrays &in,
                        const std::vector<Extents> &results, const ResultsOf &of) const {
  DType dtype = e_.dtype(x_), inner = computeDType(dtype);
  Arrays operands;
  for (Array a : in) {
    Extents shape = {batch_};
    for (int k = e_.rank(x_) - 2; k < e_.rank(a); ++k)
      shape.push_back(e_.dim(a, k));
    operands.push_back(e_.view(castArray(e_, a, inner), shape));
  }
  auto resultOf = [&](size_t k) { return of.empty() ? ResultOf::Numbers : of[k]; };
  std::vector<std::pair<DType, Extents>> types;
  for (size_t k = 0; k < results.size(); ++k) {
    Extents shape = {batch_};
    shape.insert(shape.end(), results[k].begin(), results[k].end());
    types.emplace_back(dtypeOf(resultOf(k), inner), shape);
  }
  Arrays made = e_.routine(routine, std::move(parameters), operands, types);
  for (size_t k = 0; k < made.size(); ++k) {
    Extents shape = shape_;
    shape.insert(shape.end(), results[k].begin(), results[k].end());
    made[k] = castArray(e_, e_.view(made[k], shape), dtypeOf(resultOf(k), dtype));
  }
  return made;
}

void MatrixCall::requireBatch(Array x, std::string_view name) const {
  for (int k = 0; k < e_.rank(x_) - 2; ++k)
    e_.requireEqual(e_.dim(x, k), e_.dim(x_, k),
                    std::string(name) + " has {a} elements along axis " + std::to_string(k) +
                        " where a has {b}");
}

TypesOr matrixTypes(const TypeRequest &request, const ResultsOf &results) {
  const Type &a = request.type(0);
  if (a.rank() < 2)
    return makeError(ErrorKind::ShapeError,
                     "a matrix has two axes at least, not " + std::to_string(a.rank()));
  for (size_t k = 0; k < request.size(); ++k)
    if (!isFloat(realDType(request.type(k).dtype())) || request.type(k).dtype() != a.dtype())
      return makeError(ErrorKind::TypeError, "operands must be floats of one dtype");
  for (size_t k = 1; k < request.size(); ++k)
    if (request.type(k).rank() != a.rank())
      return makeError(ErrorKind::ShapeError, "operands must have one rank");
  std::vector<DType> dtypes;
  for (ResultOf result : results)
    dtypes.push_back(dtypeOf(result, a.dtype()));
  return inferShapes(request, dtypes);
}

AttributeSpec flag(std::string name, bool byDefault, std::string doc) {
  return {.name = std::move(name),
          .kind = AttributeKind::Bool,
          .defaultValue = byDefault,
          .doc = std::move(doc)};
}

OpDef onMatrices(OpDef def, const ResultsOf &results) {
  if (def.operands.empty())
    def.operands = {{"a"}};
  if (!def.type)
    def.type = [results](const TypeRequest &request) { return matrixTypes(request, results); };
  def.numResults = int(results.size());
  def.complex.isNative = true;
  def.maxUlp = {-1, -1};
  if (def.section.empty())
    def.section = section(kLinearAlgebra);
  return def;
}

Variable hermitianTriangleOf(const Variable &x, bool isLower) {
  if (!isComplex(x.dtype()))
    return triangleOf(x, isLower);
  return complex(triangleOf(real(x), isLower), strictTriangleOf(imag(x), isLower));
}

EmitRule squareEmission(const Routine &routine,
                        std::function<std::vector<int64_t>(const Attributes &)> parameters) {
  return [&routine, parameters](Emitter &e, const Arrays &in, const Attributes &a) -> Arrays {
    MatrixCall m(e, in[0]);
    m.requireSquare();
    return m.call(routine, parameters ? parameters(a) : std::vector<int64_t>(), in,
                  {{m.rows(), m.rows()}});
  };
}

namespace {

//===--- emissions -----------------------------------------------------------------===//

/// a, b to x.
Arrays solved(Emitter &e, const Routine &routine, std::vector<int64_t> parameters,
              const Arrays &in) {
  Array a = in[0], b = in[1];
  MatrixCall m(e, a);
  m.requireSquare();
  int rank = e.rank(a);
  e.requireEqual(e.dim(b, rank - 2), m.rows(), "b has {a} rows where a has {b}");
  m.requireBatch(b, "b");
  return m.call(routine, std::move(parameters), in, {{e.dim(b, rank - 2), e.dim(b, rank - 1)}});
}

Arrays triangularEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  return solved(e, kSolveTriangular,
                {a.boolean("lower"), a.boolean("transposed"), a.boolean("unitDiagonal")}, in);
}

constexpr std::string_view kAssumptions[] = {"general", "symmetric", "positive"};

int assumptionOf(const Attributes &attributes) {
  const std::string &name = attributes.string("assume");
  for (int k = 0; k < 3; ++k)
    if (kAssumptions[k] == name)
      return k;
  return -1;
}

TypesOr solveType(const TypeRequest &request) {
  if (assumptionOf(request.attributes()) < 0)
    return makeError(ErrorKind::ValueError,
                     "assume is \"general\", \"symmetric\" or \"positive\", not \"" +
                         request.attributes().string("assume") + "\"");
  return matrixTypes(request, {ResultOf::Numbers});
}

Arrays solveEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  return solved(e, kSolve, {assumptionOf(a), a.boolean("lower")}, in);
}

Arrays detEmission(Emitter &e, const Arrays &in, const Attributes &) {
  MatrixCall m(e, in[0]);
  m.requireSquare();
  return m.call(kDeterminant, {}, in, {{}});
}

Arrays slogdetEmission(Emitter &e, const Arrays &in, const Attributes &) {
  MatrixCall m(e, in[0]);
  m.requireSquare();
  return m.call(kLogDeterminant, {}, in, {{}, {}}, {ResultOf::Numbers, ResultOf::Reals});
}

//===--- derivatives ----------------------------------------------------------------===//

/// The triangle of m with half the diagonal.
Variable halved(const Variable &m) { return 0.5 * (tril(m) + tril(m, -1)); }

/// l^-H m l^-1 of a lower triangular l.
Variable between(const Variable &l, const Variable &m) {
  TriangularOptions back{.lower = true, .transposed = true};
  Variable turned = conjugated(l), left = solveTriangular(turned, m, back);
  return adjoint(solveTriangular(turned, adjoint(left), back));
}

Variables choleskyPullback(const Op &op, Inputs, Outputs out, Gradients g) {
  bool isLower = op.attributes().boolean("lower");
  Variable l = isLower ? out[0] : adjoint(out[0]), gl = isLower ? g[0] : adjoint(g[0]);
  return {folded(between(l, halved(matmul(adjoint(l), gl))), isLower)};
}

Variables choleskyPushforward(const Op &op, Inputs, Outputs out, Tangents t) {
  bool isLower = op.attributes().boolean("lower");
  Variable l = isLower ? out[0] : adjoint(out[0]), da = unfolded(t[0], isLower);
  TriangularOptions lower{.lower = true};
  Variable inner = solveTriangular(l, adjoint(solveTriangular(l, da, lower)), lower);
  Variable dl = matmul(l, halved(inner));
  return {isLower ? dl : adjoint(dl)};
}

Variable triangular(const Op &op, const Variable &a, const Variable &b, bool isTransposed) {
  return build(
      builtin("solveTriangular", {{"lower", op.attributes().boolean("lower")},
                                  {"transposed", isTransposed},
                                  {"unitDiagonal", op.attributes().boolean("unitDiagonal")}}),
      {a, b});
}

/// What of a is read.
Variable readOf(const Op &op, const Variable &a) {
  bool isLower = op.attributes().boolean("lower");
  return op.attributes().boolean("unitDiagonal") ? strictTriangleOf(a, isLower)
                                                 : triangleOf(a, isLower);
}

Variables triangularPullback(const Op &op, Inputs in, Outputs out, Gradients g) {
  bool isTransposed = op.attributes().boolean("transposed");
  Variable b = triangular(op, conjugated(in[0]), g[0], !isTransposed);
  Variable a =
      isTransposed ? matmul(conjugated(out[0]), transposed(b)) : matmul(b, adjoint(out[0]));
  return {readOf(op, -a), b};
}

Variables triangularPushforward(const Op &op, Inputs in, Outputs out, Tangents t) {
  bool isTransposed = op.attributes().boolean("transposed");
  return {sumOverTangents(t, {0, 1}, [&](size_t operand) {
    Variable right = t[operand];
    if (operand == 0) {
      Variable da = readOf(op, t[0]);
      right = -matmul(isTransposed ? transposed(da) : da, out[0]);
    }
    return triangular(op, in[0], right, isTransposed);
  })};
}

/// A symmetric matrix of complex numbers is no Hermitian one.
bool isSymmetric(const Op &op) {
  return assumptionOf(op.attributes()) == int(MatrixKind::Symmetric);
}
bool isGeneral(const Op &op) { return assumptionOf(op.attributes()) == int(MatrixKind::General); }

Variables solvePullback(const Op &op, Inputs in, Outputs out, Gradients g) {
  const bool isLower = op.attributes().boolean("lower");
  Variable b = build(op, {isGeneral(op)     ? adjoint(in[0])
                          : isSymmetric(op) ? conjugated(in[0])
                                            : in[0],
                          g[0]});
  Variable a = -matmul(b, adjoint(out[0]));
  if (isSymmetric(op))
    return {triangleOf(a, isLower) + strictTriangleOf(transposed(a), isLower), b};
  return {isGeneral(op) ? a : folded(a, isLower), b};
}

Variables solvePushforward(const Op &op, Inputs in, Outputs out, Tangents t) {
  const bool isLower = op.attributes().boolean("lower");
  return {sumOverTangents(t, {0, 1}, [&](size_t operand) {
    Variable right = t[operand];
    if (operand == 0) {
      Variable da = right;
      if (isSymmetric(op))
        da = triangleOf(da, isLower) + transposed(strictTriangleOf(da, isLower));
      else if (!isGeneral(op))
        da = unfolded(da, isLower);
      right = -matmul(da, out[0]);
    }
    return build(op, {in[0], right});
  })};
}

Variables invPullback(const Op &, Inputs, Outputs out, Gradients g) {
  Variable z = adjoint(out[0]);
  return {-matmul(matmul(z, g[0]), z)};
}

Variables invPushforward(const Op &, Inputs, Outputs out, Tangents t) {
  return {-matmul(matmul(out[0], t[0]), out[0])};
}

Variable cofactors(const Variable &a) { return build(builtin("cofactors"), {a}); }
/// A number for each matrix, to be multiplied with it.
Variable perMatrix(const Variable &x) { return expandDims(x, Axes({-1, -2})); }
Variable innerProduct(const Variable &x, const Variable &y) { return sum(x * y, Axes({-1, -2})); }

Variables detPullback(const Op &, Inputs in, Outputs, Gradients g) {
  return {perMatrix(g[0]) * conjugated(cofactors(in[0]))};
}

Variables detPushforward(const Op &, Inputs in, Outputs, Tangents t) {
  return {innerProduct(cofactors(in[0]), t[0])};
}

/// c = det m with m = a^-T: dc = <c, da> m - det m da^T m.
Variable cofactorsOf(const Variable &a, const Variable &c, const Variable &direction) {
  Variable m = transposed(inv(a));
  return perMatrix(innerProduct(c, direction)) * m -
         perMatrix(det(a)) * matmul(matmul(m, transposed(direction)), m);
}

Variables cofactorsPullback(const Op &, Inputs in, Outputs out, Gradients g) {
  return {conjugated(cofactorsOf(in[0], out[0], conjugated(g[0])))};
}

Variables cofactorsPushforward(const Op &, Inputs in, Outputs out, Tangents t) {
  return {cofactorsOf(in[0], out[0], t[0])};
}

/// The sign s of a complex determinant turns: ds = i s Im(t) with t = <a^-T, da>.
Variables slogdetPullback(const Op &, Inputs in, Outputs out, Gradients g) {
  const bool turns = isComplex(in[0].dtype()) && isPresent(g[0]);
  if (!turns && !isPresent(g[1]))
    return {zeroDerivative()};
  Variable factor = g[1];
  if (turns) {
    Variable angle = imag(g[0] * conj(out[0]));
    factor = complex(isPresent(g[1]) ? g[1] : zerosLike(angle), angle);
  }
  return {perMatrix(factor) * adjoint(inv(in[0]))};
}

Variables slogdetPushforward(const Op &, Inputs in, Outputs out, Tangents t) {
  Variable inner = innerProduct(transposed(inv(in[0])), t[0]);
  if (!isComplex(in[0].dtype()))
    return {zeroDerivative(), inner};
  return {out[0] * timesI(imag(inner)), real(inner)};
}

Variable exponentialAlong(const Variable &a, const Variable &direction) {
  return derivativeByBlocks([](const Variable &x) { return expm(x); }, a, direction);
}

Variables expmPullback(const Op &, Inputs in, Outputs, Gradients g) {
  return {exponentialAlong(adjoint(in[0]), g[0])};
}

Variables expmPushforward(const Op &, Inputs in, Outputs, Tangents t) {
  return {exponentialAlong(in[0], t[0])};
}

} // namespace

std::vector<OpDef> linearAlgebraOps() {
  return {
      onMatrices(
          {.name = "cholesky",
           .doc = "The triangular factor of symmetric (Hermitian) positive definite matrices.\nOne "
                  "triangle is read, the other one of the result is 0. LinAlgError where a "
                  "matrix is not positive definite, or a matrix of NaNs.",
           .attributes = {flag("lower", true, "l l^T rather than u^T u"),
                          flag("givesNan", false, "whether NaNs are in the place of errors")},
           .emit = squareEmission(kCholesky,
                                  [](const Attributes &a) {
                                    return std::vector<int64_t>{a.boolean("lower"),
                                                                a.boolean("givesNan")};
                                  }),
           .pullback = choleskyPullback,
           .pushforward = choleskyPushforward,
           .golden = {"cholesky"},
           .example = "cholesky([[4., 2.], [2., 5.]]) = [[2., 0.], [1., 2.]]"}),
      onMatrices(
          {.name = "solveTriangular",
           .doc = "x with a x = b for triangular matrices, or a^T x = b.\nThe other triangle "
                  "is not read. LinAlgError for a 0 on the diagonal.",
           .operands = {{"a"}, {"b"}},
           .attributes = {flag("lower", false, "which triangle"),
                          flag("transposed", false, "whether a is transposed"),
                          flag("unitDiagonal", false, "whether the diagonal counts as ones")},
           .emit = triangularEmission,
           .pullback = triangularPullback,
           .pushforward = triangularPushforward,
           .golden = {"solve_triangular"},
           .example = "solveTriangular([[2., 1.], [0., 4.]], [[4.], [8.]]) = [[1.], [2.]]"}),
      onMatrices({.name = "solve",
                  .doc =
                      "x with a x = b.\nBy LU with pivots, for symmetric matrices Bunch and "
                      "Kaufman's method, for positive definite ones Cholesky's. LinAlgError where "
                      "a is singular, or not positive definite.",
                  .operands = {{"a"}, {"b"}},
                  .attributes = {{.name = "assume",
                                  .kind = AttributeKind::String,
                                  .defaultValue = std::string("general"),
                                  .doc = "\"general\", \"symmetric\" or \"positive\""},
                                 flag("lower", false, "which triangle is read if not general")},
                  .type = solveType,
                  .emit = solveEmission,
                  .pullback = solvePullback,
                  .pushforward = solvePushforward,
                  .golden = {"solve"},
                  .example = "solve([[2., 0.], [0., 4.]], [[4.], [8.]]) = [[2.], [2.]]"}),
      onMatrices({.name = "inv",
                  .doc = "Inverses of matrices.\nLinAlgError where one is singular.",
                  .emit = squareEmission(kInverse),
                  .pullback = invPullback,
                  .pushforward = invPushforward,
                  .golden = {"inv"},
                  .example = "inv([[2., 0.], [0., 4.]]) = [[0.5, 0.], [0., 0.25]]"}),
      onMatrices({.name = "det",
                  .doc =
                      "Determinants of matrices.\n1 for 0 rows; the product of LU's diagonal, in "
                      "float64.",
                  .emit = detEmission,
                  .pullback = detPullback,
                  .pushforward = detPushforward,
                  .golden = {"det"},
                  .example = "det([[1., 2.], [3., 4.]]) = -2."}),
      onMatrices({.name = "slogdet",
                  .doc =
                      "Signs of determinants and logarithms of their absolute values.\n0 and -inf "
                      "where a matrix is singular.",
                  .emit = slogdetEmission,
                  .pullback = slogdetPullback,
                  .pushforward = slogdetPushforward,
                  .golden = {"slogdet"},
                  .example = "slogdet([[1., 2.], [3., 4.]]) = -1."},
                 {ResultOf::Numbers, ResultOf::Reals}),
      onMatrices({.name = "cofactors",
                  .doc = "Matrices of cofactors: the gradient of the determinant.\nFinite where a "
                         "matrix is singular; their own derivatives need the inverse.",
                  .emit = squareEmission(kCofactors),
                  .pullback = cofactorsPullback,
                  .pushforward = cofactorsPushforward,
                  .golden = {"cofactors"},
                  .section = section(kDerivatives),
                  .example = "cofactors([[1., 2.], [3., 4.]]) = [[4., -3.], [-2., 1.]]"}),
      onMatrices({.name = "expm",
                  .doc = "Matrix exponentials.\nScaling, squaring and a Padé approximant (Higham "
                         "2005), in float64.",
                  .emit = squareEmission(kMatrixExponential),
                  .pullback = expmPullback,
                  .pushforward = expmPushforward,
                  .golden = {"expm"},
                  .example = "expm([[0., 0.], [0., 0.]]) = [[1., 0.], [0., 1.]]"}),
  };
}

} // namespace graphc
