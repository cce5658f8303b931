"""Writes numpy_npy.txt, read by NpyTest.cpp: files that NumPy wrote and what is in them.

"npy DTYPE SHAPE FILE ELEMENTS" (the elements row-major, little-endian) and "npz FILE", all in
hexadecimal; every npz holds a = int16 [[1, 2], [3, 4]] and b/c = float64 0..99. "bomb FILE" and
"short FILE" are npz whose sizes are a lie.
"""
import io
import zipfile

import numpy as np

lines = []
native = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def add(array, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    plain = array.astype(array.dtype.newbyteorder("<"), order="C")
    shape = "x".join(map(str, array.shape)) or "-"
    lines.append(f"npy {array.dtype.newbyteorder('=')} {shape} {file.getvalue().hex()} "
                 f"{plain.tobytes().hex() or '-'}")


for version in [(1, 0), (2, 0), (3, 0)]:
    for code in native:
        for order in "<>":
            if code == "?" and order == ">":
                continue
            dtype = np.dtype(code).newbyteorder(order)
            values = (np.arange(6).reshape(2, 3) * 37 - 3 * (code[0] in "if")).astype(dtype)
            add(values, version)
            if version == (1, 0):
                add(np.asfortranarray(values), version)
                add(values[0, 1].reshape(()), version)
add(np.zeros((0,)))
add(np.zeros((3, 0, 2), np.int8))
add(np.asfortranarray(np.zeros((3, 0, 2), np.float32)))
add(np.asfortranarray(np.arange(24, dtype=">i4").reshape(2, 3, 4)))
add(np.arange(5, dtype=np.uint8))
add(np.asfortranarray(np.arange(4.0)))
add(np.arange(4, dtype=np.int16).reshape((1,) * 14 + (2,) + (1,) * 16 + (2,)))

for save in [np.savez, np.savez_compressed]:
    file = io.BytesIO()
    save(file, **{"a": np.array([[1, 2], [3, 4]], np.int16), "b/c": np.arange(100.0)})
    lines.append("npz " + file.getvalue().hex())


def addLie(kind, size):
    """An archive that says it holds `size` bytes, as the header inside does, and ends behind that header."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (size - 128,)})
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("a.npy"), header.getvalue(), zipfile.ZIP_DEFLATED)
    true, claim = (n.to_bytes(4, "little") for n in (len(header.getvalue()), size))
    assert len(header.getvalue()) == 128
    lines.append(kind + " " + file.getvalue().replace(true, claim).hex())


addLie("bomb", 3_000_000_000)  # more than the archive's bytes can stand for
addLie("short", 1128)

with open(__file__.replace(".py", ".txt"), "w") as out:
    out.write("\n".join(lines) + "\n")
