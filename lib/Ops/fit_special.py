#!/usr/bin/env python3
"""Writes SpecialCoefficients.h: polynomials for gammaln, digamma, inverse and scaled error functions (mpmath; a
minute).

Each interpolates at the nodes of Chebyshev, in t in [-1, 1] over its range, at 40 digits; what it is off by there is
printed. SpecialBodies.cpp says what the functions are.
"""
import os
import sys

import mpmath as mp

mp.mp.dps = 40


def interpolation(f, low, high, degree):
    """The coefficients of 1, t, t^2, ..."""
    n = degree + 1
    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    at = lambda t: mp.mpf(low + high) / 2 + t * mp.mpf(high - low) / 2
    values = [f(at(t)) for t in nodes]
    cosine = lambda j, k: mp.cos(mp.pi * j * (2 * k + 1) / (2 * n))
    chebyshev = [2 * sum(v * cosine(j, k) for k, v in enumerate(values)) / n for j in range(n)]
    chebyshev[0] /= 2
    # T[j + 1] = 2 t T[j] - T[j - 1]
    before, own, result = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)], [mp.mpf(0)] * n
    for j, c in enumerate(chebyshev):
        for k, e in enumerate(before):
            result[k] += c * e
        doubled = [mp.mpf(0)] + [2 * e for e in own]
        before, own = own, [e - (before[k] if k < len(before) else 0) for k, e in enumerate(doubled)]
    worst = 0
    for k in range(201):
        t = mp.mpf(k - 100) / 100
        approximation = sum(mp.mpf(float(c)) * t**k for k, c in enumerate(result))
        worst = max(worst, abs(approximation / f(at(t)) - 1))
    print("%.3g" % worst, file=sys.stderr)
    return result


def inverseError(w):
    """erfinv(x) / x, where w = -log(1 - x^2)"""
    if w == 0:
        return mp.sqrt(mp.pi) / 2
    if w < 6:
        x = mp.sqrt(-mp.expm1(-w))
        return mp.erfinv(x) / x
    # erfc(y) = q, and q (2 - q) = e^-w.
    q = -mp.expm1(mp.log1p(-mp.exp(-w)) / 2)
    y = mp.sqrt(w)
    for _ in range(60):
        step = (mp.erfc(y) - q) / (-2 / mp.sqrt(mp.pi) * mp.exp(-y * y))
        y -= step - 0
        if abs(step) < mp.mpf(10)**-35 * y:
            break
    return y / (1 - q)


root = mp.findroot(mp.digamma, 1.4616)
high = mp.mpf(float(root))
RANGES = [("inverseErrorW", inverseError, 0, 5)]
ends = [mp.sqrt(5), 4, 7, 13, 27]
for k in range(4):
    RANGES.append(("inverseError%d" % k, lambda s: inverseError(s * s), ends[k], ends[k + 1]))


def digammaOverRoot(x):
    return mp.digamma(x) / (x - root) if abs(x - root) > mp.mpf(10)**-20 else mp.polygamma(1, root)


def gammalnOverRoots(x):
    if x == 1:
        return mp.euler
    if x == 2:
        return 1 - mp.euler
    return mp.loggamma(x) / ((x - 1) * (x - 2))



def scaledError(t):
    """(1 + 2 x) exp(x^2) erfc(x), where t = 1 - 7.5 / (x + 3.75): of all x >= 0 (Shepherd and Laframboise 1981)."""
    if t == 1:
        return 2 / mp.sqrt(mp.pi)
    x = mp.mpf(7.5) / (1 - t) - 3.75
    if x > 1000:
        return (1 + 2 * x) / mp.sqrt(mp.pi) / x * (1 - 1 / (2 * x * x) + 3 / (4 * x**4))
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


lines = ["//===- SpecialCoefficients.h - written by fit_special.py ------------*- C++ -*-===//", "#pragma once", "",
         "namespace graphc {", "", "// clang-format off"]


def put(name, values):
    lines.append(f"inline constexpr double {name}[] = {{")
    lines.extend("    %r," % float(v) for v in values)
    lines.append("};")


DEGREE = 22
put("kInverseErrorEnds", ends)
lines.append("inline constexpr double kInverseError[][%d] = {" % (DEGREE + 1))
for name, f, low, top in RANGES:
    lines += ["    {", *("        %r," % float(v) for v in interpolation(f, low, top, DEGREE)), "    },"]
lines.append("};")
put("kDigammaRoot", [high, root - high])
put("kDigammaOverRoot", interpolation(digammaOverRoot, 1, 2, 21))
put("kGammalnOverRoots", interpolation(gammalnOverRoots, 1, 2, 21))
put("kDigammaTail", [mp.bernoulli(2 * k) / (2 * k) for k in range(1, 11)])
put("kGammalnTail", [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 11)])
put("kScaledError", interpolation(scaledError, -1, 1, 27))
lines += ["// clang-format on", "", "} // namespace graphc"]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "SpecialCoefficients.h"), "w") as out:
    out.write("\n".join(lines) + "\n")
