"""Compares docs/Catalogue.md, rows.txt and the public functions: catalogue.py SOURCE_FOLDER

Each op that a row of the catalogue names is in a row of rows.txt, which says its public functions, or in
exclusions.txt, which says why not; and the public headers declare the functions. Each of these has the name of an
op, all of which the unit tests go through, or is used by one of them.
"""

import re
import sys
from pathlib import Path

root, here = Path(sys.argv[1]), Path(__file__).parent
headers = "\n".join(path.read_text() for path in sorted((root / "include" / "graphc").glob("*.h")))
code = re.sub(r"//.*", "", headers)
declared = set(re.findall(r"\b(\w+)\s*\(", code))  # functions, and arguments of macros behind them
declared |= set(re.findall(r"\b(?:GRAPHC_\w+|ONE|TWO|THREE|FOUR)\((\w+)", code))
declared |= set(re.findall(r"\bclass (\w+)", code)) | set(re.findall(r"\b(\w+) = ", code))


def used(text):
    """Names that a test calls, or has in a table of functions: no words of comments and strings, no fields, and
    none that the test declares itself (`block`, `size`, `indices` are variables' names, too)."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*', "", text)
    own = set(re.findall(r"\b(?!return\b)\w[\w>]*[&*]?\s+[&*]{0,2}(\w+)\b", text))
    own |= set(re.findall(r"[>&*]\s*(\w+)(?=\s*[=;,){:(])", text))
    return set(re.findall(r"\w+", re.sub(r"(?:\.|->)\w+\b(?!\()", "", text))) - own


tested = set().union(*(used(path.read_text()) for path in sorted((root / "unittests").rglob("*.cpp"))))
ops = set(re.findall(r"^### (\w+)", (root / "docs" / "Ops.md").read_text(), re.M))


def opsOf(text):
    """The ops that a first column names: "sort(axis), argsort(stable)" are two."""
    return set(re.findall(r"[\w{},-]*\w", re.sub(r"\([^()]*\)", " ", text).replace(", ", " ")))


def rowsOf(name):
    """Lines "OPS: WHAT", with their numbers."""
    for number, line in enumerate((here / name).read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            yield number, *line.rsplit(": ", 1)


# A row that waits; this goes down only.
MOST_WAITING = 0
waiting, wrong, rows, known = 0, [], 0, set()
for number, row, functions in rowsOf("rows.txt"):
    rows += 1
    known |= opsOf(row)
    if functions.startswith("- "):
        waiting += 1
        continue
    missing = [name for name in functions.split() if name not in declared]
    wrong += [f"rows.txt:{number}: {row}: no public function {name}" for name in missing]
    untested = [name for name in functions.split() if name not in tested | ops]
    wrong += [
        f"rows.txt:{number}: {row}: no unit test uses {name} (of an op: run OpsTests with GRAPHC_UPDATE_DOCS=1)"
        for name in untested
    ]
if waiting > MOST_WAITING:
    wrong.append(f"{waiting} rows wait: {MOST_WAITING} may")

catalogued, named = 0, set()
for number, line in enumerate((root / "docs" / "Catalogue.md").read_text().splitlines(), 1):
    first = line.split("|")[1].strip() if line.startswith("| ") else ""
    if not first or first == "op" or first == "---":
        continue
    catalogued += 1
    named |= opsOf(first)
    excluded = {word for _, word, why in rowsOf("exclusions.txt") if len(why) > 10}
    for op in sorted(opsOf(first) - known - excluded):
        wrong.append(f"docs/Catalogue.md:{number}: {op} is in no row of rows.txt")
for number, word, _ in rowsOf("exclusions.txt"):
    if word in known or word not in named:
        wrong.append(f"exclusions.txt:{number}: {word}: take it off the list")
if min(rows, catalogued) < 150:
    wrong.append(f"{rows} rows, {catalogued} of the catalogue: there are 150 and more")
print("\n".join(wrong) or f"{catalogued} rows of the catalogue, {rows} of rows.txt")
sys.exit(bool(wrong))
