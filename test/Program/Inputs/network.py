"""A network on one picture: network.py PROGRAM EXPECTED_NPY FOLDER; the picture of test/Library/Inputs/network.c"""

import os
import struct
import sys

from common import npy, read, run, write

program, expected, folder = sys.argv[1:]
count = 3 * 224 * 224
picture = struct.pack(f"<{count}f", *(i / count for i in range(count)))
source = write(os.path.join(folder, "picture.npy"), npy("<f4", [1, 3, 224, 224], picture))
out = os.path.join(folder, "classes.npy")
result = run(program, "--input", "data_0=" + source, "--output", "softmaxout_1=" + out)
if result != (0, "", ""):
    sys.exit(result)
own, wanted = read(out), read(expected)
if own[:128] != wanted[:128]:
    sys.exit(f"{own[:128]} instead of {wanted[:128]}")
for i, (a, b) in enumerate(zip(struct.iter_unpack("<f", own[128:]), struct.iter_unpack("<f", wanted[128:]))):
    if not abs(a[0] - b[0]) <= 1e-4 * abs(b[0]) + 1e-7:  # the tolerance of unittests/API/NetworksTest.cpp
        sys.exit(f"output {i} is {a[0]} instead of {b[0]}")
print(f"{i + 1} outputs")
