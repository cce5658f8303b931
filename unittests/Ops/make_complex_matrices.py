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
wide = r.swapaxes(-1, -2)
three = waves((2, 2, 2), 130)


def positive(matrices):
    """q and r where r's diagonal is positive."""
    q, upper = zip(*(np.linalg.qr(m) for m in matrices))
    q, upper = np.stack(q), np.stack(upper)
    diagonal = np.diagonal(upper, axis1=-2, axis2=-1)
    phase = diagonal / abs(diagonal)
    return q * phase[:, None, :], upper * phase.conj()[:, :, None]


def phases(v):
    """What makes the first of the greatest elements of each column positive."""
    size = abs(v)
    first = np.argmax(size > size.max(-2, keepdims=True) * (1 - 1e-9), -2)
    chosen = np.take_along_axis(v, first[:, None, :], -2)
    return (chosen.conj() / abs(chosen))[:, 0, :]


def vectors(m):
    u, s, vt = np.linalg.svd(m, full_matrices=False)
    p = phases(u)
    return u * p[:, None, :], s, vt * p.conj()[:, :, None]


def beyond(m):
    """The projection onto the columns of u that a reduced decomposition has not."""
    u = np.linalg.svd(m)[0][:, :, m.shape[-1]:]
    return u @ u.conj().swapaxes(-1, -2)


def hermitian(m, uplo):
    w, v = np.linalg.eigh(m, uplo)
    return w, v * phases(v)[:, None, :]


def lus(m):
    return [np.stack(x) for x in zip(*(sl.lu(one) for one in m))]


def ldls(m, lower):
    return [np.stack(x) for x in zip(*(sl.ldl(one, lower=lower) for one in m))]


def sums(w):
    """What the order of eigenvalues does not change."""
    return np.stack([(w ** k).sum(-1) for k in (1, 2, 3)], -1)


q, upper_r = positive(r)
wide_q, wide_r = positive(wide)
u, s_r, vt = vectors(r)
wide_u, wide_s, wide_vt = vectors(wide)
w_h, v_h = hermitian(a, "L")
w_u, v_u = hermitian(a, "U")
p_r, l_r, u_r = lus(r)
p_w, l_w, u_w = lus(wide)
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
    "qr_q": q,
    "qr_r": upper_r,
    "qr_wide_q": wide_q,
    "qr_wide_r": wide_r,
    "qr_complete_r": np.concatenate([upper_r, np.zeros((2, 1, 3))], 1),
    "qr_complete_beyond": beyond(r),
    "svd_u": u,
    "svd_s": s_r + 0j,
    "svd_vt": vt,
    "svd_wide_u": wide_u,
    "svd_wide_vt": wide_vt,
    "svd_full_beyond": beyond(r),
    "svd_full_vt": vt,
    "eigh_w": w_h + 0j,
    "eigh_v": v_h,
    "eigh_upper_v": v_u,
    "lu_l": l_r,
    "lu_u": u_r,
    "lu_p": p_r + 0j,
    "lu_wide_l": l_w,
    "lu_wide_u": u_w,
    "lu_solve": np.linalg.solve(a, b),
    "ldl_l": ldls(a, True)[0],
    "ldl_d": ldls(a, True)[1],
    "ldl_upper_l": ldls(a, False)[0],
    "ldl_upper_d": ldls(a, False)[1],
    "expm": each(sl.expm, a),
    "logm": each(sl.logm, a),
    "logm_left": each(sl.logm, (-1 + 0.5j) * h),
    "sylvester": each(sl.solve_sylvester, a, three, b),
    "stein": each(lambda x, y, z: np.linalg.solve(np.eye(6) - np.kron(x, y.T), z.ravel()).reshape(3, 2), a, three, b),
    "lyapunov": each(sl.solve_continuous_lyapunov, a, s),
    "discrete_lyapunov": each(sl.solve_discrete_lyapunov, a, s),
    "kron": each(np.kron, a, three),
    "power": np.linalg.matrix_power(a, 5),
    "power_of_none": np.linalg.matrix_power(a, 0),
    "power_of_inverse": np.linalg.matrix_power(a, -2),
    "eig_sums": sums(np.linalg.eigvals(a)),
    "eig_rebuilt": a,
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
