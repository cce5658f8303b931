"""Writes ONNX models with loops and branches, and what they compute by ONNX's formulas: recurrent_models.py FOLDER

lstm.onnx, gru.onnx: 20 steps, but the file does not say so; choose.onnx: If; count.onnx: Loop; expected.h: operands and
results as arrays of C.
"""

import math
import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Docs"))
from unsupported_model import field

FLOAT, INT64, BOOL = 1, 7, 9
STEPS, BATCH, INPUTS, HIDDEN = 20, 2, 3, 5


def typed(name, dtype, shape):
    dims = b"".join(field(1, field(1, e) if isinstance(e, int) else field(2, e)) for e in shape)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, dims)))


def node(op, inputs, outputs, attributes=b""):
    names = b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs)
    return field(1, names + field(4, op) + attributes)


def integer(name, value):
    return field(5, field(1, name) + field(3, value) + field(20, 2))


def body(name, graph):
    return field(5, field(1, name) + field(6, graph) + field(20, 5))


def tensor(name, dtype, shape, values):
    raw = struct.pack("<%d%s" % (len(values), "f" if dtype == FLOAT else "q"), *values)
    return field(5, b"".join(field(1, e) for e in shape) + field(2, dtype) + field(8, name) + field(9, raw))


def write(name, graph):
    with open(os.path.join(sys.argv[1], name + ".onnx"), "wb") as file:
        file.write(field(1, 8) + field(7, graph + field(2, name)) + field(8, field(2, 17)))


def rounded(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def numbers(count, factor):
    return [rounded(0.6 * math.sin(factor * (k + 1))) for k in range(count)]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def product(matrix, row, vector):
    return sum(matrix[row * len(vector) + k] * x for k, x in enumerate(vector))


def recurrent(op, gates):
    """The model, its operand, and the states of all steps; gates are i, o, f, c or z, r, h."""
    w, r = numbers(gates * HIDDEN * INPUTS, 1.3), numbers(gates * HIDDEN * HIDDEN, 0.7)
    b = numbers(2 * gates * HIDDEN, 2.1)
    extra = integer("linear_before_reset", 1) if op == "GRU" else b""
    graph = node(op, ["x", "w", "r", "b"], ["y"], integer("hidden_size", HIDDEN) + extra)
    graph += tensor("w", FLOAT, [1, gates * HIDDEN, INPUTS], w) + tensor("r", FLOAT, [1, gates * HIDDEN, HIDDEN], r)
    graph += tensor("b", FLOAT, [1, 2 * gates * HIDDEN], b)
    graph += field(11, typed("x", FLOAT, ["steps", BATCH, INPUTS]))
    graph += field(12, typed("y", FLOAT, ["steps", 1, BATCH, HIDDEN]))
    write(op.lower(), graph)
    x = numbers(STEPS * BATCH * INPUTS, 0.9)
    h = [[0.0] * HIDDEN for _ in range(BATCH)]
    c = [[0.0] * HIDDEN for _ in range(BATCH)]
    y = []
    for t in range(STEPS):
        for n in range(BATCH):
            start = (t * BATCH + n) * INPUTS
            row = x[start:start + INPUTS]
            of_x = [product(w, g, row) + b[g] for g in range(gates * HIDDEN)]
            of_h = [product(r, g, h[n]) + b[gates * HIDDEN + g] for g in range(gates * HIDDEN)]
            new = []
            for k in range(HIDDEN):
                gate = lambda number: of_x[number * HIDDEN + k] + of_h[number * HIDDEN + k]
                if op == "LSTM":
                    c[n][k] = sigmoid(gate(2)) * c[n][k] + sigmoid(gate(0)) * math.tanh(gate(3))
                    new.append(sigmoid(gate(1)) * math.tanh(c[n][k]))
                else:
                    z = sigmoid(gate(0))
                    hidden = math.tanh(of_x[2 * HIDDEN + k] + sigmoid(gate(1)) * of_h[2 * HIDDEN + k])
                    new.append((1 - z) * hidden + z * h[n][k])
            h[n] = new
        y += [v for row in h for v in row]
    return x, y


def choose():
    """sum(exp(x)) of six elements as 2 x 3 where c > 0, else -sum(x) of any number of them."""
    first = node("Reshape", ["x", "shape"], ["parts"]) + node("Exp", ["parts"], ["e"])
    first += node("ReduceSum", ["e"], ["a"], integer("keepdims", 0))
    first += field(2, "then") + field(12, typed("a", FLOAT, []))
    other = node("ReduceSum", ["x"], ["s"], integer("keepdims", 0)) + node("Neg", ["s"], ["b"])
    other += field(2, "else") + field(12, typed("b", FLOAT, []))
    graph = node("Greater", ["c", "zero"], ["isTrue"])
    graph += node("If", ["isTrue"], ["y"], body("then_branch", first) + body("else_branch", other))
    graph += tensor("shape", INT64, [2], [2, 3]) + tensor("zero", INT64, [], [0])
    graph += field(11, typed("x", FLOAT, ["n"])) + field(11, typed("c", INT64, [])) + field(12, typed("y", FLOAT, []))
    write("choose", graph)


def count():
    """v = v / 2 + x, as long as the greatest v is below a limit; all values, and the last one."""
    step = node("Mul", ["v", "half"], ["m"]) + node("Add", ["m", "x"], ["next"])
    step += node("Identity", ["next"], ["kept"])
    step += node("ReduceMax", ["next"], ["most"], integer("keepdims", 0)) + node("Less", ["most", "limit"], ["goes"])
    step += field(2, "step") + field(11, typed("i", INT64, [])) + field(11, typed("went", BOOL, []))
    step += field(11, typed("v", FLOAT, ["n"])) + field(12, typed("goes", BOOL, []))
    step += field(12, typed("next", FLOAT, ["n"])) + field(12, typed("kept", FLOAT, ["n"]))
    graph = node("Loop", ["most", "", "x"], ["last", "all"], body("body", step)) + tensor("half", FLOAT, [], [0.5])
    graph += field(11, typed("x", FLOAT, ["n"])) + field(11, typed("most", INT64, []))
    graph += field(11, typed("limit", FLOAT, []))
    graph += field(12, typed("last", FLOAT, ["n"])) + field(12, typed("all", FLOAT, ["steps", "n"]))
    write("count", graph)


if __name__ == "__main__":
    choose()
    count()
    lines = []
    for op, gates in (("LSTM", 4), ("GRU", 3)):
        x, y = recurrent(op, gates)
        for name, values in (("x", x), ("y", y)):
            text = ", ".join("%.9g" % v if "." in "%.9g" % v or "e" in "%.9g" % v else "%.1f" % v for v in values)
            lines.append("static const float %s_%s[] = {%s};" % (op.lower(), name, text.replace(", ", ", ")))
    with open(os.path.join(sys.argv[1], "expected.h"), "w") as out:
        out.write("\n".join(lines) + "\n")
