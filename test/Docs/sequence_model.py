"""Writes an ONNX model that joins the elements of a sequence: sequence_model.py FILE"""

import sys

from unsupported_model import field

FLOAT, INT = 1, 2


def typed(name, kind):
    return field(1, name) + field(2, kind)


if __name__ == "__main__":
    vector = field(1, field(1, FLOAT) + field(2, field(1, field(2, "N"))))
    sequence = field(4, field(1, vector))
    axis = field(1, "axis") + field(3, 0) + field(20, INT)
    node = field(1, "s") + field(2, "joined") + field(4, "ConcatFromSequence") + field(5, axis)
    graph = field(1, node) + field(2, "test") + field(11, typed("s", sequence)) + field(12, typed("joined", vector))
    with open(sys.argv[1], "wb") as file:
        file.write(field(1, 7) + field(7, graph) + field(8, field(2, 13)))
