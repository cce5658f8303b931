import os
import platform
import shutil
import subprocess

import lit.formats

config.name = "graphc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".c"]
config.excludes = ["Inputs", "Data", "consumer"]
config.test_source_root = os.path.dirname(__file__)

# Tools are named by full path, so that nothing installed elsewhere is tested by mistake. Longest names first: lit
# replaces in order.
for tool in ["graphc-text-direction", "graphc-bench", "graphc-opt", "graphc"]:
    path = os.path.join(config.graphc_tools_dir, tool)
    config.substitutions.append((rf"(?<![-\w/.]){tool}(?![-\w/.:])", path))
llvmTools = ["FileCheck", "clang-format", "not", "count", "split-file", "mlir-opt"]
for tool in llvmTools + ["llvm-objdump", "llvm-readelf", "llvm-nm"]:
    path = os.path.join(config.llvm_tools_dir, tool)
    config.substitutions.append((rf"(?<![-\w/.]){tool}(?![-\w/.:])", path))
# "%ends N COMMAND": not, for one status alone.
ends = os.path.join(config.graphc_source_dir, "test", "ends_with.py")
config.substitutions += [
    ("%ends", f"{config.python} {ends}"),
    ("%cxx", config.cxx_compiler),
    ("%cc", config.c_compiler),
    ("%python", config.python),
    ("%cmake", config.cmake),
    ("%src", config.graphc_source_dir),
    ("%build", config.graphc_build_dir),
    ("%clang_tidy", os.path.join(config.llvm_tools_dir, "clang-tidy")),
    ("%data", os.path.join(config.graphc_source_dir, "test", "Data")),
]

# PP-OCR's network is fetched by tools/fetch-model, not kept in the tree.
models = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "graphc", "models")
textDirection = os.path.join(models, "ch_ppocr_mobile_v2.0_cls_infer.onnx")
if os.path.exists(textDirection):
    config.available_features.add("text-direction")
    config.substitutions.append(("%text_direction_model", textDirection))

# What tools/install-deps --peers installs, beside which graphc-bench measures.
peerModules = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "graphc", "peers")
debianPython = "/usr/bin/python3"
hasPeers = os.path.exists(os.path.join(peerModules, "node_modules", "onnxruntime-node")) and shutil.which("node")
if hasPeers and os.path.exists(debianPython):
    check = subprocess.run([debianPython, "-c", "import numpy, torch"], capture_output=True)
    hasPeers = check.returncode == 0
if hasPeers:
    config.available_features.add("bench-peers")
    config.substitutions.append(("%peer_modules", peerModules))
else:
    lit_config.note("Bench/peers.test is skipped: tools/install-deps --peers has not been run here")

# A test starts with an empty cache of compiled code of its own.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
if platform.machine() == "x86_64":
    config.available_features.add("x86-64")
if shutil.which("g++"):
    config.available_features.add("g++")
if config.sanitizers:
    config.available_features.add("sanitized")
if config.in_program == "graphc_in_program":
    config.available_features.add("in-program")  # the command has libgraphc inside
