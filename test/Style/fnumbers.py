"""Compares the F-numbers of docs/Semantics.md with the tests that name them: fnumbers.py SOURCE_FOLDER [--shrink]

A test shows F-nnn by naming it. A number that no test names must stand in test/open-f-numbers.txt, one that a test
names must not: so the list can only shrink. --shrink takes out of it what a test names.
"""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
number = re.compile(r"\bF-(\d{3})\b")
semantics = (root / "docs" / "Semantics.md").read_text()
required = set(re.findall(r"^- \*\*F-(\d{3})\*\*", semantics, re.M))
openList = root / "test" / "open-f-numbers.txt"
listed = set(number.findall(openList.read_text()))

named = {}
for folder in ("unittests", "test"):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix in (".cpp", ".h", ".mlir", ".test", ".c") and path.is_file():
            for found in number.findall(path.read_text()):
                named.setdefault(found, path.relative_to(root))

if "--shrink" in sys.argv:
    lines = openList.read_text().splitlines(keepends=True)
    openList.write_text("".join(line for line in lines if not set(number.findall(line)) & set(named)))
    sys.exit(0)

document = "docs/Semantics.md has no such number"
mistakes = [f"F-{n}: no test names it, and the list does not have it" for n in sorted(required - set(named) - listed)]
mistakes += [f"F-{n}: {named[n]} names it: take it out of {openList}" for n in sorted(listed & set(named))]
mistakes += [f"F-{n}: {named[n]} names it, but {document}" for n in sorted(set(named) - required)]
mistakes += [f"F-{n}: listed as open, but {document}" for n in sorted(listed - required)]
print("\n".join(mistakes) or f"{len(required & set(named))} of {len(required)} requirements are named by a test")
sys.exit(1 if mistakes else 0)
