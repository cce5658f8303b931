"""Writes numpy_print.txt: arrays and what NumPy 1.24 prints for them, read by TensorPrintTest.cpp.

Each case: a line "case DTYPE SHAPE THRESHOLD EDGEITEMS PRECISION LINEWIDTH" (SHAPE as 2x3, "-" for
0-d), a line with the elements' bytes in hexadecimal, and the printed lines, each after a "|".
"""
import numpy as np

rng = np.random.default_rng(20240229)
cases = []


def add(array, threshold=1000, edgeitems=3, precision=8, linewidth=75):
    array = np.ascontiguousarray(array) if np.ndim(array) else np.asarray(array)
    with np.printoptions(threshold=threshold, edgeitems=edgeitems, precision=precision,
                         linewidth=linewidth):
        text = str(array)
    shape = "x".join(map(str, array.shape)) or "-"
    head = f"case {array.dtype} {shape} {threshold} {edgeitems} {precision} {linewidth}"
    cases.append("\n".join([head, array.tobytes().hex(), *("|" + l for l in text.split("\n"))]))


floats = [np.float16, np.float32, np.float64]
ints = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]

# 0-d: NumPy prints the scalar, whatever the precision.
for t in floats:
    for v in [0.0, -0.0, 1.0, -1.5, 0.1, 14.0, 1e-4, 9.9e-5, 65504.0, 1 / 3, np.inf, -np.inf, np.nan,
              2.0 ** -24, 1024.5]:
        add(t(v))
for v in [1e15, 1e16, 123456789012345678.0, 1e23, 5e-324, 2.2250738585072014e-308,
          1.7976931348623157e308, 9007199254740993.0, 0.30000000000000004, 1e-5, 2.0 ** -1000]:
    add(np.float64(v))
for v in [1e15, 1e16, 16777217.0, 1e-45, 1.1754944e-38, 3.4028235e38, 0.3, 8.41e21, 9.8e-45]:
    add(np.float32(v))
for t in ints:
    add(t(np.iinfo(t).max))
    add(t(np.iinfo(t).min))
add(np.bool_(True))
add(np.bool_(False))

# Common formats across an array.
for t in floats:
    add(np.array([1, 2, 3], t))
    add(np.array([[1, 2], [3, 4]], t))
    add(np.array([1.5, -2.25, 100], t))
    add(np.array([0.1, 0.25, 1 / 3], t))
    add(np.array([1e-5, 1], t))
    add(np.array([0.0001, 0.1], t))
    add(np.array([0.0001, 0.0999], t))
    add(np.array([1, 1000], t))
    add(np.array([1, 1001], t))
    add(np.array([0.1, 100.06], t))
    add(np.array([0, -0.0], t))
    add(np.array([0, 0, 1e-7], t))
    add(np.array([np.nan, np.inf, -np.inf], t))
    add(np.array([np.nan, np.nan], t))
    add(np.array([np.inf], t))
    add(np.array([1, np.nan], t))
    add(np.array([1, np.inf], t))
    add(np.array([1, -np.inf], t))
    add(np.array([1.25, -np.inf, np.nan], t))
    add(np.array([-1.25, np.inf], t))
    add(np.array([1e-6, np.nan, -np.inf], t))
    add(np.array([0.1, 6e-8, 0.3], t))
    add(rng.standard_normal(7).astype(t))
    add(rng.standard_normal((3, 4)).astype(t))
    add(rng.standard_normal((2, 3, 4)).astype(t))
    add((rng.standard_normal((5, 5)) * 10.0 ** rng.integers(-4, 4, (5, 5))).astype(t))
    add(rng.uniform(0, 1, (2, 2, 2, 2)).astype(t))
    add(np.linspace(0, 1, 37).astype(t))
    add((np.linspace(-1, 1, 30) ** 3).astype(t))
    add(rng.standard_normal(25).astype(t), precision=3)
    add((10.0 ** np.arange(-4, 4)).astype(t), precision=2)
    add(np.array([0.5, 1.5, 2.5, 3.5], t), precision=0)
    add(np.array([0.125, 0.375, 2.0625], t), precision=2)
    add(rng.standard_normal((2, 20)).astype(t), linewidth=40)
    add(rng.standard_normal((4, 6)).astype(t), linewidth=10)
add(np.array([1e8, 1]))
add(np.array([99999999.0, 123456.75]))
add(np.array([99999999.999999999, 1e5]))
add(np.array([1e100, 1e-100, 3.14]))
add(np.array([1e-300, -1e5, 0]))
add(np.array([1.23456789e-9, 1e9, np.nan]))
add(np.array([9.9999999999e10, 1.0]))
add(np.array([0.999999999, 0.1]))
add(np.array([0.1 + 0.2, 1e3 / 3]))
add(np.array([123456.123456789, 654321.5, 200000.0]))
add(np.array([16777216, 3.3], np.float32))
add(np.array([1e38, 1e-45], np.float32))
add(np.array([0.1, 1.0000001], np.float32))
add(np.array([0.1, 6.1e-5, 65504], np.float16))
add(np.array([999.5, 0.9995], np.float16))
add(np.array([5e-324, 1.0]))

# Shortest digits of float16: everything 59 apart, and both sides of each power of two.
bits = np.unique(np.concatenate([np.arange(1, 0x7c00, 59), *[[e << 10, (e << 10) + 1, (e << 10) - 1]
                                                            for e in range(1, 31)],
                                 2 ** np.arange(10)])).astype(np.uint16)
for b in bits:
    add(b.view(np.float16))

# Integers and bools.
for t in ints:
    info = np.iinfo(t)
    add(np.array([0, 1, 2], t))
    add(np.array([info.min, 0, info.max], t))
    add(np.array([[1, 20], [100, 5]], t))
    add(np.arange(40).astype(t))
add(np.array([True, False]))
add(np.array([[True, True], [False, False]]))
add(np.array([True, True]))
add(np.array([5, -5, 123], np.int32))

# Empty arrays.
for shape in [(0,), (0, 3), (3, 0), (2, 0, 2)]:
    add(np.zeros(shape))
    add(np.zeros(shape, np.int8))
    add(np.zeros(shape, bool))

# Wrapping and eliding.
add(np.arange(200).astype(np.int16))
add(np.arange(1000).astype(np.int16))
add(np.arange(1001).astype(np.int16))
add(np.arange(1200).reshape(40, 30).astype(np.int16))
add(np.arange(1200).reshape(2, 600).astype(np.int16))
add(np.arange(1200).reshape(600, 2).astype(np.int16))
add(np.arange(1200).reshape(12, 10, 10).astype(np.int16))
add(np.arange(1200).reshape(2, 3, 4, 50).astype(np.int16))
add(np.arange(1204).reshape(7, 1, 172).astype(np.int16))
add((np.arange(1100) % 2 == 0))
add(np.concatenate([np.arange(550), np.full(1, 30000), np.arange(550)]).astype(np.int16))
add((np.arange(1100) / 7).astype(np.float16))
add((np.arange(1100).reshape(11, 100) / 7).astype(np.float32))
add(np.arange(30).astype(np.uint8), threshold=10)
add(np.arange(30).reshape(5, 6).astype(np.uint8), threshold=10, edgeitems=1)
add(np.arange(60).reshape(5, 12).astype(np.uint8), threshold=10, edgeitems=2)
add(np.arange(60).reshape(3, 5, 4).astype(np.uint8), threshold=10, edgeitems=1)
add(np.arange(400).reshape(20, 20).astype(np.uint16), threshold=100, edgeitems=8, linewidth=50)
add(np.ones((1,) * 10))
add(np.arange(2 ** 8).reshape((2,) * 8).astype(np.uint8), threshold=100, edgeitems=3)

with open(__file__.replace(".py", ".txt"), "w") as out:
    out.write("\n".join(cases) + "\n")
