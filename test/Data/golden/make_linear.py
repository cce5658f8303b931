#!/usr/bin/env python3
"""Writes linear.jsonl: matrices, with functions that the other files lack, by mpmath at 50 digits.

Same format as the others (README.md). Gradients are central differences at 50 digits with h = 1e-15. Signs that decompositions leave
open are those of docs/Ops.md. Deterministic.
"""
import itertools
import json
import os
import random
import struct

import mpmath as mp

mp.mp.dps = 50
random.seed(12)
H = mp.mpf(10)**-15
lines = []
TOL = {"float64": {"rtol": 1e-11, "atol": 1e-12}, "float32": {"rtol": 2e-4, "atol": 2e-5}}


def rounded(v, dtype):
    f = float(mp.mpf(v))
    if dtype == "float32":
        f = struct.unpack("f", struct.pack("f", f))[0]
        f = next(s for s in (float("%.*g" % (n, f)) for n in range(1, 18)) if struct.unpack("f", struct.pack("f", s))[0] == f)
    return f


def array(dtype, shape, data):
    return {"dtype": dtype, "shape": list(shape), "data": [rounded(v, dtype) for v in data]}


def elements(m):
    return [m[i, j] for i in range(m.rows) for j in range(m.cols)]


def matrix(rows, columns, data):
    return mp.matrix(rows, columns) if rows * columns == 0 else mp.matrix(
        [[data[i * columns + j] for j in range(columns)] for i in range(rows)])


def add(op, dtype, shape, data, f, attrs=None, differentiable=True):
    """f: elements of a matrix to a list of (shape, elements)"""
    outputs = f(data)
    line = {"id": "linear-%04d" % (len(lines) + 1), "op": op, "attrs": attrs or {}, "inputs": [array(dtype, shape, data)],
            "outputs": [array(dtype, s, d) for s, d in outputs], "tol": TOL[dtype]}
    if differentiable:
        w = [[mp.mpf(random.randint(-16, 16)) / 8 for _ in d] for _, d in outputs]
        cost = lambda x: sum(v * e for vs, (_, d) in zip(w, f(x)) for v, e in zip(vs, d))
        g = []
        for k in range(len(data)):
            up, down = list(data), list(data)
            up[k] += H
            down[k] -= H
            g.append((cost(up) - cost(down)) / (2 * H))
        line["w"] = [array(dtype, s, v) for (s, _), v in zip(outputs, w)]
        line["grads"] = [array(dtype, shape, g)]
    lines.append(json.dumps(line, separators=(",", ":"), allow_nan=False))


def numbers(n):
    return [mp.mpf(random.randint(-64, 64)) / 32 for _ in range(n)]


def sign_of(column):
    greatest = mp.mpf(0)
    for v in column:
        if abs(v) > abs(greatest):
            greatest = v
    return -1 if greatest < 0 else 1


def svd(m, n):
    def f(data):
        u, s, v = mp.svd_r(matrix(m, n, data))
        least = min(m, n)
        for k in range(least):
            sign = sign_of([u[i, k] for i in range(m)])
            for i in range(m):
                u[i, k] *= sign
            for j in range(n):
                v[k, j] *= sign
        return [([m, least], [u[i, k] for i in range(m) for k in range(least)]), ([least], list(s)),
                ([least, n], [v[k, j] for k in range(least) for j in range(n)])]
    return f


def eigh(n, lower):
    def f(data):
        a = matrix(n, n, data)
        for i, j in itertools.product(range(n), range(n)):
            if (i < j) == lower and i != j:
                a[i, j] = a[j, i]
        w, v = mp.eigsy(a)
        order = sorted(range(n), key=lambda k: w[k])
        vectors = mp.matrix(n, n)
        for place, k in enumerate(order):
            sign = sign_of([v[i, k] for i in range(n)])
            for i in range(n):
                vectors[i, place] = sign * v[i, k]
        return [([n], [w[k] for k in order]), ([n, n], elements(vectors))]
    return f


def eigvals(n):
    def f(data):
        values = sorted(mp.eig(matrix(n, n, data), left=False, right=False), key=lambda z: (mp.re(z), mp.im(z)))
        return [([n], [mp.re(z) for z in values]), ([n], [mp.im(z) for z in values])]
    return f


def cofactors(n):
    def f(data):
        a, out = matrix(n, n, data), []
        for i, j in itertools.product(range(n), range(n)):
            rest = [a[r, c] for r in range(n) for c in range(n) if r != i and c != j]
            out.append((-1)**(i + j) * (mp.det(matrix(n - 1, n - 1, rest)) if n > 1 else 1))
        return [([n, n], out)]
    return f


def pinv(m, n):
    def f(data):
        a = matrix(m, n, data)
        t = a.T
        p = (t * a)**-1 * t if m >= n else t * (a * t)**-1
        return [([n, m], elements(p))]
    return f


def norms(kind, m, n):
    def f(data):
        a = matrix(m, n, data)
        s = sorted(mp.svd_r(a, compute_uv=False))
        columns = [sum(abs(a[i, j]) for i in range(m)) for j in range(n)]
        rows = [sum(abs(a[i, j]) for j in range(n)) for i in range(m)]
        return [([], [{"fro": mp.sqrt(sum(v * v for v in data)), "nuc": sum(s), "1": max(columns), "-1": min(columns), "inf": max(rows),
                       "-inf": min(rows), "2": s[-1], "-2": s[0]}[kind]])]
    return f


def read(n, data, kind, lower):
    """the matrix that a solver sees: one triangle of it, unless it is general; 4 more on the diagonal make it definite"""
    a = matrix(n, n, data)
    for i, j in itertools.product(range(n), range(n)):
        if kind != "gen" and i != j and (i < j) == lower:
            a[i, j] = a[j, i]
    return a


def solves(batch, n, k, kind, lower):
    """elements of `batch` matrices, then those of as many right sides"""
    def f(data):
        out = []
        for i in range(batch):
            a = read(n, data[i * n * n:(i + 1) * n * n], kind, lower)
            b = data[batch * n * n + i * n * k:batch * n * n + (i + 1) * n * k]
            out += elements(a**-1 * matrix(n, k, b))
        return [([batch, n, k], out)]
    return f


def add_system(dtype, batch, n, k, kind, lower):
    split = batch * n * n
    data = numbers(split + batch * n * k)
    for i, j in itertools.product(range(batch), range(n)):
        data[i * n * n + j * n + j] += 9 if kind == "pos" else 3
    add("solve", dtype, [split + batch * n * k], data, solves(batch, n, k, kind, lower), {"assume_a": kind, "lower": lower})
    line = json.loads(lines[-1])
    for name in ("inputs", "grads"):
        both = line[name][0]
        line[name] = [{"dtype": dtype, "shape": [batch, n, n], "data": both["data"][:split]},
                      {"dtype": dtype, "shape": [batch, n, k], "data": both["data"][split:]}]
    lines[-1] = json.dumps(line, separators=(",", ":"), allow_nan=False)


def cholesky(batch, n, lower):
    def f(data):
        out = []
        for i in range(batch):
            factor = mp.cholesky(read(n, data[i * n * n:(i + 1) * n * n], "pos", lower))
            out += elements(factor if lower else factor.T)
        return [([batch, n, n], out)]
    return f


for dtype in ("float64", "float32"):
    for kind, lower in itertools.product(("gen", "sym", "pos"), (False, True)):
        add_system(dtype, 3, 2, 2, kind, lower)
    for lower in (False, True):
        data = numbers(8)
        for k in (0, 3, 4, 7):
            data[k] = abs(data[k]) + 5
        add("cholesky", dtype, [2, 2, 2], data, cholesky(2, 2, lower), {"lower": lower})
    for m, n in ((1, 1), (2, 2), (3, 2), (2, 3), (3, 3)):
        add("svd", dtype, [m, n], numbers(m * n), svd(m, n))
        add("pinv", dtype, [m, n], numbers(m * n), pinv(m, n))
    for n in (1, 2, 3):
        add("eigh_all", dtype, [n, n], numbers(n * n), eigh(n, True), {"lower": True})
        add("eigh_all", dtype, [n, n], numbers(n * n), eigh(n, False), {"lower": False})
        add("cofactors", dtype, [n, n], numbers(n * n), cofactors(n))
        for scale in (1, 8):
            add("expm", dtype, [n, n], [scale * v / 2 for v in numbers(n * n)], lambda x: [([n, n], elements(mp.expm(matrix(n, n, x))))])
    add("eigvals", dtype, [3, 3], numbers(9), eigvals(3), differentiable=False)
    add("eigvals", dtype, [2, 2], [0, -2, 2, 0], eigvals(2), differentiable=False)
    for kind in ("fro", "nuc", "1", "-1", "inf", "-inf", "2", "-2"):
        add("matrix_norm", dtype, [2, 3], numbers(6), norms(kind, 2, 3), {"ord": kind})

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "linear.jsonl"), "w") as f:
    f.write("\n".join(lines) + "\n")
print(len(lines), "lines")
