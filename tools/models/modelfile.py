"""As much of ONNX's format as gradients need: what is appended to a model's bytes, and where its weights are.

A model is a protocol buffer, in which a message that occurs twice is the two joined: nodes are added at the file's end.
"""

from dataclasses import dataclass

import numpy

FLOAT, FLOAT16, GRAPH = 1, 10, 7  # TensorProto.DataType, ModelProto.graph
NUMBERS = {FLOAT: "<f4", FLOAT16: "<f2"}


def varint(value):
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes(parts + [value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def node_message(kind, inputs, output, attributes=b""):
    return field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind) + attributes)


def with_loss(model, weights, name):
    """The model with one output more, of rank 0: the sum of the outputs that `weights` names, times these."""
    no_axes = field(5, field(1, "keepdims") + field(3, 0) + field(20, 2))
    graph, sums = b"", []
    for i, (output, weight) in enumerate(weights.items()):
        dims = b"".join(field(1, extent) for extent in weight.shape)
        tensor = dims + field(2, FLOAT) + field(8, f"{name}/weight{i}") + field(9, weight.astype("<f4").tobytes())
        graph += field(5, tensor) + node_message("Mul", [output, f"{name}/weight{i}"], f"{name}/product{i}")
        graph += node_message("ReduceSum", [f"{name}/product{i}"], f"{name}/sum{i}", no_axes)
        sums.append(f"{name}/sum{i}")
    graph += node_message("Sum", sums, name)
    graph += field(12, field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, b""))))
    return model + field(GRAPH, graph)


def _fields(data, begin, end):
    """Number, and begin and end of the contents, of each field that has a length."""

    def varint():
        nonlocal begin
        value = shift = 0
        while True:
            byte = data[begin]
            begin += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    while begin < end:
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint(), None
        elif key & 7 == 2:
            length = varint()
            yield key >> 3, begin, begin + length
            begin += length
        else:
            begin += 8 if key & 7 == 1 else 4


@dataclass(frozen=True)
class Weight:
    """Where in a model's bytes numbers are, and what they are to NumPy."""

    first: int
    last: int
    dtype: str

    def numbers(self, data):
        count = (self.last - self.first) // numpy.dtype(self.dtype).itemsize
        return numpy.frombuffer(data, self.dtype, count, self.first)


def float_weights(data):
    """The weights of each float32 and float16 initializer and Constant, by name, those of graphs in graphs among
    them."""
    found = {}

    def tensor(begin, end, name=None):
        kind, where, is_raw = None, None, False
        for number, first, last in _fields(data, begin, end):
            if number == 2 and last is None:
                kind = first
            elif number == 8:
                name = name or data[first:last].decode()
            elif number in (4, 9) and last is not None:  # float_data, raw_data
                where, is_raw = (first, last), number == 9
        if where and (kind == FLOAT or (kind == FLOAT16 and is_raw)):
            found[name] = Weight(*where, NUMBERS[kind])

    def node(begin, end):
        parts = list(_fields(data, begin, end))
        outputs = [data[first:last].decode() for number, first, last in parts if number == 2]
        for number, first, last in parts:
            if number != 5:
                continue
            for inner, a, b in _fields(data, first, last):
                if inner == 5 and b is not None:
                    tensor(a, b, outputs[0])
                elif inner == 6:
                    graph(a, b)

    def graph(begin, end):
        for number, first, last in _fields(data, begin, end):
            if number == 1:
                node(first, last)
            elif number == 5:
                tensor(first, last)

    for number, first, last in _fields(data, 0, len(data)):
        if number == GRAPH:
            graph(first, last)
    return found


def moved(data, weights, steps):
    """The model with `steps`, by name, added to weights, and by how much each has moved: the sums are rounded."""
    result, moves = bytearray(data), {}
    for name, step in steps.items():
        weight = weights[name]
        before = weight.numbers(data).astype("float64")
        after = (before + step.ravel()).astype(weight.dtype)
        result[weight.first : weight.last] = after.tobytes()
        moves[name] = after.astype("float64") - before
    return bytes(result), moves
