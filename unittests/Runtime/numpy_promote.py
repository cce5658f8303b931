"""Writes numpy_promote.txt, read by DTypeTest.cpp: np.result_type of arrays of all pairs, and of
random lists in random orders (F-004, F-006)."""
import itertools
import random

import numpy as np

names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64"]


def result(dtypes):
    return np.result_type(*[np.empty(1, t) for t in dtypes]).name


def f006(dtypes):
    """NumPy over all operands at once, checked to be the same in every order."""
    answers = {result(order) for order in itertools.permutations(dtypes)}
    assert len(answers) == 1, (dtypes, answers)
    return answers.pop()


random.seed(6)
with open(__file__.replace(".py", ".txt"), "w") as out:
    for pair in itertools.product(names, names):
        out.write(" ".join(pair) + " " + result(pair) + "\n")
    for _ in range(600):
        dtypes = random.choices(names, k=random.randint(3, 5))
        out.write(" ".join(dtypes) + " " + f006(dtypes) + "\n")
