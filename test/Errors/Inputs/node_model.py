"""Writes an ONNX model with one node: node_model.py FILE KIND

KIND is `concat`, whose node lacks all that it needs, or `add`, which adds two vectors of any length.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "Docs"))
from unsupported_model import field, model


def vector(name):
    shape = field(1, field(2, name + "_length"))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


graphs = {
    "concat": field(1, field(2, "y") + field(3, "join") + field(4, "Concat")) + field(12, field(1, "y")),
    "add": field(1, field(1, "a") + field(1, "b") + field(2, "y") + field(3, "sum") + field(4, "Add"))
    + field(11, vector("a")) + field(11, vector("b")) + field(12, field(1, "y")),
}
Path(sys.argv[1]).write_bytes(model(graphs[sys.argv[2]]))
