#!/usr/bin/env python3
"""Fits every polynomial and table of the formulas and writes Coefficients.h beside this file.

Needs mpmath (Debian: python3-mpmath). Chebyshev interpolation at 60 digits stands for the minimax
polynomial: the difference is far below one rounding of the coefficients' type. Each fitted function
is a *correction* (leading terms taken out exactly), so its absolute error is relative to the result.
Run without arguments; the error of every fit is printed.
"""
import os
import struct
import textwrap

import mpmath as mp

mp.mp.dps = 60
ROUND = {'float': lambda v: struct.unpack('f', struct.pack('f', float(v)))[0], 'double': float}
LINES = []


def literal(v, kind):
    return float(v).hex() + ('f' if kind == 'float' else '')


def wrapped(values, kind, indent=6):
    text = ', '.join(literal(v, kind) for v in values)
    return textwrap.fill(text, 96, initial_indent=' ' * indent, subsequent_indent=' ' * indent)


class Set:
    """One struct of coefficients, all of one C++ type."""

    def __init__(self, name, kind, comment):
        self.kind, self.round = kind, ROUND[kind]
        LINES.append('/// %s\nstruct %s {' % (comment, name))

    def scalar(self, name, value):
        LINES.append('  static constexpr %s %s = %s;' % (self.kind, name, literal(value, self.kind)))

    def array(self, name, values):
        LINES.append('  static constexpr %s %s[] = {\n%s};' % (self.kind, name, wrapped(values, self.kind)))

    def split(self, name, value, parts):
        """value as a sum of `parts` numbers of the type, largest first: name0, name1, ..."""
        for k in range(parts):
            h = self.round(value)
            self.scalar('%s%d' % (name, k), h)
            value -= mp.mpf(h)

    def short(self, name, value, bits):
        """name0 has so few bits that its product with any exponent is exact; name1 is the rest."""
        h = mp.mpf(int(value * 2**bits)) / 2**bits
        self.scalar(name + '0', self.round(h))
        self.scalar(name + '1', self.round(value - h))

    def fit(self, name, f, a, b, terms, known=()):
        """Coefficients are rounded one after the other, lowest first, and those that are left fitted
        again, by least squares on Chebyshev nodes: they make up for what rounding did. Formulas write the
        lowest themselves where they are `known`."""
        a, b = mp.mpf(a), mp.mpf(b)
        count = 5 * terms
        nodes = [(a + b) / 2 + (b - a) / 2 * mp.cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
        rest = [f(x) for x in nodes]
        cs = []
        for i in range(terms):
            matrix = mp.matrix(count, terms - i)
            for row, x in enumerate(nodes):
                power = x**i
                for column in range(terms - i):
                    matrix[row, column] = power
                    power *= x
            cs.append(self.round(mp.lu_solve(matrix, mp.matrix(rest))[0]))
            rest = [r - cs[i] * x**i for r, x in zip(rest, nodes)]
        assert cs[:len(known)] == list(known)
        self.array(name, cs[len(known):])
        worst = max(abs(mp.polyval(cs[::-1], x) - f(x)) for x in mp.linspace(a, b, 97))
        print('%-16s %2d terms, error %s' % (name, terms, mp.nstr(worst, 3)))

    def quotient(self, name, f, end, over, under):
        """f as a quotient of two polynomials, name + Over and name + Under, on [0, end], to the relative
        error: least squares for over - f under, weighted by what `under` was the last time and by the
        errors then, so that they even out."""
        count, end = 6 * (over + under + 1), mp.mpf(end)
        nodes = [end * ((1 - mp.cos(pi * (2 * k + 1) / (2 * count))) / 2)**mp.mpf('1.5') for k in range(count)]
        values, weights, last = [f(x) for x in nodes], [mp.mpf(1)] * count, [mp.mpf(1)] * count
        best = None
        for step in range(12):
            matrix, right = mp.matrix(count, over + 1 + under), mp.matrix(count, 1)
            for row, (x, value) in enumerate(zip(nodes, values)):
                weight = weights[row] / (last[row] * value)
                for i in range(over + 1):
                    matrix[row, i] = weight * x**i
                for i in range(1, under + 1):
                    matrix[row, over + i] = -weight * value * x**i
                right[row] = weight * value
            cs = list(mp.lu_solve(matrix, right))
            p, q = cs[:over + 1], [mp.mpf(1)] + cs[over + 1:]
            last = [mp.polyval(q[::-1], x) for x in nodes]
            errors = [abs(mp.polyval(p[::-1], x) / d / value - 1) for x, d, value in zip(nodes, last, values)]
            if best is None or max(errors) < best[0]:
                best = max(errors), p, q
            if step >= 2:
                mean = sum(errors) / count
                weights = [w * mp.sqrt(e / mean + mp.mpf(1) / 5) for w, e in zip(weights, errors)]
        self.array(name + 'Over', [self.round(c) for c in best[1]])
        self.array(name + 'Under', [self.round(c) for c in best[2]])
        print('%-16s %d / %d, error %s' % (name, over, under, mp.nstr(best[0], 3)))

    def end(self):
        LINES.append('};\n')


def series(f, order):
    """f without its leading Taylor terms, divided by x^order; `order` terms are given in f's list."""
    function, taylor = f

    def g(x):
        if abs(x) < mp.mpf(10)**-18:
            return taylor[order]
        return (function(x) - sum(c * x**i for i, c in enumerate(taylor[:order]))) / x**order
    return g


def even(f, order, taylor):
    """The same for an even or odd function written in u = x^2."""
    return lambda u: series((lambda v: f(mp.sqrt(v)), taylor), order)(u)


ln2, pi = mp.log(2), mp.pi
HALF_LN2 = ln2 / 2 * mp.mpf('1.001')
QUARTER_PI = pi / 4 * mp.mpf('1.001')
expm1q = series((mp.exp, [mp.mpf(1), mp.mpf(1), mp.mpf(1) / 2]), 2)
log1pq = series((mp.log1p, [mp.mpf(0), mp.mpf(1), -mp.mpf(1) / 2]), 2)
sinq = even(lambda x: mp.sinc(x), 1, [mp.mpf(1), -mp.mpf(1) / 6])
cosq = even(mp.cos, 2, [mp.mpf(1), -mp.mpf(1) / 2, mp.mpf(1) / 24])
exp2q = series((lambda x: mp.mpf(2)**x, [mp.mpf(1), ln2]), 1)
# log((1+s)/(1-s)) = 2 s + s u L(u), u = s^2
atanhq = even(lambda s: (2 * mp.atanh(s) / s if s else mp.mpf(2)), 1, [mp.mpf(2), mp.mpf(2) / 3])


def common(c, sizes):
    c.fit('exp', expm1q, -HALF_LN2, HALF_LN2, sizes['exp'])
    c.fit('expm1', expm1q, -HALF_LN2, HALF_LN2, sizes['exp'] + 1)
    c.fit('exp2', exp2q, -0.5005, 0.5005, sizes['exp2'])
    c.fit('sin', sinq, 0, QUARTER_PI**2, sizes['sin'])
    c.fit('cos', cosq, 0, QUARTER_PI**2, sizes['cos'])
    c.fit('log', log1pq, -0.25, 0.5, sizes['log'], known=[-0.5]) if 'log' in sizes else None
    c.fit('atanh', atanhq, 0, mp.mpf('0.0401'), sizes['atanh']) if 'atanh' in sizes else None
    c.split('ln2', ln2, 2)
    c.split('halfPi', pi / 2, 3)
    c.scalar('twoOverPi', 2 / pi)
    c.split('invLn2', 1 / ln2, 2)
    c.split('invLn10', 1 / mp.log(10), 2)


erfRatio = lambda u: (mp.erf(mp.sqrt(u)) / mp.sqrt(u) if u > 1e-30 else 2 / mp.sqrt(pi)) - 1


def segments(c, name, f, one, degree):
    """Four segments per octave from 2^-4 (the first reaches down to 0): centre, value there in two
    parts, then the Taylor-like coefficients around the centre."""
    columns = [[] for _ in range(degree + 3)]
    for i in range(32):
        octave = mp.mpf(2)**(-4 + i // 4)
        a = octave * (1 + mp.mpf(i % 4) / 4)
        b = a + octave / 4
        x0 = (a + b) / 2 if i else mp.mpf(0)
        if a >= one:
            cs = [mp.mpf(1)] + [mp.mpf(0)] * degree
        elif i == 0:
            g = lambda x: f(x) / x - 1 if x > 1e-12 else mp.diff(f, 0) - 1
            cs = [mp.mpf(0)] + mp.chebyfit(g, [mp.mpf(0), b], degree)[::-1]
        else:
            cs = mp.chebyfit(lambda t: f(x0 + t), [a - x0, b - x0], degree + 1)[::-1]
        high = c.round(cs[0])
        for k, v in enumerate([x0, high, cs[0] - high] + cs[1:]):
            columns[k].append(c.round(v))
    LINES.append('  /// Rows: centre, value high, value low, then the coefficients of t, t^2, ...')
    body = ',\n'.join('      {\n%s}' % wrapped(column, c.kind, 8) for column in columns)
    LINES.append('  static constexpr %s %s[%d][32] = {\n%s};' % (c.kind, name, degree + 3, body))



def erfcx(a):
    if a > 1000:
        return (1 - 1 / (2 * a**2) + 3 / (4 * a**4) - 15 / (8 * a**6)) / (a * mp.sqrt(pi))
    return mp.exp(a * a) * mp.erfc(a)


def erf(c, **o):
    """erfcx(a) = w P(w - 1/2), w = 1 / (1 + c a), for 0 <= a <= end, and erf(x) = x + x P(x^2 - centre)
    below smallEnd. Around the middle the terms do not cancel where a is small."""
    k = mp.mpf(o['k'])
    low = 1 / (1 + k * mp.mpf(o['end'])) if o['end'] else mp.mpf(0)
    c.scalar('erfcxScale', k)
    ratio = lambda w: erfcx((1 / w - 1) / k) / w if w > mp.mpf(10)**-30 else k / mp.sqrt(pi)
    half = mp.mpf(1) / 2
    c.fit('erfcx', lambda v: ratio(v + half), low - half, half, o['terms'])
    c.scalar('erfSmallEnd', mp.mpf(o['smallEnd']))
    centre = mp.nint(mp.mpf(o['smallEnd'])**2 * 32) / 64
    c.scalar('erfSmallCentre', centre)
    c.fit('erfSmall', lambda v: erfRatio(v + centre), -centre, mp.mpf(o['smallEnd'])**2 - centre, o['small'])


def arcs(c, arctan, arcsin, cbrt):
    c.fit('arctan', even(lambda t: mp.atan(t) / t if t else mp.mpf(1), 1, [mp.mpf(1), -mp.mpf(1) / 3]),
          0, mp.mpf('0.17158'), arctan)
    c.fit('arcsin', even(lambda t: mp.asin(t) / t if t else mp.mpf(1), 1, [mp.mpf(1), mp.mpf(1) / 6]),
          0, mp.mpf('0.25'), arcsin)
    c.fit('cbrt', lambda m: m**(-mp.mpf(1) / 3), 0.75, 1.5, cbrt)
    c.split('cbrtTwo', mp.cbrt(2), 2)
    c.split('cbrtHalf', 1 / mp.cbrt(2), 2)


def gelu(c):
    linear = 2 * mp.sqrt(2 / pi)
    c.split('geluLinear', linear, 2)
    c.split('geluCubic', linear * mp.mpf('0.044715'), 2)


print('Single')
s = Set('SingleCoefficients', 'float', 'f32 formulas evaluated in f32.')
common(s, dict(exp=5, exp2=7, sin=4, cos=4, log=10))
s.short('ln2Short', ln2, 15)
s.short('log10Short', mp.log10(2), 15)
erf(s, k='0.625', end='10.2', terms=11, small=9, smallEnd='1.2')
gelu(s)
segments(s, 'tanhTable', mp.tanh, 10, 6)
segments(s, 'erfTable', mp.erf, 4, 6)
s.end()

print('Double')
d = Set('DoubleCoefficients', 'double', 'f64 formulas.')
common(d, dict(exp=10, exp2=13, sin=7, cos=7, atanh=9))
d.short('ln2Short', ln2, 42)
d.short('log10Short', mp.log10(2), 42)
erf(d, k='0.5', end='', terms=26, small=15, smallEnd='1.1')
gelu(d)
# For pow: 2/3 in two parts and what follows it in L(u).
d.split('twoThirds', mp.mpf(2) / 3, 2)
atanhTail = even(lambda t: 2 * mp.atanh(t) / t if t else mp.mpf(2), 2,
                 [mp.mpf(2), mp.mpf(2) / 3, mp.mpf(2) / 5])
d.fit('atanhTail', atanhTail, 0, mp.mpf('0.0401'), 9)
arcs(d, arctan=13, arcsin=12, cbrt=8)
d.end()

print('Wide')
w = Set('WideCoefficients', 'double', 'f32 functions evaluated in f64: about 2^-36, far below half a unit of f32.')
common(w, dict(exp=7, exp2=8, sin=5, cos=5, atanh=5))
w.short('ln2Short', ln2, 42)
w.short('log10Short', mp.log10(2), 42)
erf(w, k='0.25', end='', terms=14, small=10, smallEnd='1.1')
w.quotient('erfcxSingle', erfcx, '10.2', 5, 6)
gelu(w)
arcs(w, arctan=8, arcsin=7, cbrt=6)
w.end()

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, 'Coefficients.h'), 'w') as out:
    out.write('//===- Coefficients.h - written by fit.py; do not edit -----------*- C++ -*-===//\n'
              '#pragma once\n\nnamespace graphc::math {\n\n// clang-format off\n'
              + '\n'.join(LINES) + '// clang-format on\n\n} // namespace graphc::math\n')
