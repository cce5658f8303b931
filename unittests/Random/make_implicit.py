#!/usr/bin/python3
"""Prints implicit.txt: how numbers of the same probability move with the parameters of their distribution, by mpmath.

A line is NAME_K, the number of parameters, these, and for each of three draws (those of the state [1, 0], which stand
below) it and its derivatives: differences of the quantile function, whose error is 1e-20 of the value.
"""
import mpmath
from mpmath import mp, mpf

mp.dps = 50

DRAWS = """
gamma_1 2 2.0 1.5 2.286257618177122 1.9817463142731926 4.839561791198475
gamma_2 2 0.125 3.0 0.0023586089853823945 0.00040075881382784504 8.629129627689506e-06
gamma_3 2 50.0 2.0 97.73962048300832 95.32087431881381 113.39435708575894
gamma_4 2 1000000.0 1.0 999885.9907962431 999711.0988411667 1000953.8791524137
invgamma_1 2 5.0 2.0 0.45193941626990614 0.491330567789156 0.28386743042207124
invgamma_2 2 0.5 1.0 5.201858284397967 9.130893526763513 11.384453032474786
chisquare_1 1 3.0 2.096270747750857 1.7637720695242534 5.060168582119633
chisquare_2 1 0.5 0.05463556642013621 0.020579179848373142 0.005223552942430371
beta_1 2 2.0 3.0 0.5778455898266963 0.23100794408600922 0.7235062974456451
beta_2 2 0.25 0.5 0.993231524336371 0.01699040270297831 0.025247342472104212
beta_3 2 30.0 0.5 0.9929864655291126 0.9566003183920061 0.9990474550389509
studentT_1 3 7.0 1.0 2.0 0.6113229568791687 0.3548785598306934 2.8219834301529056
studentT_2 3 0.5 0.0 1.0 -114.04225019329564 -56.23116315901227 1.7112631513257681
triangular_1 3 -1.0 0.0 3.0 1.8758187850800518 1.7709122172300178 0.6930545729963775
truncexpon_1 3 2.0 0.5 1.5 2.7281931829074475 2.614736030780983 1.4843150988818574
truncnormal_1 4 0.0 1.0 -1.0 2.0 -0.11368019704496914 -0.28859563518898057 0.9539092982669543
truncnormal_2 4 0.0 1.0 4.0 30.0 4.0262705640259115 4.031762200216174 4.138356535487059
truncnormal_3 4 1.0 2.0 -30.0 -9.0 -9.042862639962948 -9.051822707382838 -9.225740351872666
vonmises_1 2 0.5 1.0 0.08587248463057495 -2.248703401237613 -0.5523394680388272
vonmises_2 2 0.0 40.0 -0.06833571246543084 -0.06767440066065082 -0.18843836740580067
vonmises_3 2 0.0 0.001953125 2.8100998662580796 -2.7453504975048393 -1.7463742808511007
"""


def upper_t(t, df):
    v = df / (df + t * t)
    tail = mp.betainc(df / 2, mpf(1) / 2, 0, v, regularized=True) / 2
    return tail if t > 0 else 1 - tail


def triangular(x, left, mode, right):
    if x < mode:
        return (x - left)**2 / ((right - left) * (mode - left))
    return 1 - (right - x)**2 / ((right - left) * (right - mode))


def truncnormal(x, mean, sd, low, high):
    phi = lambda y: mp.erfc((y - mean) / sd / mp.sqrt(2)) if mean < low else -mp.erfc(-(y - mean) / sd / mp.sqrt(2))
    return (phi(low) - phi(x)) / (phi(low) - phi(high))


def vonmises(x, mean, kappa):
    density = lambda t: mp.exp(kappa * (mp.cos(t) - 1))
    points = mp.linspace(0, x - mean, 5)
    return mpf(1) / 2 + mp.quad(density, points) * mp.exp(kappa) / (2 * mp.pi * mp.besseli(0, kappa))


CDF = {
    "gamma": lambda x, a, s: mp.gammainc(a, 0, x / s, regularized=True),
    "invgamma": lambda x, a, s: mp.gammainc(a, s / x, mp.inf, regularized=True),
    "chisquare": lambda x, df: mp.gammainc(df / 2, 0, x / 2, regularized=True),
    "beta": lambda x, a, b: mp.betainc(a, b, 0, x, regularized=True),
    "studentT": lambda x, df, m, s: 1 - upper_t((x - m) / s, df),
    "triangular": triangular,
    "truncexpon": lambda x, b, m, s: mp.expm1(-(x - m) / s) / mp.expm1(-b),
    "truncnormal": truncnormal,
    "vonmises": vonmises,
}

print("# Made by make_implicit.py with mpmath", mpmath.__version__)
for line in DRAWS.strip().splitlines():
    label, *numbers = line.split()
    name = label.split("_")[0]
    count, numbers = int(numbers[0]), [mpf(n) for n in numbers[1:]]
    parameters, draws = numbers[:count], numbers[count:]
    out = [label, str(count)] + [repr(float(p)) for p in parameters]
    h = mpf(10)**-14
    for x in draws:
        out.append(repr(float(x)))
        level = CDF[name](x, *parameters)
        for k in range(count):

            def quantile(step):
                moved = [p + step if i == k else p for i, p in enumerate(parameters)]
                return mp.findroot(lambda y: CDF[name](y, *moved) - level, (x, x + (abs(x) + 1) * step / 3),
                                   solver="secant", tol=mpf(10)**-80, verify=False, maxsteps=30)

            out.append(repr(float((quantile(h) - quantile(-h)) / (2 * h))))
    print(" ".join(out), flush=True)
