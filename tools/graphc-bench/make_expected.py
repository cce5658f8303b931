"""Writes Expected.h: make_expected.py > Expected.h (some minutes; Python's own floats, no packages)

What each case of graphc-bench must give, computed from its inputs as rounded to their dtype, in double precision: the
sum of the results, of their absolute values, the greatest absolute value, and the sum weighted by the stream of seed
9999, which notices exchanged elements. Inputs.h describes the streams.
"""

import math
from array import array
from operator import add, mul


def stream(seed, count):
    s, values = seed, []
    for _ in range(count):
        s = (6364136223846793005 * s + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        values.append((s >> 40) / 16777216)
    return values


def tensor(dtype, count, low, high, seed):
    return array("f" if dtype == "f32" else "d", (low + (high - low) * u for u in stream(seed, count)))


def report(name, values):
    weighted = math.fsum(map(mul, values, stream(9999, len(values))))
    numbers = math.fsum(values), math.fsum(map(abs, values)), max(map(abs, values)), weighted
    print('    {"%s", %s},' % (name, ", ".join(map(repr, numbers))), flush=True)


def elementwise():
    x, y = tensor("f32", 10**6, 0.1, 1.1, 1), tensor("f32", 10**6, -1.0, 1.0, 2)
    report("ew10", [math.exp(-math.tanh(a * b + a) ** 2) / math.sqrt(1 + b * b) for a, b in zip(x, y)])
    cheap = []
    for a, b in zip(x, y):
        t = max(a * b + a, 0.25) * 0.5 - b
        cheap.append(abs(min(t * t + 1, 3) * a))
    report("ew10cheap", cheap)


def rows():
    x = tensor("f32", 4096 * 1024, -4.0, 4.0, 3)
    g, b = tensor("f32", 1024, 0.5, 1.5, 4), tensor("f32", 1024, -0.5, 0.5, 5)
    softmax, layernorm = [], []
    for r in range(4096):
        row = x[r * 1024:(r + 1) * 1024]
        top = max(row)
        powers = [math.exp(v - top) for v in row]
        total = math.fsum(powers)
        softmax.extend(p / total for p in powers)
        mean = math.fsum(row) / 1024
        variance = math.fsum((v - mean) ** 2 for v in row) / 1024
        scale = 1 / math.sqrt(variance + 1e-5)
        layernorm.extend((v - mean) * scale * p + q for v, p, q in zip(row, g, b))
    report("softmax", softmax)
    report("layernorm", layernorm)


def sums():
    x = stream(54, 4096 * 4096)  # exact in both dtypes
    lines = [x[r * 4096:(r + 1) * 4096] for r in range(4096)]
    columns = [0.0] * 4096
    for line in lines:
        columns = list(map(add, columns, line))  # exact: multiples of 2^-24 below 2^12
    report("sum_axis0", columns)
    report("sum_axis1", [math.fsum(line) for line in lines])
    report("sum_all", [math.fsum(x)])


def products():
    for dtype in "f32", "f64":
        for n in 256, 512, 1024:
            a, b = tensor(dtype, n * n, -1.0, 1.0, 6), tensor(dtype, n * n, -1.0, 1.0, 7)
            lines, columns = [list(a[i * n:(i + 1) * n]) for i in range(n)], [list(b[j::n]) for j in range(n)]
            report(f"gemm_{dtype}_{n}", [sum(map(mul, line, column)) for line in lines for column in columns])
    n = 512
    a, b = tensor("f32", n * n, -1.0, 1.0, 6), tensor("f32", n * n, -1.0, 1.0, 7)
    first, second = [[list(m[i * n:(i + 1) * n]) for i in range(n)] for m in (a, b)]
    report(f"gemm_abt_f32_{n}", [sum(map(mul, x, y)) for x in first for y in second])


def functions():
    rows = {
        "exp": (math.exp, -10, 10), "expm1": (math.expm1, -1, 1), "log": (math.log, 0.01, 100),
        "log1p": (math.log1p, 0, 1), "sin": (math.sin, -10, 10), "cos": (math.cos, -10, 10),
        "tan": (math.tan, -1.5, 1.5), "sinh": (math.sinh, -5, 5), "cosh": (math.cosh, -5, 5),
        "tanh": (math.tanh, -3, 3), "arcsin": (math.asin, -1, 1), "arctan": (math.atan, -10, 10),
        "erf": (math.erf, -2, 2)
    }
    n = 65536
    for dtype in "f32", "f64":
        for name, (function, low, high) in rows.items():
            report(f"math_{name}_{dtype}", list(map(function, tensor(dtype, n, low, high, 60))))
        x, y = tensor(dtype, n, 0.1, 10, 60), tensor(dtype, n, -4, 4, 61)
        report(f"math_pow_{dtype}", list(map(math.pow, x, y)))


def convolution():
    x = tensor("f32", 64 * 56 * 56, -1.0, 1.0, 40)
    w = tensor("f32", 64 * 64 * 9, -0.041666666666666664, 0.041666666666666664, 41)
    b = tensor("f32", 64, -0.1, 0.1, 42)
    windows = []
    for i in range(56):
        for j in range(56):
            window = []
            for c in range(64):
                for p in range(i - 1, i + 2):
                    for q in range(j - 1, j + 2):
                        inside = 0 <= p < 56 and 0 <= q < 56
                        window.append(x[(c * 56 + p) * 56 + q] if inside else 0.0)
            windows.append(window)
    result = []
    for k in range(64):
        kernel = list(w[k * 576:(k + 1) * 576])
        result.extend(max(sum(map(mul, kernel, window)) + b[k], 0.0) for window in windows)
    report("conv3x3", result)


print("""//===- Expected.h - what the cases must give; written by make_expected.py -===//
#pragma once

namespace graphc::bench {

struct Expected {
  const char *name;
  double sum, sumAbs, maxAbs, weighted;
};

// clang-format off
inline constexpr Expected kExpected[] = {""")
for case in elementwise, functions, rows, sums, products, convolution:
    case()
print("""};
// clang-format on

} // namespace graphc::bench""")
