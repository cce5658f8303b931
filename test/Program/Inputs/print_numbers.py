"""Numbers are printed with the fewest digits that read back: print_numbers.py GRAPHC NUMPY_PRINT_TXT FOLDER

NumPy's own words for scalars (unittests/Runtime/numpy_print.txt), Python's repr for random doubles, and for random
numbers of the narrower dtypes the definition itself, in exact arithmetic: what is printed lies nearer to the number
than to its neighbours, and no decimal with one digit less does.
"""

import os
import random
import struct
import sys
from fractions import Fraction

from common import DESCR, copier, npy, run, write

graphc, table, folder = sys.argv[1:]
FORMATS = {"float16": "e", "float32": "f", "float64": "d"}


def printed(dtype, words):
    """What the program prints of elements that are given by their bits or as text."""
    program = copier(graphc, folder, dtype, 1)
    if isinstance(words, bytes):
        size = int(DESCR[dtype][2])
        argument = write(os.path.join(folder, "numbers.npy"), npy(DESCR[dtype], [len(words) // size], words))
    else:
        argument = "[" + ",".join(words) + "]"
    status, out, error = run(program, "--full", "-i", "x=" + argument)
    if status:
        sys.exit(error)
    return out[out.index("[") + 1 : out.rindex("]")].split(", ")


def plain(text):
    """Without the ".0" by which NumPy and Python tell floats from integers."""
    return text[:-2] if text.endswith(".0") else text


def check(what, given, wanted):
    if len(given) != len(wanted):
        sys.exit(f"{what}: {len(given)} numbers instead of {len(wanted)}")
    for i, (a, b) in enumerate(zip(given, wanted)):
        if a != b:
            sys.exit(f"{what}: number {i} is printed as {a} instead of {b}")
    print(f"{what}: {len(given)}")


# NumPy: "case DTYPE - ..." for scalars, the element in hexadecimal, and lines of text that begin with a bar.
lines = open(table).read().split("\n")
for dtype in DESCR:
    found = [i for i, line in enumerate(lines) if line.startswith(f"case {dtype} - ")]
    data = b"".join(bytes.fromhex(lines[i + 1]) for i in found)
    words = [plain(lines[i + 2][1:]) for i in found]
    if dtype == "bool":
        words = [word.lower() for word in words]
    check(f"NumPy {dtype}", printed(dtype, data), words)

rng = random.Random(1)
bits = [rng.getrandbits(64) for _ in range(1500)]
bits += [(e << 52) + d for e in range(0, 2047, 13) for d in (-1, 0, 1) if e]  # beside powers of two
bits += [struct.unpack("<Q", struct.pack("<d", v))[0] for v in
         (1e16, 9999999999999998.0, 1e-4, 0.00009999999999999999, 5e-324, 2.2250738585072014e-308, 1e23, 1e15,
          9007199254740993, 123456.0, 0.5, 1 / 3, 1.7976931348623157e308)]
data = b"".join(struct.pack("<Q", b) for b in bits)
check("float64", printed("float64", data), [plain(repr(struct.unpack("<d", struct.pack("<Q", b))[0])) for b in bits])


def valueOf(dtype, bits):
    if dtype == "bfloat16":
        return Fraction(struct.unpack("<f", struct.pack("<I", bits << 16))[0])
    return Fraction(struct.unpack("<" + FORMATS[dtype], struct.pack("<H" if dtype == "float16" else "<I", bits))[0])


def digitsOf(text):
    return len(text.split("e")[0].replace(".", "").strip("0"))


ranges = (("float16", 0x7BFE, 0x3C00), ("bfloat16", 0x7F7E, 0x3F80), ("float32", 0x7F7FFFFE, 0x3F800000))
for dtype, largest, one in ranges:
    unit = one & -one  # the lowest bit of the exponent
    bits = [rng.randint(1, largest) for _ in range(600)]
    bits += [1, 2, unit - 1, unit, unit + 1, one - 1, one, one + 1, largest]
    if dtype == "bfloat16":  # no NPY; the exact decimal of a Fraction would be long, 20 digits are enough
        words = printed(dtype, ["%.20e" % float(valueOf(dtype, b)) for b in bits])
    else:
        words = printed(dtype, b"".join(struct.pack("<H" if dtype == "float16" else "<I", b) for b in bits))
    for b, word in zip(bits, words):
        value = valueOf(dtype, b)
        low, high = (value + valueOf(dtype, b - 1)) / 2, (value + valueOf(dtype, b + 1)) / 2
        isEven = b % 2 == 0

        def readsBack(number):
            return low < number < high or (isEven and number in (low, high))

        if not readsBack(Fraction(word)):
            sys.exit(f"{dtype}: {word} does not read back to {float(value)}")
        digits = digitsOf(word)
        step = Fraction(10) ** (int(("%.17e" % float(value)).split("e")[1]) - digits + 2)
        if digits > 1 and any(readsBack((value // step + k) * step) for k in (-1, 0, 1, 2)):
            sys.exit(f"{dtype}: {word} has too many digits for {float(value)}")
        # Of as many digits, none is nearer.
        near = [(value // (step / 10) + k) * step / 10 for k in (0, 1)]
        if any(readsBack(n) and abs(n - value) < abs(Fraction(word) - value) for n in near):
            sys.exit(f"{dtype}: {word} is not the nearest to {float(value)}")
    print(f"{dtype}: {len(bits)}")
