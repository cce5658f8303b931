"""Runs the fenced blocks of a document: run_docs.py SOURCE DOCUMENT --build DIR --cxx CXX --llvm BIN --scratch DIR

docs/Testing.md says what each kind of block means. The blocks of one document run in order in one scratch folder, which
shows the tree's folders by links, with the build's programs in front on the PATH and an empty cache.
"""

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# What a program that includes graphc.h needs of Abseil; CMake users get it from the package file.
abseil = ["status", "statusor", "strings", "cord", "throw_delegate", "raw_logging_internal", "bad_variant_access"]


@dataclass
class Block:
    language: str
    words: list
    text: str
    line: int

    def option(self, name):
        return next((word.split("=", 1)[1] for word in self.words if word.startswith(name + "=")), None)


def blocks(text):
    result, fence = [], None
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"^( *)(`{3,})\s*(.*)$", line)
        if fence is None and match:
            words = match.group(3).split()
            fence = match.group(2)
            indent = len(match.group(1))
            block = Block(words[0] if words else "", words[1:], "", number)
        elif fence is not None and match and match.group(2) == fence and not match.group(3):
            result.append(block)
            fence = None
        elif fence is not None:
            block.text += line[indent:] + "\n"
    if fence is not None:
        sys.exit(f"line {block.line}: the block does not end")
    return result


def matches(expected, actual):
    """Whether the lines agree; a line "..." stands for any lines, "…" for any text within a line."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.split("…")) + "\n"
    return re.fullmatch(pattern, actual if actual.endswith("\n") or not actual else actual + "\n") is not None


class Runner:
    def __init__(self, options):
        self.options = options
        self.source = Path(options.source).resolve()
        self.build = Path(options.build).resolve()
        self.scratch = Path(options.scratch)
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        for name in ("include", "lib", "tools", "test", "unittests", "docs"):
            (self.scratch / name).symlink_to(self.source / name)
        self.environment = dict(
            os.environ,
            PATH=f"{self.build / 'bin'}:{os.environ['PATH']}:{options.llvm}",
            XDG_CACHE_HOME=str(self.scratch.resolve() / "cache"))
        self.failed = False

    def shell(self, script):
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], cwd=self.scratch, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")

    def fail(self, block, what):
        self.failed = True
        print(f"{self.options.document}:{block.line}: {what}")

    def run(self, block, following):
        if "elsewhere" in block.words:
            return
        file = block.option("file")
        if file:
            (self.scratch / file).parent.mkdir(parents=True, exist_ok=True)
            (self.scratch / file).write_text(block.text)
        method = getattr(self, "run_" + block.language, None)
        if method:
            method(block, following)

    def run_bash(self, block, following):
        process = self.shell(block.text)
        if process.returncode:
            self.fail(block, f"status {process.returncode}:\n{process.stdout}")

    def run_console(self, block, following):
        steps = re.split(r"^\$ ", block.text, flags=re.M)
        if steps[0].strip():
            self.fail(block, "output before the first command")
        for step in steps[1:]:
            lines = step.splitlines(keepends=True)
            end = 1
            while lines[end - 1].rstrip().endswith("\\") and end < len(lines):
                end += 1
            command, expected = "".join(lines[:end]), "".join(lines[end:])
            status = 0
            match = re.search(r"^\[status (\d+)\]\n?\Z", expected, re.M)
            if match:
                status, expected = int(match.group(1)), expected[: match.start()]
            process = self.shell(command)
            if process.returncode != status:
                self.fail(block, f"$ {command}status {process.returncode} instead of {status}:\n{process.stdout}")
            elif not matches(expected, process.stdout):
                self.difference(block, command, expected, process.stdout)

    def difference(self, block, command, expected, actual):
        lines = difflib.unified_diff(
            expected.splitlines(), actual.splitlines(), "in the document", "printed", lineterm="")
        self.fail(block, f"$ {command}" + "\n".join(lines))

    def run_mlir(self, block, following):
        file = self.scratch / f"block-{block.line}.mlir"
        file.write_text(block.text)
        process = self.shell(f"graphc-opt {file.name} -o /dev/null")
        if process.returncode:
            self.fail(block, f"graphc-opt refuses it:\n{process.stdout}")

    def run_cpp(self, block, following):
        text = block.text
        if "fragment" in block.words:
            text = "void fragment() {\n" + text + "}\n"
        if "#include <graphc/graphc.h>" not in text:
            text = "#include <graphc/graphc.h>\nusing namespace graphc;\n" + text
        file = self.scratch / (block.option("file") or f"block-{block.line}.cpp")
        file.write_text(text)
        flags = ["-std=c++20", "-fPIC", "-Iinclude", "-Ilib"]
        if self.options.sanitizers:
            flags.append(f"-fsanitize={self.options.sanitizers}")
        if "compiler" in block.words:
            flags += ["-isystem", str(Path(self.options.llvm).parent / "include"), "-fno-exceptions"]
        program = re.search(r"^int main\(", text, re.M)
        if program:
            library = str(self.build / "lib")
            flags += ["-o", file.stem, f"-L{library}", f"-Wl,-rpath,{library}", "-lgraphc"]
            flags += [f"-labsl_{name}" for name in abseil]
        else:
            flags += ["-fsyntax-only"]
        process = self.shell(" ".join([self.options.cxx, file.name, *flags]))
        if process.returncode:
            self.fail(block, f"does not compile:\n{process.stdout}")
        elif program:
            process = self.shell(f"./{file.stem}")
            if process.returncode:
                self.fail(block, f"status {process.returncode}:\n{process.stdout}")
            elif following and following.language == "text" and "output" in following.words:
                if not matches(following.text, process.stdout):
                    self.difference(block, "the program\n", following.text, process.stdout)


parser = argparse.ArgumentParser()
parser.add_argument("source")
parser.add_argument("document")
for name in ("build", "cxx", "llvm", "scratch", "sanitizers"):
    parser.add_argument("--" + name)
runner = Runner(parser.parse_args())
document = blocks((runner.source / runner.options.document).read_text())
for block, following in zip(document, document[1:] + [None]):
    runner.run(block, following)
sys.exit(1 if runner.failed else 0)
