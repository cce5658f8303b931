"""The networks that tools/compare-models compares, and what they are run on.

The first case of inputs is the one that is measured; the others show that what was compiled once serves other shapes,
too.
"""

from dataclasses import dataclass

import numpy

from values import numbers, page, scene, sound, uniform


@dataclass(frozen=True)
class Difference:
    """How far outputs are apart, relative to the largest number of onnxruntime's."""

    most: float
    rms: float

    @staticmethod
    def of(ours, theirs):
        apart = numpy.abs(ours.astype("float64") - theirs.astype("float64"))
        size = float(numpy.max(numpy.abs(theirs), initial=0)) or 1.0
        return Difference(float(apart.max(initial=0)) / size, float((apart**2).mean() ** 0.5) / size)

    def joined(self, other):
        return Difference(max(self.most, other.most), max(self.rms, other.rms))


@dataclass(frozen=True)
class Rule:
    """How far they may be apart: in the root mean square, or at most."""

    what: str
    limit: float

    def judged(self, difference):
        return difference.rms if self.what == "rms" else difference.most

    def text(self, difference):
        return f"{difference.most:.1e}" + (f" (rms {difference.rms:.1e})" if self.what == "rms" else "")


# The same sums of float32 in another order.
FLOAT = Rule("max", 1e-4)
# graphc rounds to float16 after each of 110 layers, where onnxruntime computes in float32: eight times half a unit.
HALF = Rule("max", 8 * 2**-11)
# Where sums of floats differ in their last bit, a number is now and then rounded to the next of 256 steps, and layers
# behind see that: in the end all numbers may be off by some part of a step, 1/255 of the largest. Half a step is
# allowed, in the root mean square.
QUANTIZED = Rule("rms", 0.5 / 255)


@dataclass
class Network:
    name: str  # tools/fetch-model's
    what: str
    cases: list
    rule: Rule = FLOAT
    differentiable: bool = True


PICTURE = uniform(-1, 1)
RATE = {rate: numbers("int64", rate) for rate in (8000, 16000)}
VAD_5 = [
    {"input": sound(batch, samples), "state": uniform(-0.5, 0.5)(2, batch, 128), "sr": RATE[rate]}
    for batch, samples, rate in [(1, 576, 16000), (3, 288, 16000), (1, 288, 8000)]
]
VAD_4 = [
    {"input": sound(batch, samples), "sr": RATE[rate]} | {state: uniform(-0.5, 0.5)(2, batch, 64) for state in "hc"}
    for batch, samples, rate in [(1, 1536, 16000), (2, 512, 16000), (1, 768, 8000)]
]

NETWORKS = [
    Network(
        "text-direction",
        "PP-OCR: which way up a line is",
        [{"x": PICTURE(*s)} for s in [(4, 3, 48, 192), (1, 3, 48, 96)]],
    ),
    Network("text-detection", "PP-OCR v4: where text is", [{"x": page(320, 480)}, {"x": page(192, 256)}]),
    Network(
        "text-recognition",
        "PP-OCR v4: what a line says; attention",
        [{"x": PICTURE(*s)} for s in [(1, 3, 48, 320), (2, 3, 48, 200), (1, 3, 48, 640)]],
    ),
    Network("silero-vad-4", "voice or not; spectra, LSTM, `If`", VAD_4),
    Network("silero-vad-5", "the same, another network", VAD_5),
    Network("silero-vad-6", "the same, trained anew", VAD_5),
    Network(
        "melspectrogram", "openWakeWord: spectra of sound", [{"input": sound(1, 17280)}, {"input": sound(2, 1760)}]
    ),
    Network(
        "speech-embedding",
        "openWakeWord: features of spectra",
        [{"input_1": uniform(0, 4)(n, 76, 32, 1)} for n in (1, 3)],
    ),
    Network("hey-jarvis", "openWakeWord: a phrase; `If`", [{"x.1": 12 * sound(1, 1536).reshape(1, 16, 96)}]),
    Network("timer", "openWakeWord: commands", [{"onnx::Flatten_0": uniform(-8, 8)(1, 34, 96)}]),
    Network("background-f16", "IS-Net: what is in front; float16", [{"input": scene(1024)}], HALF),
    # Rounding has no derivative: its slopes are 0 almost everywhere, and differences are those of steps.
    Network("background-int8", "the same; products of 8 bits", [{"input": scene(1024)}], QUANTIZED, False),
]
