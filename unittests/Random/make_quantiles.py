#!/usr/bin/python3
"""Writes quantiles.txt of SciPy's distributions: what draws by the host are compared with.

Floats: "name float parameters : mean variance : the 255 quantiles of k / 256". Integers: "name int parameters : mean
variance : first p(first) p(first + 1) ..." until what is left has probability 1e-6.
"""

from pathlib import Path

import numpy as np
from scipy import stats

FLOATS = [
    ("gamma", lambda a, s: stats.gamma(a, scale=s), [(2, 1), (0.1, 3), (1, 0.5), (50, 2)]),
    ("invgamma", lambda a, s: stats.invgamma(a, scale=s), [(5, 2), (0.5, 1)]),
    ("chisquare", lambda df: stats.chi2(df), [(3,), (0.5,)]),
    ("beta", lambda a, b: stats.beta(a, b), [(2, 3), (0.1, 0.2), (30, 0.5)]),
    ("studentT", lambda df, m, s: stats.t(df, loc=m, scale=s), [(7, 1, 2), (0.5, 0, 1)]),
    ("vonmises", lambda m, k: stats.vonmises(k, loc=m), [(0, 1), (0, 0.001), (0, 40), (0, 1e-7)]),
    ("wald", lambda m, s: stats.invgauss(m / s, scale=s), [(1, 2), (3, 0.25), (0.1, 10)]),
    ("truncnormal", lambda m, s, a, b: stats.truncnorm((a - m) / s, (b - m) / s, loc=m, scale=s),
     [(0, 1, -1, 2), (0, 1, -8, 9), (0, 1, 4, 30), (0, 1, 3, 3.25), (1, 2, -30, -9), (0, 1, 0.5, 2),
      (0, 1, -0.5, np.inf)]),
]
INTEGERS = [
    ("poisson", stats.poisson, [(0.5,), (9.5,), (10,), (300,)]),
    ("binomial", stats.binom, [(10, 0.5), (1000, 0.005), (100, 0.2), (400, 0.9), (5, 0), (5, 1)]),
    ("negativeBinomial", stats.nbinom, [(3, 0.5), (0.5, 0.1), (40, 0.2)]),
    ("hypergeometric", lambda g, b, n: stats.hypergeom(g + b, g, n),
     [(5, 10, 6), (300, 200, 100), (0, 5, 3), (40, 2, 20)]),
    ("betabinom", stats.betabinom, [(10, 2, 3), (100, 0.5, 4)]),
]


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


lines = ["# Written by make_quantiles.py."]
for name, of, cases in FLOATS:
    for p in cases:
        d = of(*p)
        mean, variance = d.stats("mv")
        heavy = not np.isfinite(d.moment(4) if name != "vonmises" else 1) or name in ("vonmises", "invgamma")
        moments = "nan nan" if heavy else numbers([mean, variance])
        lines.append(f"{name} float {numbers(p)} : {moments} : {numbers(d.ppf(np.arange(1, 256) / 256))}")
for name, of, cases in INTEGERS:
    for p in cases:
        d = of(*p)
        first, last = int(d.ppf(5e-7)), int(d.isf(5e-7))
        first = max(first, 0)
        p_k = numbers(d.pmf(range(first, last + 1)))
        lines.append(f"{name} int {numbers(p)} : {numbers(d.stats('mv'))} : {first} {p_k}")
(Path(__file__).parent / "quantiles.txt").write_text("\n".join(lines) + "\n")
