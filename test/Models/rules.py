"""The rules of tools/compare-models notice what they should: rules.py SOURCE_FOLDER"""

import importlib.machinery
import importlib.util
import sys

import numpy

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + "/tools/models")
loader = importlib.machinery.SourceFileLoader("compare", sys.argv[1] + "/tools/compare-models")
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
loader.exec_module(compare)
from networks import FLOAT, HALF, QUANTIZED, Difference
from runners import Failure, Run


def failure(rule, ours, theirs):
    try:
        compare.largest_difference(rule, Run(0, 0, 0, {"y": ours}), Run(0, 0, 0, {"y": theirs}))
    except Failure as problem:
        return str(problem)
    return ""


floats = numpy.linspace(-3, 4, 1000, dtype="float32")
assert failure(FLOAT, floats, floats) == ""
assert failure(FLOAT, floats + numpy.float32(3.9e-4), floats) == ""  # of 4
assert failure(FLOAT, floats + numpy.float32(5e-4), floats) == "differs by 1.3e-04, of which 1.0e-04 is allowed"
assert failure(FLOAT, numpy.where(floats > 3.99, numpy.nan, floats).astype("float32"), floats).startswith(
    "differs by nan"
)
assert failure(HALF, floats + numpy.float32(0.015), floats) == ""
assert failure(HALF, floats + numpy.float32(0.016), floats) != ""
# Half a step of 4 / 255 everywhere is allowed, and a whole one is not.
assert failure(QUANTIZED, floats + numpy.float32(0.49 * 4 / 255), floats) == ""
assert failure(QUANTIZED, floats + numpy.float32(4 / 255), floats) != ""
# A row has the largest difference, and besides what else is judged.
one = numpy.where(floats == floats[0], floats + numpy.float32(0.4), floats).astype("float32")
assert FLOAT.text(Difference.of(one, floats)) == "1.0e-01"
assert QUANTIZED.text(Difference.of(one, floats)) == "1.0e-01 (rms 3.2e-03)"
assert failure(QUANTIZED, one, floats) == "differs by 3.2e-03, of which 2.0e-03 is allowed"
assert failure(FLOAT, floats[:10], floats) == "output y is float32 (10,), not float32 (1000,)"
assert failure(FLOAT, floats.astype("float64"), floats) == "output y is float64 (1000,), not float32 (1000,)"
assert failure(FLOAT, numpy.array([1, 2]), numpy.array([1, 3])) == "integers of output y differ"
