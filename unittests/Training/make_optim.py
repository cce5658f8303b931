#!/usr/bin/env python3
"""Prints optim.txt: where PyTorch's methods of optimization (torch.optim, in float64) take two parameters in 20 steps.

The loss is mean(tanh(x w + b)^2) + 0.1 sum((w - 0.3)^2) for x[i, j] = sin(1 + 5 i + j), 5 x 3, from
w[j, k] = cos(2 + 3 j + k) / 2, 3 x 4, and b[k] = 0.1 k. A line is NAME, then the numbers of w and of b at the end.
"""
import math
import torch

torch.set_default_dtype(torch.float64)
METHODS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    "decay": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.5, weight_decay=0.2),
    "clipped": lambda p: torch.optim.SGD(p, lr=0.3),
    "adam": lambda p: torch.optim.Adam(p, lr=0.05),
    "adam_decay": lambda p: torch.optim.Adam(p, lr=0.05, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.05, weight_decay=0.1),
}
x = torch.tensor([[math.sin(1 + 5 * i + j) for j in range(3)] for i in range(5)])
print("# Made by make_optim.py with PyTorch " + torch.__version__.split("+")[0])
for name, make in METHODS.items():
    w = torch.tensor([[math.cos(2 + 3 * j + k) / 2 for k in range(4)] for j in range(3)], requires_grad=True)
    b = torch.tensor([0.1 * k for k in range(4)], requires_grad=True)
    optimizer = make([w, b])
    for _ in range(20):
        optimizer.zero_grad()
        loss = (torch.tanh(x @ w + b) ** 2).mean() + 0.1 * ((w - 0.3) ** 2).sum()
        loss.backward()
        if name == "clipped":  # to the norm 0.1, without the 1e-6 that clip_grad_norm_ adds to the norm
            norm = math.sqrt(sum(float((p.grad ** 2).sum()) for p in (w, b)))
            for p in (w, b):
                p.grad *= min(1.0, 0.1 / norm)
        optimizer.step()
    numbers = [float(v) for p in (w, b) for v in p.detach().flatten()]
    print(" ".join([name] + [repr(v) for v in numbers]))
