"""Checks what style.md asks of every file: text.py SOURCE_FOLDER

No file of code over 1,000 lines, half of them at most 200; no notes about work left to do; no line over 120 characters
in code; no tabs and no blanks at a line's end; no paths of the machine on which it was written.
"""

import re
import sys
from pathlib import Path
from statistics import median

root = Path(sys.argv[1])
code = {".h", ".cpp", ".c", ".inc", ".py", ".cmake", ".sh", ".mjs"}
written = code | {".md", ".txt", ".mlir", ".test", ".cfg", ".in", ""}
# In pieces, so that this file does not find itself.
unfinished = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
machine = re.compile(r"(?<![\w.])/(work|root|home/\w+)/")
mistakes, lengths = [], {}


def files():
    for top in sorted(root.iterdir()):
        if top.name == ".git" or top.name.startswith("build") or top.name == ".cache":
            continue
        if top.is_file():
            yield top
        else:
            yield from (path for path in sorted(top.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


for path in files():
    name = str(path.relative_to(root))
    if path.suffix not in written or name.startswith("test/Data/"):
        continue
    lines = path.read_text().split("\n")
    if path.suffix in code:
        lengths[name] = len(lines)
        if len(lines) > 1000:
            mistakes.append(f"{name}: {len(lines)} lines; 1,000 at most")
    for number, line in enumerate(lines, 1):
        where = f"{name}:{number}"
        if unfinished.search(line):
            mistakes.append(f"{where}: work left to do: {line.strip()}")
        if machine.search(line):
            mistakes.append(f"{where}: a path of one machine: {line.strip()}")
        if path.suffix in code - {".h", ".cpp", ".c"} and len(line) > 120:  # clang-format sees to C++
            mistakes.append(f"{where}: {len(line)} characters; 120 at most")
        if line != line.rstrip() and path.suffix in code:
            mistakes.append(f"{where}: blanks at the end of the line")
        if "\t" in line and path.suffix in code:
            mistakes.append(f"{where}: a tab")
library = ("lib/", "include/")
cpp = [n for name, n in lengths.items() if name.endswith((".h", ".cpp")) and name.startswith(library)]
if cpp and median(cpp) > 200:
    mistakes.append(f"half of the sources have over {median(cpp):.0f} lines; 200 at most")

print("\n".join(mistakes) or f"{len(lengths)} files of code")
sys.exit(1 if mistakes else 0)
