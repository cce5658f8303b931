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


#===--- factors and matrix equations -----------------------------------------===#


def lu_factor(m, n):
    """Gaussian elimination with partial pivoting: the packed factors, pivots, the order of the rows"""
    a, order, pivots = None, list(range(m)), []

    def f(data):
        nonlocal a, order, pivots
        a, order, pivots = matrix(m, n, data), list(range(m)), []
        for k in range(min(m, n)):
            p = max(range(k, m), key=lambda i: (abs(a[i, k]), -i))
            pivots.append(p)
            order[k], order[p] = order[p], order[k]
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            for i in range(k + 1, m):
                a[i, k] /= a[k, k]
                for j in range(k + 1, n):
                    a[i, j] -= a[i, k] * a[k, j]
        return [([m, n], elements(a))]

    def positions(data):
        f(data)
        return [([min(m, n)], pivots), ([m], order)]

    def parts(data):
        f(data)
        k = min(m, n)
        p = [mp.mpf(order[j] == i) for i in range(m) for j in range(m)]
        lower = [a[i, j] if j < i else mp.mpf(i == j) for i in range(m) for j in range(k)]
        upper = [a[i, j] if j >= i else mp.mpf(0) for i in range(k) for j in range(n)]
        return [([m, m], p), ([m, k], lower), ([k, n], upper)]
    return f, positions, parts


def ldl(n, lower):
    """Bunch and Kaufman 1977, as LAPACK's sytf2 does it, on the lower triangle; the upper one is that in reverse order"""
    def factors(data):
        flip = (lambda i: i) if lower else (lambda i: n - 1 - i)
        a = mp.matrix(n, n)
        for i in range(n):
            for j in range(i + 1):
                a[i, j] = a[j, i] = data[flip(i) * n + flip(j)]
        l, d, order, k = mp.eye(n), mp.matrix(n, n), list(range(n)), 0
        alpha = (1 + mp.sqrt(17)) / 8
        while k < n:
            size, p = 1, k
            if k + 1 < n:
                most = max(range(k + 1, n), key=lambda i: abs(a[i, k]))
                column = abs(a[most, k])
                if abs(a[k, k]) < alpha * column:
                    row = max(abs(a[most, j]) for j in range(k, n) if j != most)
                    if abs(a[k, k]) < alpha * column * column / row:
                        p = most
                        size = 1 if abs(a[most, most]) >= alpha * row else 2
            own = k + size - 1
            if own != p:
                order[own], order[p] = order[p], order[own]
                for j in range(n):
                    a[own, j], a[p, j] = a[p, j], a[own, j]
                for j in range(n):
                    a[j, own], a[j, p] = a[j, p], a[j, own]
                for j in range(k):
                    l[own, j], l[p, j] = l[p, j], l[own, j]
            block = a[k:k + size, k:k + size]
            for i in range(size):
                for j in range(size):
                    d[k + i, k + j] = block[i, j]
            if k + size < n:
                under = a[k + size:n, k:k + size]
                w = under * block**-1
                rest = a[k + size:n, k + size:n] - w * under.T
                for i in range(n - k - size):
                    for j in range(size):
                        l[k + size + i, k + j] = w[i, j]
                    for j in range(n - k - size):
                        a[k + size + i, k + size + j] = rest[i, j]
            k += size
        full = mp.matrix(n, n)
        for i in range(n):
            for j in range(n):
                full[order[i], j] = l[i, j]
        at = [(flip(i), flip(j)) for i in range(n) for j in range(n)]
        inverse = [flip(v) for v in order]
        return [full[i, j] for i, j in at], [d[i, j] for i, j in at], inverse if lower else inverse[::-1]

    def f(data):
        l, d, _ = factors(data)
        return [([n, n], l), ([n, n], d)]
    return f, lambda data: [([n], factors(data)[2])]


def sylvester(batch, m, n, discrete):
    """a x + x b = q, or x - a x b = q, as one system of m n equations"""
    def f(data):
        out = []
        for i in range(batch):
            a = matrix(m, m, data[i * m * m:(i + 1) * m * m])
            b = matrix(n, n, data[batch * m * m + i * n * n:batch * m * m + (i + 1) * n * n])
            begin = batch * (m * m + n * n) + i * m * n
            q = data[begin:begin + m * n]
            s = mp.matrix(m * n, m * n)
            for r, c, k, o in itertools.product(range(m), range(n), range(m), range(n)):
                if discrete:
                    s[r * n + c, k * n + o] = mp.mpf(r == k and c == o) - a[r, k] * b[o, c]
                else:
                    s[r * n + c, k * n + o] = a[r, k] * (c == o) + b[o, c] * (r == k)
            out += list(mp.lu_solve(s, mp.matrix(q)))
        return [([batch, m, n], out)]
    return f


def split(shapes):
    """the last line's one vector of inputs and gradients as arrays of these shapes"""
    line = json.loads(lines[-1])
    for name in ("inputs", "grads"):
        data, parts = line[name][0]["data"], []
        for shape in shapes:
            size = 1
            for extent in shape:
                size *= extent
            parts.append({"dtype": line["inputs"][0]["dtype"], "shape": shape, "data": data[:size]})
            data = data[size:]
        line[name] = parts
    lines[-1] = json.dumps(line, separators=(",", ":"), allow_nan=False)


def lyapunov(n, discrete):
    def f(data):
        a, q = data[:n * n], data[n * n:]
        transposed = [a[j * n + i] for i in range(n) for j in range(n)]
        return [([n, n], sylvester(1, n, n, discrete)(a + transposed + q)[0][1])]
    return f


def toeplitz_solution(n):
    def f(data):
        c, r, b = data[:n], data[n:2 * n], data[2 * n:]
        t = mp.matrix(n, n)
        for i, j in itertools.product(range(n), range(n)):
            t[i, j] = c[i - j] if i >= j else r[j - i]
        return [([n], list(mp.lu_solve(t, mp.matrix(b))))]
    return f


def logm(n):
    return lambda data: [([n, n], [mp.re(v) for v in elements(mp.logm(matrix(n, n, data)))])]


random.seed(13)
for dtype in ("float64", "float32"):
    for m, n in ((1, 1), (3, 3), (4, 2), (2, 4)):
        factor, positions, parts = lu_factor(m, n)
        add("lu_factor", dtype, [m, n], numbers(m * n), factor)
        add("lu_positions", dtype, [m, n], numbers(m * n), positions, differentiable=False)
        add("lu", dtype, [m, n], numbers(m * n), parts)
    for lower, n in itertools.product((True, False), (1, 2, 3, 4, 5)):
        factors, order = ldl(n, lower)
        data = numbers(n * n)
        if n > 3:
            data[:n + 2:n + 1] = [mp.mpf(0), mp.mpf(1) / 32]  # that exchanges and blocks of two rows occur
        add("ldl", dtype, [n, n], data, factors, {"lower": lower})
        add("ldl_order", dtype, [n, n], data, order, {"lower": lower}, differentiable=False)
    for discrete, (batch, m, n) in itertools.product((False, True), ((1, 1, 1), (1, 3, 2), (2, 2, 3))):
        data = [v / (4 if discrete else 1) for v in numbers(batch * (m * m + n * n + m * n))]
        for i, k in itertools.product(range(batch), range(m)):
            data[i * m * m + k * m + k] += 0 if discrete else 6
        add("solve_stein" if discrete else "solve_sylvester", dtype, [len(data)], data, sylvester(batch, m, n, discrete))
        split([[batch, m, m], [batch, n, n], [batch, m, n]])
    for discrete in (False, True):
        data = [v / 4 for v in numbers(18)]
        for k in (0, 4, 8):
            data[k] += 0 if discrete else 3
        add("solve_discrete_lyapunov" if discrete else "solve_continuous_lyapunov", dtype, [18], data, lyapunov(3, discrete))
        split([[3, 3], [3, 3]])
    data = numbers(12)
    data[0] += 5
    add("solve_toeplitz", dtype, [12], data, toeplitz_solution(4))
    split([[4], [4], [4]])
    for n in (1, 2, 3):
        for more in (2, 6):
            data = numbers(n * n)
            for k in range(n):
                data[k * n + k] += more if n < 3 or more == 6 else 4
            if n == 1:
                data[0] = abs(data[0]) + 1
            add("logm", dtype, [n, n], data, logm(n))
    # Of rank 1: v u^T / (|u|^2 |v|^2).
    add("pinv", dtype, [2, 3], [1, 2, -1, 2, 4, -2], lambda x: [([3, 2], [mp.mpf(v) / 30 for v in (1, 2, 2, 4, -1, -2)])],
        differentiable=False)

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "linear.jsonl"), "w") as f:
    f.write("\n".join(lines) + "\n")
print(len(lines), "lines")
