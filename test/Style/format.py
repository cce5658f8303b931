"""Checks that clang-format would change nothing: format.py SOURCE_FOLDER CLANG_FORMAT [--fix]"""

import subprocess
import sys
from pathlib import Path

root, clangFormat = Path(sys.argv[1]), sys.argv[2]
files = [
    str(path.relative_to(root))
    for folder in ("include", "lib", "tools", "unittests", "test")
    for path in sorted((root / folder).rglob("*"))
    if path.suffix in (".h", ".cpp", ".c", ".inc")
]
mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror"]
sys.exit(subprocess.run([clangFormat, *mode, *files], cwd=root).returncode)
