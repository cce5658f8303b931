"""Every message about an NPY file, whole: npy_messages.py PROGRAM FOLDER"""

import os
import struct
import sys

from common import npy, run, write

program, folder = sys.argv[1:]
elements = bytes(48)


def dict_(text):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + elements


def header(descr="'<f8'", order="False", shape="(2, 3)", more=""):
    return dict_(f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {more}}}")


good = npy("<f8", [2, 3], elements)
cases = [
    (good[:7], "not an NPY file: too short"),
    (b"\x93NUMPX" + good[6:], "not an NPY file: it does not begin with \\x93NUMPY"),
    (good[:6] + b"\x04\x00" + good[8:], "NPY version 4.0 is not supported"),
    (good[:6] + b"\x01\x07" + good[8:], "NPY version 1.7 is not supported"),
    (good[:6] + b"\x02\x00" + b"\x01\x00", "ends at byte 10, 4 bytes wanted from byte 8"),
    (good[:60], "the header of 118 bytes goes beyond the end"),
    (good[:6] + b"\x02\x00" + struct.pack("<I", 1048577) + b" " * 1048577, "the header has 1048577 bytes"),
    (good[:-1], "shape (2, 3) of float64 takes 48 bytes; there are 47 from byte 128"),
    (good + b"\0", "shape (2, 3) of float64 takes 48 bytes; there are 49 from byte 128"),
    (header(shape="(4611686018427387904, 4611686018427387904)"), "the shape is too large"),
    (npy("<f8", [0, 1 << 62], b""), "the shape is too large"),
    (header(descr="[('a', '<f8')]"), "structured dtypes are not supported"),
    (header(descr="'<c16'"), "dtype '<c16' is not supported"),
    (header(descr="'<c8'"), "dtype '<c8' is not supported"),
    (header(descr="'<f1'"), "dtype '<f1' is not supported"),
    (header(descr="'" + "O" * 50 + "'"), "dtype '" + "O" * 40 + "' is not supported"),
    (dict_("[]"), "byte 0 of the header: expected '{'"),
    (dict_("{'descr' '<f8'}"), "byte 9 of the header: expected ':'"),
    (dict_("{'descr': '<f8' 'shape'"), "byte 16 of the header: expected '}'"),
    (dict_("{descr: '<f8'}"), "byte 1 of the header: expected a string"),
    (dict_("{'descr"), "byte 1 of the header: string without end"),
    (header(more="'x': 1"), "byte 62 of the header: unknown key 'x'"),
    (header(more="'shape': ()"), "byte 66 of the header: key 'shape' is there twice"),
    (header(order="None"), "byte 34 of the header: expected True or False"),
    (dict_("{'descr': '<f8', 'fortran_order': False, 'shape': ()} ?"), "byte 54 of the header: text after the dict"),
    (dict_("{'fortran_order': False, 'shape': (2, 3)}"), "byte 41 of the header: no 'descr' in the dict"),
    (dict_("{'descr': '<f8', 'shape': (2, 3)}"), "byte 33 of the header: no 'fortran_order' in the dict"),
    (dict_("{'descr': '<f8', 'fortran_order': False}"), "byte 40 of the header: no 'shape' in the dict"),
    (header(shape="[2, 3]"), "byte 50 of the header: expected '('"),
    (header(shape="(2, x)"), "byte 54 of the header: expected an extent"),
    (header(shape="(2, 9223372036854775808)"), "byte 54 of the header: extent is too large"),
    (header(shape="(2, -3)"), "byte 54 of the header: negative extent"),
    (header(shape="(" + "1, " * 33 + ")"), "byte 147 of the header: rank is above the maximum of 32"),
    (header(shape="(6)"), "byte 52 of the header: expected ','"),
    (header(shape="(2, 3; 4)"), "byte 55 of the header: expected ')'"),
]
path = os.path.join(folder, "case.npy")
for data, message in cases:
    write(path, data)
    own = run(program, "--input", "x=" + path)
    if own != (1, "", f"error: --input x: {path}: {message}\n"):
        sys.exit(f"{own}\ninstead of {message}")
print(f"{len(cases)} messages")
