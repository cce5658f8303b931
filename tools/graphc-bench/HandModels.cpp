//===- HandModels.cpp -----------------------------------------------------===//
#include "HandModels.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "HandVectors.h"

namespace graphc::bench {

//===--- sites -------------------------------------------------------------------===//

/// So many vectors stay in registers that their chains of dependent operations overlap.
void handSites(const double *x, const double *y, double *o, int64_t n, int64_t sites) {
  constexpr int kVectors = 13, kBlock = kVectors * kLanes<double>;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    double xs[kBlock] = {}, ys[kBlock] = {};
    int64_t count = std::min<int64_t>(kBlock, n - begin);
    std::copy_n(x + begin, count, xs);
    std::copy_n(y + begin, count, ys);
    Vector<double> t[kVectors], step[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      t[v] = load(xs + v * kLanes<double>);
      step[v] = load(ys + v * kLanes<double>);
    }
    for (int64_t site = 0; site < sites; ++site)
      for (int i = 0; i < 25; ++i) {
        double factor = 1 + 0.001 * (12.5 - i);
        for (int v = 0; v < kVectors; ++v)
          t[v] = t[v] * factor + step[v];
      }
    for (int v = 0; v < kVectors; ++v)
      store(xs + v * kLanes<double>, t[v]);
    std::copy_n(xs, count, o + begin);
  }
}

//===--- options ----------------------------------------------------------------===//

void handBlackScholes(const Options &options, float *call, float *put, int64_t begin, int64_t end) {
  constexpr int kStep = kLanes<float>;
  constexpr float kRate = 0.02f;
  auto normal = [](const Vector<float> &z) {
    return 0.5f * (1.0f + vectorErf(z * float(1 / std::numbers::sqrt2)));
  };
  auto price = [&](const float *s0, const float *k0, const float *t0, const float *v0, float *c,
                   float *p) {
    Vector<float> s = load(s0), k = load(k0), t = load(t0), v = load(v0);
    Vector<float> q = v * vectorSqrt(t);
    Vector<float> d1 = (vectorLog(s / k) + (kRate + v * v * 0.5f) * t) / q, d2 = d1 - q;
    Vector<float> discounted = k * vectorExp(-kRate * t), n1 = normal(d1), n2 = normal(d2);
    store(c, s * n1 - discounted * n2);
    store(p, discounted * (1.0f - n2) - s * (1.0f - n1));
  };
  int64_t i = begin;
  for (; i + kStep <= end; i += kStep)
    price(options.s + i, options.k + i, options.t + i, options.v + i, call + i, put + i);
  if (i == end)
    return;
  float rest[6][kStep];
  const float *from[] = {options.s, options.k, options.t, options.v};
  for (int a = 0; a < 4; ++a) {
    std::fill(rest[a], rest[a] + kStep, 1.0f);
    std::copy(from[a] + i, from[a] + end, rest[a]);
  }
  price(rest[0], rest[1], rest[2], rest[3], rest[4], rest[5]);
  std::copy(rest[4], rest[4] + (end - i), call + i);
  std::copy(rest[5], rest[5] + (end - i), put + i);
}

//===--- bodies -----------------------------------------------------------------===//

void handNbodyPrepare(const Bodies &bodies, float *scratch) {
  for (int64_t j = 0; j < bodies.n; ++j)
    for (int64_t axis = 0; axis < 3; ++axis)
      scratch[axis * bodies.n + j] = bodies.p[j * 3 + axis];
}

/// Vectors run over the bodies that pull; their number is a multiple of a vector's lanes.
void handNbody(const Bodies &bodies, const float *scratch, float *p, float *u, int64_t begin,
               int64_t end) {
  const float *x = scratch, *y = x + bodies.n, *z = y + bodies.n;
  for (int64_t i = begin; i < end; ++i) {
    Vector<float> sums[3] = {};
    for (int64_t j = 0; j < bodies.n; j += kLanes<float>) {
      Vector<float> dx = load(x + j) - x[i], dy = load(y + j) - y[i], dz = load(z + j) - z[i];
      Vector<float> square = dx * dx + dy * dy + dz * dz + 0.01f;
      Vector<float> pull = load(bodies.m + j) / (square * vectorSqrt(square));
      sums[0] += pull * dx;
      sums[1] += pull * dy;
      sums[2] += pull * dz;
    }
    for (int64_t axis = 0; axis < 3; ++axis) {
      float speed = bodies.u[i * 3 + axis] + 0.001f * horizontalSum<float>(sums[axis]);
      u[i * 3 + axis] = speed;
      p[i * 3 + axis] = bodies.p[i * 3 + axis] + 0.001f * speed;
    }
  }
}

//===--- radon ------------------------------------------------------------------===//

double handRadon(const Radon &r, double *gradients, double *gza, double *gzb, double *gzs) {
  const double kHalfLog = 0.5 * std::log(2 * std::numbers::pi),
               kHalfNormal = 0.5 * std::log(2 / std::numbers::pi);
  double sa = std::exp(r.lsa), sb = std::exp(r.lsb), sy = std::exp(r.lsy);
  std::vector<double> work(size_t(r.counties) * 4);
  double *a = work.data(), *b = a + r.counties, *scale = b + r.counties,
         *inverse = scale + r.counties;
  for (int64_t j = 0; j < r.counties; ++j) {
    a[j] = r.muA + r.ga * r.ur[j] + sa * r.za[j];
    b[j] = r.muB + r.gb * r.ur[j] + sb * r.zb[j];
    scale[j] = r.lsy + 0.1 * r.zs[j];
    inverse[j] = std::exp(-scale[j]);
    gza[j] = gzb[j] = gzs[j] = 0;
  }
  double logp = -double(r.observations) * kHalfLog;
  for (int64_t i = 0; i < r.observations; ++i) {
    int64_t j = r.c[i];
    double d = (r.y[i] - a[j] - b[j] * double(r.fl[i])) * inverse[j];
    logp -= 0.5 * d * d + scale[j];
    gza[j] += d * inverse[j]; // by a[j], b[j] and scale[j]
    gzb[j] += d * inverse[j] * double(r.fl[i]);
    gzs[j] += d * d - 1;
  }
  double *g = gradients;
  std::fill(g, g + 7, 0.0);
  for (int64_t j = 0; j < r.counties; ++j) {
    g[0] += gza[j];
    g[1] += gzb[j];
    g[2] += gza[j] * r.ur[j];
    g[3] += gzb[j] * r.ur[j];
    g[4] += gza[j] * r.za[j] * sa;
    g[5] += gzb[j] * r.zb[j] * sb;
    g[6] += gzs[j];
    logp -= 0.5 * (r.za[j] * r.za[j] + r.zb[j] * r.zb[j] + r.zs[j] * r.zs[j]) + 3 * kHalfLog;
    gza[j] = gza[j] * sa - r.za[j];
    gzb[j] = gzb[j] * sb - r.zb[j];
    gzs[j] = gzs[j] * 0.1 - r.zs[j];
  }
  const double wide[] = {r.muA, r.muB, r.ga, r.gb};
  for (int k = 0; k < 4; ++k) {
    double deviation = k < 2 ? 10 : 5, d = wide[k] / deviation;
    logp -= 0.5 * d * d + std::log(deviation) + kHalfLog;
    g[k] -= d / deviation;
  }
  const double spread[] = {sa, sb, sy}, logarithm[] = {r.lsa, r.lsb, r.lsy};
  for (int k = 0; k < 3; ++k) {
    logp += kHalfNormal - 0.5 * spread[k] * spread[k] + logarithm[k];
    g[4 + k] += 1 - spread[k] * spread[k];
  }
  return logp;
}

} // namespace graphc::bench
