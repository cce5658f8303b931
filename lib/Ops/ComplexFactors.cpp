//===- ComplexFactors.cpp - determinants, factors and norms of complex matrices ---===//
//
// By the real matrices of twice the size that do the same (lib/Ops/ComplexLinearAlgebra.cpp), where
// what is asked for is unique: then it has the same form as the operand, and its parts are read
// off. Singular values and eigenvalues come twice each; determinants are products of eigenvalues.
//
//===----------------------------------------------------------------------===//
#include "Build.h"
#include "ComplexMatrices.h"
#include "ComplexRules.h"
#include "Matrices.h"
#include "graphc/Arrays.h"

namespace graphc {
namespace {

Variable zeroOf(const Variable &like) { return constant(Tensor(0.0).cast(like.dtype())); }

/// Each number x + i y as the block [[x, -y], [y, x]], so that triangles stay triangles.
Variable blocksOf(const Parts &a) {
  Variable im = imaginaryOf(a);
  const int rank = a.re.rank();
  Variable twice = constant(int64_t(2));
  auto shaped = [&](const Variable &x, const Variable &rows, const Variable &columns) {
    std::vector<Operand> extents;
    for (int axis = 0; axis < rank - 2; ++axis)
      extents.emplace_back(shape(a.re, axis));
    extents.emplace_back(rows);
    extents.emplace_back(columns);
    return reshape(x, ShapeList(stack(extents)));
  };
  Variable rows = shape(a.re, -2), columns = shape(a.re, -1) * twice;
  Variable above = shaped(stack({a.re, -im}, rank), rows, columns);
  Variable below = shaped(stack({im, a.re}, rank), rows, columns);
  return shaped(stack({above, below}, rank - 1), rows * twice, columns);
}

/// The numbers of which x has the blocks.
Parts numbersOf(const Variable &x) {
  auto every = [&](int row) {
    std::vector<Index> index(size_t(x.rank() - 2), Index(Slice()));
    index.emplace_back(Slice(row, kEnd, 2));
    index.emplace_back(Slice(0, kEnd, 2));
    return subtensor(x, index);
  };
  return {every(0), every(1)};
}

/// Of what comes in pairs along the last axis, one each: their mean, which is as good as either and
/// has the gradient of both.
Variable onceEach(const Variable &pairs) {
  auto from = [&](int first) {
    std::vector<Index> index(size_t(pairs.rank() - 1), Index(Slice()));
    index.emplace_back(Slice(first, kEnd, 2));
    return subtensor(pairs, index);
  };
  return (from(0) + from(1)) * constant(Tensor(0.5).cast(pairs.dtype()));
}

bool readsLower(const ComplexRequest &r) { return r.op.attributes().boolean("lower"); }

std::vector<Parts> choleskyOf(const ComplexRequest &r) {
  const bool isLower = readsLower(r);
  return {numbersOf(build(r.op, {blocksOf(hermitianOf(r.in[0], isLower))}))};
}

std::vector<Parts> eigenvaluesOf(const ComplexRequest &r) {
  return {{onceEach(build(r.op, {embedded(hermitianOf(r.in[0], readsLower(r)))}))}};
}

std::vector<Parts> singularValuesOf(const ComplexRequest &r) {
  return {{onceEach(build(r.op, {embedded(r.in[0])}))}};
}

/// Back substitution is a system of equations with what is read of the matrix.
std::vector<Parts> triangularOf(const ComplexRequest &r) {
  const Attributes &attributes = r.op.attributes();
  const bool isLower = readsLower(r), hasUnits = attributes.boolean("unitDiagonal");
  auto read = [&](const Variable &x, bool isReal) {
    Variable t = hasUnits ? strictTriangleOf(x, isLower) : triangleOf(x, isLower);
    if (hasUnits && isReal)
      t = t + eye(shape(x, -1), std::nullopt, 0, x.dtype());
    return attributes.boolean("transposed") ? transposed(t) : t;
  };
  return {solved({read(r.in[0].re, true), read(imaginaryOf(r.in[0]), false)}, r.in[1])};
}

std::vector<Parts> pseudoInverseOf(const ComplexRequest &r) {
  return {firstHalf(build(r.op, {embedded(r.in[0])}))};
}

Variable eigenvaluesAt(const ComplexRequest &r) {
  return eigvals(complex(r.in[0].re, imaginaryOf(r.in[0])));
}

Parts partsOfNumbers(const Variable &z) { return {real(z), imag(z)}; }

std::vector<Parts> determinantOf(const ComplexRequest &r) {
  return {partsOfNumbers(prod(eigenvaluesAt(r), Axis(-1)))};
}

std::vector<Parts> logDeterminantOf(const ComplexRequest &r) {
  Variable values = eigenvaluesAt(r), size = abs(values);
  Variable isZero = eq(size, zeroOf(size));
  Variable direction = where(isZero, values, values / where(isZero, onesLike(size), size));
  return {partsOfNumbers(prod(direction, Axis(-1))), {sum(log(size), Axis(-1))}};
}

/// det(a) a^-T: of what is not singular.
std::vector<Parts> cofactorsOf(const ComplexRequest &r) {
  Variable a = complex(r.in[0].re, imaginaryOf(r.in[0]));
  return {partsOfNumbers(expandDims(det(a), Axes({-1, -2})) * transposed(inv(a)))};
}

} // namespace

std::vector<NamedComplexRule> complexFactorRules() {
  constexpr auto kHolomorphic = ComplexDerivatives::Holomorphic;
  return {{"cholesky", {.parts = choleskyOf}},
          {"solveTriangular", {.parts = triangularOf, .derivatives = kHolomorphic}},
          {"pinv", {.parts = pseudoInverseOf}},
          {"svdvals", {.parts = singularValuesOf, .realResults = {true}}},
          {"eigvalsh", {.parts = eigenvaluesOf, .realResults = {true}}},
          {"det", {.parts = determinantOf, .derivatives = kHolomorphic}},
          {"cofactors", {.parts = cofactorsOf, .derivatives = kHolomorphic}},
          {"slogdet",
           {.parts = logDeterminantOf, .realResults = {false, true}, .derivatives = kHolomorphic}}};
}

} // namespace graphc
