"""Makes the seeds: make_corpus.py BUILD_FOLDER, from texts of the tree and what graphc writes of them."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path

here = Path(__file__).resolve().parent
tree = here.parents[2]
graphc = Path(sys.argv[1]).resolve() / "bin" / "graphc"

TEXTS = {
    "layer.mlir": """func.func @main(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>) -> (tensor<?x2xf32>, tensor<i64>) {
  %0 = graph.dot %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %1 = graph.relu %0 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %2 = graph.argmax %1 : (tensor<?x2xf32>) -> tensor<i64>
  return %1, %2 : tensor<?x2xf32>, tensor<i64>
}
""",
    "rows.mlir": """func.func @main(%x: tensor<4x5xf64> {graph.name = "rows of it"}) -> tensor<4xf64> {
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %0 = graph.mul %x, %c : (tensor<4x5xf64>, tensor<5xf64>) -> tensor<4x5xf64>
  %1 = graph.sum %0 {axes = [1]} : (tensor<4x5xf64>) -> tensor<4xf64>
  %2 = graph.subtensor %1 {index = "::-1"} : (tensor<4xf64>) -> tensor<4xf64>
  return %2 : tensor<4xf64>
}
""",
}
# Of which the stages behind the graph make little text.
SMALL = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.neg %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
SETTINGS = """GRAPHC_FLOATX=float32
GRAPHC_THREADS=3
GRAPHC_SPECIALISATIONS=4
GRAPHC_PROFILE=1
GRAPHC_CACHE_DIR=/nowhere
"""
LITERALS = ["3", "-1.5e3", "[[1, 2], [3, 4]]", "[true, false]", "[nan, inf, -inf]", "[]", "[[], []]"]
INDICES = ["1", "$0, ::-2", "..., 1:, newaxis", "-3:$1:2, $0", "9223372036854775807"]


def npy(dtype, shape, data):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def message(*fields):
    """Bytes of a protobuf message, whose fields are pairs of a number and an int, a text, or bytes."""
    out = b""
    for number, value in fields:
        is_int = isinstance(value, int)
        value = value.encode() if isinstance(value, str) else value
        for rest in (8 * number + (0 if is_int else 2), value if is_int else len(value)):
            while rest > 127:
                out += bytes([rest % 128 + 128])
                rest //= 128
            out += bytes([rest])
        out += b"" if is_int else value
    return out


def model_with_functions():
    """y = Twice(x), whose function calls Leak twice, which has an attribute."""

    versions = [message((1, ""), (2, 17)), message((1, "f"), (2, 1))]

    def node(op, source, target, domain="", attribute=b""):
        return message((1, source), (2, target), (4, op), *([(5, attribute)] if attribute else []), (7, domain))

    def function(name, *nodes, attributes=()):
        sets = [(9, version) for version in versions]
        body = [(6, a) for a in attributes] + [(7, n) for n in nodes]
        return message((1, name), (4, "a"), (5, "b"), *body, *sets, (10, "f"))

    slope = message((1, "slope"), (2, b"\x00\x00\x00\x3f")).replace(b"\x12\x04", b"\x15") + message((20, 1))
    alpha = message((1, "alpha"), (20, 1), (21, "slope"))
    leak = function("Leak", node("LeakyRelu", "a", "b", "", alpha), attributes=["slope"])
    twice = function("Twice", node("Leak", "a", "c", "f", slope), node("Leak", "c", "b", "f"))
    tensor = message((1, message((1, 1), (2, message((1, message((1, 3))))))))
    values = [(11, message((1, "x"), (2, tensor))), (12, message((1, "y")))]
    graph = message((1, node("Twice", "x", "y", "f")), (2, "g"), *values)
    return message((1, 8), (7, graph), *[(8, version) for version in versions], (25, leak), (25, twice))


def put(reader, name, content):
    folder = here / reader
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def run(*words):
    subprocess.run([graphc, *map(str, words)], check=True)


for number, text in enumerate(LITERALS):
    put("literal", f"{number}.txt", text)
for number, text in enumerate(INDICES):
    put("index", f"{number}.txt", text)
arrays = {
    "f4.npy": npy("<f4", "(2, 3)", bytes(24)),
    "i8.npy": npy(">i8", "()", bytes(8)),
    "b1.npy": npy("|b1", "(3,)", b"\1\0\1"),
}
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w") as members:
    for name, content in arrays.items():
        put("npy", name, content)
        members.writestr(zipfile.ZipInfo(name), content)
put("npz", "stored.npz", archive.getvalue())
packed = io.BytesIO()
with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as members:
    members.writestr(zipfile.ZipInfo("x.npy"), npy("<f8", "(50,)", bytes(400)))
put("npz", "deflated.npz", packed.getvalue())
put("onnx", "functions.onnx", model_with_functions())
put("config", "all.txt", SETTINGS)
put("text", "small.mlir", SMALL)
for stage in ("linalg", "loops", "llvm"):
    (here / stage).mkdir(exist_ok=True)
    run("compile", here / "text" / "small.mlir", f"--emit={stage}", "--target=x86-64", "-o", here / stage / "small.txt")
for name, text in TEXTS.items():
    put("text", name, text)
    source, stem = here / "text" / name, name.split(".")[0]
    for reader in ("onnx", "saved", "kernels"):
        (here / reader).mkdir(exist_ok=True)
    run("compile", source, "--emit=onnx", "-o", here / "onnx" / f"{stem}.onnx")
    run("compile", source, "--emit=kernels", "-o", here / "kernels" / f"{stem}.txt")
    run("compile", source, "--emit=function", "-o", here / "saved" / f"{stem}.graphc")
    with zipfile.ZipFile(here / "saved" / f"{stem}.graphc") as saved:
        put("program", f"{stem}.program", saved.read("code/program"))
        put("text", f"{stem}.bytecode", saved.read("graph"))
