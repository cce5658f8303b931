#!/usr/bin/env python3
"""Writes complex_matrices.txt: what NumPy and SciPy give for complex matrices, real and imaginary parts in turns, for
ComplexMatricesTest.cpp, which makes the same operands."""
import numpy as np
import scipy.linalg as sl


def wave(shape, start):
    n = int(np.prod(shape))
    return np.sin(np.arange(start, start + n) ** 2.0).reshape(shape)


def waves(shape, start):
    return wave(shape, start) + 1j * wave(shape, start + 100)


def each(function, *batches):
    return np.stack([function(*matrices) for matrices in zip(*batches)])


a, b, r = waves((2, 3, 3), 1), waves((2, 3, 2), 40), waves((2, 4, 3), 60)
h = a @ a.conj().swapaxes(-1, -2) + 3 * np.eye(3)
s = a + a.swapaxes(-1, -2)
lower, upper = np.tril(a), np.triu(a)
unit = np.tril(a, -1) + np.eye(3)
sign, logarithm = np.linalg.slogdet(a)
results = {
    "cholesky": np.linalg.cholesky(h),
    "cholesky_upper": np.linalg.cholesky(h).conj().swapaxes(-1, -2),
    "cho_solve": np.linalg.solve(h, b),
    "lower": each(lambda m, v: sl.solve_triangular(m, v, lower=True), lower, b),
    "upper": each(lambda m, v: sl.solve_triangular(m, v), upper, b),
    "transposed": each(lambda m, v: sl.solve_triangular(m, v, trans="T"), upper, b),
    "unit": each(lambda m, v: sl.solve_triangular(m, v, lower=True, unit_diagonal=True), unit, b),
    "symmetric": np.linalg.solve(s, b),
    "positive": np.linalg.solve(h, b),
    "det": np.linalg.det(a),
    "sign": sign,
    "logarithm": logarithm + 0j,
    "pinv": np.linalg.pinv(r),
    "pinv_wide": np.linalg.pinv(r.swapaxes(-1, -2)),
    "lstsq": each(lambda m, v: np.linalg.lstsq(m, v, rcond=None)[0], r, waves((2, 4, 2), 90)),
    "svdvals": np.linalg.svd(r, compute_uv=False) + 0j,
    "eigvalsh": np.linalg.eigvalsh(h) + 0j,
    "eigvalsh_upper": np.linalg.eigvalsh(a, UPLO="U") + 0j,
}
orders = {"frobenius": "fro", "nuclear": "nuc", "one": 1, "minus_one": -1, "inf": np.inf, "minus_inf": -np.inf,
          "two": 2, "minus_two": -2}
for name, order in orders.items():
    results[name] = np.linalg.norm(r, order, axis=(-2, -1)) + 0j

with open("complex_matrices.txt", "w") as file:
    file.write("# Made by make_complex_matrices.py, NumPy %s.\n" % np.__version__)
    for name, value in results.items():
        numbers = np.ascontiguousarray(value, dtype=np.complex128).view(np.float64).ravel()
        file.write(" ".join([name] + [repr(float(x)) for x in numbers]) + "\n")
