"""Finds two things of one name, which C++ takes for the same without a word: names.py SOURCE_FOLDER

A class or struct of namespace scope, and an inline function by its name and the types of its parameters, may be defined
in one file of lib and include only, unless it stands in an anonymous namespace.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

root = Path(sys.argv[1])
notCode = re.compile(  # comments, literals, what the preprocessor reads
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'|^\s*#(?:\\\n|[^\n])*""",
    re.S | re.M)
type_ = re.compile(r"\s*(?:class|struct)\s+(\w+)\s*(?:final\s*)?(?::(?!:)[^;]*)?$", re.S)
function = re.compile(r"\binline\b[^;=(]*?\b(\w+|operator\W+)\s*\(([^{};]*)\)\s*(?:const|noexcept|\s)*$", re.S)


def definitions(text):
    """Names at namespace scope, outside anonymous namespaces, with their namespaces."""
    scopes, statement = [], ""
    for piece in re.split(r"([{}])", notCode.sub(" ", text)):
        if piece == "{":
            head = statement.rpartition(";")[2]
            space = re.search(r"\bnamespace\s*([\w:]*)\s*$", head)
            if space:
                scopes.append(space.group(1) or None)
            else:
                if all(isinstance(scope, str) and scope for scope in scopes):
                    if found := type_.match(head):
                        yield "::".join([*scopes, found.group(1)])
                    found = function.search(head)
                    if found and "template" not in head:
                        types = re.sub(r"\s*=[^,]*", "", found.group(2))
                        types = ",".join(re.sub(r"\W*\b\w+\s*$", "", one.strip()) for one in types.split(","))
                        yield "::".join([*scopes, f"{found.group(1)}({types})"])
                scopes.append(False)
            statement = ""
        elif piece == "}":
            if scopes:
                scopes.pop()
            statement = ""
        else:
            statement += piece


files = [
    path for folder in ("include", "lib") for path in sorted((root / folder).rglob("*"))
    if path.suffix in (".h", ".cpp", ".inc")
]
places = defaultdict(set)
for path in files:
    for name in definitions(path.read_text()):
        places[name].add(str(path.relative_to(root)))
mistakes = [f"{name}: in {', '.join(sorted(where))}" for name, where in sorted(places.items()) if len(where) > 1]
print("\n".join(mistakes) or f"{len(places)} names in {len(files)} files are one thing each")
sys.exit(1 if mistakes else 0)
