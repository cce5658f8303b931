"""Gives text of each stage to the readers of others: wrong_stage.py GRAPHC FOLDER GRAPH MODEL"""

import shutil
import subprocess
import sys
from pathlib import Path

graphc, folder, graph, model = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
files = {"graph": graph, "kernels": "k.txt", "linalg": "linalg.txt", "loops": "loops.txt", "llvm": "llvm.txt",
         "asm": "asm.txt"}
pairs = [("graph", "kernels linalg loops llvm asm"), ("kernels", "graph linalg llvm"),
         ("linalg", "graph kernels loops"), ("loops", "graph linalg"), ("llvm", "graph kernels")]


def tell(stage, what, path):
    command = [graphc, "compile", path, "--emit=asm"] + ([f"--from={stage}"] if stage != "onnx" else [])
    process = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert process.returncode == 1, process
    error = process.stderr.splitlines()[0].replace(f"{Path(graph).parent}/", "")
    print(f"{stage} of {what}: {error}")


for stage, others in pairs:
    for other in others.split():
        tell(stage, other, files[other])
shutil.copy(model, folder / "model.mlir")
shutil.copy(graph, folder / "graph.onnx")
for stage in ("graph", "llvm"):
    tell(stage, "a model", "model.mlir")
tell("onnx", "graph", "graph.onnx")
