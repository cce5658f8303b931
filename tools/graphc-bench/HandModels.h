//===- HandModels.h - small models by hand ------------------------*- C++ -*-===//
//
// Compiled as HandLoops.cpp. All arrays are row-major.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc::bench {

/// t = t * (1 + 0.001 * (12.5 - i)) + y for i = 0..24, `sites` times, from t = x; n numbers.
void handSites(const double *x, const double *y, double *o, int64_t n, int64_t sites);

struct Options {
  const float *s, *k, *t, *v;
};
/// Black and Scholes's prices of European options [begin, end), at a rate of 2 %.
void handBlackScholes(const Options &options, float *call, float *put, int64_t begin, int64_t end);

struct Bodies {
  const float *p, *u, *m; // [n, 3], [n, 3], [n]
  int64_t n;
};
/// One leapfrog step of bodies [begin, end) among all. `scratch` is 3 n floats, filled by
/// handNbodyPrepare.
void handNbodyPrepare(const Bodies &bodies, float *scratch);
void handNbody(const Bodies &bodies, const float *scratch, float *p, float *u, int64_t begin,
               int64_t end);

struct Radon {
  double muA, muB, ga, gb, lsa, lsb, lsy;
  const double *za, *zb, *zs, *y, *ur;
  const int64_t *c, *fl;
  int64_t counties, observations;
};
/// The density's logarithm; gradients by the 7 numbers in their order, and by the three vectors.
double handRadon(const Radon &r, double *gradients, double *gza, double *gzb, double *gzs);

} // namespace graphc::bench
