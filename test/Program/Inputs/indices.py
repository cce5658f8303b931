"""A program names the index that is out of range, as graphc run does: indices.py GRAPHC FOLDER

Indices of every integer dtype: those in memory, and those that are computed where they are used, which graphc run alone
names: it has the graph still, and the evaluator. Then the index stands in brackets.
"""

import os
import re
import sys

from common import compiled, run

graphc, folder = sys.argv[1:]
OUT_OF_RANGE = {
    "i8": -5, "ui8": 200, "i16": -300, "ui16": 60000, "i32": 3, "ui32": 4000000000, "i64": -(2**63), "ui64": 2**64 - 1}


def text(dtype, body):
    return (f"func.func @main(%x: tensor<?xf32>, %i: tensor<?x{dtype}>) -> tensor<?xf32> {{\n{body}"
            "  return %y : tensor<?xf32>\n}\n")


def take(indices, dtype):
    return f"  %y = graph.take %x, {indices} {{axis = 0}} : (tensor<?xf32>, tensor<?x{dtype}>) -> tensor<?xf32>\n"


cases = []
for dtype, index in OUT_OF_RANGE.items():
    cases.append((f"take-{dtype}", text(dtype, take("%i", dtype)), f"[0, 2, {index}, 77]"))
    twice = f"  %n = graph.add %i, %i : (tensor<?x{dtype}>, tensor<?x{dtype}>) -> tensor<?x{dtype}>\n"
    cases.append((f"computed-{dtype}", text(dtype, twice + take("%n", dtype)), "[1, 50]"))


def message(result):
    """The line of a refusal, without the place that stands before it in graphc run's."""
    status, _, errors = result
    return errors.splitlines()[0].partition("error: ")[2] if status == 1 else result


for name, source, indices in cases:
    path = compiled(graphc, os.path.join(folder, name), source)
    arguments = ["--input", "x=[1, 2, 3]", "--input", "i=" + indices]
    own, wanted = message(run(path, *arguments)), message(run(graphc, "run", path + ".mlir", *arguments))
    if name.startswith("computed-"):
        unnamed = re.sub(r": index (-?\d+) is", ": an index is", wanted)
        own += " (" + wanted[len("take: index ") :].split()[0] + ")" if unnamed == own else f", instead of {wanted}"
    elif own != wanted:
        sys.exit(f"{name}: {own}\ninstead of {wanted}")
    print(f"{name}: {own}")
