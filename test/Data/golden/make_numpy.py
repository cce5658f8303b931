#!/usr/bin/env python3
"""Writes numpy.jsonl: vectors of ops and dtypes that the other files lack, from NumPy (x86: longdouble has 64 bits).

Same format as the others (README.md). float16 functions are computed by NumPy in float32 and rounded once.
"""
import json
import os
from fractions import Fraction

import numpy as np

np.seterr(all="ignore")
L = np.longdouble
PI = L("3.14159265358979323846264338327950288")
NAN, INF = float("nan"), float("inf")
lines = []


def scalar(v, dtype):
    if dtype.kind == "b":
        return int(v)
    if dtype.kind in "iu":
        return int(v)
    f = float(v)
    return "nan" if f != f else "inf" if f == INF else "-inf" if f == -INF else f


def array(a):
    a = np.asarray(a)
    return {"dtype": str(a.dtype), "shape": list(a.shape), "data": [scalar(v, a.dtype) for v in a.reshape(-1)]}


def add(op, inputs, outputs, attrs=None, error=None, tol=None):
    line = {"id": "numpy-%04d" % (len(lines) + 1), "op": op, "attrs": attrs or {}, "inputs": [array(a) for a in inputs]}
    if error:
        line["error"] = error
    else:
        line["outputs"] = [array(a) for a in outputs]
    if tol:
        line["tol"] = tol
    lines.append(json.dumps(line, separators=(",", ":"), allow_nan=False))


def rounded(function, xs, dtype):
    """function in extended precision, rounded to the dtype"""
    return function(np.asarray(xs).astype(L)).astype(dtype)


def sinc(v):
    safe = np.where(v == 0, L(1), v)
    value = np.sin(PI * safe) / (PI * safe)
    return np.where(v == 0, L(1), np.where(v == np.round(v), L(0), value))


F = ("float64", "float32")
xs = [-3.5, -2.0, -1.25, -0.5, -1e-3, 0.0, 1e-3, 0.25, 0.5, 1.0, 2.75, 10.0]
for dt in F:
    x = np.array(xs, dt)
    add("deg2rad", [x], [rounded(lambda v: v * PI / 180, x, dt)])
    add("rad2deg", [x], [rounded(lambda v: v * 180 / PI, x, dt)])
    add("sinc", [x], [rounded(sinc, x, dt)])
    add("mish", [x], [rounded(lambda v: v * np.tanh(np.log1p(np.exp(v))), x, dt)])
    add("hard_tanh", [x], [np.clip(x, -1, 1)])
    add("identity", [x], [x])
    add("copy", [x.reshape(3, 4)], [x.reshape(3, 4)])
    a, b, c = np.array([1 + 2**-12, 3.0, 1e30, 0.1], dt), np.array([1 + 2**-12, 4.0, 1e-30, 10.0], dt), np.array(
        [-1.0, 5.0, -1.0, -1.0], dt)
    exact = [Fraction(float(p)) * Fraction(float(q)) + Fraction(float(r)) for p, q, r in zip(a, b, c)]
    # float(Fraction) rounds once; none of these doubles is a tie of float32.
    add("fma", [a, b, c], [np.array([float(v) for v in exact], dt)])
    add("logical_not", [np.array([0.0, -0.0, 2.0, NAN, INF], dt)], [np.array([1, 1, 0, 0, 0], bool)])
    u = np.array([1.0, 1.0, NAN, INF, INF, 1.0, 0.0], dt)
    v = np.array([1.000001, 1.1, NAN, INF, -INF, INF, 1e-9], dt)
    for equal in (False, True):
        add("isclose", [u, v], [np.isclose(u, v, equal_nan=equal)], {"equal_nan": equal})
add("logical_not", [np.array([0, 3], "int32")], [np.array([1, 0], bool)])
for axis in (0, 1, -1):
    add("shape_i", [np.zeros((2, 3))], [np.array((2, 3)[axis])], {"axis": axis})
add("shape_i", [np.zeros((2, 3))], [], {"axis": 2}, error="AxisError")
add("specify_shape", [np.zeros((2, 3))], [np.zeros((2, 3))], {"shape": [2, -1]})
add("specify_shape", [np.zeros((2, 3))], [], {"shape": [3, -1]}, error="ShapeError")

# Signed against unsigned integers: Python compares exactly.
signed = np.array([-1, 0, 1, 2**63 - 1, -(2**63), 2**53 + 1], "int64")
unsigned = np.array([2**64 - 1, 0, 1, 2**63 - 1, 2**63, 2**53], "uint64")
pairs = list(zip(map(int, signed), map(int, unsigned)))
for name, compare in (("eq", int.__eq__), ("neq", int.__ne__), ("lt", int.__lt__), ("le", int.__le__),
                      ("gt", int.__gt__), ("ge", int.__ge__)):
    add(name, [signed, unsigned], [np.array([compare(a, b) for a, b in pairs])])
    add(name, [unsigned, signed], [np.array([compare(b, a) for a, b in pairs])])

# Halves: NumPy's float16 functions compute in float32.
h = np.array([-2.5, -1.0, -0.25, 0.0, 0.3333, 1.0, 2.0, 6.1e-5, 65504.0], "float16")
g = np.array([0.5, -3.0, 2.0, 1.0, 0.1, 0.001, 1000.0, 3.0, 2.0], "float16")
wide, wider = h.astype("float32"), g.astype("float32")
for name, f in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("true_div", np.divide), ("maximum",
                np.maximum)):
    add(name, [h, g], [f(wide, wider).astype("float16")])
for name, f in (("exp", np.exp), ("tanh", np.tanh), ("expm1", np.expm1)):
    add(name, [h[:8]], [rounded(f, h[:8], "float32").astype("float16")])
near = np.array([0.0, 0.0, -0.0, 1.0, 1.0, -1.0, 65504.0, INF, 2.0, NAN, 6e-8], "float16")
far = np.array([1.0, -1.0, 0.0, 2.0, 0.0, 0.0, INF, 0.0, 2.0, 1.0, -1.0], "float16")
add("nextafter", [near, far], [np.nextafter(near, far)])
m = np.arange(12, dtype="float16").reshape(3, 4) / np.float16(8)
add("sum", [m], [m.astype("float32").sum(axis=1).astype("float16")], {"axis": 1})
add("dot", [m, m.T.copy()], [(m.astype("float32") @ m.T.astype("float32")).astype("float16")], tol={"rtol": 0})
add("max", [m], [m.max(axis=0)], {"axis": 0})
# 1 and 4096 small terms, which a naive float32 sum would lose (1.2e-4). At most 16 float32 terms are joined in float32:
# 15 roundings of 2^-24 of sums below 1.0002, and the result's own, are below 1e-6.
small = np.concatenate([[1.0], np.full(4096, 2.0**-25)]).astype("float32")
add("sum", [small], [np.float32(small.astype("float64").sum())], {"axis": None}, tol={"rtol": 1e-6})

# Ranks to 32, and to 8 with real extents.
deep = np.arange(2 * 3 * 2, dtype="float64").reshape((1, 2, 1, 3, 1, 1, 2, 1))
add("exp2", [deep], [np.exp2(deep)])
add("sum", [deep], [deep.sum(axis=(1, 6))], {"axis": [1, 6]})
add("add", [deep, np.ones((1, 2))], [deep + np.ones((1, 2))])
add("transpose", [deep], [deep.transpose()], {"axes": None})
eight = np.arange(2**8, dtype="int32").reshape((2, ) * 8)
add("sum", [eight], [eight.sum(axis=(0, 3, 7), dtype="int64")], {"axis": [0, 3, 7]})
add("dimshuffle", [eight], [eight.transpose(7, 0, 6, 1, 5, 2, 4, 3)], {"order": [7, 0, 6, 1, 5, 2, 4, 3]})
most = np.arange(6, dtype="float32").reshape((1, ) * 15 + (2, ) + (1, ) * 15 + (3, ))
add("mul", [most, most], [most * most])
add("sum", [most], [most.sum(axis=31)], {"axis": 31})
add("concatenate", [most, most], [np.concatenate([most, most], axis=30)], {"axis": 30})

# Pad modes whose values are computed. Ramps and means are computed in float64 and rounded once.
p = np.array([[3.0, -1.5, 0.25], [7.0, 2.0, -4.0]])
p8 = np.array([[3, -120, 7], [101, 2, -4]], "int8")
for mode in ("linear_ramp", "mean", "maximum", "minimum"):
    for x, widths in ((p, [[1, 2], [0, 3]]), (p.astype("float32"), [[0, 4], [2, 1]]), (p8, [[1, 2], [3, 1]]), (p8 + 0.0, [[0, 0], [0, 0]]),
                      (np.array([5], "uint16"), [[3, 2]])):
        # Not all values fit into 7 bits on the way, so NumPy is given room.
        wide = x.astype("float64" if x.dtype.kind == "f" else "int64")
        for end in ((0, -2) if mode == "linear_ramp" and x.dtype.kind != "u" else (0, )):
            more = {"end_values": end} if mode == "linear_ramp" else {}
            add("pad", [x], [np.pad(wide, widths, mode, **more).astype(x.dtype)],
                {"pad_width": widths, "mode": mode, **({"constant_value": end} if end else {})}, tol={"rtol": 3e-7})
nan = np.array([1.0, NAN, 2.0])
for mode in ("mean", "maximum", "minimum"):
    add("pad", [nan], [np.pad(nan, 1, mode)], {"pad_width": [[1, 1]], "mode": mode})
    add("pad", [np.zeros((0, 2))], None, {"pad_width": [[1, 0], [0, 0]], "mode": mode}, error="ValueError")
flags = np.array([[True, False], [False, False]])
for mode in ("maximum", "minimum"):
    add("pad", [flags], [np.pad(flags, 1, mode)], {"pad_width": [[1, 1], [1, 1]], "mode": mode})

# Bool and narrow products, several groups of equal maxima, empty arrays.
t = np.array([[True, False], [False, False]])
add("dot", [t, t], [np.dot(t, t)])
add("matmul", [np.ones((2, 0, 3)), np.ones((3, 2))], [np.zeros((2, 0, 2))])
add("matmul", [np.ones((2, 0)), np.ones((0, 2))], [np.zeros((2, 2))])
add("matmul", [np.arange(4, dtype="uint8").reshape(2, 2), np.full((2, 2), 200, "uint8")],
    [np.arange(4, dtype="uint8").reshape(2, 2) @ np.full((2, 2), 200, "uint8")])
add("pool", [np.array([[3, 1, 4, 1, 5]], "int32")], [np.array([[3, 4]], "int32")],
    {"window": [2], "stride": [2], "padding": [0], "mode": "max", "ignore_border": True})
add("pool", [np.array([[3, 1, 4, 1, 5]], "int32")], [np.array([[2.0, 2.5]])],
    {"window": [2], "stride": [2], "padding": [0], "mode": "average_exc_pad", "ignore_border": True})

# An array whose shape is that of another one.
for dtype in ("float64", "float32"):
    add("specify_shape_like", [np.array([[1.5, -2, 3]], dtype), np.zeros((1, 3))], [np.array([[1.5, -2, 3]], dtype)])
add("specify_shape_like", [np.zeros((2, 3)), np.zeros((2, 4))], [], error="ShapeError")
for dtype in ("float64", "float32"):
    add("unbroadcast", [np.array([[1.5, -2, 3]], dtype)], [np.array([[1.5, -2, 3]], dtype)], {"axes": [0]})

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy.jsonl"), "w") as f:
    f.write("\n".join(lines) + "\n")
print(len(lines), "lines")
