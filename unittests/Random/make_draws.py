#!/usr/bin/python3
"""Writes draws.txt: what distributions make of Philox's blocks, by Python's integers and mpmath (60 digits).

Philox 4x32-10 is written from the paper (Salmon et al., SC 2011), and checked here by the known answers of Random123's
kat_vectors; the formulas stand in docs/design/30-random.md and lib/Ops. A line: name, dtype, key, position, parameters,
"=", draws.
--examples prints draws of state (1, 0) for the registry's examples.
"""

import sys
from pathlib import Path

import mpmath
from mpmath import mpf

mpmath.mp.dps = 60
LOW = 0xFFFFFFFF


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & LOW, (p >> 32) ^ c[3] ^ k[1], p & LOW]
        k = [(k[0] + 0x9E3779B9) & LOW, (k[1] + 0xBB67AE85) & LOW]
    return c


assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([LOW] * 4, [LOW] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
PI = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0]
assert philox(*PI) == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


class Block:
    def __init__(self, key, position, dtype):
        w = philox([position & LOW, position >> 32 & LOW, 0, 0], [key & LOW, key >> 32 & LOW])
        self.word = [w[1] << 32 | w[0], w[3] << 32 | w[2]]
        self.digits = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8, "i64": 53}[dtype]

    def unit(self, half):
        return mpf(self.word[half] >> (64 - self.digits)) / 2**self.digits

    def open(self, half):
        """u of a pair; 1 - u has the inverted bits."""
        return (mpf(self.word[half]) + mpf(1) / 2) / mpf(2) ** 64

    def exponential(self, half=0):
        return -mpmath.log(self.open(half))

    def direction(self, half):
        """The angle, in turns from -1/8 on."""
        word = self.word[half]
        rest = (mpf(word & (2**62 - 1)) + mpf(1) / 2) / mpf(2) ** 62 - mpf(1) / 2
        return ((word >> 62) + rest) * mpmath.pi / 2

    def normal(self):
        return mpmath.sqrt(2 * self.exponential(0)) * mpmath.cos(self.direction(1))


def cauchy(b):
    return mpmath.tan(b.direction(0))


def triangular(b, left, mode, right):
    u, width = b.open(0), right - left
    if u * width < mode - left:
        return left + mpmath.sqrt(u * width * (mode - left))
    return right - mpmath.sqrt((1 - u) * width * (right - mode))


def integers(b, low, high):
    bits = b.word[1] << 64 | b.word[0]
    return low + (bits * (high - low) >> 128)


def geometric(b, p):
    return int(mpmath.floor(mpmath.log(b.open(0)) / mpmath.log(1 - mpf(p)))) + 1 if p < 1 else 1


def laplace(b):
    return b.exponential(0) * (1 if b.word[1] >> 63 == 0 else -1)


F = {
    "uniform": lambda b, low, high: low + (high - low) * b.unit(0),
    "normal": lambda b, mean, sd: mean + sd * b.normal(),
    "halfnormal": lambda b, loc, scale: loc + scale * abs(b.normal()),
    "laplace": lambda b, loc, scale: loc + scale * laplace(b),
    "logistic": lambda b, loc, scale: loc + scale * mpmath.log(b.open(0) / (1 - b.open(0))),
    "gumbel": lambda b, loc, scale: loc - scale * mpmath.log(b.exponential()),
    "cauchy": lambda b, loc, scale: loc + scale * cauchy(b),
    "halfcauchy": lambda b, loc, scale: loc + scale * abs(cauchy(b)),
    "triangular": triangular,
    "lognormal": lambda b, mean, sd: mpmath.exp(mean + sd * b.normal()),
    "exponential": lambda b, scale: scale * b.exponential(),
    "weibull": lambda b, shape, scale: scale * b.exponential() ** (1 / mpf(shape)),
    "pareto": lambda b, shape, scale: scale * mpmath.exp(b.exponential() / shape),
    "truncexpon": lambda b, top, loc, scale: loc - scale * mpmath.log(1 - b.open(0) * (1 - mpmath.exp(-mpf(top)))),
    "integers": integers,
    "bernoulli": lambda b, p: int(b.unit(0) < p),
    "geometric": geometric,
}

# Numbers that float32 holds. Each distribution once with plain parameters, once with others.
CASES = {
    "uniform": [(0, 1), (-3, 0.5)],
    "normal": [(0, 1), (100, 0.25)],
    "halfnormal": [(0, 1), (1, 2)],
    "laplace": [(0, 1), (-1, 0.5)],
    "logistic": [(0, 1), (2, 3)],
    "gumbel": [(0, 1), (0.5, 2)],
    "cauchy": [(0, 1), (-2, 0.5)],
    "halfcauchy": [(0, 1), (1, 4)],
    "triangular": [(0, 0.5, 1), (-1, 2.5, 3), (0, 0, 1), (0, 1, 1)],
    "lognormal": [(0, 1), (-2, 4)],
    "exponential": [(1,), (0.125,)],
    "weibull": [(2, 1), (0.25, 3)],
    "pareto": [(3, 1), (0.5, 2)],
    "truncexpon": [(2, 0, 1), (0.0009765625, 0, 1), (40, 1, 2)],
    "integers": [(0, 100), (-7, 3), (-(2**63), 2**63 - 1)],
    "bernoulli": [(0.5,), (0.125,)],
    "geometric": [(0.5,), (0.0009765625,), (1,)],
}
# Keys and positions on both sides of 32 and 64 bits.
STATES = [(0, 0), (0x123456789ABCDEF, 0xFFFFFFFE), (-1, -2)]


def text(x):
    return str(x) if isinstance(x, int) else mpmath.nstr(x, 20)


if "--examples" in sys.argv:
    for name, cases in CASES.items():
        dtype = "i64" if name in ("integers", "bernoulli", "geometric") else "f64"
        draws = [F[name](Block(1, i, dtype), *cases[0]) for i in range(2)]
        print(name, ", ".join(str(x) if isinstance(x, int) else mpmath.nstr(x, 9) for x in draws))
    sys.exit()

lines = ["# Written by make_draws.py: name, dtype, key, position, parameters = draws."]
for name, cases in CASES.items():
    for parameters in cases:
        for key, position in STATES:
            for dtype in ["i64"] if name in ("integers", "bernoulli", "geometric") else ["f64", "f32"]:
                draws = [F[name](Block(key, position + i, dtype), *parameters) for i in range(8)]
                call = f"{name} {dtype} {key} {position} {' '.join(map(str, parameters))}"
                lines.append(f"{call} = {' '.join(map(text, draws))}")
(Path(__file__).parent / "draws.txt").write_text("\n".join(lines) + "\n")
