"""Compares rows.txt, the rows of the op catalogue, with the public functions: catalogue.py SOURCE_FOLDER"""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
headers = "\n".join(path.read_text() for path in sorted((root / "include" / "graphc").glob("*.h")))
code = re.sub(r"//.*", "", headers)
declared = set(re.findall(r"\b(\w+)\s*\(", code))  # functions, and arguments of macros behind them
declared |= set(re.findall(r"\b(?:GRAPHC_\w+|ONE|TWO|THREE|FOUR)\((\w+)", code))
declared |= set(re.findall(r"\bclass (\w+)", code)) | set(re.findall(r"\b(\w+) = ", code))

# A row that waits; this goes down only.
MOST_WAITING = 0
waiting, wrong, rows = 0, [], 0
for number, line in enumerate((Path(__file__).parent / "rows.txt").read_text().splitlines(), 1):
    if not line or line.startswith("#"):
        continue
    rows += 1
    ops, functions = line.rsplit(": ", 1)
    if functions.startswith("- "):
        waiting += 1
        continue
    missing = [name for name in functions.split() if name not in declared]
    wrong += [f"rows.txt:{number}: {ops}: no public function {name}" for name in missing]
if waiting > MOST_WAITING:
    wrong.append(f"{waiting} rows wait: {MOST_WAITING} may")
if rows < 150:
    wrong.append(f"{rows} rows of the catalogue: there are 150 and more")
print("\n".join(wrong))
sys.exit(bool(wrong))
