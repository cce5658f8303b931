"""Compares probabilities with onnxruntime's: compare.py GOLDEN.json OUTPUT

The network's sums have at most a few thousand terms; two orders of summing them in float32 differ by far less than the
1e-4 that is allowed here, and a mistake in preprocessing or in a layer by more.
"""

import json
import re
import sys
from pathlib import Path

golden = json.loads(Path(sys.argv[1]).read_text())
lines = Path(sys.argv[2]).read_text().splitlines()
assert len(lines) == len(golden["pictures"]), lines
for line in lines:
    path, degrees, probability = re.fullmatch(r"(.*): (\d+) degrees, probability ([\d.]+)", line).groups()
    expected = golden["pictures"][Path(path).name]["probabilities"][golden["classes"].index(degrees)]
    assert abs(float(probability) - expected) <= 1e-4, f"{line}: onnxruntime says {expected}"
