#!/usr/bin/env python3
"""Writes ordering.jsonl: sorting, positions and recurrences that the other files lack.

Same format as the others (README.md). Numbers are dyadic rationals; results and gradients are computed with fractions, from the
definitions, and rounded once. Deterministic; needs no package.
"""
import functools
import itertools
import json
import os
import random
import struct
from fractions import Fraction

random.seed(4)
lines = []
DTYPES = ("float64", "float32")


def rounded(v, dtype):
    if dtype == "float64":
        return float(v)
    if dtype == "float32":
        f = struct.unpack("f", struct.pack("f", float(v)))[0]  # float(v) is exact here or far from a tie
        return next(short for short in (float("%.*g" % (n, f)) for n in range(1, 18))
                    if struct.unpack("f", struct.pack("f", short))[0] == f)
    return int(v)


def array(dtype, shape, data):
    return {"dtype": dtype, "shape": list(shape), "data": [v if isinstance(v, str) else rounded(v, dtype) for v in data]}


def add(op, inputs, outputs, attrs=None, error=None, w=None, grads=None, tol=None):
    line = {"id": "ordering-%04d" % (len(lines) + 1), "op": op, "attrs": attrs or {}, "inputs": inputs}
    if error:
        line["error"] = error
    else:
        line["outputs"] = outputs
    if w:
        line["w"], line["grads"] = w, grads
    if tol:
        line["tol"] = tol
    lines.append(json.dumps(line, separators=(",", ":"), allow_nan=False))


def dyadic(n, bits=4, most=2):
    """n different numbers k / 2^bits, in any order"""
    return [Fraction(k, 2**bits) for k in random.sample(range(-most * 2**bits, most * 2**bits), n)]


def product(factors):
    return functools.reduce(lambda a, b: a * b, factors, Fraction(1))


def gradient(f, xs, w):
    """of sum w f(x), a polynomial of degree one in each x: a difference is exact"""
    result = []
    for i in range(len(xs)):
        moved = xs[:i] + [xs[i] + 1] + xs[i + 1:]
        result.append(sum(v * (b - a) for v, a, b in zip(w, f(xs), f(moved))))
    return result


# Running sums and products, both directions, with and without the own element; products with zeros among the factors.
for dtype, reverse, exclusive in itertools.product(DTYPES, (False, True), (False, True)):
    for zeros in ([], [2], [1, 3]):
        xs, w = dyadic(5, bits=2), dyadic(5, bits=3)
        for i in zeros:
            xs[i] = Fraction(0)

        def along(join, xs):
            order = xs[::-1] if reverse else xs
            joined = [join(order[:k] if exclusive else order[:k + 1]) for k in range(len(xs))]
            return joined[::-1] if reverse else joined

        for op, join in (("cumsum", sum), ("cumprod", product)):
            f = functools.partial(along, join)
            add(op + "_run", [array(dtype, [5], xs)], [array(dtype, [5], f(xs))], {"axis": 0, "reverse": reverse, "exclusive": exclusive},
                w=[array(dtype, [5], w)], grads=[array(dtype, [5], gradient(f, xs, w))])


def recurrence(n, reverse, shifted, values):
    a, b = values[:n], values[n:]
    if reverse:
        a, b = a[::-1], b[::-1]
    r = []
    for k in range(n):
        r.append(b[k] + ((a[k - 1] if shifted else a[k]) * r[k - 1] if k else 0))
    return r[::-1] if reverse else r


for dtype, reverse, shifted in itertools.product(DTYPES, (False, True), (False, True)):
    xs, w = dyadic(4, bits=2) + dyadic(4, bits=2), dyadic(4, bits=2)
    f = functools.partial(recurrence, 4, reverse, shifted)
    g = gradient(f, xs, w)
    add("linear_recurrence", [array(dtype, [4], xs[:4]), array(dtype, [4], xs[4:])], [array(dtype, [4], f(xs))],
        {"axis": 0, "reverse": reverse, "shifted": shifted}, w=[array(dtype, [4], w)],
        grads=[array(dtype, [4], g[:4]), array(dtype, [4], g[4:])])

# Order. Long rows take another way than short ones: their elements repeat, so that stability shows.
for dtype, n, descending in itertools.product(("float32", "float64", "int8", "int64", "uint16", "bool", "float16"), (7, 300), (False, True)):
    most = 1 if dtype == "bool" else 50
    low = 0 if dtype in ("bool", "uint16") else -most
    xs = [Fraction(random.randint(low, most)) for _ in range(n)]
    order = sorted(range(n), key=lambda i: (-xs[i] if descending else xs[i], i))
    add("sort_descending", [array(dtype, [n], xs)], [array(dtype, [n], [xs[i] for i in order])], {"axis": 0, "descending": descending})
    add("argsort_descending", [array(dtype, [n], xs)], [array("int64", [n], order)], {"axis": 0, "descending": descending})
    for k in (3, -2, n):
        top = sorted(range(n), key=lambda i: (-xs[i] if k > 0 else xs[i], i))[:abs(k)]
        add("argtopk", [array(dtype, [n], xs)], [array("int64", [abs(k)], top)], {"k": k, "axis": 0})
    add("searchsorted", [array(dtype, [n], sorted(xs)), array(dtype, [3], xs[:3])],
        [array("int64", [3], [sum(v <= x for v in xs) if descending else sum(v < x for v in xs) for x in xs[:3]])],
        {"side": "right" if descending else "left"})
for dtype in DTYPES:
    rows = [[Fraction(random.randint(0, 2)) for _ in range(3)] for _ in range(12)]
    order = sorted(range(12), key=lambda i: (rows[i], i))
    add("argsort_rows", [array(dtype, [12, 3], sum(rows, []))], [array("int64", [12], order)])
    w = dyadic(6)
    xs = dyadic(6)
    order = sorted(range(6), key=lambda i: -xs[i])
    g = [Fraction(0)] * 6
    for place, i in enumerate(order):
        g[i] = w[place]
    add("sort_descending", [array(dtype, [6], xs)], [array(dtype, [6], [xs[i] for i in order])], {"axis": 0, "descending": True},
        w=[array(dtype, [6], w)], grads=[array(dtype, [6], g)])
    top, v = order[:2], dyadic(2)
    add("topk", [array(dtype, [6], xs)], [array(dtype, [2], [xs[i] for i in top])], {"k": 2, "axis": 0}, w=[array(dtype, [2], v)],
        grads=[array(dtype, [6], [v[top.index(i)] if i in top else 0 for i in range(6)])])

# Elements replaced where take reads; the last one of those that name a position again stays.
for dtype in DTYPES:
    x, y, w = dyadic(6), dyadic(8), dyadic(6)
    at = [2, 0, 2, -3]  # rows of three of two elements each; -3 is row 0
    rows = [x[2 * k:2 * k + 2] for k in range(3)]
    g_x, g_y = list(w), [Fraction(0)] * 8
    for k, i in enumerate(at):
        rows[i] = y[2 * k:2 * k + 2]
    for i in range(3):
        writers = [k for k, p in enumerate(at) if p % 3 == i]
        if writers:
            g_x[2 * i:2 * i + 2] = [0, 0]
            g_y[2 * writers[-1]:2 * writers[-1] + 2] = w[2 * i:2 * i + 2]
    add("set_take", [array(dtype, [3, 2], x), array("int64", [4], at), array(dtype, [4, 2], y)], [array(dtype, [3, 2], sum(rows, []))],
        {"axis": 0, "mode": "raise"}, w=[array(dtype, [3, 2], w)], grads=[array(dtype, [3, 2], g_x), None, array(dtype, [4, 2], g_y)])
    positions = [[random.randrange(3) for _ in range(4)] for _ in range(2)]
    x, y = dyadic(6), dyadic(8)
    put = [x[:3], x[3:]]
    for i, k in itertools.product(range(2), range(4)):
        put[i][positions[i][k]] = y[4 * i + k]
    add("put_along_axis", [array(dtype, [2, 3], x), array("int64", [2, 4], sum(positions, [])), array(dtype, [2, 4], y)],
        [array(dtype, [2, 3], sum(put, []))], {"axis": 1})

def suppressed(boxes, scores, most, overlap, least, centered):
    """from the definition: of the boxes by score, those that cover none that is kept by more than `overlap`"""
    corners = [(y - h / 2, x - w / 2, y + h / 2, x + w / 2) for x, y, w, h in boxes] if centered else [
        (min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in boxes]
    area = lambda q: max(q[2] - q[0], 0) * max(q[3] - q[1], 0)
    kept = []
    for i in sorted((i for i in range(len(boxes)) if scores[i] > least), key=lambda i: (-scores[i], i)):
        if len(kept) == most:
            break
        both = [(max(corners[i][0], corners[k][0]), max(corners[i][1], corners[k][1]), min(corners[i][2], corners[k][2]),
                 min(corners[i][3], corners[k][3])) for k in kept]
        if all(area(q) <= overlap * (area(corners[i]) + area(corners[k]) - area(q)) for q, k in zip(both, kept)):
            kept.append(i)
    return kept


for dtype, centered, most in itertools.product(DTYPES, (False, True), (2, 9)):
    boxes = [[dyadic(4) if not centered else dyadic(2) + [abs(v) + 1 for v in dyadic(2)] for _ in range(6)] for _ in range(2)]
    scores = [[dyadic(6) for _ in range(3)] for _ in range(2)]
    rows = [(b, c, i) for b in range(2) for c in range(3)
            for i in suppressed(boxes[b], scores[b][c], most, Fraction(1, 8), Fraction(-1, 2), centered)]
    add("non_max_suppression", [array(dtype, [2, 6, 4], sum(sum(boxes, []), [])), array(dtype, [2, 3, 6], sum(sum(scores, []), [])),
                                array("int64", [], [most]), array(dtype, [], [Fraction(1, 8)]), array(dtype, [], [Fraction(-1, 2)])],
        [array("int64", [len(rows), 3], sum(rows, ()))], {"centered": centered})

# Quantiles, linear between neighbours, and rows that are there once.
for dtype in DTYPES:
    for n in (1, 4, 5):
        xs = dyadic(n)
        for q in (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)):
            place = q * (n - 1)
            low = int(place)
            high = min(low + 1, n - 1)
            v = sorted(xs)[low] + (sorted(xs)[high] - sorted(xs)[low]) * (place - low)
            add("quantile", [array(dtype, [n], xs)], [array(dtype, [], [v])], {"q": float(q)})
    add("quantile", [array(dtype, [3], [1, "nan", 2])], [array(dtype, [], ["nan"])], {"q": 0.5})
    rows = [(2, 1), (1, 3), (2, 1), (1, 2), (1, 3)]
    values = sorted(set(rows))
    add("unique_rows", [array(dtype, [5, 2], sum(rows, ()))],
        [array(dtype, [3, 2], sum(values, ())), array("int64", [3], [rows.index(v) for v in values]),
         array("int64", [5], [values.index(v) for v in rows]), array("int64", [3], [rows.count(v) for v in values])])
    rows = [(2, 1), (1, 3)] * 2  # as columns
    columns = list(zip(*rows))
    add("unique_columns", [array(dtype, [2, 4], sum(columns, ()))],
        [array(dtype, [2, 2], [1, 2, 3, 1]), array("int64", [2], [1, 0]), array("int64", [4], [1, 0, 1, 0]), array("int64", [2], [2, 2])])
add("unique", [array("float64", [2, 2], [3, "nan", 1, "nan"])],
    [array("float64", [3], [1, 3, "nan"]), array("int64", [3], [2, 0, 1]), array("int64", [2, 2], [1, 2, 0, 2]), array("int64", [3], [1, 1, 2])])

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ordering.jsonl"), "w") as f:
    f.write("\n".join(lines) + "\n")
print(len(lines), "lines")
