"""Compares what the network gets and gives with onnxruntime's: compare.py GOLDEN.json OUTPUT

The input: both sides sum the same float32 numbers, weighted by position, in float64, of which 12 digits are printed; a
single pixel of the resized picture that is rounded to another whole number changes the sum by at least 2 / 255.

The probabilities: the network's sums have at most a few thousand terms, so that two orders of summing them in float32
differ by less than 1e-4 of their size; logits are below 20, and a change d of a logit changes a probability p by at
most p (1 - p) d. 2e-4 p (1 - p) and float32's own rounding are allowed; mistakes in a layer change half of the picture
that reads the same both ways by far more.
"""

import json
import re
import sys
from pathlib import Path

golden = json.loads(Path(sys.argv[1]).read_text())
lines = Path(sys.argv[2]).read_text().splitlines()
assert len(lines) == 2 * len(golden["pictures"]), lines
for first, second in zip(lines[::2], lines[1::2]):
    path, degrees, _ = re.fullmatch(r"(.*): (\d+) degrees, probability ([\d.]+)", first).groups()
    numbers = re.fullmatch(r"  input sum (\S+), probabilities (\S+) (\S+)", second).groups()
    inputSum, *probabilities = map(float, numbers)
    expected = golden["pictures"][Path(path).name]
    assert abs(inputSum - expected["inputSum"]) < 1e-3, f"{path}: the input adds up to {inputSum}, not {expected}"
    for got, p in zip(probabilities, expected["probabilities"]):
        assert abs(got - p) <= 2e-4 * p * (1 - p) + 2e-7 * p, f"{path}: {probabilities}, not {expected}"
    best = max(range(2), key=lambda i: expected["probabilities"][i])
    assert golden["classes"][best] == degrees, first
