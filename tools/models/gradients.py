"""The derivatives of a network, along one direction in the space of all its weights, beside differences."""

import tempfile
from pathlib import Path

import numpy

from modelfile import float_weights, moved, with_loss
from runners import Failure
from values import uniform

LOSS = "loss-of-all-outputs"
# Of the loss: in float16, derivatives by one pixel are normal numbers then, and sums of a million of them finite.
SCALE = 2.0**-10
# Of the outputs. Their rounding to float32 is some thousandths of a change by a ten-thousandth; changes by more show
# what the function bends, relu's kinks among it, and which size is good depends on the network.
CHANGES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5)
# Where graphc rounds to float16 after each layer, its derivatives are off by as much as its outputs are (networks.py:
# 8 half units, 4e-3), which is less.
ALLOWED = 1e-2


def compare(name, path, case, graphc, other):
    """A line about the network; Failure where the two differ."""
    data = Path(path).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "network.onnx")

        def outputs(bytes_of_model):
            model.write_bytes(bytes_of_model)
            return other.run(model, case).outputs

        before = {k: v for k, v in outputs(data).items() if v.dtype == "float32"}
        weights = {k: SCALE * uniform(0.5, 1.5)(*v.shape) for k, v in before.items()}
        loss = lambda results: sum(float((results[k].astype("float64") * w).sum()) for k, w in weights.items())
        scale = loss({k: numpy.abs(v) for k, v in before.items()})
        model.write_bytes(with_loss(data, weights, LOSS))
        run = graphc.run(model, case, calls=3, options=[f"--grad={LOSS}:all"])
        forward = graphc.run(model, case, calls=3)
        places = float_weights(data)
        begin, end = f"(d{LOSS}/d", ")"
        gradients = {k[len(begin) : -len(end)]: v for k, v in run.outputs.items() if k.startswith(begin)}
        gradients = {k: g.astype("float64") for k, g in gradients.items() if k in places and not k.startswith(LOSS)}
        if not gradients:
            raise Failure("none of its weights has a derivative")
        direction, slope = {}, 0.0
        for k, gradient in gradients.items():
            size = (places[k].numbers(data).astype("float64") ** 2).mean() ** 0.5
            steepness = (gradient**2).mean() ** 0.5
            if not numpy.isfinite(steepness):
                raise Failure(f"the derivative with respect to {k} is not finite")
            if steepness == 0:
                continue
            # Up everywhere, so that nothing cancels, by different amounts.
            direction[k] = gradient * uniform(0.5, 1.5)(*gradient.shape) * (max(size, 1e-3) / steepness)
            slope += float((gradient * direction[k]).sum())
        errors = []
        for change in CHANGES:
            step = change * scale / slope
            difference = predicted = 0.0
            for sign in (1, -1):
                model_bytes, moves = moved(data, places, {k: sign * step * d for k, d in direction.items()})
                difference += sign * loss(outputs(model_bytes))
                predicted += sign * sum(float((gradients[k].ravel() * move).sum()) for k, move in moves.items())
            errors.append(abs(difference - predicted) / abs(predicted))
        if not min(errors) <= ALLOWED:
            raise Failure(
                f"the slope is {slope:.6g}, from which differences are off by {min(errors):.1e} of it at best"
            )
        matter, ratio = f"{len(direction)} of {len(gradients)} weights matter", run.call / forward.call
        return f"{name}: {matter}; off by {min(errors):.1e}; {ratio:.1f} times a call"
