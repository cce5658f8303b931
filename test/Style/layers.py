"""Checks the #include lines of the tree against layers.txt: layers.py SOURCE_FOLDER

Reports an include of a higher layer, MLIR or LLVM outside the compiler half, protobuf outside the ONNX reader, and a
public header that includes more than the standard library, four headers of Abseil and public headers.
"""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
allowed, headerLayer = {}, {}
for line in (Path(__file__).parent / "layers.txt").read_text().splitlines():
    line = line.split("#")[0].strip()
    if line:
        name, rest = line.split(":")
        if name.startswith("header "):
            headerLayer[name.removeprefix("header ")] = rest.strip()
        else:
            allowed[name] = set(rest.split()) | {name}

outside = [  # what a third party's include counts as
    (r"(mlir|llvm|llvm-c)/", "MLIR"),
    (r"lld/", "LLD"),
    (r"(onnx|google/protobuf)/", "ONNX"),
]
publicAbseil = {
    f"absl/{name}.h" for name in ("container/inlined_vector", "status/status", "status/statusor", "types/span")
}
mistakes = []
checked = 0


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^">]+)[">]', line)
        if match:
            yield number, match.group(1), match.group(2)


def check(path, layer, public):
    global checked
    checked += 1
    for number, bracket, name in includes(path):
        where = f"{path.relative_to(root)}:{number}"
        if name.startswith("graphc/"):
            target = headerLayer.get(name.removeprefix("graphc/"))
            if target is None:
                mistakes.append(f"{where}: {name} has no line in test/Style/layers.txt")
                continue
        elif (root / "lib" / name).exists():
            target = name.split("/")[0]
        elif bracket == '"' and (path.parent / name).exists():
            continue
        else:
            target = next((kind for pattern, kind in outside if re.match(pattern, name)), None)
        if target and not {target, name.removeprefix("graphc/")} & allowed[layer]:
            mistakes.append(f"{where}: {layer} may not include {name} ({target})")
        if public and not name.startswith("graphc/"):
            standard = bracket == "<" and "." not in name and "/" not in name
            if not standard and name not in publicAbseil:
                mistakes.append(f"{where}: a public header may not include {name}")


for path in sorted((root / "include" / "graphc").glob("*")):
    layer = headerLayer.get(path.name)
    if layer is None:
        mistakes.append(f"{path.relative_to(root)}: no line in test/Style/layers.txt")
    else:
        check(path, layer, public=True)
for path in sorted((root / "lib").rglob("*")):
    layer = path.relative_to(root / "lib").parts[0]
    if path.suffix in (".h", ".cpp", ".inc") and layer != "cmake":
        if layer not in allowed:
            mistakes.append(f"{path.relative_to(root)}: the layer {layer} is not in test/Style/layers.txt")
        else:
            check(path, layer, public=False)

print("\n".join(mistakes) or f"{checked} files keep to their layers")
sys.exit(1 if mistakes else 0)
