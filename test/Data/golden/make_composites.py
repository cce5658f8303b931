#!/usr/bin/env python3
"""Writes composites.jsonl: functions that are made of ops, sequences, hypergeometric functions, and float32 lines of ops that the other
files have in float64 alone. Values by NumPy, SciPy, mpmath and PyTorch, gradients by PyTorch's in float64.

Same format as the others (README.md). Deterministic. Debian: python3-numpy, python3-scipy, python3-mpmath, python3-torch.
"""
import itertools
import json
import math
import os
import random

import mpmath as mp
import numpy as np
import torch
import torch.nn.functional as F

here = os.path.dirname(os.path.abspath(__file__))
random.seed(14)
mp.mp.dps = 50
lines = []
TOL = {"float64": {"rtol": 1e-12, "atol": 1e-13}, "float32": {"rtol": 2e-6, "atol": 1e-6}}


def number(v, dtype):
    if dtype == "bool":
        return int(v)
    if "int" in dtype:
        return int(v)
    v = float(v)
    if math.isnan(v):
        return "nan"
    if math.isinf(v):
        return "inf" if v > 0 else "-inf"
    if dtype == "float32":
        return float(str(np.float32(v)))
    return v


def array(a, dtype=None):
    a = np.asarray(a)
    dtype = dtype or str(a.dtype)
    return {"dtype": dtype, "shape": list(a.shape), "data": [number(v, dtype) for v in a.reshape(-1).tolist()]}


def put(line):
    line["id"] = "composite-%04d" % (len(lines) + 1)
    lines.append(json.dumps(line, separators=(",", ":"), allow_nan=False))


def add(op, inputs, f, attrs=None, differentiable=True, tol=None, dtypes=("float64", "float32")):
    """f: float64 tensors (integers stay) to one or several; the float inputs are differentiated"""
    for dtype in dtypes:
        given = [np.asarray(x) if np.asarray(x).dtype.kind in "iub" else np.asarray(x, dtype=dtype) for x in inputs]
        x = [torch.tensor(g) if g.dtype.kind in "iub" else torch.tensor(g.astype("float64"), requires_grad=differentiable) for g in given]
        out = f(*x)
        out = list(out) if isinstance(out, (tuple, list)) else [out]
        out = [o if isinstance(o, torch.Tensor) else torch.tensor(np.asarray(o)) for o in out]
        kind = lambda o: dtype if o.dtype.is_floating_point else str(o.dtype).replace("torch.", "")
        line = {"op": op, "attrs": attrs or {}, "inputs": [array(g) for g in given],
                "outputs": [array(o.detach().numpy(), kind(o)) for o in out], "tol": tol or TOL[dtype]}
        if differentiable:
            w = [np.array([random.randint(-16, 16) / 8 for _ in range(o.numel())]).reshape(o.shape) for o in out]
            cost = sum((torch.tensor(v) * o).sum() for v, o in zip(w, out) if o.dtype.is_floating_point)
            wrt = [t for t in x if t.dtype.is_floating_point]
            grads = iter(torch.autograd.grad(cost, wrt, allow_unused=True))
            line["w"] = [array(v, kind(o)) for v, o in zip(w, out)]
            line["grads"] = []
            for t in x:
                g = next(grads) if t.dtype.is_floating_point else None
                line["grads"].append(None if g is None else array(g.numpy(), dtype))
        put(line)


def numbers(*shape):
    return np.array([random.randint(-64, 64) / 32 for _ in range(int(np.prod(shape)))]).reshape(shape)


# ===--- products ---===

for spec, *shapes in [("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 2)), ("ii->i", (3, 3)), ("ii", (3, 3)), ("ij->ji", (2, 3)),
                      ("ij->", (2, 3)), ("i,i", (4, ), (4, )), ("i,j->ij", (2, ), (3, )), ("i,j->ji", (2, ), (3, )),
                      ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("...ij,...jk->...ik", (2, 1, 2, 3), (4, 3, 2)),
                      ("bqhd,bkhd->bhqk", (1, 2, 2, 3), (1, 3, 2, 3)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
                      ("ab,bc,cd,da->", (2, 3), (3, 2), (2, 2), (2, 2)), ("ijk,ijl->kl", (2, 3, 2), (2, 3, 4)), ("ij,ij->i", (2, 3), (2, 3)),
                      ("iij,jk->ik", (2, 2, 3), (3, 2)), ("ij,kl->jl", (2, 3), (2, 2)), ("a...,a...->...", (3, 2), (3, 2)),
                      ("ijk,j->ik", (2, 3, 2), (3, )), ("Bi,iA->AB", (2, 3), (3, 2)), ("...->...", (2, 3)), ("ij,j->ij", (2, 3), (3, ))]:
    add("einsum", [numbers(*s) for s in shapes], lambda *x, spec=spec: torch.einsum(spec, *x), {"spec": spec})
# NumPy broadcasts extents of 1, PyTorch's gradient does so as well.
add("einsum", [numbers(1, 3), numbers(3, 2)], lambda x, y: torch.einsum("ij,jk->ik", x, y), {"spec": "ij,jk->ik"})
add("einsum", [np.arange(6, dtype="int32").reshape(2, 3), np.arange(3, dtype="int32")],
    lambda x, y: torch.einsum("ij,j->i", x, y), {"spec": "ij,j->i"}, differentiable=False, dtypes=("float64", ))
add("inner", [numbers(2, 3), numbers(4, 3)], lambda x, y: torch.einsum("ij,kj->ik", x, y))
add("inner", [numbers(), numbers(2)], lambda x, y: x * y)
add("vecdot", [numbers(2, 3), numbers(2, 3)], lambda x, y: (x * y).sum(-1))
add("vecdot", [numbers(3), numbers(3)], lambda x, y: (x * y).sum(-1))
add("matvec", [numbers(2, 2, 3), numbers(2, 3)], lambda a, x: torch.einsum("bij,bj->bi", a, x))
add("vecmat", [numbers(2, 2), numbers(2, 2, 3)], lambda x, a: torch.einsum("bi,bij->bj", x, a))

# ===--- arrays ---===

add("hstack", [numbers(2, 1), numbers(2, 2)], lambda *x: torch.hstack(x))
add("hstack", [numbers(2), numbers(), numbers(1)], lambda *x: torch.hstack(x))
add("vstack", [numbers(2), numbers(1, 2)], lambda *x: torch.vstack(x))
add("block", [numbers(2, 2), numbers(2, 1), numbers(1, 2), numbers(1, 1)],
    lambda a, b, c, d: torch.cat([torch.cat([a, b], 1), torch.cat([c, d], 1)], 0))
add("block_diag", [numbers(2, 2), numbers(2), numbers(1, 3)], lambda *x: torch.block_diag(*x))

def steps(n, endpoint, a, b):
    d = max(n - 1 if endpoint else n, 1)
    return a + torch.arange(n, dtype=torch.float64) * (b - a) / d


for n, endpoint in ((0, True), (1, True), (5, True), (4, False)):
    for base in (10, 2):
        add("logspace", [np.float64(-1), np.float64(1.5)],
            lambda a, b, n=n, e=endpoint, base=base: torch.pow(torch.tensor(float(base), dtype=torch.float64), steps(n, e, a, b)),
            {"num": n, "endpoint": endpoint, "base": base}, differentiable=n > 0)
    add("geomspace", [np.float64(2), np.float64(54)],
        lambda a, b, n=n, e=endpoint: a * torch.exp(steps(n, e, torch.tensor(0.0, dtype=torch.float64), torch.log(b / a))),
        {"num": n, "endpoint": endpoint}, differentiable=n > 0)
    add("geomspace", [np.float64(-8), np.float64(-0.5)],
        lambda a, b, n=n, e=endpoint: a * torch.exp(steps(n, e, torch.tensor(0.0, dtype=torch.float64), torch.log(b / a))),
        {"num": n, "endpoint": endpoint}, differentiable=n > 0)
add("indices", [], lambda: [np.indices((2, 3))[0], np.indices((2, 3))[1]], {"extents": [2, 3], "open": False}, False, dtypes=("float64", ))
add("indices", [], lambda: list(np.ogrid[0:2, 0:3]), {"extents": [2, 3], "open": True}, False, dtypes=("float64", ))
add("gradient", [numbers(5)], lambda x: torch.gradient(x, spacing=0.5)[0], {"axis": 0, "spacing": 0.5})
add("gradient", [numbers(2, 3)], lambda x: torch.gradient(x, dim=1)[0], {"axis": 1, "spacing": 1})
add("gradient", [numbers(2, 3)], lambda x: torch.gradient(x, dim=0)[0], {"axis": -2, "spacing": 1})
for order in (1, 2, 3, 0.5, "inf", "-inf", 0):
    add("vector_norm", [numbers(2, 3) + 0.01], lambda x, o=order: torch.linalg.vector_norm(x, float(o), dim=1), {"ord": order, "axis": 1},
        differentiable=order != 0)
add("max_and_argmax", [numbers(2, 3)], lambda x: tuple(torch.max(x, 1)), {"axis": 1})

for name, f in (("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)):
    for x in (np.array([[6, -3, 7], [12, 4, -1]], dtype="int64"), np.array([[200, 7, 15]], dtype="uint8"), np.zeros((2, 0), dtype="int16"),
              np.array([[True, False], [True, True]])):
        for axis, keep in ((None, False), (1, True), (0, False)):
            add("reduce_" + name, [x], lambda x, f=f, a=axis, k=keep: np.array(f.reduce(x.numpy(), axis=a, keepdims=k)),
                {"axis": axis, "keepdims": keep}, False, dtypes=("float64", ))

# ===--- order ---===

for method in ("linear", "lower", "higher", "midpoint", "nearest"):
    for q in (0.0, 0.3, 0.5, 0.7, 1.0):
        for n in (4, 5):
            x = np.array(random.sample(range(-40, 40), 2 * n)).reshape(2, n) / 8
            add("quantile_method", [x], lambda x, q=q, m=method: torch.quantile(x, q, dim=1, interpolation=m), {"q": q, "axis": 1, "method": method})
data = np.array([0, 0.5, 1, 1, 1.5, 2.5, 3, 3, np.nan])
for attrs in ({"bins": 3}, {"bins": 4, "range": [0, 2]}, {"bins": 5, "range": [-1, 4], "density": True}, {"bins": 2, "range": [1, 1]}):
    x = data if attrs.get("range") else data[:-1]
    add("histogram", [x], lambda x, a=attrs: [torch.tensor(v) for v in np.histogram(x.numpy(), a["bins"], a.get("range"), density=a.get("density"))],
        attrs, differentiable=False, dtypes=("float64", ))
add("histogram", [np.array([], dtype="float64")], lambda x: list(np.histogram(x.numpy(), 2)), {"bins": 2}, False, dtypes=("float64", ))
add("histogram", [np.array([2, 3, 2, 9])], lambda x: list(np.histogram(x.numpy(), 3)), {"bins": 3}, False, dtypes=("float64", ))
edges = np.array([0, 1, 1.5, 3])
add("histogram_edges", [data, edges], lambda x, e: np.histogram(x.numpy(), e.numpy())[0], {}, False, dtypes=("float64", ))
weights = np.array([1, 2, 0.5, 1, 1, 4, 8, 1, 3])


def weighted(x, e, w):
    at = [max(k for k in range(3) if e[k] <= v and (v < e[k + 1] or (k == 2 and v == e[3]))) if 0 <= v <= 3 else None for v in x.tolist()]
    return torch.stack([sum((w[i] for i in range(len(at)) if at[i] == k), torch.tensor(0.0, dtype=torch.float64)) for k in range(3)])


add("histogram_weights", [data, edges, weights], weighted, {}, dtypes=("float64", ))

# ===--- pictures ---===

for window, stride, dilation, padding, shape in (([2, 2], [1, 1], [1, 1], [0, 0], (1, 2, 3, 4)), ([2, 3], [2, 1], [1, 1], [1, 1], (2, 1, 4, 3)),
                                                 ([2, 2], [1, 2], [2, 1], [0, 1], (1, 2, 4, 3))):
    add("im2col", [numbers(*shape)], lambda x, w=window, s=stride, d=dilation, p=padding: F.unfold(x, w, d, p, s),
        {"window": window, "stride": stride, "dilation": dilation, "padding": padding})
for window, step, mode, shape in (([2, 2], [2, 2], "valid", (1, 2, 4, 2)), ([2, 1], [1, 1], "valid", (2, 1, 3, 2)),
                                  ([2, 2], [2, 2], "ignore_borders", (1, 1, 3, 5)), ([3, 3], [1, 1], "wrap_centered", (1, 1, 3, 4)),
                                  ([3, 2], [2, 1], "wrap_centered", (1, 2, 4, 3))):

    def neighbours(x, window=window, step=step, mode=mode):
        rows = []
        height, width = x.shape[2:]
        at = lambda n, w, s: range(0, n, s) if mode == "wrap_centered" else range(0, n - w + 1, s)
        for b, c, i, j in itertools.product(range(x.shape[0]), range(x.shape[1]), at(height, window[0], step[0]), at(width, window[1], step[1])):
            off = [w // 2 if mode == "wrap_centered" else 0 for w in window]
            rows.append(torch.stack([x[b, c, (i + p - off[0]) % height, (j + q - off[1]) % width]
                                     for p in range(window[0]) for q in range(window[1])]))
        return torch.stack(rows)

    add("images2neibs", [numbers(*shape)], neighbours, {"window": window, "step": step, "mode": mode})
add("depth_to_space", [numbers(1, 8, 2, 1)], lambda x: F.pixel_shuffle(x, 2), {"block": 2, "order": "channels"})
add("space_to_depth", [numbers(1, 2, 2, 4)], lambda x: F.pixel_unshuffle(x, 2), {"block": 2, "order": "channels"})
# (batch, block, block, channels, ...): the other order by a permutation.
add("depth_to_space", [numbers(1, 8, 2, 1)],
    lambda x: F.pixel_shuffle(x.reshape(1, 2, 2, 2, 2, 1).permute(0, 3, 1, 2, 4, 5).reshape(1, 8, 2, 1), 2), {"block": 2, "order": "blocks"})
add("space_to_depth", [numbers(1, 2, 2, 4)],
    lambda x: F.pixel_unshuffle(x, 2).reshape(1, 2, 2, 2, 1, 2).permute(0, 2, 3, 1, 4, 5).reshape(1, 8, 1, 2), {"block": 2, "order": "blocks"})
for (mode, torch_mode), coordinates, sizes in itertools.product((("linear", "bilinear"), ("cubic", "bicubic")), ("half_pixel", "align_corners"),
                                                                ([3, 5], [6, 2], [1, 4])):
    add("resize", [numbers(1, 2, 3, 4)],
        lambda x, m=torch_mode, c=coordinates, s=sizes: F.interpolate(x, s, mode=m, align_corners=c == "align_corners"),
        {"sizes": sizes, "mode": mode, "coordinates": coordinates}, tol={"rtol": 1e-5, "atol": 1e-5})
for sizes in ([3, 8], [6, 2], [1, 4]):
    add("resize", [numbers(1, 2, 3, 4)], lambda x, s=sizes: F.interpolate(x, s, mode="nearest"),
        {"sizes": sizes, "mode": "nearest", "coordinates": "asymmetric"})
    add("resize", [numbers(1, 2, 3, 4)], lambda x, s=sizes: F.interpolate(x, s, mode="nearest-exact"),
        {"sizes": sizes, "mode": "nearest", "coordinates": "half_pixel"})
add("resize", [numbers(1, 1, 4)], lambda x: F.interpolate(x, 7, mode="linear"), {"sizes": [7], "mode": "linear", "coordinates": "half_pixel"})
add("resize", [numbers(1, 1, 2, 3, 2)], lambda x: F.interpolate(x, [3, 2, 4], mode="trilinear"),
    {"sizes": [3, 2, 4], "mode": "linear", "coordinates": "half_pixel"})
add("upsample", [numbers(1, 1, 2, 3)], lambda x: F.interpolate(x, scale_factor=(2, 3), mode="nearest"), {"factors": [2, 3]})
for axes, f in ((1, F.conv_transpose1d), (2, F.conv_transpose2d), (3, F.conv_transpose3d)):
    for stride, padding, dilation, more, groups in ((1, 0, 1, 0, 1), (2, 1, 1, 1, 2), (3, 0, 2, 2, 1)):
        n = [3, 2, 2][:axes]
        add("conv_transpose", [numbers(1, 2, *n), numbers(2, 2, *[2] * axes)],
            lambda x, k, f=f, s=stride, p=padding, d=dilation, m=more, g=groups: f(x, k, None, s, p, m, g, d),
            {"stride": [stride] * axes, "padding": [padding] * axes, "dilation": [dilation] * axes, "output_padding": [more] * axes,
             "groups": groups})

# ===--- integers that stand for real numbers ---===

x = np.array([[-3.0, 0.25, 0.75, 1.25], [200.0, 63.5, -64.5, np.nan]])
x[1, 3] = 1e9
for dtype, zero in (("uint8", 3), ("int8", -5), ("int16", 7), ("int32", 11)):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    z = np.array(zero, dtype=dtype)
    add("quantize", [x, np.float64(0.5), z],
        lambda x, s, z, dtype=dtype, low=low, high=high: np.clip(np.rint(x.numpy() / s.numpy()) + float(z), low, high).astype(dtype),
        {"axis": 1}, False)
    add("dequantize", [np.array([[low, zero, high]], dtype=dtype), np.float64(0.25), z],
        lambda q, s, z: (q.to(torch.int64) - z.to(torch.int64)).to(torch.float64) * s, {"axis": 1}, True)
add("quantize", [numbers(2, 3) * 20, np.array([0.5, 0.25, 2]), np.array([0, 1, 128], dtype="uint8")],
    lambda x, s, z: np.clip(np.rint(x.numpy() / s.numpy()) + z.numpy().astype(float), 0, 255).astype("uint8"), {"axis": -1}, False)
add("dequantize", [np.arange(6, dtype="uint8").reshape(2, 3), np.array([0.5, 2]), np.array([1, 128], dtype="uint8")],
    lambda q, s, z: (q.to(torch.float64) - z.to(torch.float64)[:, None]) * s[:, None], {"axis": 0}, True)
a, b = np.array([[250, 3, 7], [0, 255, 9]], dtype="uint8"), np.array([[-128, 4], [127, -3], [5, 6]], dtype="int8")
for za, zb in ((0, 0), (100, -7)):
    add("matmul_integer", [a, b, np.array(za, dtype="uint8"), np.array(zb, dtype="int8")],
        lambda a, b, x, y: (a.numpy().astype("int32") - int(x)) @ (b.numpy().astype("int32") - int(y)), {}, False, dtypes=("float64", ))
add("matmul_integer", [a, b, np.array([1, 2], dtype="uint8"), np.array([3, 4], dtype="int8")],
    lambda a, b, x, y: (a.numpy().astype("int32") - x.numpy().astype("int32")[:, None]) @ (b.numpy().astype("int32") - y.numpy().astype("int32")),
    {}, False, dtypes=("float64", ))

# ===--- sequences ---===


def collapsed(path, blank):
    return [p for p, before in zip(path, (None, ) + path) if p != before and p != blank]


def ctc(logs, labels, times, counts, blank):
    """all paths, one by one"""
    losses = []
    for k in range(logs.shape[1]):
        wanted, terms = labels[k, :counts[k]].tolist(), []
        for path in itertools.product(range(logs.shape[2]), repeat=int(times[k])):
            if collapsed(path, blank) == wanted:
                terms.append(sum((logs[t, k, c] for t, c in enumerate(path)), torch.tensor(0.0, dtype=torch.float64)))
        losses.append(-torch.logsumexp(torch.stack(terms), 0) if terms else torch.tensor(math.inf, dtype=torch.float64))
    return torch.stack(losses)


def ctc_gradient(logs, labels, times, counts, blank):
    return torch.autograd.grad(ctc(logs, labels, times, counts, blank).sum(), logs, create_graph=True)[0]


for blank, labels, times, counts, classes in ((0, [[1], [2]], [3, 2], [1, 1], 3), (0, [[1, 1], [1, 2]], [4, 3], [2, 2], 3),
                                              (2, [[0, 1, 0], [1, 2, 2]], [4, 4], [3, 1], 3), (0, [[1, 0], [2, 1]], [4, 2], [0, 2], 3),
                                              (1, [[0, 0]], [5], [2], 2)):
    length, batch = max(times), len(times)
    logs = numbers(length, batch, classes) - 2
    rest = [np.array(labels, dtype="int64"), np.array(times, dtype="int64"), np.array(counts, dtype="int64")]
    add("ctc", [logs] + rest, lambda x, l, t, c, b=blank: ctc(x, l, t, c, b), {"blank": blank})
    add("ctc_gradient", [logs] + rest, lambda x, l, t, c, b=blank: ctc_gradient(x, l, t, c, b), {"blank": blank}, True)
    add("ctc_gradient_along", [logs] + rest + [numbers(length, batch, classes)],
        lambda x, l, t, c, d, b=blank: torch.autograd.functional.hvp(lambda v: ctc(v, l, t, c, b).sum(), x, d)[1], {"blank": blank}, False)
# Too few times: two equal labels need a blank between them.
add("ctc", [numbers(2, 1, 2) - 2, np.array([[1, 1]]), np.array([2]), np.array([2])], lambda x, l, t, c: ctc(x, l, t, c, 0), {"blank": 0}, False)

# ===--- special functions ---===


def gauss(a, b, c, z):
    """2F1; of operands that make mpmath's transformations degenerate, by Euler's integral"""
    try:
        return mp.hyp2f1(a, b, c, z, maxprec=20000)
    except ValueError:
        f = lambda t: t**(mp.mpf(b) - 1) * (1 - t)**(mp.mpf(c) - b - 1) * (1 - mp.mpf(z) * t)**-mp.mpf(a)
        return mp.gamma(c) / mp.gamma(b) / mp.gamma(c - b) * mp.quad(f, [0, 0.5, 1])


for name, f in (("xlogx", lambda x: torch.xlogy(x, x)), ("entr", torch.special.entr)):
    add(name, [np.array([0.5, 1, 2, 3.25])], f)
add("xlogx", [np.array([0.0])], lambda x: torch.xlogy(x, x), differentiable=False)
add("rel_entr", [np.array([0.5, 1.5, 0.0]), np.array([0.25, 4, 2])], lambda x, y: torch.xlogy(x, x / y), differentiable=False)
add("rel_entr", [np.array([0.5, 1.5]), np.array([0.25, 4])], lambda x, y: x * torch.log(x / y))
add("kl_terms", [np.array([0.5, 1.5]), np.array([0.25, 4])], lambda x, y: x * torch.log(x / y) - x + y)
points = [(a, b, c, z) for a, b, c in ((1, 1, 2), (0.5, 1.5, 2.25), (-2, 3, 1.5), (2, 0.5, 3), (1.25, 2.5, 0.75), (0.5, 0.5, 1), (3, 2, 1.25), (1, 2, 6),
                                       (-0.5, 2.25, 1.5), (0.25, 4.75, 5))
          for z in (-30, -2, -0.75, -0.25, 0, 0.125, 0.5, 0.75, 0.875, 0.96875, 0.9990234375)]
points += [(0.5, 0.5, 2, 1), (-3, 2, 0.5, 4), (1, 1, 2, 2), (1, -2, 3, -50), (0.5, 0.5, 1, 1), (1, 2, -1, 0.5), (-1, 2, -3, 0.5)]
for dtype in ("float64", "float32"):
    columns = list(zip(*points))

    def value(a, b, c, z):
        if z > 1 and not (a <= 0 and a == int(a)) and not (b <= 0 and b == int(b)):
            return math.nan
        if z == 1 and c <= a + b:
            return math.inf
        if c <= 0 and c == int(c) and not (a <= 0 and a == int(a) and a > c):
            return math.inf
        return gauss(a, b, c, z)

    out = [value(*p) for p in points]
    put({"op": "hyp2f1", "attrs": {}, "inputs": [array(np.array(c, dtype=dtype)) for c in columns],
         "outputs": [{"dtype": dtype, "shape": [len(points)], "data": [number(v, dtype) for v in out]}]})
    inner = [p for p in points if p[3] < 1 and p[2] > 0]
    w = [random.randint(-16, 16) / 8 for _ in inner]
    # Of its last operand alone: the others are attributes.
    for (a, b, c), group in itertools.groupby(zip(inner, w), key=lambda pair: pair[0][:3]):
        group = list(group)
        z = [p[3] for p, _ in group]
        slope = [mp.mpf(a) * b / c * gauss(a + 1, b + 1, c + 1, v) * u for v, (_, u) in zip(z, group)]
        put({"op": "hyp2f1_of", "attrs": {"a": a, "b": b, "c": c}, "inputs": [array(np.array(z, dtype=dtype))],
             "outputs": [{"dtype": dtype, "shape": [len(z)], "data": [number(gauss(a, b, c, v), dtype) for v in z]}],
             "w": [array(np.array([u for _, u in group], dtype=dtype))],
             "grads": [{"dtype": dtype, "shape": [len(z)], "data": [number(v, dtype) for v in slope]}],
             "tol": {"rtol": 1e-12 if dtype == "float64" else 1e-6, "atol": 0}})

# ===--- float32 lines of ops that have float64 ones alone ---===


def axes_of(attrs, rank):
    axis = attrs["axis"]
    return tuple(range(rank)) if axis is None else tuple(a % rank for a in (axis if isinstance(axis, list) else [axis]))


def argument(f):
    def position(x, attrs):
        axes = axes_of(attrs, x.ndim)
        if attrs["axis"] is None:
            out = f(x)
            return [np.array(out).reshape([1] * x.ndim) if attrs["keepdims"] else out]
        moved = np.moveaxis(x, axes, range(-len(axes), 0))
        out = f(moved.reshape(moved.shape[:x.ndim - len(axes)] + (-1, )), axis=-1)
        return [np.expand_dims(out, axes) if attrs["keepdims"] else out]
    return position


def truth(f):
    return lambda x, attrs: [f(x != 0, axis=axes_of(attrs, x.ndim), keepdims=attrs["keepdims"])]


def shuffled(x, attrs):
    order = attrs["order"]
    kept = [o for o in order if o != "x"]
    x = x.transpose(kept + [a for a in range(x.ndim) if a not in kept])
    x = x.reshape(x.shape[:len(kept)])
    return [x[tuple(None if o == "x" else slice(None) for o in order)]]


FUNCTIONS = {
    "argmax": argument(np.argmax), "argmin": argument(np.argmin), "any": truth(np.any), "all": truth(np.all),
    "shape": lambda x, a: [np.array(x.shape, dtype="int64")], "shape_i": lambda x, a: [np.int64(x.shape[a["axis"]])],
    "size": lambda x, a: [np.int64(x.size)],
    "flatten": lambda x, a: [x.reshape(x.shape[:a["ndim"] - 1] + (int(np.prod(x.shape[a["ndim"] - 1:])), ))],
    "dimshuffle": shuffled,
    "squeeze": lambda x, a: [np.squeeze(x, tuple(a["axis"]) if isinstance(a["axis"], list) else a["axis"])],
    "split": lambda x, a: np.split(x, np.cumsum(a["sizes"])[:-1], a["axis"]),
    "nonzero": lambda x, a: [v.astype("int64") for v in np.nonzero(x)],
}
seen = {}
for file in ("reductions", "shape", "indexing", "numpy", "nn"):
    for text in open(os.path.join(here, file + ".jsonl")):
        line = json.loads(text)
        op, attrs = line["op"], line["attrs"]
        if line.get("error") or (op not in FUNCTIONS and op not in ("take", "conv3d")):
            continue
        if line["inputs"][0]["dtype"] != "float64":
            continue
        seen[op] = seen.get(op, 0) + 1
        if seen[op] > 6:
            continue
        read = lambda v: np.array([float(e) for e in v["data"]], dtype="float64").reshape(v["shape"]).astype("float32")
        x = read(line["inputs"][0])
        if op == "conv3d":
            k = read(line["inputs"][1])

            def convolution(x, k, a=attrs):
                pads = [p for pair in reversed(a["padding"]) for p in pair]
                kernel = torch.flip(k, (2, 3, 4)) if a["filter_flip"] else k
                return F.conv3d(F.pad(x, pads), kernel, None, a["stride"], 0, a["dilation"], a["groups"])

            add(op, [x, k], convolution, attrs, tol={"rtol": 1e-5, "atol": 1e-5}, dtypes=("float32", ))
            continue
        if op == "take":
            at = np.array(line["inputs"][1]["data"], dtype=line["inputs"][1]["dtype"]).reshape(line["inputs"][1]["shape"])
            move = lambda v, a: [np.take(v, at, axis=a["axis"], mode=a["mode"])]
        else:
            move = FUNCTIONS[op]
        out = move(x, attrs)
        new = {"op": op, "attrs": attrs, "inputs": [array(x)] + line["inputs"][1:], "outputs": [array(o) for o in out]}
        if "grads" in line:  # elements move: each gradient goes back to where its element was
            places = move(np.arange(x.size).reshape(x.shape), attrs)
            g = np.zeros(x.size)
            w = [np.array([random.randint(-16, 16) / 8 for _ in range(o.size)], dtype="float32").reshape(o.shape) for o in out]
            for p, v in zip(places, w):
                np.add.at(g, p.reshape(-1), v.reshape(-1))
            new["w"] = [array(v) for v in w]
            new["grads"] = [array(g.reshape(x.shape).astype("float32"))] + [None] * (len(line["inputs"]) - 1)
        put(new)

with open(os.path.join(here, "composites.jsonl"), "w") as f:
    f.write("\n".join(lines) + "\n")
print(len(lines), "lines")
