#!/usr/bin/env python3
"""Writes complex_windows.txt: convolutions and pools of complex arrays by their definitions in NumPy, real and
imaginary parts in turns, for ComplexWindowsTest.cpp, which makes the same operands."""
import itertools

import numpy as np


def waves(shape, start):
    n = int(np.prod(shape))
    wave = lambda first: np.sin(np.arange(first, first + n) ** 2.0).reshape(shape)
    return wave(start) + 1j * wave(start + 100)


def padded(x, pads):
    return np.pad(x, [(0, 0), (0, 0)] + list(pads))


def convolution(x, kernel, stride, pads, dilation, groups, flip):
    """x (batch, channels, n...), kernel (outputs, channels / groups, k...)."""
    axes = x.ndim - 2
    x = padded(x, pads)
    if flip:
        kernel = kernel[(slice(None), slice(None)) + (slice(None, None, -1),) * axes]
    extents = [(x.shape[2 + k] - (kernel.shape[2 + k] - 1) * dilation[k] - 1) // stride[k] + 1 for k in range(axes)]
    outputs, channels = kernel.shape[:2]
    result = np.zeros((x.shape[0], outputs, *extents), complex)
    for o in range(outputs):
        group = o // (outputs // groups)
        own = x[:, group * channels:(group + 1) * channels]
        for at in itertools.product(*map(range, extents)):
            window = tuple(slice(at[k] * stride[k], at[k] * stride[k] + (kernel.shape[2 + k] - 1) * dilation[k] + 1,
                                 dilation[k]) for k in range(axes))
            result[(slice(None), o) + at] = (own[(slice(None), slice(None)) + window] * kernel[o]).reshape(
                x.shape[0], -1).sum(1)
    return result


def transposed(x, kernel, stride, groups):
    """x (batch, inputs, n...), kernel (inputs, outputs / groups, k...): each element adds a kernel."""
    axes = x.ndim - 2
    extents = [(x.shape[2 + k] - 1) * stride[k] + kernel.shape[2 + k] for k in range(axes)]
    inputs, outputs = kernel.shape[:2]
    result = np.zeros((x.shape[0], outputs * groups, *extents), complex)
    for c in range(inputs):
        first = c // (inputs // groups) * outputs
        for at in itertools.product(*map(range, x.shape[2:])):
            window = tuple(slice(at[k] * stride[k], at[k] * stride[k] + kernel.shape[2 + k]) for k in range(axes))
            own = x[(slice(None), c) + at].reshape(-1, 1, *[1] * axes)
            result[(slice(None), slice(first, first + outputs)) + window] += own * kernel[c][None]
    return result


def pool(x, window, stride, pads, mode):
    y, ones = padded(x, pads), padded(np.ones(x.shape), pads)
    extents = [(y.shape[2 + k] - window[k]) // stride[k] + 1 for k in range(2)]
    result = np.zeros(x.shape[:2] + tuple(extents), complex)
    for at in itertools.product(*map(range, extents)):
        here = (slice(None), slice(None)) + tuple(
            slice(at[k] * stride[k], at[k] * stride[k] + window[k]) for k in range(2))
        total, count = y[here].sum((2, 3)), ones[here].sum((2, 3))
        result[(slice(None), slice(None)) + at] = {"sum": total, "inc": total / (window[0] * window[1]),
                                                   "exc": total / count}[mode]
    return result


line, lines = waves((2, 3, 7), 1), waves((4, 3, 3), 60)
picture, pictures = waves((2, 4, 6, 5), 1), waves((6, 2, 3, 2), 300)
solid, solids = waves((1, 2, 4, 3, 5), 1), waves((2, 2, 2, 2, 3), 300)
small = waves((1, 4, 3, 2), 1)
up = waves((4, 3, 3, 2), 300)
results = {
    "line": convolution(line, lines, [1], [(0, 0)], [1], 1, True),
    "picture": convolution(picture, pictures, [2, 1], [(1, 0), (0, 2)], [1, 2], 2, False),
    "solid": convolution(solid, solids, [1, 1, 2], [(1, 1)] * 3, [1, 1, 1], 1, True),
    "of_real_kernel": convolution(line, lines.real, [2], [(1, 1)], [1], 1, False),
    "up": transposed(small, up, [2, 3], 2),
    "sum": pool(picture, [2, 3], [2, 2], [(0, 0), (1, 1)], "sum"),
    "inc": pool(picture, [2, 3], [2, 2], [(0, 0), (1, 1)], "inc"),
    "exc": pool(picture, [2, 3], [2, 2], [(0, 0), (1, 1)], "exc"),
}
with open("complex_windows.txt", "w") as file:
    file.write("# Made by make_complex_windows.py, NumPy %s.\n" % np.__version__)
    for name, value in results.items():
        numbers = np.ascontiguousarray(value, dtype=np.complex128).view(np.float64).ravel()
        file.write(" ".join([name] + [repr(float(x)) for x in numbers]) + "\n")
