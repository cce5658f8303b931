#!/usr/bin/python3
"""Writes contrib.jsonl: what onnxruntime-node (tools/install-deps --peers) gives for one node of each operator of
com.microsoft that graphc knows. A line has the operator, its attributes, inputs (null: left out) and outputs, numbers in
row-major order."""

import json
import os
import sys
import tempfile
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "tools/models"))
from modelfile import field
from runners import OnnxRuntime

random = numpy.random.RandomState(8)
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}


def f(*shape):
    return random.uniform(-2, 2, shape).astype("float32")


def u8(*shape):
    return random.randint(0, 256, shape).astype("uint8")


def i8(*shape):
    return random.randint(-128, 128, shape).astype("int8")


def scalar(value, dtype="float32"):
    return numpy.array(value, dtype)


def ints(values, dtype="int64"):
    return numpy.array(values, dtype)


Q = lambda shape, scale, zero: [u8(*shape), scalar(scale), scalar(zero, "uint8")]
TO = lambda scale, zero: [scalar(scale), scalar(zero, "uint8")]
ANGLES = numpy.arange(16)[:, None] / (10.0 ** numpy.arange(2)[None, :])
WIDE = numpy.arange(16)[:, None] / (2.0 ** numpy.arange(8)[None, :])
WIDE_COS, WIDE_SIN = numpy.cos(WIDE).astype("float32"), numpy.sin(WIDE).astype("float32")
COS, SIN = numpy.cos(ANGLES).astype("float32"), numpy.sin(ANGLES).astype("float32")
HEADS = {"num_heads": 2}
GROUPED = {"num_heads": 4, "kv_num_heads": 2}

# Operator, attributes, inputs, number of outputs, or which of them.
CASES = [
    ("Gelu", {}, [f(2, 5)], 1),
    ("BiasGelu", {}, [f(2, 5), f(5)], 1),
    ("FastGelu", {}, [f(2, 5)], 1),
    ("FastGelu", {}, [f(2, 5), f(5)], 1),
    ("QuickGelu", {}, [f(2, 5)], 1),
    ("QuickGelu", {"alpha": 0.5}, [f(7)], 1),
    ("FusedConv", {"activation": "Relu", "pads": [1, 1, 1, 1]}, [f(1, 2, 5, 5), f(3, 2, 3, 3), f(3)], 1),
    ("FusedConv", {"activation": "Relu"}, [f(1, 2, 4, 4), f(3, 2, 3, 3), f(3), f(1, 3, 2, 2)], 1),
    ("FusedConv", {"activation": "LeakyRelu", "activation_params": [0.3]}, [f(1, 2, 4, 4), f(3, 2, 3, 3)], 1),
    ("FusedConv", {"activation": "Clip", "activation_params": [-1.0, 1.5]}, [f(1, 2, 4, 4), f(3, 2, 3, 3)], 1),
    ("FusedConv", {"activation": "HardSigmoid", "activation_params": [0.3, 0.4]}, [f(1, 2, 4, 4), f(3, 2, 3, 3)], 1),
    ("FusedConv", {"activation": "Sigmoid"}, [f(1, 2, 4, 4), f(3, 2, 3, 3)], 1),
    ("FusedConv", {"activation": "Tanh"}, [f(1, 2, 4, 4), f(3, 2, 3, 3)], 1),
    ("FusedMatMul", {"alpha": 0.25, "transB": 1}, [f(2, 3, 4), f(2, 5, 4)], 1),
    ("FusedMatMul", {"transA": 1}, [f(4, 3), f(4, 5)], 1),
    ("FusedMatMul", {"transBatchA": 1, "transA": 1}, [f(4, 2, 3), f(2, 4, 5)], 1),
    ("FusedGemm", {"activation": "Relu", "transB": 1, "alpha": 0.5, "beta": 2.0}, [f(3, 4), f(5, 4), f(5)], 1),
    (
        "FusedGemm",
        {"activation": "LeakyRelu", "activation_alpha": 0.2},
        [f(3, 4), f(4, 5)],
        1,
    ),
    ("SkipLayerNormalization", {"epsilon": 0.001}, [f(2, 3, 4), f(2, 3, 4), f(4), f(4), f(4)], 4),
    ("SkipLayerNormalization", {}, [f(2, 3, 4), f(2, 3, 4), f(4)], 1),
    ("SkipSimplifiedLayerNormalization", {"epsilon": 0.001}, [f(2, 3, 4), f(2, 3, 4), f(4), f(4)], [0, 3]),
    (
        "EmbedLayerNormalization",
        {"epsilon": 0.01},
        [
            *(ints([[1, 4, 2], [0, 3, 3]], "int32"), ints([[0, 0, 1], [1, 1, 0]], "int32")),
            *(f(6, 4), f(5, 4), f(2, 4), f(4), f(4), ints([[1, 1, 1], [1, 1, 0]], "int32")),
        ],
        2,
    ),
    ("QLinearAdd", {}, [*Q((2, 5), 0.02, 120), *Q((5,), 0.03, 99), *TO(0.04, 110)], 1),
    ("QLinearMul", {}, [*Q((2, 5), 0.02, 120), *Q((2, 5), 0.03, 99), *TO(0.05, 110)], 1),
    ("QLinearSigmoid", {}, [*Q((9,), 0.05, 128), *TO(1 / 256, 0)], 1),
    ("QLinearLeakyRelu", {"alpha": 0.2}, [*Q((9,), 0.05, 128), *TO(0.05, 60)], 1),
    ("QLinearConcat", {"axis": 1}, [*TO(0.05, 100), *Q((2, 3), 0.04, 90), *Q((2, 2), 0.06, 120)], 1),
    ("QLinearGlobalAveragePool", {}, [*Q((1, 3, 4, 5), 0.05, 128), *TO(0.02, 120)], 1),
    ("QLinearGlobalAveragePool", {"channels_last": 1}, [*Q((1, 4, 5, 3), 0.05, 128), *TO(0.02, 120)], 1),
    (
        "QGemm",
        {"transB": 1},
        [*Q((3, 8), 0.02, 120), *Q((5, 8), 0.03, 99), ints([1, -2, 30, 4, 5], "int32"), *TO(0.2, 110)],
        1,
    ),
    ("QGemm", {"alpha": 0.5}, [*Q((3, 8), 0.02, 120), *Q((8, 5), 0.03, 99)], 1),
    ("DynamicQuantizeMatMul", {}, [f(3, 8), i8(8, 5), scalar(0.02), scalar(3, "int8"), f(5)], 1),
    ("DynamicQuantizeMatMul", {}, [f(3, 8), u8(8, 5), scalar(0.02)], 1),
    (
        "MatMulIntegerToFloat",
        {},
        [u8(3, 8), i8(8, 5), scalar(0.02), scalar(0.03), scalar(7, "uint8"), scalar(-3, "int8"), f(5)],
        1,
    ),
    ("MatMulIntegerToFloat", {}, [u8(3, 8), i8(8, 5), scalar(0.02), numpy.abs(f(5))], 1),
    ("MatMulNBits", {"N": 3, "K": 20, "bits": 4, "block_size": 16}, [f(2, 20), u8(3, 2, 8), numpy.abs(f(6))], 1),
    ("MatMulNBits", {"N": 3, "K": 40, "bits": 4, "block_size": 16}, [f(2, 40), u8(3, 3, 8), numpy.abs(f(9)), u8(6)], 1),
    ("QuantizeLinear", {}, [f(9), *TO(0.02, 100)], 1),
    ("DequantizeLinear", {}, Q((9,), 0.02, 100), 1),
    ("Attention", HEADS, [f(2, 3, 6), f(6, 12), f(12)], 1),
    ("Attention", HEADS | {"unidirectional": 1}, [f(2, 3, 6), f(6, 12), f(12)], 1),
    ("Attention", HEADS, [f(2, 3, 6), f(6, 12), f(12), ints([[1, 1, 1], [1, 1, 0]], "int32")], 1),
    ("MultiHeadAttention", HEADS, [f(2, 3, 4), f(2, 5, 4), f(2, 5, 4)], 1),
    ("MultiHeadAttention", HEADS, [f(2, 3, 4), f(2, 5, 4), f(2, 5, 4), f(12)], 1),
    (
        "MultiHeadAttention",
        HEADS | {"scale": 0.3},
        [f(2, 3, 4), f(2, 5, 4), f(2, 5, 4), None, ints([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32"), f(2, 2, 3, 5)],
        1,
    ),
    (
        "MultiHeadAttention",
        HEADS | {"unidirectional": 1},
        [f(1, 2, 4), f(1, 2, 4), f(1, 2, 4), None, None, None, f(1, 2, 3, 2), f(1, 2, 3, 2)],
        3,
    ),
    (
        "GroupQueryAttention",
        GROUPED,
        [f(1, 3, 32), f(1, 3, 16), f(1, 3, 16), None, None, ints([2], "int32"), scalar(3, "int32")],
        3,
    ),
    (
        "GroupQueryAttention",
        GROUPED | {"do_rotary": 1},
        [
            *(f(1, 1, 64), f(1, 1, 32), f(1, 1, 32), f(1, 2, 4, 16), f(1, 2, 4, 16)),
            *(ints([4], "int32"), scalar(5, "int32"), WIDE_COS, WIDE_SIN),
        ],
        3,
    ),
    ("RotaryEmbedding", {}, [f(2, 2, 3, 4), ints([[0, 1, 2], [3, 4, 9]]), COS, SIN], 1),
    ("RotaryEmbedding", {"interleaved": 1}, [f(2, 2, 3, 4), ints([2]), COS, SIN], 1),
    ("RotaryEmbedding", {}, [f(2, 3, 8), ints([[0, 1, 2], [3, 4, 9]]), COS, SIN], 1),
    # Sentences of 5 and 3 words; a past with room for 3 more; several words after some.
    (
        "GroupQueryAttention",
        GROUPED | {"do_rotary": 1},
        [
            *(f(2, 1, 64), f(2, 1, 32), f(2, 1, 32), f(2, 2, 4, 16), f(2, 2, 4, 16)),
            *(ints([4, 2], "int32"), scalar(5, "int32"), WIDE_COS, WIDE_SIN),
        ],
        3,
    ),
    (
        "GroupQueryAttention",
        GROUPED | {"scale": 0.3},
        [
            *(f(1, 1, 32), f(1, 1, 16), f(1, 1, 16), f(1, 2, 8, 8), f(1, 2, 8, 8)),
            *(ints([4], "int32"), scalar(5, "int32")),
        ],
        3,
    ),
    (
        "GroupQueryAttention",
        GROUPED,
        [
            *(f(1, 3, 32), f(1, 3, 16), f(1, 3, 16), f(1, 2, 4, 8), f(1, 2, 4, 8)),
            *(ints([6], "int32"), scalar(7, "int32")),
        ],
        3,
    ),
]


def attribute(name, value):
    if isinstance(value, list):
        number = 7 if isinstance(value[0], float) else 8
        parts = b"".join(fixed(7, v) if isinstance(v, float) else field(8, v) for v in value)
        return field(1, name) + parts + field(20, {7: 6, 8: 7}[number])
    if isinstance(value, float):
        return field(1, name) + fixed(2, value) + field(20, 1)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    return field(1, name) + field(3, value) + field(20, 2)


def fixed(number, value):
    return bytes([number << 3 | 5]) + numpy.float32(value).tobytes()


def model(op, attributes, inputs, wanted):
    names = ["" if value is None else f"x{i}" for i, value in enumerate(inputs)]
    node = b"".join(field(1, name) for name in names) + b"".join(
        field(2, f"y{i}" if i in wanted else "") for i in range(max(wanted) + 1)
    )
    node += field(4, op) + b"".join(field(5, attribute(*a)) for a in attributes.items()) + field(7, "com.microsoft")
    graph = field(1, node) + field(2, "graph")
    for name, value in zip(names, inputs):
        if name:
            shape = field(2, b"".join(field(1, field(1, extent)) for extent in value.shape))
            graph += field(11, field(1, name) + field(2, field(1, field(1, TYPES[str(value.dtype)]) + shape)))
    # ONNX Runtime infers the types of outputs.
    graph += b"".join(field(12, field(1, f"y{i}")) for i in wanted)
    sets = field(8, field(1, "") + field(2, 17)) + field(8, field(1, "com.microsoft") + field(2, 1))
    return field(1, 8) + field(7, graph) + sets


def described(value):
    if value is None:
        return None
    numbers = [float(f"{v:.9g}") if value.dtype.kind == "f" else int(v) for v in value.ravel()]
    return {"dtype": str(value.dtype), "shape": value.shape, "data": numbers}


def main():
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    runtime = OnnxRuntime(cache / "graphc/peers")
    with tempfile.TemporaryDirectory() as folder, open(HERE / "contrib.jsonl", "w") as out:
        path = Path(folder, "model.onnx")
        for op, attributes, inputs, count in CASES:
            wanted = count if isinstance(count, list) else list(range(count))
            path.write_bytes(model(op, attributes, inputs, wanted))
            given = {f"x{i}": value for i, value in enumerate(inputs) if value is not None}
            outputs = runtime.run(path, given).outputs
            line = {"op": op, "attributes": attributes, "inputs": [described(v) for v in inputs]}
            line["outputs"] = [described(outputs.get(f"y{i}")) for i in range(max(wanted) + 1)]
            print(json.dumps(line), file=out)


if __name__ == "__main__":
    main()
