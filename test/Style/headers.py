"""Compiles every public header alone: headers.py SOURCE_FOLDER COMPILER"""

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

root, compiler = Path(sys.argv[1]), sys.argv[2]
headers = sorted(path.name for path in (root / "include" / "graphc").glob("*.h"))


def compileAlone(header):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "alone.cpp"
        source.write_text(f"#include <graphc/{header}>\n#include <graphc/{header}>\n")
        flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", str(root / "include")]
        return header, subprocess.run([compiler, *flags, str(source)], capture_output=True, text=True)


failed = False
with ThreadPoolExecutor(cpu_count()) as pool:
    for header, result in pool.map(compileAlone, headers):
        if result.returncode:
            failed = True
            print(f"{header} does not compile alone:\n{result.stderr}")
print(f"{len(headers)} headers")
sys.exit(1 if failed or not headers else 0)
