#!/usr/bin/python3
"""Writes complex.jsonl: complex numbers. Functions of one number by mpmath at 50 digits, the rest by NumPy.

Same format as the others (README.md); an element of a complex array is [real part, imaginary part]. Tolerances allow for rounding
relative to the greatest element, as parts lose digits where others are greater. Deterministic.
"""
import json
import os
import random

import mpmath as mp
import numpy as np

mp.mp.dps = 50
random.seed(31)
rng = np.random.RandomState(31)
lines = []


def array(a):
    a = np.asarray(a)
    if a.dtype.kind == "c":
        data = [[float(z.real), float(z.imag)] for z in a.ravel()]
    elif a.dtype.kind == "f":
        data = [float(x) for x in a.ravel()]
    else:
        data = [int(x) for x in a.ravel()]

    def plain(x):
        if isinstance(x, list):
            return [plain(y) for y in x]
        return x if isinstance(x, int) or np.isfinite(x) else "nan" if np.isnan(x) else "inf" if x > 0 else "-inf"

    return {"dtype": str(a.dtype), "shape": list(a.shape), "data": plain(data)}


def add(op, inputs, outputs, attrs=None, scale=None):
    line = {"id": "complex-%04d" % (len(lines) + 1), "op": op, "attrs": attrs or {}, "inputs": [array(x) for x in inputs],
            "outputs": [array(x) for x in outputs]}
    kinds = {x.dtype.kind for x in outputs}
    if kinds & set("cf"):
        single = any(x.dtype in (np.complex64, np.float32) for x in outputs)
        finite = [np.abs(x[np.isfinite(x)]) for x in outputs if x.dtype.kind in "cf"]
        top = max([float(f.max()) for f in finite if f.size] + [1e-3])
        line["tol"] = {"rtol": 2e-5 if single else 1e-12, "atol": (2e-6 if single else 1e-13) * top}
    lines.append(json.dumps(line, separators=(",", ":"), allow_nan=False))


def numbers(*shape, dtype="complex128"):
    """Eighths, which float32 holds."""
    parts = rng.randint(-16, 17, size=shape + (2,)) / 8.0
    z = parts[..., 0] + 1j * parts[..., 1]
    return (z if np.dtype(dtype).kind == "c" else z.real).astype(dtype)


DTYPES = ("complex128", "complex64")
POINTS = [1.5 + 0.25j, -0.75 + 2j, -2 - 1.25j, 0.5 - 0.375j, 1 + 0.0078125j, -1 - 0.0078125j, 0.001 + 0.002j, 2.5 + 0j, 0.25 + 0j,
          3j, -1e-5j, 10 + 3j, -7.5 + 1j, 0.0009765625j]


def by_mpmath(op, f):
    for dtype in DTYPES:
        x = np.array(POINTS, dtype)
        y = [f(mp.mpc(complex(z))) for z in x]
        add(op, [x], [np.array([complex(v) for v in y]).astype(dtype)])


by_mpmath("exp", mp.exp)
by_mpmath("exp2", lambda z: mp.exp(z * mp.log(2)))
by_mpmath("expm1", lambda z: mp.exp(z) - 1)
by_mpmath("log", mp.log)
by_mpmath("log2", lambda z: mp.log(z) / mp.log(2))
by_mpmath("log10", lambda z: mp.log(z) / mp.log(10))
by_mpmath("log1p", lambda z: mp.log(1 + z))
by_mpmath("sqrt", mp.sqrt)
by_mpmath("rsqrt", lambda z: 1 / mp.sqrt(z))
by_mpmath("reciprocal", lambda z: 1 / z)
by_mpmath("sqr", lambda z: z * z)
by_mpmath("neg", lambda z: -z)
by_mpmath("sin", mp.sin)
by_mpmath("cos", mp.cos)
by_mpmath("tan", mp.tan)
by_mpmath("sinh", mp.sinh)
by_mpmath("cosh", mp.cosh)
by_mpmath("tanh", mp.tanh)
by_mpmath("sigmoid", lambda z: 1 / (1 + mp.exp(-z)))
by_mpmath("arctan", mp.atan)
# Beside the cuts, on which the signs of zeros count: NumPy's.
for op, f in (("arcsin", np.arcsin), ("arccos", np.arccos), ("arcsinh", np.arcsinh), ("arccosh", np.arccosh),
              ("arctanh", np.arctanh)):
    for dtype in DTYPES:
        x = np.array(POINTS, dtype)
        add(op, [x], [f(x.astype("complex128")).astype(dtype)])
# On the cuts, from either side.
cuts = np.array([complex(-2.0, 0.0), complex(-2.0, -0.0), complex(3.0, 0.0), complex(3.0, -0.0)])
for op, f in (("log", np.log), ("sqrt", np.sqrt), ("arcsin", np.arcsin), ("arccos", np.arccos), ("arccosh", np.arccosh),
              ("arctanh", np.arctanh)):
    add(op, [cuts], [f(cuts)])
sides = np.array([complex(0.0, 2.0), complex(-0.0, 2.0), complex(0.0, -3.0), complex(-0.0, -3.0)])
for op, f in (("arctan", np.arctan), ("arcsinh", np.arcsinh)):
    add(op, [sides], [f(sides)])
# Far out: nothing overflows on the way.
far = np.array([1e200 + 1e200j, -1e-200 + 1e-200j, 3e300 - 1e300j])
for op, f in (("sqrt", np.sqrt), ("log", np.log), ("reciprocal", lambda z: 1 / z), ("abs", np.abs), ("arcsinh", np.arcsinh)):
    add(op, [far], [f(far)])
add("true_div", [far, far[::-1].copy()], [far / far[::-1]])
special = np.array([complex(np.inf, 0), complex(-np.inf, 1), complex(np.nan, 1), complex(0, np.inf), complex(0, 0)])
for op, f in (("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite), ("abs", np.abs)):
    add(op, [special], [f(special)])

for dtype in DTYPES:
    x, y = numbers(3, 4, dtype=dtype), numbers(3, 4, dtype=dtype)
    x, y = (np.where(z == 0, np.array(1, dtype), z) for z in (x, y))
    for op, f in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("true_div", np.divide)):
        add(op, [x, y], [f(x, y)])
        beside = np.where(y.real == 0, 2, y.real).astype(y.real.dtype)
        add(op, [x, beside], [f(x, beside)])
        add(op, [beside, x], [f(beside, x)])
    add("pow", [x, y], [np.power(x.astype("complex128"), y).astype(dtype)])
    add("pow", [x, np.array(3, "int8")], [x**3])
    same = np.where(rng.rand(3, 4) < 0.5, x, y)
    add("eq", [x, same], [x == same])
    add("neq", [x, same], [x != same])
    add("abs", [x], [np.abs(x)])
    add("conj", [x], [np.conj(x)])
    add("real", [x], [x.real.copy()])
    add("imag", [x], [x.imag.copy()])
    add("angle", [x], [np.angle(x)])
    add("complex", [x.real.copy(), x.imag.copy()], [x])
    add("isclose", [x, x + np.array([0, 1e-7, 1e-3j, 1e-2], dtype)], [np.isclose(x, x + np.array([0, 1e-7, 1e-3j, 1e-2], dtype))])
    add("copy", [x], [x])
    for axes in (None, [0], [1], [0, 1]):
        key = {"axis": axes if axes is None or len(axes) > 1 else axes[0], "keepdims": False}
        axis = None if axes is None else tuple(axes)
        for op, f in (("sum", np.sum), ("prod", np.prod), ("mean", np.mean), ("var", np.var), ("std", np.std)):
            add(op, [x], [np.asarray(f(x, axis=axis))], key)
        add("any", [x], [np.asarray(np.any(x, axis=axis))], key)
    for axis in (0, 1):
        add("cumsum", [x], [np.cumsum(x, axis=axis)], {"axis": axis})
        add("cumprod", [x], [np.cumprod(x, axis=axis)], {"axis": axis})
    a, b, v = numbers(3, 5, dtype=dtype), numbers(5, 4, dtype=dtype), numbers(5, dtype=dtype)
    add("dot", [a, b], [a @ b])
    add("dot", [a, v], [a @ v])
    add("dot", [v, v], [np.asarray(v @ v)])
    batch = numbers(2, 3, 5, dtype=dtype)
    add("matmul", [batch, b], [np.matmul(batch, b)])
    add("outer", [v, a[0]], [np.outer(v, a[0])])
    add("concatenate", [x, y], [np.concatenate([x, y], 1)], {"axis": 1})
    add("transpose", [x], [x.T.copy()], {"axes": None})
    add("reshape", [x], [x.reshape(4, 3)], {"shape": [4, 3]})
    add("take", [x, np.array([2, 0, 2])], [np.take(x, [2, 0, 2], 0)], {"axis": 0, "mode": "raise"})
    square = numbers(4, 4, dtype=dtype) + 3 * np.eye(4, dtype=dtype)
    add("inv", [square], [np.linalg.inv(square.astype("complex128")).astype(dtype)])
    right = numbers(4, 2, dtype=dtype)
    add("solve", [square, right], [np.linalg.solve(square.astype("complex128"), right).astype(dtype)])

for n in (1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 37, 64, 74):
    z = numbers(n)
    add("fft", [z], [np.fft.fft(z)])
    add("ifft", [z], [np.fft.ifft(z)])
    add("rfft", [z.real.copy()], [np.fft.rfft(z.real)])
    half = np.fft.rfft(z.real)
    add("irfft", [half], [np.fft.irfft(half, n)], {"n": n})
for norm in ("ortho", "forward"):
    z = numbers(3, 6, 2)
    for axis in (0, 1, -1):
        for op in ("fft", "ifft"):
            add(op, [z], [getattr(np.fft, op)(z, axis=axis, norm=norm)], {"axis": axis, "norm": norm})
        add("rfft", [z.real.copy()], [np.fft.rfft(z.real, axis=axis, norm=norm)], {"axis": axis, "norm": norm})
    half = np.fft.rfft(z.real, axis=1)
    add("irfft", [half], [np.fft.irfft(half, 6, axis=1, norm=norm)], {"axis": 1, "norm": norm, "n": 6})
for n in (3, 8, 11):  # cut and padded
    z = numbers(2, 8)
    add("fft", [z], [np.fft.fft(z, n)], {"n": n})
    add("ifft", [z], [np.fft.ifft(z, n)], {"n": n})
    add("rfft", [z.real.copy()], [np.fft.rfft(z.real, n)], {"n": n})
    add("irfft", [z], [np.fft.irfft(z, n)], {"n": n})
z = numbers(2, 9, dtype="complex64")
add("fft", [z], [np.fft.fft(z).astype("complex64")])
add("ifft", [z], [np.fft.ifft(z).astype("complex64")])
add("rfft", [z.real.copy()], [np.fft.rfft(z.real).astype("complex64")])
add("irfft", [z], [np.fft.irfft(z).astype("float32")])
z = numbers(3, 4, 5)
add("fftn", [z], [np.fft.fftn(z)])
add("ifftn", [z], [np.fft.ifftn(z)])
add("fftn", [z], [np.fft.fftn(z, axes=(0, 2), norm="ortho")], {"axes": [0, 2], "norm": "ortho"})
add("fftn", [z], [np.fft.fftn(z, s=(2, 7))], {"s": [2, 7]})
add("rfftn", [z.real.copy()], [np.fft.rfftn(z.real)])
add("irfftn", [z], [np.fft.irfftn(z)])
for n in (5, 8):
    add("fftfreq", [], [np.fft.fftfreq(n, 0.5)], {"n": n, "d": 0.5})
    add("rfftfreq", [], [np.fft.rfftfreq(n, 0.5)], {"n": n, "d": 0.5})
z = numbers(5, 4)
add("fftshift", [z], [np.fft.fftshift(z)])
add("ifftshift", [z], [np.fft.ifftshift(z)])
add("fftshift", [z.real.copy()], [np.fft.fftshift(z.real, axes=0)], {"axes": [0]})


# The ops on parts.
for part in ("float64", "float32"):
    single = part == "float32"
    whole = "complex64" if single else "complex128"
    z = numbers(2, 6, dtype=whole)
    parts = [z.real.copy(), z.imag.copy()]

    def both(a):
        return [a.real.astype(part), a.imag.astype(part)]

    add("dft", parts, both(np.fft.fft(z)))
    add("dft", parts, both(np.fft.ifft(z) * 6), {"inverse": True})
    add("rdft", [parts[0]], both(np.fft.rfft(parts[0])))
    add("irdft", parts, [(np.fft.irfft(z, 11) * 11).astype(part)], {"n": 11})
    for n in (4, 6, 9):
        fitted = np.zeros((2, n), part)
        fitted[:, :min(n, 6)] = parts[0][:, :n]
        add("fit_axis", [parts[0]], [fitted], {"n": n})
    b, r = numbers(2, 6, dtype=whole), np.zeros((2, 6), "complex128")
    for k in range(6):
        r[:, k] = b[:, k] + (z[:, k] * r[:, k - 1] if k else 0)
    add("complex_recurrence", parts + both(b), both(r), {"axis": 1})
    # Eigenvalues by real part, then by imaginary part; vectors with the first of the greatest elements positive.
    for a in (numbers(4, 4, dtype=part), z[:, :2].copy()):
        w, v = np.linalg.eig(a.astype("complex128"))
        order = np.lexsort((w.imag.round(9), w.real.round(9)))
        w, v = w[order], v[:, order]
        for k in range(len(w)):
            size = np.abs(v[:, k])
            first = v[np.argmax(size > size.max() * (1 - 1e-6)), k]
            v[:, k] *= np.conj(first) / abs(first) / np.linalg.norm(v[:, k])
        add("eig", [a], [w.astype(whole), v.astype(whole)])

if __name__ == "__main__":
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "complex.jsonl"), "w") as f:
        f.write("\n".join(lines) + "\n")
    print(len(lines), "lines")
