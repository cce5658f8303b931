"""Files of float64 vectors without NumPy: npy.py write FILE NUMBER...; zip FILE KEY=FILE...; show FILE..."""

import struct
import sys
import zipfile


def write(path, numbers):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(numbers)}d", *numbers))


def show(path):
    data = open(path, "rb").read()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    assert b"'<f8'" in data[:start], data[:start]
    print(*struct.unpack(f"<{(len(data) - start) // 8}d", data[start:]))


verb, *rest = sys.argv[1:]
if verb == "write":
    write(rest[0], [float(number) for number in rest[1:]])
elif verb == "zip":
    with zipfile.ZipFile(rest[0], "w") as archive:
        for pair in rest[1:]:
            key, path = pair.split("=")
            archive.write(path, key + ".npy")
else:
    for path in rest:
        show(path)
