#!/usr/bin/env python3
"""Trains a small network on pictures of digits with PyTorch, and writes it to digits.onnx, and with its loss to digits_loss.onnx.

The pictures are those of docs/Training.md: a digit of 5 x 7 dots, twice as large, somewhere in 16 x 16, with noise. Batches may have any size.
"""
import torch
from torch import nn

GLYPHS = [
    "01110 10001 10011 10101 11001 10001 01110", "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00110 01000 10000 11111", "11110 00001 00001 01110 00001 00001 11110",
    "00010 00110 01010 10010 11111 00010 00010", "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110", "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110", "01110 10001 10001 01111 00001 00010 01100",
]
DOTS = torch.tensor([[[float(c) for c in row] for row in glyph.split()] for glyph in GLYPHS])
LARGE = DOTS.repeat_interleave(2, 1).repeat_interleave(2, 2)


def pictures(count):
    labels = torch.randint(0, 10, (count,))
    x = 0.25 * torch.randn(count, 1, 16, 16)
    for i, label in enumerate(labels):
        top, left = int(torch.randint(0, 3, ())), int(torch.randint(0, 7, ()))
        x[i, 0, top:top + 14, left:left + 10] += LARGE[label]
    return x, labels


torch.manual_seed(1)
network = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 10))
optimizer = torch.optim.Adam(network.parameters(), lr=0.003)
for step in range(600):
    x, labels = pictures(64)
    optimizer.zero_grad()
    nn.functional.cross_entropy(network(x), labels).backward()
    optimizer.step()
with torch.no_grad():
    x, labels = pictures(2000)
    print("upright:", float((network(x).argmax(1) == labels).double().mean()))
    print("mirrored:", float((network(x.flip(3)).argmax(1) == labels).double().mean()))
torch.onnx.export(network, pictures(1)[0], "digits.onnx", input_names=["x"], output_names=["scores"], opset_version=13,
                  dynamic_axes={"x": {0: "n"}, "scores": {0: "n"}})


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.network = network

    def forward(self, x, labels):
        return nn.functional.cross_entropy(self.network(x), labels)


torch.onnx.export(Loss(), pictures(1), "digits_loss.onnx", input_names=["x", "labels"], output_names=["loss"], opset_version=13,
                  dynamic_axes={"x": {0: "n"}, "labels": {0: "n"}})
