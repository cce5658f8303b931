"""Damaged NPY files get an error, the one of graphc run: malformed.py GRAPHC FOLDER

Truncated files, flipped bits, other bytes and lengths, from a fixed seed. What is still an array is read as such.
"""

import os
import random
import re
import struct
import sys
from concurrent.futures import ThreadPoolExecutor

from common import asProgram, copier, npy, run, write

graphc, folder = sys.argv[1:]
rng = random.Random(2)
program = copier(graphc, folder, "float64", 2)
elements = struct.pack("<6d", *range(6))
sources = [npy("<f8", [2, 3], elements), npy(">f4", [3, 2], struct.pack(">6f", *range(6)), fortran=True, version=2),
           npy("<i2", [2, 3], struct.pack("<6h", *range(6)), version=3), npy("|b1", [0, 3], b"")]


def damaged(k):
    data = bytearray(sources[k % len(sources)])
    kind = rng.randrange(5)
    if kind == 0:
        return bytes(data[: rng.randrange(len(data))])
    if kind == 1:  # mostly in the part that says something
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(min(len(data), 80))] ^= 1 << rng.randrange(8)
    elif kind == 2:
        data[rng.randrange(min(len(data), 80))] = rng.choice(b"\x00\xff{}()[],'\":<>|0123456789-eLTF \n")
    elif kind == 3:
        shape = rng.choice(
            ["(4611686018427387904, 4)", "(9223372036854775808, 1)", "(-2, 3)", "(0, 4611686018427387904)", "(2L, 3L)",
             "(2, 3, " + "1, " * 40 + ")", "()", "(6)", "(6,)", "(1" + "0" * 30 + ",)", "(4294967296, 4294967296, 0)",
             "(3037000500, 3037000500)"])
        order = rng.choice(["True", "False", "None"])
        text = f"{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}, }}{' ' * rng.randrange(20)}".encode()
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + elements
    else:
        data[8:10] = struct.pack("<H", rng.randrange(65536))
    return bytes(data)


files = [write(os.path.join(folder, f"damaged-{k}.npy"), damaged(k)) for k in range(500)]


def compare(path):
    argument = "x=" + path
    # The values themselves may be NaNs: what is compared is text.
    return run(program, "-i", argument), asProgram(program, run(graphc, "run", program + ".mlir", "-i", argument))


errors = 0
messages = set()
with ThreadPoolExecutor(2) as pool:
    for path, (own, wanted) in zip(files, pool.map(compare, files)):
        # C's texts end at a zero byte.
        if own != (*wanted[:2], re.sub("\0.*?'", "'", wanted[2])):
            sys.exit(f"{path}: {own}\ninstead of {wanted}")
        if own[0] not in (0, 1) or (own[0] == 1) != own[2].startswith("error: ") or (own[0] == 1 and own[1]):
            sys.exit(f"{path}: {own}")
        errors += own[0]
        messages.add(own[2].replace(path, ""))
print(f"{errors} errors with {len(messages)} messages, {len(files) - errors} arrays")
