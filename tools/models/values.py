"""Fixed inputs of networks, which any language can make.

The fraction of (i + 1) times the golden ratio, i the position in row-major order, computed in float64, is spread evenly
over 0 to 1 without a pattern that layers would see.
"""

import numpy

GOLDEN = (5**0.5 - 1) / 2


def _spread(shape):
    return ((numpy.arange(1, numpy.prod(shape) + 1) * GOLDEN) % 1).reshape(shape)


def uniform(low, high):
    """float32 from low to high."""
    return lambda *shape: (low + (high - low) * _spread(shape)).astype("float32")


def sound(batch, samples):
    """float32: a tone of 220 Hz at 16,000 samples a second with its third harmonic, in noise."""
    phase = 2 * numpy.pi * 220 / 16000 * numpy.arange(samples)
    tone = 0.3 * numpy.sin(phase) + 0.1 * numpy.sin(3 * phase)
    return (tone + 0.02 * (_spread((batch, samples)) - 0.5)).astype("float32")


def numbers(dtype, values):
    return numpy.array(values, dtype)


def page(height, width):
    """float32 [1, 3, height, width] from -1 to 1: dark strokes on light paper, in which a detector sees text."""
    row, column = numpy.arange(height)[:, None], numpy.arange(width)[None, :]
    line = (row % 48 >= 12) & (row % 48 < 36) & (column >= 24) & (column < width - 24)
    stroke = (column * GOLDEN * 0.3) % 1 < 0.35
    crossbar = (row % 48 // 4) % 3 == (column // 9) % 3
    ink = line & (stroke | (crossbar & (column % 9 < 7))) & (column % 72 < 60)
    paper = 0.85 + 0.1 * (_spread((3, height, width)) - 0.5)
    return numpy.where(ink, paper - 1.5, paper)[None].astype("float32")


def scene(size):
    """float32 [1, 3, size, size] from -0.5 to 0.5: a light shaded ball in front of a dark ground."""
    row, column = (numpy.arange(size) / size - 0.5)[:, None], (numpy.arange(size) / size - 0.5)[None, :]
    height = numpy.clip(1 - (row**2 + column**2) / 0.3**2, 0, None) ** 0.5
    ground = -0.4 + 0.1 * row + 0 * column
    colours = [ground + (height > 0) * (0.35 + gain * height) for gain in (0.4, 0.3, 0.2)]
    return (numpy.stack(colours)[None] + 0.02 * (_spread((1, 3, size, size)) - 0.5)).astype("float32")
