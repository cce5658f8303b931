"""A program says what graphc run says, of good values and of bad: same_as_run.py GRAPHC FOLDER

Texts of values from a fixed seed, for inputs of several dtypes; files of one dtype for inputs of another; long outputs.
"""

import os
import random
import struct
import sys
from concurrent.futures import ThreadPoolExecutor

from common import DESCR, SHORT, asProgram, compiled, npy, run, write

graphc, folder = sys.argv[1:]
rng = random.Random(3)
# An input of each dtype and rank, each by itself.
dtypes = list(SHORT)


def program(rank):
    shape = "?x" * rank
    types = [f"tensor<{shape}{SHORT[dtype]}>" for dtype in dtypes]
    arguments = ", ".join(f"%{dtype}: {kind}" for dtype, kind in zip(dtypes, types))
    values = ", ".join(f"%{dtype}" for dtype in dtypes)
    return compiled(graphc, os.path.join(folder, f"all-{rank}"),
                    f"func.func @main({arguments}) -> ({', '.join(types)}) {{\n"
                    f"  return {values} : {', '.join(types)}\n}}\n")


programs = [program(rank) for rank in range(4)]
words = ["0", "1", "-1", "+7", "127", "128", "255", "-129", "65535", "65520", "2049", "16777217",
         "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
         "18446744073709551616", "-0", "-0.0", "4294967296.0", "0.1", ".5", "5.", ".", "1e3", "1e", "1e400",
         "-1e-400", "0x10", "nan", "-nan", "NaN", "inf", "-Infinity", "infinit", "nan0", "true", "false", "True",
         "++1", "+-1", "-+1", "--1", "", "1_000", "3.4e38", "1e39", "9007199254740993", "36028797018963969",
         "72057594037927937", "1157425104234217473", "5.9604644775390625e-08", "2.98e-08", "1e-45", "\u00e9"]

NO_NUMBERS = [".", "1e", "0x10", "infinit", "nan0", "True", "++1", "-+1", "--1", "", "1_000", "\u00e9"]


def value():
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(words)
    if kind == 1:
        return "".join(rng.choice(["[", "]", ",", " ", rng.choice(words)]) for _ in range(rng.randint(1, 12)))
    rank = rng.randint(1, 3)
    extents = [rng.randint(0, 3) for _ in range(rank)]

    def nest(axis):
        if axis == rank or (kind == 3 and rng.random() < 0.05):
            return rng.choice(words[:10])
        extent = extents[axis] + (kind == 3 and rng.random() < 0.05)
        return "[" + ", ".join(nest(axis + 1) for _ in range(extent)) + "]"

    return nest(0)


deep = ["[" * n + "1" + "]" * n for n in (31, 32, 33, 40)] + ["[" * 32 + "]" * 32, "[" * 33]
cases = [(rng.randrange(4), dtype, value()) for dtype in dtypes for _ in range(20)]
cases += [(rank, "float32", text) for rank in (0, 2) for text in deep]
for dtype in DESCR:
    size = int(DESCR[dtype][2])
    unused = 64 - 8 * size
    for name, bits in (("zero", 0), ("one", 1), ("high", 1 << (8 * size - 1)), ("ones", (1 << 8 * size) - 1),
                       ("float", 0x3FF0000000000000 >> unused), ("big", 0x43E0000000000000 >> unused)):
        path = os.path.join(folder, f"{dtype}-{name}.npy")
        write(path, npy(DESCR[dtype], [], bits.to_bytes(8, "little")[:size]))
        cases += [(0, to, path) for to in rng.sample(dtypes, 4)]
    path = write(os.path.join(folder, f"{dtype}-array.npy"), npy(DESCR[dtype], [2], bytes(range(1, 2 * size + 1))))
    cases += [(1, to, path) for to in dtypes]
for shape in ([1000], [1001], [2, 600], [11, 100], [1, 1001], [40, 0], [0, 2000], [7, 11, 13], [2, 2, 300],
              [1001, 0, 1]):
    count = 1
    for extent in shape:
        count *= extent
    path = write(os.path.join(folder, "long-" + "x".join(map(str, shape)) + ".npy"),
                 npy("<i2", shape, struct.pack(f"<{count}h", *range(count))))
    cases += [(len(shape), "int32", path)]
for dtype in dtypes:
    cases += [(rank, dtype, word) for rank in (0, 2) for word in ("zeros", "random")]
    cases += [(1, dtype, "random[900]"), (3, dtype, "zeros[2, 0,3]"), (2, dtype, "random[3]")]
cases += [(1, "int8", f"{word}{shape}") for word in ("zeros", "random") for shape in (
    "x", "[", "3", "[[1]]", "[-1]", "[]", "[4611686018427387904, 4]", "[0, 4611686018427387904, 2]", "[1.5]", "[300]]",
    str([1] * 33).replace(" ", ""))]
# Every number at once; where integers round to halves, rounding twice would show.
numbers = [word for word in words if word not in NO_NUMBERS]
cases += [(1, dtype, f"[{', '.join(numbers)}]") for dtype in ("float16", "bfloat16", "float32", "float64")]
cases += [(1, "bool", f"{folder}/nothing.npy"), (1, "bool", folder + "/.npy"), (0, "int8", "[1].npy")]
cases += [(0, "int8", "a=b")]
os.mkdir(folder + "/.npy")


def compare(case):
    rank, dtype, text = case
    path = programs[rank]
    plain = {0: "0", 1: "[]", 2: "[[]]", 3: "[[[]]]"}[rank]
    arguments = [part for other in dtypes for part in ("--input", f"{other}={text if other == dtype else plain}")]
    return run(path, *arguments), asProgram(path, run(graphc, "run", path + ".mlir", *arguments))


good = 0
with ThreadPoolExecutor(2) as pool:
    for case, (own, wanted) in zip(cases, pool.map(compare, cases)):
        if own != wanted:
            sys.exit(f"{case}: {own}\ninstead of {wanted}")
        good += own[0] == 0
print(f"{good} values are taken, {len(cases) - good} refused")
