"""Runs clang-tidy with the tree's settings: tidy.py SOURCE_FOLDER BUILD_FOLDER CLANG_TIDY CACHE_FOLDER

Over the sources of the light half, where a file takes three seconds; MLIR's headers make it ten. What was found clean
is remembered for a month in the cache folder, by the contents of the file and of all of the tree's headers that it
includes, and by the version of clang-tidy.
"""

import hashlib
import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

root, build, clangTidy = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
compilerHalf = {"Text", "Lowering", "Transforms", "JIT", "AOT", "Pipeline", "Import", "Export", "cmake"}
clean = Path(sys.argv[4])
clean.mkdir(parents=True, exist_ok=True)
for stamp in clean.iterdir():
    if stamp.stat().st_mtime < time.time() - 30 * 24 * 3600:
        stamp.unlink(missing_ok=True)
version = subprocess.run([clangTidy, "--version"], stdout=subprocess.PIPE, check=True).stdout

compiled = {entry["file"] for entry in json.loads((build / "compile_commands.json").read_text())}
sources = [
    path for path in sorted((root / "lib").rglob("*.cpp"))
    if path.relative_to(root / "lib").parts[0] not in compilerHalf and str(path) in compiled
]


def headersOf(path, seen):
    for name in re.findall(r'^\s*#\s*include\s*[<"]([^">]+)[">]', path.read_text(), re.M):
        for folder in (root / "include", root / "lib", path.parent):
            header = folder / name
            if header.is_file() and header not in seen:
                seen.add(header)
                headersOf(header, seen)
    return seen


def check(path):
    key = hashlib.sha256(version + (root / ".clang-tidy").read_bytes())
    for file in [path, *sorted(headersOf(path, set()))]:
        key.update(file.read_bytes())
    stamp = clean / key.hexdigest()
    if stamp.exists():
        stamp.touch()
        return ""
    process = subprocess.run(
        [clangTidy, "--quiet", "-p", str(build), "--warnings-as-errors=*", str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if process.returncode == 0:
        stamp.touch()
    return process.stdout if process.returncode else ""


with ThreadPoolExecutor(cpu_count()) as pool:
    found = [text for text in pool.map(check, sources) if text]
print("\n".join(found) or f"{len(sources)} files")
sys.exit(1 if found else 0)
