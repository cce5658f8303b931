#!/usr/bin/env python3
"""Prints functions.txt: what NumPy and PyTorch give for functions that no golden vectors have.

A line is NAME, then the numbers of the result, row-major. Operands are x[i] = sin(1 + i), in the shapes of
FunctionsTest.cpp.
"""
import numpy as np
import torch

torch.set_default_dtype(torch.float64)


def wave(*shape, start=1):
    return np.sin(start + np.arange(np.prod(shape))).reshape(shape)


def show(name, values):
    print(" ".join([name] + [repr(float(v)) for v in np.asarray(values).flatten()]))


print(f"# Made by make_functions.py with NumPy {np.__version__} and PyTorch {torch.__version__.split('+')[0]}")
for k in range(-1, 4):
    show(f"rot90_{k}", np.rot90(wave(2, 3), k))
show("rot90_axes", np.rot90(wave(2, 3, 2), 1, (2, 0)))
show("roll_axes", np.roll(wave(3, 4), (1, -2), (0, 1)))
show("diagonal_batch", np.diagonal(wave(2, 3, 4), 1, 2, 0))
show("trace_batch", np.trace(wave(3, 4, 2), -1))
show("diff_bool", np.diff(wave(7) > 0))
show("ptp_all", np.ptp(wave(3, 4)))
show("count_nonzero", np.count_nonzero(np.floor(wave(3, 4) + 0.5), axis=1))
show("argwhere", np.argwhere(wave(3, 4) > 0))
show("lstsq", np.linalg.lstsq(wave(4, 2), wave(4, start=9), rcond=None)[0])
show("lstsq_columns", np.linalg.lstsq(wave(2, 3), wave(2, 2, start=9), rcond=None)[0])
show("kron_ranks", np.kron(wave(3), wave(2, 2)))
show("tile_more", np.tile(wave(2, 2), (2, 1, 3)))
show("repeat_middle", np.repeat(wave(2, 3, 2), [2, 0, 1], axis=1))
a, b = np.meshgrid(wave(2), wave(3))
show("meshgrid_xy", np.stack([a, b]))

t = torch.tensor
x = t(wave(2, 4, 3))
gain, shift = t(wave(4, start=30)), t(wave(4, start=50))
show("instance_norm", torch.nn.functional.instance_norm(x, weight=gain, bias=shift))
mean, variance = torch.zeros(4), torch.zeros(4)
torch.nn.functional.batch_norm(x, mean, variance, training=True, momentum=1.0)
show("batch_variance", variance)

def normalized(x, gain, shift, axis):
    mean, var = x.mean(axis, keepdims=True), x.var(axis, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5) * np.expand_dims(gain, axis) + np.expand_dims(shift, axis)


show("batch_activations", normalized(wave(2, 4, 3), wave(4, 3, start=30), wave(4, 3, start=50), 0))
show("batch_rows", normalized(wave(2, 4, 3), wave(2, 3, start=30), wave(2, 3, start=50), 1))
show("batch_rows_variance", wave(2, 4, 3).var(1, ddof=1))
show("l1_loss", torch.nn.functional.l1_loss(t(wave(3, 4)), t(wave(3, 4, start=5))))
show("hinge", np.maximum(0, 1 - wave(6) * np.sign(wave(6, start=3))))
cell = torch.nn.GRUCell(3, 2)
with torch.no_grad():
    cell.weight_ih.copy_(t(wave(6, 3)))
    cell.weight_hh.copy_(t(wave(6, 2, start=20)))
    cell.bias_ih.copy_(t(wave(6, start=40)))
    cell.bias_hh.zero_()
    show("gru", cell(t(wave(5, 3, start=60)), t(wave(5, 2, start=80))))
q, k, v = t(wave(2, 3, 4)), t(wave(2, 5, 4, start=9)), t(wave(2, 5, 2, start=17))
show("attention_batch", torch.softmax(q @ k.transpose(1, 2) / 2, -1) @ v)
