#!/usr/bin/env python3
"""Writes special.jsonl: special functions that the other files lack, by mpmath at 60 digits.

Same format as the others (README.md). Gradients are central differences at 60 digits with h = 1e-20. Deterministic.
"""
import json
import os
import random
import struct

import mpmath as mp

mp.mp.dps = 60
random.seed(13)
H = mp.mpf(10)**-20
lines = []


def rounded(v, dtype):
    if mp.isinf(v) or mp.isnan(v):
        return str(float(v)).replace("+", "")
    f = float(v)
    if dtype == "float32":
        try:
            f = struct.unpack("f", struct.pack("f", f))[0]
        except OverflowError:
            return "inf" if f > 0 else "-inf"
        f = next(s for s in (float("%.*g" % (n, f)) for n in range(1, 18)) if struct.unpack("f", struct.pack("f", s))[0] == f)
        if abs(f) == float("inf"):
            return "inf" if f > 0 else "-inf"
    return f


def exactly(v, dtype):
    f = float(mp.mpf(v))
    return mp.mpf(struct.unpack("f", struct.pack("f", f))[0] if dtype == "float32" else f)


def array(dtype, data):
    return {"dtype": dtype, "shape": [len(data)], "data": [rounded(v, dtype) for v in data]}


def add(op, f, points, attrs=None, differentiable=True):
    for dtype in ("float64", "float32"):
        at = [[exactly(v, dtype) for v in p] for p in points]
        values = [f(*p) for p in at]
        line = {"id": "special-%04d" % (len(lines) + 1), "op": op, "attrs": attrs or {},
                "inputs": [array(dtype, [p[k] for p in at]) for k in range(len(at[0]))], "outputs": [array(dtype, values)]}
        if differentiable:
            w = [mp.mpf(random.randint(-16, 16)) / 8 for _ in at]
            grads = []
            for k in range(len(at[0])):
                moved = lambda p, d: [v + d if i == k else v for i, v in enumerate(p)]
                grads.append([e * (f(*moved(p, H)) - f(*moved(p, -H))) / (2 * H) for e, p in zip(w, at)])
            line["w"] = [array(dtype, w)]
            line["grads"] = [array(dtype, g) for g in grads]
        lines.append(json.dumps(line, separators=(",", ":"), allow_nan=False))


def edges(op, points, results, attrs=None):
    for dtype in ("float64", "float32"):
        lines.append(json.dumps({"id": "special-%04d" % (len(lines) + 1), "op": op, "attrs": attrs or {},
                                 "inputs": [array(dtype, [mp.mpf(p[k]) for p in points]) for k in range(len(points[0]))],
                                 "outputs": [array(dtype, [mp.mpf(r) for r in results])], "note": "edge"},
                                separators=(",", ":"), allow_nan=False))


def uniform(n, *ranges):
    return [tuple(random.uniform(a, b) for a, b in ranges) for _ in range(n)]


P = lambda a, x: mp.gammainc(a, 0, x, regularized=True)
Q = lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True)
I = lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True)


def slope(f, k):
    def g(*p):
        up, down = list(p), list(p)
        up[k] += H
        down[k] -= H
        return (f(*up) - f(*down)) / (2 * H)
    return g


def inverse(f, low, high):
    """The x for which f(x) = p, f increasing, by bisection and Newton's steps at 60 digits."""
    def g(p):
        a, b = mp.mpf(low), mp.mpf(high)
        for _ in range(230):
            m = (a + b) / 2
            a, b = (m, b) if f(m) < p else (a, m)
        return (a + b) / 2
    return g


log_ndtr = lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2) if x < 0 else mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2)
add("log_ndtr", log_ndtr, uniform(12, (-20, 5)) + [(-100,), (0,)])
add("log_ndtr", log_ndtr, [(-1e4,), (-1e8,), (30,)], differentiable=False)
edges("log_ndtr", [("-inf",), ("inf",), ("nan",)], ["-inf", 0, "nan"])
add("ndtri", lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), uniform(12, (0.02, 0.98)))
edges("ndtri", [(0,), (1,), (0.5,), (-0.5,), (1.5,), ("nan",)], ["-inf", "inf", 0, "nan", "nan", "nan"])
for order in (2, 3, 7):
    add("polygamma", lambda x, n=order: mp.psi(n, x), uniform(8, (0.25, 8)) + uniform(4, (-2.75, -2.25)), {"order": order})
edges("polygamma", [(0,), (-1,), ("inf",), ("-inf",), ("nan",)], ["-inf", "nan", 0, "nan", "nan"], {"order": 2})
edges("polygamma", [(0,), (-1,), ("inf",), ("-inf",), ("nan",)], ["inf", "inf", 0, "nan", "nan"], {"order": 3})
add("beta", mp.beta, uniform(12, (0.1, 8), (0.1, 8)) + [(-0.5, 2.25), (-1.5, -0.75)])
edges("beta", [(0, 1), ("inf", 2), (1, "nan")], ["inf", 0, "nan"])
betaln = lambda a, b: mp.log(abs(mp.beta(a, b)))
add("betaln", betaln, uniform(12, (0.1, 8), (0.1, 8)) + [(-0.5, 2.25), (40, 0.5), (30, 70)])
add("betaln", lambda a, b: mp.re(mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)), [(1e6, 1e6), (1e10, 3), (1e5, 12)],
    differentiable=False)
edges("betaln", [(0, 1), ("inf", 2), (1, "nan")], ["inf", "-inf", "nan"])
pairs = uniform(10, (0.2, 6), (0.2, 8)) + [(9, 2), (2, 11), (20, 22)]
add("gammainc", P, pairs)
add("gammaincc", Q, pairs)
outside = [(0, 1), (1, 0), (-1, 1), (1, -1), (2, "inf"), ("inf", 2), ("nan", 1)]
edges("gammainc", outside, [1, 0, "nan", "nan", 1, 0, "nan"])
edges("gammaincc", outside, [0, 1, "nan", "nan", 0, 1, "nan"])
for a in (0.25, 2.5, 30):
    add("gammainc_shape", lambda x, a=a: slope(P, 0)(mp.mpf(a), x), [(a * f,) for f in (0.2, 0.7, 1, 1.3, 2)], {"a": a})
some = uniform(6, (0.4, 5), (0.05, 0.95))
add("gammaincinv", lambda a, p: inverse(lambda x: P(a, x), 0, 60)(p), some)
add("gammainccinv", lambda a, q: inverse(lambda x: -Q(a, x), 0, 60)(-q), some)
edges("gammaincinv", [(1, 0), (1, 1), (1, 2), (0, 0.5)], [0, "inf", "nan", "nan"])
edges("gammainccinv", [(1, 1), (1, 0), (1, 2), (0, 0.5)], [0, "inf", "nan", "nan"])
triples = uniform(10, (0.3, 6), (0.3, 6), (0.05, 0.95)) + [(12, 0.5, 0.3), (0.5, 20, 0.9)]
add("betainc", I, triples)
edges("betainc", [(1, 1, 0), (1, 1, 1), (1, 1, -0.5), (1, 1, 1.5), (0, 1, 0.5), (1, 0, 0.5), (-1, 1, 0.5), (0, 0, 0.5)],
      [0, 1, "nan", "nan", 1, 0, "nan", "nan"])
for a, b in ((0.75, 2.5), (8, 3)):
    for k in (0, 1):
        add("betainc_shape", lambda x, a=a, b=b, k=k: slope(I, k)(mp.mpf(a), mp.mpf(b), x), [(x / 8,) for x in range(1, 8)],
            {"a": a, "b": b, "by_b": k == 1})
add("betaincinv", lambda a, b, p: inverse(lambda x: I(a, b, x), 0, 1)(p), uniform(6, (0.5, 5), (0.5, 5), (0.05, 0.95)))
edges("betaincinv", [(1, 1, 0), (1, 1, 1), (1, 1, 2), (0, 1, 0.5)], [0, 1, "nan", "nan"])
for order in (0, 1.5, -2, 6):
    attrs, v = {"order": order}, mp.mpf(order)
    x = uniform(8, (0.3, 25)) + [(1,)]
    add("jv", lambda x, v=v: mp.besselj(v, x), x, attrs)
    add("iv", lambda x, v=v: mp.besseli(v, x), x, attrs)
    add("ive", lambda x, v=v: mp.besseli(v, x) * mp.exp(-abs(x)), x, attrs)
    add("kv", lambda x, v=v: mp.besselk(v, x), x, attrs)
    add("kve", lambda x, v=v: mp.besselk(v, x) * mp.exp(x), x, attrs)
    add("ive", lambda x, v=v: mp.besseli(v, x) * mp.exp(-abs(x)), [(900,), (2e4,), (1e6,)], attrs, differentiable=False)
    add("kve", lambda x, v=v: mp.besselk(v, x) * mp.exp(x), [(900,), (2e4,), (1e6,)], attrs, differentiable=False)
far = [(0,), ("inf",), (-1,), ("nan",)]
edges("jv", far, [0, 0, "nan", "nan"], {"order": 1.5})
edges("iv", far, [0, "inf", "nan", "nan"], {"order": 1.5})
edges("ive", far, [0, 0, "nan", "nan"], {"order": 1.5})
edges("kv", far, ["inf", 0, "nan", "nan"], {"order": 1.5})
edges("kve", far, ["inf", 0, "nan", "nan"], {"order": 1.5})

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "special.jsonl"), "w") as out:
    out.write("\n".join(lines) + "\n")
