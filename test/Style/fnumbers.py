"""Compares the F-numbers of docs/Semantics.md with the tests that show them: fnumbers.py SOURCE_FOLDER [--shrink]

A unit test shows F-nnn by naming it in the comment directly above its TEST or on that line, a lit test by naming it
anywhere; "F-102 to F-105" is all four. Other mentions count for nothing. A number that no test shows must stand in
test/open-f-numbers.txt, one that a test shows must not: so the list can only shrink. --shrink takes out of it what a
test shows.
"""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
semantics = (root / "docs" / "Semantics.md").read_text()
required = set(re.findall(r"^- \*\*F-(\d{3})\*\*", semantics, re.M))
openList = root / "test" / "open-f-numbers.txt"
comment = re.compile(r"^\s*//+")


def numbersIn(text):
    found = set()
    for first, last in re.findall(r"\bF-(\d{3})\b(?:\s+to\s+F-(\d{3})\b)?", text):
        found |= {f"{n:03}" for n in range(int(first), int(last or first) + 1)}
    return found


def shownBy(path):
    """What a unit test's comments and lines claim."""
    claims, above = [], []
    for line in path.read_text().splitlines():
        if comment.match(line):
            above.append(comment.sub("", line))
            continue
        if line.startswith("TEST"):
            claims += above + [line]
        above = []
    return numbersIn(" ".join(claims))


# A test that is deleted does not make its number an open one again: this goes down only.
MOST_OPEN = 2
listed = numbersIn(openList.read_text())
shown = {}
for folder in ("unittests", "test"):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix == ".cpp" and folder == "unittests":
            found = shownBy(path)
        elif path.suffix in (".mlir", ".test"):
            found = numbersIn(path.read_text())
        else:
            continue
        for number in found:
            shown.setdefault(number, path.relative_to(root))

if "--shrink" in sys.argv:
    lines = openList.read_text().splitlines(keepends=True)
    openList.write_text("".join(line for line in lines if not numbersIn(line) & set(shown)))
    sys.exit(0)

document = "docs/Semantics.md has no such number"
mistakes = [f"F-{n}: no test shows it, and the list does not have it" for n in sorted(required - set(shown) - listed)]
mistakes += [f"F-{n}: {shown[n]} shows it: take it out of {openList}" for n in sorted(listed & set(shown))]
mistakes += [f"F-{n}: {shown[n]} names it, but {document}" for n in sorted(set(shown) - required)]
mistakes += [f"F-{n}: listed as open, but {document}" for n in sorted(listed - required)]
if len(listed) != MOST_OPEN:
    way = "numbers were put back: show them again" if len(listed) > MOST_OPEN else f"lower MOST_OPEN to {len(listed)}"
    mistakes.append(f"{openList} has {len(listed)} numbers, and MOST_OPEN is {MOST_OPEN}: {way}")
print("\n".join(mistakes) or f"{len(required & set(shown))} of {len(required)} requirements are shown by a test")
sys.exit(1 if mistakes else 0)
