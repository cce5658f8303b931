"""Writes numpy_cast.txt, read by CastTest.cpp: what NumPy's astype gives for all pairs of dtypes.

NumPy leaves float to integer out of range undefined; there the expected value is F-046's: truncated
toward zero, saturated, NaN as 0 - computed here in Python's integers. Everything else is NumPy's own.
bfloat16 is not NumPy's; CastTest.cpp has its own reference.

Each case: "DTYPE DTYPE HEX HEX": the elements' bytes before and after.
"""
import math

import numpy as np

ints = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
floats = [np.float16, np.float32, np.float64]
dtypes = [np.bool_, *ints, *floats]


def edges(t):
    t = np.dtype(t)
    if t == np.bool_:
        return np.array([False, True])
    if t.kind in "iu":
        info = np.iinfo(t)
        values = {0, 1, 2, 3, 7, 100, 127, 128, 129, 255, 256, 257, 1000, 2047, 2048, 2049, 2051,
                  65503, 65504, 65505, 65519, 65520, 65521, 65535, 65536, 2 ** 24, 2 ** 24 + 1,
                  2 ** 24 + 3, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 128, 2 ** 31 + 129, 2 ** 32 - 1,
                  2 ** 32, 2 ** 53, 2 ** 53 + 1, 2 ** 53 + 3, 2 ** 60 + 2 ** 36, 2 ** 60 + 2 ** 36 + 1,
                  2 ** 63 - 1, 2 ** 63, 2 ** 63 + 2 ** 10, 2 ** 63 + 2 ** 10 + 1, 2 ** 64 - 1}
        values |= {-v for v in values} | {-v - 1 for v in values}
        return np.array(sorted(v for v in values if info.min <= v <= info.max), t)
    info = np.finfo(t)
    base = [0.0, 0.25, 0.5, 0.75, 0.999, 1.0, 1.5, 1.999, 2.5, 3.14159, 42.9, 126.5, 127.0, 127.5,
            127.99, 128.0, 128.5, 129.0, 254.9, 255.0, 255.9, 256.0, 300.0, 32767.0, 32767.9,
            32768.0, 32768.5, 65504.0, 65519.0, 65519.99, 65520.0, 65535.0, 65535.9, 65536.0, 1e5,
            2 ** 24, 2 ** 24 + 2, 2 ** 31 - 1, 2 ** 31 - 0.5, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1,
            2 ** 32 - 0.5, 2 ** 32, 2 ** 53, 2 ** 62, 2 ** 63 - 1024, 2 ** 63, 2 ** 63 + 2048,
            2 ** 64 - 2048, 2 ** 64, 1e20, 1e38, 3.4028235e38, 3.40282356779733642e38,
            3.4028235677973366e38, 1e300, math.inf, math.nan, 1e-3, 6.1e-5, 6.0e-5, 5.9604645e-8,
            2.98023223876953125e-8, 2.9802322387695316e-8, 1e-10, 1e-38, 1.1754943e-38, 1e-40, 1e-45,
            7.006492321624085e-46, 7.006492321624087e-46, 1e-300, 5e-324, 1 + 2.0 ** -11,
            1 + 2.0 ** -11 + 2.0 ** -40, 1 + 3 * 2.0 ** -11, 1 + 2.0 ** -24, 1 + 2.0 ** -24 + 2.0 ** -52,
            float(info.max), float(info.tiny), float(info.smallest_subnormal)]
    with np.errstate(all="ignore"):
        return np.array(base + [-v for v in base], np.float64).astype(t)


def cast(array, to):
    to = np.dtype(to)
    if array.dtype.kind == "f" and to.kind in "iu":
        info = np.iinfo(to)
        out = []
        for v in array.astype(np.float64).tolist():
            if math.isnan(v):
                out.append(0)
            elif math.isinf(v):
                out.append(info.max if v > 0 else info.min)
            else:
                out.append(min(max(math.trunc(v), info.min), info.max))
        return np.array(out, to)
    with np.errstate(all="ignore"):
        return array.astype(to)


with open(__file__.replace(".py", ".txt"), "w") as out:
    for source in dtypes:
        for target in dtypes:
            values = edges(source)
            out.write(f"{values.dtype} {np.dtype(target)} {values.tobytes().hex()} "
                      f"{cast(values, target).tobytes().hex()}\n")
