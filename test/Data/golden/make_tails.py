#!/usr/bin/env python3
"""Writes tails.jsonl: functions of one operand where their computation is weak, by mpmath, correctly rounded.

Underflow and overflow of what is composed (a subnormal factor has few digits), cancellation below 1 in logarithms,
places where a formula changes. Same format as the others (README.md). Deterministic; needs mpmath.
"""
import json
import math
import os
import random
import struct

import mpmath as mp

mp.mp.dps = 120
random.seed(5)
FORMATS = {"float32": (24, -149, "f"), "float64": (53, -1074, "d")}


def held(x, dtype):
    code = FORMATS[dtype][2]
    return struct.unpack(code, struct.pack(code, x))[0]


def rounded(v, dtype):
    """Nearest number of the dtype, also where it is subnormal."""
    bits, least, _ = FORMATS[dtype]
    if v == 0:
        return 0.0
    unit = mp.mpf(2)**max(int(mp.floor(mp.log(abs(v), 2))) - (bits - 1), least)
    r = float(mp.nint(v / unit) * unit)
    return r if r else math.copysign(0.0, v)


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def softplus(x):
    return mp.log1p(mp.exp(x))


# Function, then for float32 and float64: intervals that are sampled, and single operands.
LOW = {"float32": (-104.5, -86), "float64": (-746, -707)}
SQRT_LOW = {"float32": (-14.5, -12.8), "float64": (-38.7, -37.2)}  # e^(-x^2/2)
CUBE_LOW = {"float32": (-10.6, -9.6), "float64": (-21.2, -20.5)}
BELOW_ONE = {"float32": (0.73, 0.76), "float64": (0.73, 0.76)}
HARD = {
    "mish": [-103.96873, -724.8281176804671, -40.0, -40.000001, -39.999999, 20.0, 20.000001, 89.0, 3e38],
    "silu": [-81.39695, -91.876205444335938, -42.6060596220111, -89.056976210769321, -714.98009969982081, 3e38],
    "log2": [0.74939144, 0.74918455, 0.7463347595335366, 0.73901725860485856],
    "log10": [0.74990356, 0.7499021102740863],
    "softplus": [-1.2684691, -1.2623344659805298, -0.43860204886595261, 3e38],
    "logit": [0.2697703741791793, 0.27015393300992768, 0.25, 1e-40, 0.99999994],
    "gelu": [3e38, 5.5, -5.5],
    "gelu_tanh": [3e38],
    "ndtr": [0.0, -1e-30, 1e-30, 0.25, 1.5, 5.75, 8.5, 40.0, -0.0022, -1.8926, -5.0, -37.5, -40.0],
}
FUNCTIONS = [
    ("mish", lambda x: x * mp.tanh(softplus(x)), [LOW]),
    ("silu", lambda x: x * sigmoid(x), [LOW]),
    ("gelu", lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2, [SQRT_LOW]),
    ("gelu_tanh", lambda x: x * sigmoid(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)), [CUBE_LOW]),
    ("softplus", softplus, [LOW, {"float32": (-2, 0), "float64": (-1, 0)}]),
    ("sigmoid", sigmoid, [LOW]),
    ("logit", lambda p: mp.log(p) - mp.log1p(-p), [{"float32": (0.25, 0.28), "float64": (0.25, 0.28)}]),
    ("log2", lambda x: mp.log(x) / mp.log(2), [BELOW_ONE]),
    ("log10", mp.log10, [BELOW_ONE]),
    ("log", mp.log, [BELOW_ONE]),
    ("ndtr", lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, [SQRT_LOW, {"float32": (-13, 6), "float64": (-37, 9)}]),
]

lines = []
for name, function, intervals in FUNCTIONS:
    for dtype in ("float64", "float32"):
        xs = [held(x, dtype) for x in HARD.get(name, [])]
        for interval in intervals:
            xs += [held(random.uniform(*interval[dtype]), dtype) for _ in range(40)]
        ys = [rounded(function(mp.mpf(x)), dtype) for x in xs]
        lines.append(json.dumps({
            "id": "tails-%04d" % (len(lines) + 1), "op": name, "attrs": {},
            "inputs": [{"dtype": dtype, "shape": [len(xs)], "data": xs}],
            "outputs": [{"dtype": dtype, "shape": [len(ys)], "data": ys}],
        }, separators=(",", ":"), allow_nan=False))
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "tails.jsonl"), "w") as out:
    out.write("\n".join(lines) + "\n")
