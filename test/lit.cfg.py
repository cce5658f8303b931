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
for tool in ["graphc-text-direction", "graphc-bench", "graphc-ocr", "graphc-opt", "graphc"]:
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

# Trained networks are fetched by tools/fetch-model, not kept in the tree.
cacheHome = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
models = os.path.join(cacheHome, "graphc", "models")
textDirection = os.path.join(models, "ch_ppocr_mobile_v2.0_cls_infer.onnx")
config.substitutions.append(("%cache_home", cacheHome))
if os.path.exists(textDirection):
    config.available_features.add("text-direction")
    config.substitutions.append(("%text_direction_model", textDirection))
ocrFiles = ("ch_PP-OCRv4_det_infer.onnx", "ch_PP-OCRv4_rec_infer.onnx", "ppocr_keys_v1.txt")
ocr = [os.path.join(models, name) for name in ocrFiles]
if os.path.exists(textDirection) and all(map(os.path.exists, ocr)):
    config.available_features.add("ocr")
    networks = f"{ocr[0]} {textDirection} {ocr[1]}"
    config.substitutions += [("%ocr_models", f"{networks} {ocr[2]}"), ("%ocr_networks", networks)]
with open(os.path.join(config.graphc_source_dir, "tools", "models", "SHA256SUMS")) as sums:
    if all(os.path.exists(os.path.join(models, line.split()[1])) for line in sums):
        config.available_features.add("networks")

# What tools/install-deps --peers installs, beside which graphc-bench measures.
peerModules = os.path.join(cacheHome, "graphc", "peers")
debianPython = "/usr/bin/python3"
hasDebianPython = os.path.exists(debianPython)
if hasDebianPython and not subprocess.run([debianPython, "-c", "import numpy"], capture_output=True).returncode:
    config.available_features.add("numpy")
    config.substitutions.append(("%numpy_python", debianPython))
hasPeers = os.path.exists(os.path.join(peerModules, "node_modules", "onnxruntime-node")) and shutil.which("node")
if hasPeers and hasDebianPython:
    check = subprocess.run([debianPython, "-c", "import numpy, torch"], capture_output=True)
    hasPeers = check.returncode == 0
if hasPeers:
    config.available_features.add("bench-peers")
    config.substitutions.append(("%peer_modules", peerModules))
else:
    lit_config.note("Bench/peers.test is skipped: tools/install-deps --peers has not been run here")

# A test starts with an empty cache of compiled code of its own.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
# The models that EvalTests has left, for test/export_models.py.
if "GRAPHC_TEST_MODELS_FROM" in os.environ:
    config.environment["GRAPHC_TEST_MODELS_FROM"] = os.environ["GRAPHC_TEST_MODELS_FROM"]
if platform.machine() == "x86_64":
    config.available_features.add("x86-64")
if shutil.which("g++"):
    config.available_features.add("g++")
# A file system of one's own takes a namespace, which some machines refuse.
if shutil.which("unshare") and not subprocess.run(
    ["unshare", "--map-root-user", "--mount", "true"], capture_output=True
).returncode:
    config.available_features.add("mount-namespace")
if config.sanitizers:
    config.available_features.add("sanitized")
if config.in_program == "graphc_in_program":
    config.available_features.add("in-program")  # the command has libgraphc inside
