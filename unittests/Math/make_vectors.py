#!/usr/bin/env python3
"""Writes Vectors.txt: values of the functions by mpmath at 450 digits, correctly rounded.

One line each: function, f32 or f64, operands and result as hexadecimal floats. Run without arguments
in this folder; needs mpmath (Debian: python3-mpmath). The output is checked in.
"""
import math
import random
import struct

import mpmath as mp

mp.mp.dps = 450
random.seed(7)
f32 = lambda v: struct.unpack('f', struct.pack('f', v))[0]


def ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def sinpi(x):
    return mp.sinpi(x)


def mod(x, y):
    return x - mp.floor(x / y) * y


UNARY = {
    'exp': mp.exp, 'exp2': lambda x: mp.mpf(2)**x, 'expm1': mp.expm1, 'log': mp.log,
    'log2': lambda x: mp.log(x, 2), 'log10': mp.log10, 'log1p': mp.log1p,
    'log1mexp': lambda x: mp.log(-mp.expm1(x)), 'softplus': lambda x: mp.log1p(mp.exp(x)),
    'sigmoid': sigmoid, 'logit': lambda p: mp.log(p) - mp.log1p(-p),
    'sin': mp.sin, 'cos': mp.cos, 'tan': mp.tan, 'arcsin': mp.asin, 'arccos': mp.acos, 'arctan': mp.atan,
    'sinh': mp.sinh, 'cosh': mp.cosh, 'tanh': mp.tanh, 'arcsinh': mp.asinh, 'arccosh': mp.acosh,
    'arctanh': mp.atanh, 'sinc': lambda x: sinpi(x) / (mp.pi * x) if x else mp.mpf(1),
    'erf': mp.erf, 'erfc': mp.erfc, 'erfcx': lambda x: mp.exp(x * x) * mp.erfc(x), 'ndtr': ndtr,
    'log_ndtr': lambda x: mp.log(ndtr(x)) if x < 5 else mp.log1p(-ndtr(-x)),
    'silu': lambda x: x * sigmoid(x), 'gelu': lambda x: x * ndtr(x),
    'gelu_tanh': lambda x: x * sigmoid(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf('0.044715') * x**3)),
    'rsqrt': lambda x: 1 / mp.sqrt(x), 'cbrt': lambda x: mp.sign(x) * mp.cbrt(abs(x)),
}
BINARY = {
    'arctan2': mp.atan2, 'pow': lambda x, y: x**y, 'hypot': mp.hypot, 'mod': mod,
    'logaddexp': lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y))),
}
# Where results are finite and not trivial.
UNIT, POSITIVE = (-1, 1), (0, 1e300)
RANGE = {
    'exp': (-745, 709), 'exp2': (-1074, 1023), 'expm1': (-40, 709), 'log': POSITIVE, 'log2': POSITIVE,
    'log10': POSITIVE, 'log1p': (-1, 1e300), 'log1mexp': (-700, 0), 'softplus': (-740, 100),
    'sigmoid': (-740, 40), 'logit': (0, 1), 'arcsin': UNIT, 'arccos': UNIT, 'arctanh': UNIT,
    'sinh': (-709, 709), 'cosh': (-709, 709), 'tanh': (-20, 20), 'arccosh': (1, 1e300), 'sinc': (-1e6, 1e6),
    'erf': (-6, 6), 'erfc': (-6, 27), 'erfcx': (-26, 1e10), 'ndtr': (-37, 8), 'log_ndtr': (-1e8, 36),
    'silu': (-740, 1e10), 'gelu': (-37, 1e10), 'gelu_tanh': (-20, 1e10), 'rsqrt': POSITIVE,
}
SINGLE_RANGE = {
    'exp': (-103, 88), 'exp2': (-149, 127), 'expm1': (-20, 88), 'log1mexp': (-100, 0), 'softplus': (-100, 100),
    'sigmoid': (-100, 20), 'sinh': (-88, 88), 'cosh': (-88, 88), 'erfc': (-4, 10), 'erfcx': (-9, 1e10),
    'ndtr': (-14, 6), 'log_ndtr': (-1e8, 13), 'silu': (-100, 1e10), 'gelu': (-14, 1e10), 'gelu_tanh': (-10, 1e10),
}


def operand(low, high, single):
    """Half uniform, half uniform in the exponent."""
    high = min(high, 1e38) if single else high
    low = max(low, -1e38) if single else low
    while True:
        if random.random() < 0.5 and high - low < 1e4:
            x = random.uniform(low, high)
        else:
            x = math.ldexp(random.uniform(1, 2), random.randint(-40, 40 if single else 120))
            x = -x if random.random() < 0.5 else x
        x = f32(x) if single else x
        if low < x < high:
            return x


def rounded(v, single):
    """Nearest float of the type, also where it is subnormal."""
    if v == 0:
        return 0.0
    bits, least = (24, -149) if single else (53, -1074)
    e = mp.floor(mp.log(abs(v), 2)) - (bits - 1)
    unit = mp.mpf(2)**max(int(e), least)
    return float(mp.nint(v / unit) * unit)


def main():
    lines = []
    for single in (True, False):
        kind = 'f32' if single else 'f64'
        for name, f in UNARY.items():
            low, high = (SINGLE_RANGE if single else RANGE).get(name, RANGE.get(name, (-1e300, 1e300)))
            xs = [operand(low, high, single) for _ in range(24)]
            if name in ('sin', 'cos', 'tan'):  # hard cases of the reduction, and its far end
                xs += [1e22, 1e300, 6381956970095103 * 2.0**797, 1.5707963267948966] if not single else \
                    [f32(3.4e38), f32(16367173 * 2.0**72), f32(1.5707964), f32(131072.5)]
            for x in xs:
                lines.append((name, kind, x, 0.0, rounded(f(mp.mpf(x)), single)))
        for name, f in BINARY.items():
            for _ in range(24):
                x, y = operand(-50, 50, single), operand(-50, 50, single)
                if name == 'pow':
                    x = abs(x)
                    limit = (80 if single else 700) / max(abs(math.log(x)), 1e-3)
                    y = operand(-limit, limit, single)
                lines.append((name, kind, x, y, rounded(f(mp.mpf(x), mp.mpf(y)), single)))
    # pow with exponents of halves: results from subnormals to the greatest, bases of all magnitudes.
    halves = random.Random(8)
    for single in (True, False):
        kind, least, most, below = ('f32', -148, 127, -149) if single else ('f64', -1072, 1023, -1074)
        for twice in (-1, 1, -3, 3, -5, 5, -15, 31, -2, 2, -4, 6, -7, 64):
            for _ in range(4):
                low, high = sorted((2 * below / twice, 2 * most / twice))
                low, high = math.ceil(max(low, least)), math.floor(min(high, most)) - 1
                x = math.ldexp(halves.uniform(1, 2), halves.randint(low, high))
                x = f32(x) if single else x
                x = -x if twice % 4 == 2 and halves.random() < 0.5 else x
                r = rounded(mp.sqrt(mp.mpf(x)**twice) if twice % 2 else mp.mpf(x)**(twice // 2), single)
                if 0 < abs(r) < (3.4e38 if single else 1.79e308):
                    lines.append(('pow', kind, x, twice / 2, r))
    with open('Vectors.txt', 'w') as out:
        out.write('# Written by make_vectors.py (mpmath): function, type, operands, result.\n')
        for name, kind, x, y, r in lines:
            out.write('%s %s %s %s %s\n' % (name, kind, x.hex(), y.hex(), r.hex()))


main()
