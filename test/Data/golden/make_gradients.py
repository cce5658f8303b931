#!/usr/bin/env python3
"""Writes gradients.jsonl: values and gradients of ops that have no gradients in the other files, by mpmath at 50 digits.

Same format as the others (README.md). Each function is written out here over nested loops; gradients are central
differences at 50 digits with h = 1e-15, whose error (h^2 times the third derivative) is far below float64, and which are
exact for functions linear or bilinear in their inputs. No input stands at a kink. Deterministic; needs mpmath.
"""
import itertools
import json
import os
import random
import struct

import mpmath as mp

mp.mp.dps = 50
random.seed(9)
H = mp.mpf(10)**-15
DTYPES = ("float64", "float32")
lines = []


class Array:
    """Numbers of a dtype, in row-major order."""

    def __init__(self, shape, data, dtype="float64"):
        self.shape, self.data, self.dtype = tuple(shape), list(data), dtype

    def at(self, index):
        flat = 0
        for i, n in zip(index, self.shape):
            flat = flat * n + i
        return self.data[flat]

    def positions(self):
        return itertools.product(*map(range, self.shape))


def made(shape, element):
    return Array(shape, [element(index) for index in itertools.product(*map(range, shape))])


def rounded(v, dtype):
    """The nearest number of the dtype; nothing here is subnormal."""
    if dtype.startswith("int"):
        return int(v)
    v = mp.mpf(v)
    with mp.workprec(24 if dtype == "float32" else 53):
        f = float(+v)
    if dtype == "float32":  # the shortest decimal that reads back
        f = next(short for short in (float("%.*g" % (digits, f)) for digits in range(1, 18)) if held(short, dtype) == f)
    return f


def held(v, dtype):
    return struct.unpack("f", struct.pack("f", v))[0] if dtype == "float32" else float(v)


def encoded(a, dtype=None):
    dtype = dtype or a.dtype
    return {"dtype": dtype, "shape": list(a.shape), "data": [rounded(v, dtype) for v in a.data]}


def numbers(shape, dtype="float64", low=-2, high=2):
    """Not at integers or halves, where there are kinks."""
    size = 1
    for n in shape:
        size *= n
    data = []
    while len(data) < size:
        v = random.uniform(low, high)
        if abs(2 * v - round(2 * v)) > 0.05:
            data.append(held(v, dtype))
    return Array(shape, data, dtype)


def add(op, attrs, function, inputs, wrt=None, dtype=None, tol=None, note=None):
    """function: arrays of mpf (integers as they are) to an array; wrt: by default the floats."""
    dtype = dtype or inputs[0].dtype
    exact = [Array(a.shape, a.data if a.dtype.startswith("int") else map(mp.mpf, a.data), a.dtype) for a in inputs]
    result = function(*exact)
    w = numbers(result.shape, dtype)
    cost = lambda: mp.fsum(mp.mpf(x) * y for x, y in zip(w.data, function(*exact).data))
    grads = []
    for k, a in enumerate(exact):
        if a.dtype.startswith("int") or (wrt is not None and k not in wrt):
            grads.append(None)
            continue
        slopes = []
        for i, v in enumerate(a.data):
            a.data[i] = v + H
            above = cost()
            a.data[i] = v - H
            below = cost()
            a.data[i] = v
            slopes.append((above - below) / (2 * H))
        # What is left of a slope of 0 is the rounding of two equal sums.
        slopes = [s if abs(s) > mp.mpf(10)**-25 else 0 for s in slopes]
        grads.append(encoded(Array(a.shape, slopes), a.dtype))
    line = {"id": "gradients-%04d" % (len(lines) + 1), "op": op, "attrs": attrs, "inputs": [encoded(a) for a in inputs],
            "outputs": [encoded(result, dtype)], "w": [encoded(w, dtype)], "grads": grads}
    if tol:
        line["tol"] = tol
    if note:
        line["note"] = note
    lines.append(json.dumps(line, separators=(",", ":"), allow_nan=False))


SUMS = {"float64": {"rtol": 1e-12, "atol": 1e-13}, "float32": {"rtol": 1e-5, "atol": 1e-5}}

# ------------------------------------------------------------------ one element at a time


def each(f):
    return lambda *arrays: Array(arrays[0].shape, [f(*v) for v in zip(*(a.data for a in arrays))])


def sinc(x):
    return mp.sinpi(x) / (mp.pi * x) if x else mp.mpf(1)  # sinpi: 0 at integers


def mish(x):
    return x * mp.tanh(mp.log1p(mp.exp(x)))


SPREAD = [-20.25, -7.3, -2.75, -1.1, -0.6, -0.01, 0.01, 0.3, 1.6, 3.2, 8.9, 30.75]
for dt in DTYPES:
    x = Array((12, ), [held(v, dt) for v in SPREAD], dt)
    add("mish", {}, each(mish), [x])
    add("sinc", {}, each(sinc), [Array((8, ), [held(v, dt) for v in (-7.3, -1.5, -0.9, -1e-3, 1e-4, 0.25, 1.0, 2.5)], dt)])
    add("sinc", {}, each(sinc), [Array((1, ), [0.0], dt)], note="even: no slope at 0")
    add("deg2rad", {}, each(lambda v: v * mp.pi / 180), [x])
    add("rad2deg", {}, each(lambda v: v * 180 / mp.pi), [x])
    add("hard_tanh", {}, each(lambda v: min(max(v, mp.mpf(-1)), mp.mpf(1))), [x])
    add("identity", {}, each(lambda v: v), [x])
    add("copy", {}, each(lambda v: v), [x])
    for other in DTYPES:
        add("cast", {"dtype": other}, each(lambda v: v), [Array((3, ), [0.5, -1.25, 3.0], dt)], dtype=other)
    y = Array((12, ), [held(v, dt) for v in (3.3, -0.7, -1.1, 2.2, -5.5, 0.4, -0.3, 1.7, -2.6, 0.9, 4.2, -7.1)], dt)
    add("copysign", {}, each(lambda a, b: abs(a) * mp.sign(b)), [x, y])
    add("int_div", {}, each(lambda a, b: mp.floor(a / b)), [x, y], note="piecewise constant")
    add("fma", {}, each(lambda a, b, c: a * b + c), [x, y, numbers((12, ), dt)])
    add("fma", {}, lambda a, b, c: made((3, 4), lambda i: a.at((0, i[1])) * b.at((i[0], 0)) + c.data[0]),
        [numbers((1, 4), dt), numbers((3, 1), dt), numbers((1, 1), dt)], tol=SUMS[dt], note="broadcasting")
    add("copysign", {}, lambda a, b: made((3, 4), lambda i: abs(a.at((0, i[1]))) * mp.sign(b.at((i[0], 0)))),
        [numbers((1, 4), dt), numbers((3, 1), dt)], tol=SUMS[dt], note="broadcasting")
    add("second", {}, lambda a, b: made((3, 4), lambda i: b.at((0, i[1]))), [numbers((3, 1), dt), numbers((1, 4), dt)],
        wrt=[1], tol=SUMS[dt], note="nothing depends on the elements of the first")
    add("specify_shape", {"shape": [2, -1]}, lambda a: a, [numbers((2, 3), dt)])
    add("specify_shape_like", {}, lambda a, b: a, [numbers((2, 3), dt), numbers((2, 3), dt)], wrt=[0])
    add("full", {"shape": [2, 3]}, lambda v: made((2, 3), lambda i: v.data[0]), [Array((), [held(0.7, dt)], dt)], tol=SUMS[dt])
    add("where1", {}, lambda c, a, b: Array(a.shape, [p if q else r for q, p, r in zip(c.data, a.data, b.data)]),
        [Array((4, ), [1, 0, 0, 5], "int64"), numbers((4, ), dt), numbers((4, ), dt)], dtype=dt)
    add("arange", {"dtype": dt}, lambda a, b, c: made((5, ), lambda i: a.data[0] + i[0] * c.data[0]),
        [Array((), [held(v, dt)], dt) for v in (0.3, 3.1, 0.625)], wrt=[0, 2], tol=SUMS[dt],
        note="of the stop only the number of elements depends")

# ------------------------------------------------------------------ products of others


def others(axes):

    def f(x, w):

        def element(index):
            product = mp.mpf(1)
            for j in x.positions():
                if j != index and all(j[k] == index[k] for k in range(len(j)) if k not in axes):
                    product *= x.at(j)
            return product * w.at(tuple(index[k] for k in range(len(index)) if k not in axes))

        return made(x.shape, element)

    return f


for dt in DTYPES:
    add("prod_gradient0", {"axis": None}, others((0, 1)), [numbers((2, 3), dt), numbers((), dt)], tol=SUMS[dt])
    add("prod_gradient0", {"axis": 1}, others((1, )), [numbers((3, 4), dt), numbers((3, ), dt)], tol=SUMS[dt])
    zeros = Array((3, 3), [0.0, 0.5, -1.25, 0.0, 0.0, 1.75, 0.0, 0.0, 0.0], dt)
    add("prod_gradient0", {"axis": 1}, others((1, )), [zeros, numbers((3, ), dt)], tol=SUMS[dt], note="one, two and three zeros")

# ------------------------------------------------------------------ convolutions
# A product for each element of the result, and each element of the window: (result, x, kernel).


def windows(xs, ks, stride, padding, dilation, groups, flip):
    rank = len(xs) - 2
    out = [(xs[a + 2] + sum(padding[a]) - (ks[a + 2] - 1) * dilation[a] - 1) // stride[a] + 1 for a in range(rank)]
    perGroup, outPerGroup = ks[1], ks[0] // groups
    for b, o in itertools.product(range(xs[0]), range(ks[0])):
        for position in itertools.product(*map(range, out)):
            for c in range(perGroup):
                for k in itertools.product(*map(range, ks[2:])):
                    at = [p * s - pad[0] + i * d for p, s, pad, i, d in zip(position, stride, padding, k, dilation)]
                    if all(0 <= i < n for i, n in zip(at, xs[2:])):
                        used = [n - 1 - i if flip else i for i, n in zip(k, ks[2:])]
                        yield (b, o, *position), (b, o // outPerGroup * perGroup + c, *at), (o, c, *used)


def conv_gradient(with_respect_to, triples):

    def f(x, k, w):
        of = (x, k)[with_respect_to]
        sums = {i: mp.mpf(0) for i in of.positions()}
        for r, i, j in triples:
            if with_respect_to == 0:
                sums[i] += w.at(r) * k.at(j)
            else:
                sums[j] += w.at(r) * x.at(i)
        return made(of.shape, lambda i: sums[i])

    return f


CONVOLUTIONS = [
    ("conv1d", (2, 2, 7), (4, 1, 3), [2], [[1, 2]], [1], 2, True),
    ("conv1d", (1, 2, 8), (3, 2, 2), [1], [[0, 1]], [3], 1, False),
    ("conv2d", (1, 2, 5, 4), (3, 2, 2, 3), [1, 2], [[1, 0], [1, 1]], [2, 1], 1, True),
    ("conv2d", (2, 2, 4, 4), (2, 1, 2, 2), [1, 1], [[0, 0], [0, 0]], [1, 1], 2, False),
    ("conv3d", (1, 1, 3, 3, 3), (1, 1, 2, 2, 2), [1, 1, 2], [[0, 0], [1, 0], [0, 1]], [1, 1, 1], 1, False),
]
for op, xs, ks, stride, padding, dilation, groups, flip in CONVOLUTIONS:
    triples = list(windows(xs, ks, stride, padding, dilation, groups, flip))
    result = [xs[0], ks[0]] + [max(r[a + 2] for r, _, _ in triples) + 1 for a in range(len(xs) - 2)]
    attrs = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups, "filter_flip": flip}
    for dt in DTYPES if op != "conv3d" else DTYPES[:1]:
        for k in (0, 1):
            add("%s_gradient%d" % (op, k), attrs, conv_gradient(k, triples), [numbers(xs, dt), numbers(ks, dt), numbers(result, dt)],
                wrt=[1 - k, 2], tol=SUMS[dt])

# ------------------------------------------------------------------ pooling of the last axis


def windows_of(n, window, stride, padding):
    for o in range((n + 2 * padding - window) // stride + 1):
        yield o, [i for i in range(o * stride - padding, o * stride - padding + window) if 0 <= i < n]


def pool_gradient(mode, window, stride, padding):

    def f(x, w):
        rows, n = x.shape
        sums = {i: mp.mpf(0) for i in x.positions()}
        for r in range(rows):
            for o, elements in windows_of(n, window, stride, padding):
                if mode == "max":
                    sums[r, max(elements, key=lambda i: (x.at((r, i)), -i))] += w.at((r, o))
                else:
                    share = {"sum": 1, "average_inc_pad": window, "average_exc_pad": len(elements)}[mode]
                    for i in elements:
                        sums[r, i] += w.at((r, o)) / share
        return made(x.shape, lambda i: sums[i])

    return f


def gathered(window, stride, padding):

    def f(x, y):
        rows, n = x.shape
        chosen = [max(elements, key=lambda i: (y.at((r, i)), -i)) for r in range(rows)
                  for _, elements in windows_of(n, window, stride, padding)]
        per = len(chosen) // rows
        return Array((rows, per), [x.at((k // per, i)) for k, i in enumerate(chosen)])

    return f


for dt in DTYPES:
    for window, stride, padding in ((2, 2, 0), (3, 1, 1), (3, 2, 1)):
        size = len(list(windows_of(7, window, stride, padding)))
        attrs = {"window": [window], "stride": [stride], "padding": [padding], "ignore_border": True}
        for mode in ("max", "sum", "average_inc_pad", "average_exc_pad"):
            add("pool_gradient0", dict(attrs, mode=mode), pool_gradient(mode, window, stride, padding),
                [numbers((2, 7), dt), numbers((2, size), dt)], wrt=[1], tol=SUMS[dt])
        add("pool_gather", dict(attrs, mode="max"), gathered(window, stride, padding), [numbers((2, 7), dt), numbers((2, 7), dt)],
            wrt=[0], note="elements of the first where the second is greatest", tol=SUMS[dt])

# ------------------------------------------------------------------ padding


def source(i, n, mode):
    """Of which element a position is a copy; positions beside the axis are negative or at least n."""
    if mode == "edge":
        return min(max(i, 0), n - 1)
    if mode == "wrap":
        return i % n
    period = 2 * n - 2 if mode == "reflect" else 2 * n
    i %= period
    return i if i < n else period - i - (0 if mode == "reflect" else 1)


def folded(mode, widths):

    def f(x, w):
        sums = {i: mp.mpf(0) for i in x.positions()}
        for p in w.positions():
            sums[tuple(source(i - front, n, mode) for i, (front, _), n in zip(p, widths, x.shape))] += w.at(p)
        return made(x.shape, lambda i: sums[i])

    return f


for dt in DTYPES:
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        for shape, widths in (((4, ), [[2, 3]]), ((3, 4), [[1, 0], [2, 2]])):
            padded = [n + front + back for n, (front, back) in zip(shape, widths)]
            add("pad_gradient0", {"pad_width": widths, "mode": mode}, folded(mode, widths), [numbers(shape, dt), numbers(padded, dt)],
                wrt=[1], tol=SUMS[dt])

# ------------------------------------------------------------------ rows added where they were taken


def added(x, indices, y):
    sums = {i: mp.mpf(0) for i in x.positions()}
    for p in y.positions():
        sums[(indices.data[p[0]] % x.shape[0], *p[1:])] += y.at(p)
    return made(x.shape, lambda i: sums[i])


for dt in DTYPES:
    add("take_gradient0", {"axis": 0, "mode": "raise"}, added,
        [numbers((3, 2), dt), Array((4, ), [2, 0, 2, -1], "int64"), numbers((4, 2), dt)], wrt=[2], tol=SUMS[dt])
    add("inc_take", {"axis": 0, "mode": "raise"}, lambda x, indices, y: each(lambda a, b: a + b)(x, added(x, indices, y)),
        [numbers((3, 2), dt), Array((4, ), [2, 0, 2, -1], "int64"), numbers((4, 2), dt)], tol=SUMS[dt])

# ------------------------------------------------------------------ the normal distribution

for dt in DTYPES:
    add("ndtr", {}, each(mp.ncdf), [Array((10, ), [held(v, dt) for v in (-7.5, -5.1, -2.75, -1.1, -0.6, -0.01, 0.0, 0.3, 1.6, 4.2)], dt)])

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "gradients.jsonl"), "w") as out:
    out.write("\n".join(lines) + "\n")
print(len(lines), "lines")
