"""What the scripts of test/Program share: NPY files by hand, programs made by graphc."""

import os
import re
import struct
import subprocess
import sys

SHORT = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16",
         "uint32": "ui32", "uint64": "ui64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
DESCR = {"bool": "|b1", "int8": "|i1", "int16": "<i2", "int32": "<i4", "int64": "<i8", "uint8": "|u1", "uint16": "<u2",
         "uint32": "<u4", "uint64": "<u8", "float16": "<f2", "float32": "<f4", "float64": "<f8"}


def npy(descr, shape, data, fortran=False, version=1):
    """A file as NumPy writes it."""
    shapeText = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shapeText}, }}"
    before = 10 if version == 1 else 12
    text += " " * (-(before + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def compiled(graphc, path, text):
    """The program of a graph's text, beside it."""
    write(path + ".mlir", text.encode())
    subprocess.run([graphc, "compile", path + ".mlir", "--emit=exe", "-o", path], check=True)
    return path


def copier(graphc, folder, dtype, rank):
    """A program whose output y is its input x."""
    path = os.path.join(folder, f"{dtype}-{rank}")
    if not os.path.exists(path):
        kind = "tensor<" + "?x" * rank + SHORT[dtype] + ">"
        compiled(graphc, path, f"func.func @main(%x: {kind}) -> ({kind} {{graph.name = \"y\"}}) {{\n"
                               f"  return %x : {kind}\n}}\n")
    return path


def run(program, *arguments):
    """Status, standard output and standard error. A process that a signal ends fails the test."""
    process = subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace", timeout=60)
    if process.returncode < 0:
        sys.exit(f"signal {-process.returncode}: {program} {' '.join(arguments)}\n{process.stderr}")
    return process.returncode, process.stdout, process.stderr


def asProgram(path, result):
    """What `graphc run` says of the graph that the program `path` was made of, without the place of an input in the
    graph's file: a program does not have it."""
    status, printed, error = result
    place = rf"^{re.escape(path)}\.mlir:\d+:\d+: "
    return status, printed, re.sub(place + r"(error: .* wants .*\n).*\n *\^\n$", r"\1", error)
