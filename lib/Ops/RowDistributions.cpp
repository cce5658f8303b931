//===- RowDistributions.cpp - draws of rows, and of positions in rows ---------===//
#include "Distributions.h"

namespace graphc {
namespace {

Extent lastExtent(Emitter &e, Array x) { return e.dim(x, e.rank(x) - 1); }

Extent lengthOfMean(Emitter &e, const Arrays &parameters) {
  Array mean = parameters[0], cov = parameters[1];
  Extent n = lastExtent(e, mean);
  for (int axis : {e.rank(cov) - 2, e.rank(cov) - 1})
    e.requireEqual(e.dim(cov, axis), n, "cov has extent {a} where mean has {b} elements");
  return n;
}

Extent countOf(Emitter &e, const Arrays &parameters) {
  Extent count = e.element(parameters.back());
  e.require(e.size(0), Predicate::LessEqual, count, ErrorKind::ValueError,
            "{b} elements cannot be chosen");
  return count;
}

} // namespace

std::vector<Distribution> rowDistributions() {
  return {
      {.name = "categorical",
       .doc = "A position along the last axis of p, with the probability that stands there.\nThe "
              "sum of p must be 1 to 1e-6.",
       .parameters = {"p"},
       .drawsIntegers = true,
       .example = "categorical([1, 0], [2], [0.25, 0.5, 0.25]) = [2, 2]",
       .routine = &kDrawCategorical,
       .rowRanks = {1}},
      {.name = "multinomial",
       .doc = "How many of n categorical variables of p have each value: rows of sum n.",
       .parameters = {"n", "p"},
       .drawsIntegers = true,
       .requirements = {isCount(0, "n")},
       .example = "multinomial([1, 0], [2], 10, [0.25, 0.5, 0.25]) = [[4, 3, 3], [0, 9, 1]]",
       .routine = &kDrawMultinomial,
       .rowRanks = {0, 1},
       .rowLength = [](Emitter &e, const Arrays &p) { return lastExtent(e, p[1]); }},
      {.name = "dirichlet",
       .doc = "Dirichlet of the last axis of alpha: rows of sum 1.",
       .parameters = {"alpha"},
       .rows = dirichletDerivatives(),
       .example =
           "dirichlet([1, 0], [1], [1.0, 2.0, 3.0]) = [[0.121515004, 0.110415012, 0.768069984]]",
       .routine = &kDrawDirichlet,
       .rowRanks = {1},
       .rowLength = [](Emitter &e, const Arrays &p) { return lastExtent(e, p[0]); }},
      {.name = "multivariateNormal",
       .doc = "Normal rows with a mean and a covariance matrix, which may be singular.\nBy "
              "Cholesky's factor. ValueError where cov is not symmetric and positive semidefinite.",
       .parameters = {"mean", "cov"},
       .requirements = {isFinite(0, "mean")},
       .rows = multivariateNormalDerivatives(),
       .example = "multivariateNormal([1, 0], [1], [0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]]) = "
                  "[[-0.113680197, -1.01188978]]",
       .routine = &kDrawMultivariateNormal,
       .rowRanks = {1, 2},
       .rowLength = lengthOfMean},
      {.name = "permutation",
       .doc = "The first `count` positions of a permutation of 0 to n - 1: numbers that differ.\n"
              "Fisher and Yates. ValueError where count > n.",
       .parameters = {"n", "count"},
       .drawsIntegers = true,
       .takesCount = true,
       .requirements = {isCount(0, "n")},
       .example = "permutation([1, 0], [1], 5, 5) = [[4, 3, 2, 1, 0]]",
       .routine = &kDrawPermutation,
       .rowLength = countOf},
      {.name = "weightedPermutation",
       .doc = "`count` positions along the last axis of p that differ: each one with the "
              "probability that stands there, of what is left.\nEfraimidis and Spirakis 2006. "
              "ValueError where fewer than count are possible.",
       .parameters = {"p", "count"},
       .drawsIntegers = true,
       .takesCount = true,
       .example = "weightedPermutation([1, 0], [1], [0.5, 0.25, 0.25], 2) = [[0, 1]]",
       .routine = &kDrawWeightedPermutation,
       .rowRanks = {1, 0},
       .rowLength = countOf},
  };
}

} // namespace graphc
