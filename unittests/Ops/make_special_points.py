#!/usr/bin/python3
"""Prints special_points.txt: special functions at sampled operands, by mpmath.

A line is OP, its operands (of polygamma, the order first), and the value in float64: a sample of the domain that
docs/Ops.md tells. Incomplete functions of large parameters are integrals of their densities, in 50 digits, those of one
small and one large parameter power series of positive terms; 2F1 is its power series (after z / (z - 1) for
z < -0.8) in more, or mpmath's hyp2f1.
"""
import random

from mpmath import mp, mpf

mp.dps = 50


def log_uniform(low, high):
    return float(mp.mpf(10) ** random.uniform(float(mp.log10(low)), float(mp.log10(high))))


def show(op, *numbers):
    if not 1e-300 < abs(numbers[-1]) < 1e300:  # at the ends of float64 units are others
        return
    print(" ".join([op] + [repr(float(n)) for n in numbers]), flush=True)


def part(density, at, deviation, towards, end):
    """The integral of a density from `at` on, 45 deviations far; in steps of one. In units of the density there: quad
    looks at absolute errors."""
    unit = abs(density(mpf(at))) or mpf(1)
    step, points = deviation * towards, [mpf(at)]
    while len(points) < 46 and (end - points[-1]) * towards > 0:
        points.append(points[-1] + step)
    if (end - points[-1]) * towards < 0:
        points[-1] = mpf(end)
    return mp.quad(lambda y: density(y) / unit, points, method="gauss-legendre") * towards * unit


def gamma_parts(a, x):
    """P, Q and the derivative of P by a."""
    a, x = mpf(a), mpf(x)
    if a < 2000:
        p, q = (mp.gammainc(a, 0, x, regularized=True), mp.gammainc(a, x, mp.inf, regularized=True))
        slope = mp.diff(lambda s: mp.gammainc(s, 0, x, regularized=True) if p < q else
                        -mp.gammainc(s, x, mp.inf, regularized=True), a, h=mpf(10)**-18)
        return p, q, slope
    norm, psi, root = mp.loggamma(a), mp.digamma(a), mp.sqrt(a)
    density = lambda y: mp.exp((a - 1) * mp.log(y) - y - norm) if y > 0 else mpf(0)
    sloped = lambda y: density(y) * (mp.log(y) - psi) if y > 0 else mpf(0)
    if x < a:
        p = part(density, x, root, -1, mpf(0))
        return p, 1 - p, part(sloped, x, root, -1, mpf(0))
    q = part(density, x, root, 1, mp.inf)
    return 1 - q, q, -part(sloped, x, root, 1, mp.inf)


def beta_series(a, b, x):
    """I: x^a (1-x)^b / (a B(a, b)) times the sum of (a+b)(a+b+1)... / ((a+1)(a+2)...) x^n, of the smaller parameter."""
    if a > b:
        return 1 - beta_series(b, a, 1 - x)
    total = term = mpf(1)
    n = 0
    while term > total * mpf(10)**-mp.dps or (a + b + n) * x > a + 1 + n:
        term *= (a + b + n) * x / (a + 1 + n)
        total += term
        n += 1
    norm = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    return mp.exp(a * mp.log(x) + b * mp.log1p(-x) - norm) / a * total


def beta_parts(a, b, x):
    """I and its derivatives by a and by b."""
    a, b, x = mpf(a), mpf(b), mpf(x)
    if min(a, b) < 2000:
        i, h = beta_series, mpf(10)**-30
        with mp.workdps(130):
            slope = lambda f, at: (f(at * (1 + h)) - f(at * (1 - h))) / (2 * at * h)
            return i(a, b, x), slope(lambda s: i(s, b, x), a), slope(lambda t: i(a, t, x), b)
    norm, psi = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b), mp.digamma(a + b)
    density = lambda y: mp.exp((a - 1) * mp.log(y) + (b - 1) * mp.log1p(-y) - norm) if 0 < y < 1 else mpf(0)
    by_a = lambda y: density(y) * (mp.log(y) - mp.digamma(a) + psi) if 0 < y < 1 else mpf(0)
    by_b = lambda y: density(y) * (mp.log1p(-y) - mp.digamma(b) + psi) if 0 < y < 1 else mpf(0)
    root = mp.sqrt(a * b / (a + b)**3)
    if x < a / (a + b):
        return tuple(part(f, x, root, -1, mpf(0)) for f in (density, by_a, by_b))
    above = [part(f, x, root, 1, mpf(1)) for f in (density, by_a, by_b)]
    return 1 - above[0], -above[1], -above[2]


def gauss(a, b, c, z):
    a, b, c, z = map(mpf, (a, b, c, z))
    if z < -0.8:
        return (1 - z)**-a * gauss(a, c - b, c, z / (z - 1))
    digits, mp.dps = mp.dps, 60 + int(2 * (abs(a) + abs(b) + abs(c)))
    total = term = mpf(1)
    n = 0
    while term != 0 and (n < abs(a) + abs(b) + abs(c) + 10 or abs(term) > abs(total) * mpf(10)**-40):
        term *= (a + n) * (b + n) * z / ((c + n) * (n + 1))
        total += term
        n += 1
    mp.dps = digits
    return +total


def gammas():
    for k in range(60):
        large = k % 2 == 0
        a = log_uniform(*random.choice(((2e3, 1e7), (1e7, 1e9), (1e9, 1e14)))) if large else log_uniform(1e-3, 1.9e3)
        x = a + random.uniform(-7, 7) * a**0.5 if large or a > 50 else log_uniform(a / 8, a * 8)
        p, q, slope = gamma_parts(a, x)
        show("gammainc", a, x, p)
        show("gammaincc", a, x, q)
        show("gammaincShape", a, x, slope)
    for a in (3e4, 1e6, 3e7, 9e8, 1e9, 5e10, 1e12):
        for z in (0.0, -2.5, 3.25):
            x = a + z * a**0.5
            p, q, slope = gamma_parts(a, x)
            show("gammainc", a, x, p)
            show("gammaincc", a, x, q)
            show("gammaincShape", a, x, slope)


def betas():
    points = [(1e12, 1e12, 0.5), (1e7, 1e7, 0.5), (1e6, 1e6, 0.5), (1e6, 1e6, 0.5007), (1e4, 1e6, 0.0097)]
    for k in range(40):
        low, high = ((1e7, 1e14), (2e3, 1e6))[k % 2]
        a, b = log_uniform(low, high), log_uniform(low, high)
        points.append((a, b, a / (a + b) + random.uniform(-7, 7) * (a * b / (a + b)**3)**0.5))
    for _ in range(20):
        a, b = log_uniform(1e-2, 300), log_uniform(1e-2, 300)
        points.append((a, b, random.random()))
    for a, b, x in points:
        i, by_a, by_b = beta_parts(a, b, x)
        show("betainc", a, b, x, i)
        if abs(by_a) > mpf(10)**-30:  # differences have no digits below
            show("betaincShape", a, b, x, by_a)
    for _ in range(30):
        a, b = log_uniform(1e-3, 1e8), log_uniform(1e-3, 1e8)
        show("betaln", a, b, mp.log(mp.gamma(a)) + mp.log(mp.gamma(b)) - mp.log(mp.gamma(mpf(a) + mpf(b))) if
             a + b < 1e4 else mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(mpf(a) + mpf(b)))
        a, b = log_uniform(1e-3, 300), log_uniform(1e-3, 300)
        show("beta", a, b, mp.beta(mpf(a), mpf(b)))
        x = random.uniform(-30, 170)
        show("gamma", x, mp.gamma(x))


def inverses():
    for k in range(30):
        large = k % 3 == 0
        a = log_uniform(1e9, 1e14) if large else log_uniform(0.1, 1.9e3)
        p = random.choice((random.random(), log_uniform(1e-30, 0.5)))
        z = -mp.sqrt(2) * mp.erfinv(1 - 2 * mpf(p))
        start = mpf(a) * (1 - 1 / (9 * mpf(a)) + z / (3 * mp.sqrt(a)))**3
        for op, i in (("gammaincinv", 0), ("gammainccinv", 1)):
            x = start if i == 0 else mpf(a) * (1 - 1 / (9 * mpf(a)) - z / (3 * mp.sqrt(a)))**3
            if not large and (a < 5 or p < 1e-3):
                continue
            for _ in range(12):  # Newton
                part_of = gamma_parts(a, x)[i]
                density = mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a)) * (1 if i == 0 else -1)
                step = part_of * mp.log(part_of / p) / density
                x -= step
                if abs(step) < abs(x) * mpf(10)**-25:
                    break
            show(op, a, p, x)


def scaled_k(v, x):
    """e^x K_v(x), the integral of e^(x - x cosh t) cosh(v t) about its largest point."""
    v, x = abs(mpf(v)), mpf(x)
    top = mp.asinh(v / x)
    width = min(mpf(1) / 2, 1 / mp.sqrt(x * mp.cosh(top)))
    f = lambda t: (mp.exp(v * t - x * (mp.cosh(t) - 1)) + mp.exp(-v * t - x * (mp.cosh(t) - 1))) / 2
    points = [max(mpf(0), top - 40 * width)]
    while points[-1] < top + 40 * width or v * points[-1] - x * (mp.cosh(points[-1]) - 1) > v * top - x * (
            mp.cosh(top) - 1) - 130:
        points.append(points[-1] + width)
    return mp.quad(f, points, method="gauss-legendre")


def bessel():
    for _ in range(30):
        v = random.choice((float(random.randrange(60)), random.uniform(0, 60), log_uniform(60, 3000)))
        x = log_uniform(0.01, 1e5)
        if x < 700:
            show("iv", v, x, mp.besseli(v, x))
            show("kv", v, x, scaled_k(v, x) * mp.exp(-mpf(x)))
        show("ive", v, x, mp.besseli(v, x) * mp.exp(-mpf(x)))
        show("kve", v, x, scaled_k(v, x))
        v, x = random.choice((float(random.randrange(60)), random.uniform(0, 60))), log_uniform(0.01, 1e3)
        show("jv", v, x, mp.besselj(v, x))
    for v, x in ((1000, 12000), (-1000, 12000), (-52.5, 11000), (60, 11500), (3000.5, 2e4), (9e4, 1e8)):
        if x < 1e5:  # whose series has as many terms
            show("ive", v, x, mp.besseli(v, x) * mp.exp(-mpf(x)))
        show("kve", v, x, scaled_k(v, x))
    for n in range(30):
        order, x = random.randrange(2, 60), log_uniform(0.01, 1e4)
        show("polygamma", order, x, mp.polygamma(order, x))


def hypergeometric():
    points = [(25, 25, 50, 0.8), (40, 40, 80, 0.9), (200, 2, 3, 0.3), (1000, 2, 3, 0.3), (60, 60.5, 100, 0.9),
              (100, 2, 3, 0.3), (100, 2, 3, -0.4), (1000, 2.5, 3, -0.4), (-20, 30, 7.5, 0.4), (10.5, -20.5, 3.25, -5),
              (3, 4.0001, 7, 0.99), (2, 3, 5, 0.995), (-3, 2.5, 1.5, 4.5), (-40, 41, 1, 0.5), (0.5, 0.5, 1, 0.995)]
    for size, count in ((5, 40), (60, 40), (300, 10)):
        for _ in range(count):
            a, b = random.uniform(-size, size), random.uniform(-size, size)
            c, z = random.uniform(0.1, size), random.choice((random.uniform(0, 0.97), -log_uniform(0.01, 30)))
            points.append((a, b, c, z))
    points += [(1.5, 2.25, -1.125, 0.5)]
    for a, b, c, z in points:
        show("hyp2f1", a, b, c, z, gauss(a, b, c, z))


def large_orders():
    """I and K of large orders where they are numbers, near x = 0.66 v: by the power series and the integral."""
    for k in range(20):
        v = log_uniform(*random.choice(((11000, 1e5), (1e5, 1e12)))) if k % 2 else log_uniform(9e3, 1e5)
        x = float(mpf(v) * mpf("0.6627434193491816") + random.uniform(-300, 300))
        with mp.workdps(60):
            show("kv", v, x, scaled_k(v, x) * mp.exp(-mpf(x)))
            if v < 1e5:
                i = mp.besseli(v, x, maxterms=10**6)
                show("iv", v, x, i)
                show("ive", v, x, i * mp.exp(-mpf(x)))


def connections():
    """2F1 near 1 and far below 0, where differences of parameters are integers, or nearly; by mpmath's own."""
    def near(x):
        beside = round(x) + random.choice((-1, 1)) * log_uniform(1e-15, 1e-2)
        return random.choice((x, float(round(x)), beside, round(x, 1)))

    def offset():
        return round(random.uniform(-5, 5)) + random.choice((0, log_uniform(1e-14, 0.1)))

    points = [(0.1, 1.1, 0.7, -3000), (1.5, 2.25, 4.75000001, 0.99), (0.5, 0.5, 1, 1 - 1e-12)]
    # Of whole c - a - b with great terms; of tiny a, b and c beside integers.
    points += [(8.582944684846666, 4.582944684846666, -23.65947581083919, -4.431988049820558),
               (85, 63, -64.8, -117.8931753076242),
               (7, 6, 40.00000277554811, -18.20752559606352),
               (4.1654535344469906e-07, 3.091749128804277e-15, -2.9999995834546436, 0.9947935828282726),
               (2.3067966365306605e-15, 3.4, 1.4000000000000021, 0.9999919075913762),
               (0.1807832620444254, 4.1774805135162236e-14, -0.9999999999999678, 0.8293403920491412),
               (-0.1296981884582633, 1.8703018115417367, 9.993160440608882e-13, -126225.14828092973)]
    for k in range(100):
        size = random.choice((1, 5, 5, 30, 100))
        a, b, c = (near(random.uniform(-size, size)) for _ in range(3))
        if k % 4 == 1:
            c = a + b + offset()
        elif k % 4 == 3:
            b = a + offset()
        points.append((a, b, c, -log_uniform(0.01, 1e8) if k % 4 > 1 else 1 - log_uniform(1e-14, 1)))
    for a, b, c, z in points:
        if c == round(c) and c <= 0:
            continue
        with mp.workdps(100):
            show("hyp2f1", a, b, c, z, mp.hyp2f1(mpf(a), mpf(b), mpf(c), mpf(z), maxterms=20000))


def tails():
    """Of gammainc to 30 deviations, and betainc of parameters of any ratio to 8."""
    for _ in range(40):
        a = log_uniform(1e2, 1e7)
        x = a + random.uniform(-min(30, a**0.5), 30) * a**0.5
        p, q, slope = gamma_parts(a, x)
        show("gammainc", a, x, p)
        show("gammaincc", a, x, q)
        show("gammaincShape", a, x, slope)
    for _ in range(120):
        a, b = log_uniform(1e-3, 1e9), log_uniform(1e-3, 1e9)
        x = a / (a + b) + random.uniform(-8, 8) * (a * b / (a + b + 1))**0.5 / (a + b)
        if min(a, b) < 5 or not 0 < x < 1:
            ratio = log_uniform(1e-6, 1)
            x = random.choice((a / (a + b) * ratio, 1 - b / (a + b) * ratio))
        terms = x / (1 - x) * b if a < b else (1 - x) / x * a
        if not 0 < x < 1 or (min(a, b) < 2000 and terms > 5000):
            continue
        i, by_a, _ = beta_parts(a, b, x)
        if i > mpf(10)**-90:  # of 130 digits
            show("betainc", a, b, x, i)
        if abs(by_a) > mpf(10)**-60:  # less those of the difference
            show("betaincShape", a, b, x, by_a)


for families in ((gammas, betas, inverses), (bessel,), (hypergeometric,), (tails,), (connections,), (large_orders,)):
    random.seed(8)
    for family in families:
        family()
