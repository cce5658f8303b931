"""Checks that tests show every message: messages.py SOURCE_FOLDER

The literal pieces of each error must stand in a test or in a page of docs, which are tests, too. An error is a call in
which an ErrorKind stands, or of one of MAKERS; what is Internal or out of memory is left out, and so are matchers of a
part (HasSubstr). messages.txt lists what no test can provoke, with reasons; it may list nothing that one shows.
That a test compares the whole message is seen to by who writes it: unittests/Messages.h.
"""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
# Functions that make errors of a kind that they know.
MAKERS = ("argumentError", "emitError", "emitOpError", "error", "fail", "malformed", "mistake", "nodeError",
          "notSupported", "problem", "refuse", "requireEqual", "stageError", "systemError")
SITE = re.compile(rf"\bErrorKind::(?!Internal|OutOfMemory)[A-Z]\w+\s*[,:)]|\b(?:{'|'.join(MAKERS)})\s*\(")
# graphc-bench's errors say that graphc computes or prints something wrong.
SOURCES = ("include", "lib", "tools/graphc", "tools/graphc-opt", "tools/ocr", "tools/pictures", "tools/text-direction")


def code(text):
    """Without comments, adjacent literals joined."""
    text = re.sub(rf"{LITERAL}|//[^\n]*", lambda m: m.group(0) if m.group(0)[0] == '"' else "", text)
    return re.sub(r'(?<!\\)"\s*\n\s*"', "", text)


def unescaped(text):
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def rest(text, begin):
    """From `begin`, inside a call, to the parenthesis that closes it."""
    depth = 1
    for token in re.finditer(rf"{LITERAL}|'(?:[^'\\]|\\.)'|[();]", text[begin : begin + 4000]):
        depth += {"(": 1, ")": -1}.get(token.group(0), 0)
        if depth == 0 or token.group(0) == ";":
            return text[begin : begin + token.start()]
    return ""


def pieces(call):
    for literal in re.findall(LITERAL, call):
        for piece in re.split(r"\{\w*\}|%[-0-9.l]*[sdigxzuc]|\n", unescaped(literal)):
            if len(re.findall(r"[A-Za-z]", piece)) >= 4:
                yield piece.strip(" ,;:.'\"()")


def files(folder, suffixes):
    return (path for path in sorted((root / folder).rglob("*")) if path.suffix in suffixes)


shown = ""
for folder in ("unittests", "test", "docs"):
    for path in files(folder, {".cpp", ".h", ".c", ".test", ".mlir", ".py", ".md"}):
        if path.name in ("messages.py", "Semantics.md"):
            continue
        text = path.read_text(errors="replace")
        if path.suffix in (".cpp", ".h"):
            text = code(re.sub(rf"\b(?:HasSubstr|StartsWith|find)\(\s*{LITERAL}(?:\s*{LITERAL})*", "", text))
        shown += unescaped(text) + "\n"

listed = set()
for line in (Path(__file__).parent / "messages.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        listed.add(tuple(line.split(": ", 1)))
missing, sites = set(), 0
for folder in SOURCES:
    for path in files(folder, {".cpp", ".h"}):
        text = code(path.read_text())
        for site in SITE.finditer(text):
            found = set(pieces(rest(text, site.end())))
            sites += bool(found)
            missing |= {(str(path.relative_to(root)), piece) for piece in found if piece not in shown}

# A test that is deleted does not put its messages here: this goes down only.
MOST_UNSHOWN = 12
mistakes = [f"{name}: no test shows {piece!r}" for name, piece in sorted(missing - listed)]
mistakes += [f"{name}: {piece!r} is shown or gone: take it out of test/Style/messages.txt"
             for name, piece in sorted(listed - missing)]
if len(listed) != MOST_UNSHOWN:
    way = "show them again" if len(listed) > MOST_UNSHOWN else f"lower MOST_UNSHOWN to {len(listed)}"
    mistakes.append(f"messages.txt lists {len(listed)} pieces, and MOST_UNSHOWN is {MOST_UNSHOWN}: {way}")
print("\n".join(mistakes) or f"{sites} calls that make errors, {len(listed)} pieces that no test shows")
sys.exit(1 if mistakes else 0)
