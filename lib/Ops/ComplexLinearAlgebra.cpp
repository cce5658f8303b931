//===- ComplexLinearAlgebra.cpp - matrices of complex numbers -------------===//
//
// Systems of complex equations are real ones of twice the size: a + i b is [[a, -b], [b, a]].
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "ComplexMatrices.h"
#include "ComplexRules.h"
#include "Families.h"
#include "Matrices.h"

namespace graphc {
namespace {

/// The rows above and below each other.
Variable stacked(const Variable &above, const Variable &below) {
  return concatenate({above, below}, above.rank() - 2);
}

/// Of a column of blocks: the upper ones are the real parts.
Parts halves(const Variable &x) {
  Variable rows = intDiv(shape(x, -2), 2);
  auto rowsOf = [&](const Slice &which) {
    std::vector<Index> index(size_t(x.rank() - 2), Index(Slice()));
    index.emplace_back(which);
    return subtensor(x, index);
  };
  return {rowsOf(Slice(0, rows)), rowsOf(Slice(rows, kEnd))};
}

/// The symmetric matrix of which one triangle is given.
Parts symmetricOf(const Parts &a, bool isLower) {
  return {unfolded(a.re, isLower), unfolded(imaginaryOf(a), isLower)};
}

} // namespace

Variable embedded(const Parts &a) {
  Variable im = imaginaryOf(a);
  const int last = a.re.rank() - 1;
  return stacked(concatenate({a.re, -im}, last), concatenate({im, a.re}, last));
}

Parts firstHalf(const Variable &x) {
  std::vector<Index> index(size_t(x.rank() - 1), Index(Slice()));
  index.emplace_back(Slice(0, intDiv(shape(x, -1), 2)));
  return halves(subtensor(x, index));
}

Parts hermitianOf(const Parts &a, bool isLower) {
  Variable below = strictTriangleOf(imaginaryOf(a), isLower);
  return {unfolded(a.re, isLower), below - transposed(below)};
}

static Parts solvedBy(const Op &op, const Parts &a, const Parts &b) {
  return halves(build(op, {embedded(a), stacked(b.re, imaginaryOf(b))}));
}

Parts solved(const Parts &a, const Parts &b) {
  return solvedBy(builtin("solve", {{"assume", std::string("general")}, {"lower", false}}), a, b);
}

namespace {

/// A positive definite Hermitian matrix is embedded as a symmetric one that is.
std::vector<Parts> solveOf(const ComplexRequest &r) {
  const std::string &assume = r.op.attributes().string("assume");
  const bool isLower = r.op.attributes().boolean("lower");
  if (assume == "positive")
    return {solvedBy(r.op, hermitianOf(r.in[0], isLower), r.in[1])};
  return {solved(assume == "symmetric" ? symmetricOf(r.in[0], isLower) : r.in[0], r.in[1])};
}

std::vector<Parts> inverseOf(const ComplexRequest &r) {
  return {firstHalf(build(r.op, {embedded(r.in[0])}))};
}

/// eig, eigvals.
std::vector<Parts> eigenOf(const ComplexRequest &r) {
  std::vector<Operand> operands = {r.in[0].re};
  if (r.in[0].im)
    operands.emplace_back(*r.in[0].im);
  Variables all = builtin(std::string(r.op.name()) + "Parts").callAll(operands, Place());
  std::vector<Parts> results;
  for (size_t i = 0; i + 1 < all.size(); i += 2)
    results.push_back({all[i], all[i + 1]});
  return results;
}

/// A square matrix, in one array or two, to both parts of the eigenvalues, and of the vectors.
template <bool kGivesVectors>
Arrays eigenEmission(Emitter &e, const Arrays &in, const Attributes &) {
  MatrixCall m(e, in[0]);
  m.requireSquare();
  for (int k = 0; in.size() > 1 && k < e.rank(in[0]); ++k)
    e.requireEqual(e.dim(in[1], k), e.dim(in[0], k),
                   "the imaginary part has {a} elements along axis " + std::to_string(k) +
                       " where the real part has {b}");
  Extents values = {m.rows()}, vectors = {m.rows(), m.rows()};
  return kGivesVectors ? m.call(kEigenvalues, {1}, in, {values, values, vectors, vectors})
                       : m.call(kEigenvalues, {0}, in, {values, values});
}

OpDef partsOp(std::string name, std::string family, int results, EmitRule emit,
              std::string example) {
  return withoutDerivative(
      {.name = std::move(name),
       .doc = "Real and imaginary parts of what the op without \"Parts\" gives, "
              "of a matrix by its parts; without the second one it is real.",
       .operands = {{"parts"}},
       .variadic = true,
       .minOperands = 1,
       .numResults = results,
       .type = [results](const TypeRequest &request) -> TypesOr {
         if (request.size() > 2)
           return makeError(ErrorKind::ValueError, "a matrix has two parts at most");
         return matrixTypes(request, size_t(results));
       },
       .emit = std::move(emit),
       .maxUlp = {-1, -1},
       .golden = {std::move(family)},
       .section = section(kDerivatives),
       .example = std::move(example)},
      "the derivatives of eigenvalues of general matrices are not implemented");
}

/// Of values and, if there are two results, of vectors.
TypesOr eigenTypes(const TypeRequest &request, int results) {
  const Type &a = request.type(0);
  if (a.rank() < 2)
    return makeError(ErrorKind::ShapeError,
                     "a matrix has two axes at least, not " + std::to_string(a.rank()));
  if (!isFloat(a.dtype()))
    return makeError(ErrorKind::TypeError, "operands must be floats of one dtype");
  std::vector<int64_t> shape(a.shape().begin(), a.shape().end());
  int64_t &rows = shape.end()[-2], &columns = shape.end()[-1];
  if (rows != kDynamic && columns != kDynamic && rows != columns)
    return makeError(ErrorKind::ShapeError, "the matrix must be square, not " +
                                                std::to_string(rows) + " x " +
                                                std::to_string(columns));
  rows = columns = std::max(rows, columns); // what is known of either
  DType dtype = complexDType(a.dtype());
  std::vector<Type> types = {Type(dtype, absl::MakeConstSpan(shape).first(shape.size() - 1))};
  if (results > 1)
    types.push_back(Type(dtype, shape));
  return types;
}

OpDef eigenOp(std::string name, std::string doc, int results, std::string example) {
  OpDef def = {
      .name = name,
      .doc = std::move(doc),
      .operands = {{"a"}},
      .numResults = results,
      .defaultResult = results == 1 ? 0 : -1,
      .type = [results](const TypeRequest &request) { return eigenTypes(request, results); },
      // What its parts give, of which loops are made.
      .emit = [](Emitter &, const Arrays &, const Attributes &) { return Arrays(); },
      .maxUlp = {-1, -1},
      .golden = {name},
      .section = section(kLinearAlgebra),
      .example = std::move(example)};
  return withoutDerivative(
      std::move(def), "the derivatives of eigenvalues of general matrices are not implemented");
}

} // namespace

std::vector<OpDef> eigenPartsOps() {
  return {
      eigenOp("eig",
              "Eigenvalues of square matrices, complex, and eigenvectors as columns.\nIn no order "
              "that is promised. Vectors have length 1; the first of the greatest elements of each "
              "is real and positive. LinAlgError where the iteration does not converge.",
              2, "eig([[3.]]) = [3+0j]"),
      eigenOp("eigvals",
              "Eigenvalues of square matrices, complex.\nIn no order that is promised. Errors as "
              "eig's.",
              1, "eigvals([[0., -2.], [2., 0.]]) = [0+2j, 0-2j]"),
      partsOp("eigParts", "eig_parts", 4, eigenEmission<true>, "eigParts([[3.]]) = [3.]"),
      partsOp("eigvalsParts", "eigvals_parts", 2, eigenEmission<false>,
              "eigvalsParts([[3.]]) = [3.]"),
  };
}

std::vector<NamedComplexRule> complexLinearAlgebraRules() {
  constexpr auto kHolomorphic = ComplexDerivatives::Holomorphic;
  // What is read of a Hermitian matrix is no complex function of its elements.
  return {{"solve", {.parts = solveOf}},
          {"inv", {.parts = inverseOf, .derivatives = kHolomorphic}},
          {"eig", {.parts = eigenOf, .makesComplex = true}},
          {"eigvals", {.parts = eigenOf, .makesComplex = true}}};
}

} // namespace graphc
