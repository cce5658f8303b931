#!/usr/bin/env python3
"""Prints half_steps.txt: where methods of optimization take parameters of float16 and bfloat16 in 10 steps, computed by
NumPy in float64 with the parameters rounded after each step.

The parameters begin as START, and step t has the gradients GRADIENTS, times 1 for even t and -1/4 for odd ones: all of
them numbers of both dtypes, whose squares are not. A line is METHOD_DTYPE, then the parameters and each array of the
state. No number that is rounded is so near to the middle of two neighbours that float32 arithmetic could round it
otherwise: the script makes sure.
"""
import numpy as np

START = np.array([0.5, -0.3125, 2.0, 100.0, 1.0, 0.0])
GRADIENTS = np.array([1.0, 0.0, 2.0**-13, 384.0, 2.0**-22, 3.0])


def rounded(values, before, bits, least):
    """To the nearest number of so many significant bits, the last not below `least`; even ones for ties."""
    _, exponent = np.frexp(values)
    unit = np.maximum(np.ldexp(1.0, exponent - bits), least)
    rest = values / unit - np.floor(values / unit)
    error = 4e-7 * (np.abs(values) + np.abs(before)) / unit
    assert np.all(np.abs(rest - 0.5) > error), "a tie"
    return np.round(values / unit) * unit


def sgd(rate, momentum=0.0, nesterov=False, decay=0.0, limit=0.0):
    def step(t, p, g, state):
        if limit:
            g = g * min(1.0, limit / np.sqrt(np.sum(g * g)))
        g = g + decay * p
        if momentum:
            state[0] = momentum * state[0] + g
            g = g + momentum * state[0] if nesterov else state[0]
        return p - rate * g

    return step, 1 if momentum else 0


def adam(rate, beta1=0.9, beta2=0.999, epsilon=1e-8, decay=0.0, decoupled=False, limit=0.0):
    def step(t, p, g, state):
        if limit:
            g = g * min(1.0, limit / np.sqrt(np.sum(g * g)))
        if decoupled:
            p = p - rate * decay * p
        else:
            g = g + decay * p
        state[0] = beta1 * state[0] + (1 - beta1) * g
        state[1] = beta2 * state[1] + (1 - beta2) * g * g
        mean, variance = state[0] / (1 - beta1**t), state[1] / (1 - beta2**t)
        return p - rate * mean / (np.sqrt(variance) + epsilon)

    return step, 2


METHODS = {
    "sgd": sgd(0.1),
    "momentum": sgd(0.05, momentum=0.9),
    "nesterov": sgd(0.05, momentum=0.9, nesterov=True),
    "decay": sgd(0.1, momentum=0.5, decay=0.2),
    "clipped": sgd(0.3, limit=100.0),
    "adam": adam(0.05),
    "adam_decay": adam(0.05, 0.8, 0.95, 1e-3, decay=0.1),
    "adam_clipped": adam(0.05, limit=100.0),
    "adamw": adam(0.05, decay=0.1, decoupled=True),
}
print("# Made by make_half_steps.py with NumPy " + np.__version__)
for dtype, bits, least in (("f16", 11, 2.0**-24), ("bf16", 8, 2.0**-133)):
    for name, (step, arrays) in METHODS.items():
        p, state = START, [np.zeros(START.shape) for _ in range(arrays)]
        for t in range(10):
            g = GRADIENTS * (1.0 if t % 2 == 0 else -0.25)
            p = rounded(step(t + 1, p, g, state), p, bits, least)
        print(" ".join([name + "_" + dtype] + [repr(float(v)) for v in np.concatenate([p] + state)]))
