"""Writes Expected.h: make_expected.py > Expected.h (a minute; NumPy)

What each case of graphc-bench must give, computed from its inputs as rounded to their dtype, in double precision: the
sum of the results, of their absolute values, the greatest absolute value, and the sum weighted by the stream of seed
9999, which notices exchanged elements. Inputs.h describes the streams. Derivatives are written by hand.
"""

import math
from pathlib import Path

import numpy as np

FACTOR, TERM, MASK = 6364136223846793005, 1442695040888963407, 0xFFFFFFFFFFFFFFFF


def stream(seed, count, block=4096):
    states, s = [], seed
    for _ in range(min(block, count)):
        s = (FACTOR * s + TERM) & MASK
        states.append(s)
    # block steps at once: s -> jump * s + term
    jump, term = 1, 0
    for _ in range(block):
        jump, term = jump * FACTOR & MASK, (term * FACTOR + TERM) & MASK
    rows, row = [], np.array(states, np.uint64)
    for _ in range(0, count, block):
        rows.append(row)
        row = row * np.uint64(jump) + np.uint64(term)
    return (np.concatenate(rows)[:count] >> np.uint64(40)).astype(np.float64) / 16777216


def tensor(dtype, shape, low, high, seed):
    """As rounded to the dtype ("f32", "f64", "bf16", "i64"), in double precision or int64."""
    values = (low + (high - low) * stream(seed, math.prod(shape))).reshape(shape)
    if dtype == "i64":
        return np.floor(values).astype(np.int64)
    if dtype == "f64":
        return values
    values = values.astype(np.float32)
    if dtype == "bf16":  # the upper half, rounded to nearest even; numbers of streams in [-1, 1) are exact before
        bits = values.view(np.uint32)
        values = ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)
    return values.astype(np.float64)


def f32(*arguments):
    return tensor("f32", *arguments)


def report(name, values):
    values = np.ravel(np.asarray(values, np.float64))
    weighted = math.fsum(values * stream(9999, len(values)))
    numbers = math.fsum(values), math.fsum(abs(values)), float(abs(values).max()), weighted
    print('    {"%s", %s},' % (name, ", ".join(map(repr, numbers))), flush=True)


erf = np.vectorize(math.erf)


def elementwise():
    x, y = f32((10**6, ), 0.1, 1.1, 1), f32((10**6, ), -1.0, 1.0, 2)
    report("ew10", np.exp(-np.tanh(x * y + x)**2) / np.sqrt(1 + y * y))
    t = np.maximum(x * y + x, 0.25) * 0.5 - y
    report("ew10cheap", abs(np.minimum(t * t + 1, 3) * x))


def functions():
    rows = {
        "exp": (math.exp, -10, 10), "expm1": (math.expm1, -1, 1), "log": (math.log, 0.01, 100),
        "log1p": (math.log1p, 0, 1), "sin": (math.sin, -10, 10), "cos": (math.cos, -10, 10),
        "tan": (math.tan, -1.5, 1.5), "sinh": (math.sinh, -5, 5), "cosh": (math.cosh, -5, 5),
        "tanh": (math.tanh, -3, 3), "arcsin": (math.asin, -1, 1), "arctan": (math.atan, -10, 10),
        "erf": (math.erf, -2, 2)
    }
    shape = 65536,
    for dtype in "f32", "f64":
        for name, (function, low, high) in rows.items():
            report(f"math_{name}_{dtype}", list(map(function, tensor(dtype, shape, low, high, 60))))
        x, y = tensor(dtype, shape, 0.1, 10, 60), tensor(dtype, shape, -4, 4, 61)
        report(f"math_pow_{dtype}", list(map(math.pow, x, y)))


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def layerNorm(x, g, b):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def rows():
    x = f32((4096, 1024), -4.0, 4.0, 3)
    g, b = f32((1024, ), 0.5, 1.5, 4), f32((1024, ), -0.5, 0.5, 5)
    report("softmax", softmax(x))
    report("softmax_axis0", softmax(x.reshape(256, 16384).T).T)
    report("layernorm", layerNorm(x, g, b))


def sums():
    x = stream(54, 4096 * 4096).reshape(4096, 4096)  # exact in both dtypes
    report("sum_axis0", x.sum(0))
    report("sum_axis1", x.sum(1))
    report("sum_all", math.fsum(x.ravel()))


# ProductCases.cpp has the same.
DENSE = (4, 1024, 1024), (16, 1024, 1024), (32, 1024, 1024), (64, 784, 512), (128, 512, 512)


# BoundCases.cpp has the same: m, k and n of products, by how a and b are stored.
CUBES = [(n, n, n) for n in (8, 16, 32, 64, 100, 127, 128, 384, 1000, 1536)]
OTHERS = [(17, 33, 65), (17, 65, 33), (200, 400, 300), (777, 333, 555), (1, 1024, 1024), (4, 1024, 1024),
          (8, 1024, 1024), (32, 1024, 1024), (64, 768, 3072), (128, 768, 768), (1024, 1024, 32), (1024, 32, 1024),
          (1024, 1024, 1)]
TRANSPOSED = [(17, 33, 65), (17, 65, 33), (64, 64, 64), (100, 100, 100), (256, 256, 256), (1024, 1024, 1024),
              (1, 1024, 1024)]
BATCHES = {"bound_batch_abt": [(12, 128, 64, 128), (96, 32, 64, 32)],
           "bound_batch": [(12, 128, 128, 64), (96, 64, 64, 64)]}


def boundProducts():
    a, b = lambda *shape: f32(shape, -1.0, 1.0, 6), lambda *shape: f32(shape, -1.0, 1.0, 7)  # exact in f32
    for m, k, n in CUBES + OTHERS:
        report(f"bound_{m}x{k}x{n}", a(m, k) @ b(k, n))
    for m, k, n in TRANSPOSED:
        report(f"bound_atb_{m}x{k}x{n}", a(k, m).T @ b(k, n))
        report(f"bound_abt_{m}x{k}x{n}", a(m, k) @ b(n, k).T)
    for name, shapes in BATCHES.items():
        for batch, m, k, n in shapes:
            right = b(batch, n, k).transpose(0, 2, 1) if name.endswith("abt") else b(batch, k, n)
            report(f"{name}_{batch}x{m}x{k}x{n}", a(batch, m, k) @ right)


def products():
    for dtype in "f32", "f64":
        for m, k, n in [(256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (17, 33, 65),
                        (1, 1024, 1024), (1024, 32, 1024)]:
            report(f"gemm_{dtype}_{m}x{k}x{n}",
                   tensor(dtype, (m, k), -1.0, 1.0, 6) @ tensor(dtype, (k, n), -1.0, 1.0, 7))
    for m, k, n in [(256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (32, 1024, 1024)]:
        report(f"gemm_bf16_{m}x{k}x{n}",
               tensor("bf16", (m, k), -1.0, 1.0, 6) @ tensor("bf16", (k, n), -1.0, 1.0, 7))
    for m, k, n in DENSE:
        report(f"dense_{m}x{k}x{n}", f32((m, k), -1.0, 1.0, 6) @ f32((k, n), -1.0, 1.0, 7))
    report("gemm_abt_f32_512", f32((512, 512), -1.0, 1.0, 6) @ f32((512, 512), -1.0, 1.0, 7).T)


def padded(x, padding):
    return np.pad(x, [(0, 0)] * (x.ndim - 2) + [(padding, padding)] * 2)


def windowsOf(x, window, stride):
    """[channels, y, x, y within the window, x within the window]"""
    return np.lib.stride_tricks.sliding_window_view(x, (window, window), (1, 2))[:, ::stride, ::stride]


def convolution(name, weight, channels, side, outputs, window, stride=1, padding=0, groups=1, batch=1):
    x = padded(f32((batch, groups, channels // groups, side, side), -1.0, 1.0, 40), padding)
    w = f32((groups, outputs // groups, channels // groups, window, window), -weight, weight, 41)
    b = f32((outputs, ), -0.1, 0.1, 42)
    result = [np.tensordot(w[g], windowsOf(x[n, g], window, stride), ((1, 2, 3), (0, 3, 4)))
              for n in range(batch) for g in range(groups)]
    report(name, np.maximum(np.stack(result).reshape(batch, outputs, -1) + b[:, None], 0))


def gradients(name, weight, channels, side, outputs, window, stride=1, padding=0):
    x = padded(f32((channels, side, side), -1.0, 1.0, 40), padding)
    w = f32((outputs, channels, window, window), -weight, weight, 41)
    windows = windowsOf(x, window, stride)
    g = f32((outputs, ) + windows.shape[1:3], -1.0, 1.0, 43)
    dx = np.zeros_like(x)
    for i in range(window):
        for j in range(window):
            places = [slice(k, k + stride * (n - 1) + 1, stride) for k, n in zip((i, j), g.shape[1:])]
            dx[:, places[0], places[1]] += np.tensordot(w[:, :, i, j], g, (0, 0))
    report(name + "_dx", dx[:, padding:padding + side, padding:padding + side])
    report(name + "_dw", np.tensordot(g, windows, ((1, 2), (1, 2))))


def convolutions():
    convolution("conv3x3", 0.041666666666666664, 64, 56, 64, 3, 1, 1)
    resnet = [(3, 224, 64, 7, 2, 3), (64, 56, 64, 1), (64, 56, 64, 3, 1, 1), (64, 56, 256, 1), (256, 56, 64, 1),
              (256, 56, 128, 1), (128, 56, 128, 3, 2, 1), (128, 28, 512, 1), (256, 56, 512, 1, 2), (512, 28, 128, 1),
              (128, 28, 128, 3, 1, 1), (512, 28, 256, 1), (256, 28, 256, 3, 2, 1), (256, 14, 1024, 1),
              (512, 28, 1024, 1, 2), (1024, 14, 256, 1), (256, 14, 256, 3, 1, 1), (1024, 14, 512, 1),
              (512, 14, 512, 3, 2, 1), (512, 7, 2048, 1), (1024, 14, 2048, 1, 2), (2048, 7, 512, 1),
              (512, 7, 512, 3, 1, 1)]
    mobilenet = [(3, 224, 32, 3, 2, 1), (32, 112, 32, 3, 1, 1, 32), (32, 112, 64, 1), (64, 112, 64, 3, 2, 1, 64),
                 (64, 56, 128, 1), (128, 56, 128, 3, 1, 1, 128), (128, 56, 128, 1), (128, 56, 128, 3, 2, 1, 128),
                 (128, 28, 256, 1), (256, 28, 256, 3, 1, 1, 256), (256, 28, 256, 1), (256, 28, 256, 3, 2, 1, 256),
                 (256, 14, 512, 1), (512, 14, 512, 3, 1, 1, 512), (512, 14, 512, 1), (512, 14, 512, 3, 2, 1, 512),
                 (512, 7, 1024, 1), (1024, 7, 1024, 3, 1, 1, 1024), (1024, 7, 1024, 1)]
    def nameOf(network, channels, side, outputs, window, stride=1, *_):
        return f"{network}_{channels}x{side}_{outputs}_{window}x{window}" + (f"_s{stride}" if stride > 1 else "")

    def weightOf(channels, side, outputs, window, stride=1, padding=0, groups=1):
        return 1 / (channels // groups * window * window)

    for batch in 1, 8:
        for network, layers in ("resnet", resnet), ("mobilenet", mobilenet):
            for layer in layers:
                suffix = f"_b{batch}" if batch > 1 else ""
                convolution(nameOf(network, *layer) + suffix, weightOf(*layer), *layer, batch=batch)
    for layer in resnet:
        gradients(nameOf("resnet", *layer), weightOf(*layer), *layer)


def step():
    x, t = f32((64, 784), 0.0, 1.0, 10), tensor("i64", (64, ), 0.0, 10.0, 11)
    widths = [784, 512, 512, 10]
    bounds = [1 / math.sqrt(n) for n in widths]
    W = [f32((widths[i], widths[i + 1]), -bounds[i], bounds[i], 12 + 2 * i) for i in range(3)]
    b = [f32((widths[i + 1], ), -0.01, 0.01, 13 + 2 * i) for i in range(3)]
    h = [x]
    for i in range(3):
        z = h[i] @ W[i] + b[i]
        h.append(np.maximum(z, 0) if i < 2 else z)
    z = h[3] - h[3].max(1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(1, keepdims=True))
    report("mlp_step.loss", -logp[np.arange(64), t].mean())
    d = (np.exp(logp) - np.eye(10)[t]) / 64
    gradients = [None] * 3
    for i in 2, 1, 0:
        gradients[i] = h[i].T @ d, d.sum(0)
        d = d @ W[i].T * (h[i] > 0)
    for i in range(3):
        report(f"mlp_step.W{i + 1}", W[i] - 0.01 * gradients[i][0])
        report(f"mlp_step.b{i + 1}", b[i] - 0.01 * gradients[i][1])


def encoder():
    r = 0.044194173824159216
    x = f32((128, 512), -1.0, 1.0, 20)
    linear = [(f32((512, 512), -r, r, seed), f32((512, ), -0.1, 0.1, seed + 1)) for seed in (21, 23, 25, 27)]
    (Wq, bq), (Wk, bk), (Wv, bv), (Wo, bo) = linear
    g1, c1 = f32((512, ), 0.5, 1.5, 29), f32((512, ), -0.5, 0.5, 30)
    W1, b1 = f32((512, 2048), -r, r, 31), f32((2048, ), -0.1, 0.1, 32)
    W2, b2 = f32((2048, 512), -r / 2, r / 2, 33), f32((512, ), -0.1, 0.1, 34)
    g2, c2 = f32((512, ), 0.5, 1.5, 35), f32((512, ), -0.5, 0.5, 36)
    heads = lambda v: v.reshape(128, 8, 64).transpose(1, 0, 2)
    q, k, v = heads(x @ Wq + bq), heads(x @ Wk + bk), heads(x @ Wv + bv)
    p = softmax(q @ k.transpose(0, 2, 1) * 0.125)
    y = layerNorm(x + (p @ v).transpose(1, 0, 2).reshape(128, 512) @ Wo + bo, g1, c1)
    f = y @ W1 + b1
    f = 0.5 * f * (1 + erf(f / math.sqrt(2)))
    report("encoder", layerNorm(y + f @ W2 + b2, g2, c2))


def attention():
    for heads, tokens in (8, 128), (8, 512), (8, 1024), (1, 4096):
        q, k, v = (f32((heads, tokens, 64), -1.0, 1.0, seed) for seed in (110, 111, 112))
        report(f"attention_{heads}x{tokens}", softmax(q @ k.transpose(0, 2, 1) * 0.125) @ v)


def networks():
    data = Path(__file__).parents[2] / "test/Data/onnx/seeded"
    for name in "resnet50", "squeezenet", "inception_v1", "shufflenet":
        report(f"network_{name}", np.load(data / f"{name}_output_0.npy").astype(np.float64))  # ONNX Runtime's


def options():
    n = 10**6,
    s, k, t, v = f32(n, 10.0, 50.0, 60), f32(n, 10.0, 50.0, 61), f32(n, 0.5, 2.0, 62), f32(n, 0.1, 0.5, 63)
    q = v * np.sqrt(t)
    d1 = (np.log(s / k) + (0.02 + v * v / 2) * t) / q
    n1, n2 = (0.5 * (1 + erf(d / math.sqrt(2))) for d in (d1, d1 - q))
    discounted = k * np.exp(-0.02 * t)
    report("blackscholes.call", s * n1 - discounted * n2)
    report("blackscholes.put", discounted * (1 - n2) - s * (1 - n1))


def bodies():
    p, u, m = f32((1024, 3), -1.0, 1.0, 64), f32((1024, 3), -0.1, 0.1, 65), f32((1024, ), 0.1, 1.0, 66)
    d = p[None] - p[:, None]
    pull = m[None] * ((d * d).sum(2) + 0.01)**-1.5
    speed = u + 0.001 * (pull[:, :, None] * d).sum(1)
    report("nbody.p", p + 0.001 * speed)
    report("nbody.u", speed)


def sites():
    x, y = tensor("f64", (100, ), -1.0, 1.0, 50), tensor("f64", (100, ), -1.0, 1.0, 51)
    for count in range(1, 1001):
        for i in range(25):
            x = x * (1 + 0.001 * (12.5 - i)) + y
        if count in (1, 10, 100, 1000):
            report(f"ofg_{count}", x)


def switches():
    x = np.pad(f32((64, 112, 112), -1.0, 1.0, 120), [(0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))
    x[:, 0, :] = x[:, -1, :] = x[:, :, 0] = x[:, :, -1] = -2
    report("pool3x3", windows[:, ::2, ::2].max((-2, -1)))
    x, y = (f32((2048, 2048), -1.0, 1.0, seed) for seed in (120, 121))
    report("transposed", x.T + y)
    for _ in range(4):
        x = np.sqrt(np.abs(x + x.mean()) + 0.5)
    report("steps", x)
    x = f32((2048, 2048), 0.0, 1.0, 120)
    report("moments.sum", x.sum())
    report("moments.squares", (x * x).sum())
    x, y = f32((128, 4), -1.0, 1.0, 120), f32((4, 128), -1.0, 1.0, 121)
    report("terms", x @ y * (400 * 401 / 2))
    x, y, z = f32((512, 8), -1.0, 1.0, 120), f32((8, 512), -1.0, 1.0, 121), f32((8, 512), -1.0, 1.0, 122)
    report("joined", np.maximum(np.concatenate([x @ y, x @ z]), 0))
    x, y = (f32((512, 64), -1.0, 1.0, seed) for seed in (120, 121))
    report("distances", np.abs(x[:, None] - y[None]).max(-1))


def backThrough(steps, h0, h, dh, step):
    """step(t, h_{t-1}, dloss/dh_t) gives dloss/dh_{t-1}; dh: dloss/dh_t by the loss alone."""
    g = np.zeros_like(h0)
    for t in reversed(range(steps)):
        g = step(t, h[t - 1] if t else h0, g + dh[t])


def loops():
    steps = 1000
    x, a, h0 = f32((steps, 64), -1.0, 1.0, 90), f32((64, ), 0.5, 0.95, 91), f32((64, ), -1.0, 1.0, 92)
    h = np.zeros((steps, 64))
    for t in range(steps):
        h[t] = np.tanh(a * (h[t - 1] if t else h0) + x[t])
    report("cumrec_fwd", h)
    report("cumrec_grad.loss", np.mean(h * h))
    gx, ga = np.zeros_like(x), np.zeros_like(a)

    def recurrence(t, before, g):
        gx[t] = g * (1 - h[t]**2)
        ga[:] += gx[t] * before
        return gx[t] * a

    backThrough(steps, h0, h, 2 * h / h.size, recurrence)
    report("cumrec_grad.gx", gx)
    report("cumrec_grad.ga", ga)

    names = ["Wz", "Wr", "Wn", "Uz", "Ur", "Un"]
    v = {name: f32((64, 64), -0.125, 0.125, 101 + k) for k, name in enumerate(names)}
    v |= {name: f32((64, ), -0.1, 0.1, 107 + k) for k, name in enumerate(["bz", "br", "bn"])}
    sigmoid = lambda y: 1 / (1 + np.exp(-y))
    z, r, n, hun = (np.zeros_like(h) for _ in range(4))
    for t in range(steps):
        before = h[t - 1] if t else h0
        z[t] = sigmoid(x[t] @ v["Wz"] + v["bz"] + before @ v["Uz"])
        r[t] = sigmoid(x[t] @ v["Wr"] + v["br"] + before @ v["Ur"])
        hun[t] = before @ v["Un"]
        n[t] = np.tanh(x[t] @ v["Wn"] + v["bn"] + r[t] * hun[t])
        h[t] = (1 - z[t]) * n[t] + z[t] * before
    report("gru_fwd", h)
    report("gru_grad.loss", np.mean(h * h))
    gradients = {name: np.zeros_like(value) for name, value in v.items()}

    def gated(t, before, g):
        dz, dn = g * (before - n[t]) * z[t] * (1 - z[t]), g * (1 - z[t]) * (1 - n[t]**2)
        dr = dn * hun[t] * r[t] * (1 - r[t])
        for gate, d in ("z", dz), ("r", dr), ("n", dn):
            gradients["W" + gate] += np.outer(x[t], d)
            gradients["U" + gate] += np.outer(before, d * r[t] if gate == "n" else d)
            gradients["b" + gate] += d
        return g * z[t] + dz @ v["Uz"].T + dr @ v["Ur"].T + (dn * r[t]) @ v["Un"].T

    backThrough(steps, h0, h, 2 * h / h.size, gated)
    for name, value in gradients.items():
        report("gru_grad." + name, value)


def linear():
    def symmetric(n, seed):
        x = np.tril(tensor("f64", (n, n), -1.0, 1.0, seed))
        return x + np.tril(x, -1).T + n * np.eye(n)

    report("linear_cholesky", np.linalg.cholesky(symmetric(512, 101)))
    report("linear_solve", np.linalg.solve(symmetric(512, 102), tensor("f64", (512, 64), -1.0, 1.0, 103)))
    factors = np.linalg.svd(tensor("f64", (256, 192), -1.0, 1.0, 104), full_matrices=False)
    for name, value in zip(("u", "s", "vt"), factors):
        report("linear_svd." + name, abs(value))
    for name, value in zip(("values", "vectors"), np.linalg.eigh(symmetric(256, 105))):
        report("linear_eigh." + name, abs(value) if name == "vectors" else value)
    x = f32((10**6, ), -1.0, 1.0, 106)
    report("order_sort", np.sort(x))
    report("order_topk", np.sort(x)[:-101:-1])
    report("order_cumsum", np.cumsum(x))
    report("random_normal", np.ones(10**6))


def radon():
    mu_a, mu_b, ga, gb, lsa, lsb, lsy = (float(tensor("f64", (), -0.5, 0.5, seed)) for seed in range(70, 77))
    za, zb, zs = (tensor("f64", (85, ), -1.0, 1.0, seed) for seed in range(77, 80))
    c, fl = tensor("i64", (919, ), 0.0, 85.0, 80), tensor("i64", (919, ), 0.0, 2.0, 81)
    y, ur = tensor("f64", (919, ), -1.0, 3.0, 82), tensor("f64", (85, ), -1.0, 1.0, 83)
    sa, sb, sy = np.exp([lsa, lsb, lsy])
    a, b, ls = mu_a + ga * ur + sa * za, mu_b + gb * ur + sb * zb, lsy + 0.1 * zs[c]

    def normal(x, mean, logDeviation):
        return (-0.5 * ((x - mean) / np.exp(logDeviation))**2 - logDeviation - 0.5 * math.log(2 * math.pi)).sum()

    wide = [(mu_a, 10), (mu_b, 10), (ga, 5), (gb, 5)]
    logp = normal(y, a[c] + b[c] * fl, ls) + sum(normal(np.float64(v), 0, math.log(d)) for v, d in wide)
    logp += sum(0.5 * math.log(2 / math.pi) - s * s / 2 + l for s, l in ((sa, lsa), (sb, lsb), (sy, lsy)))
    logp += sum(normal(z, 0, 0) for z in (za, zb, zs))
    scaled = (y - a[c] - b[c] * fl) / np.exp(ls)
    byCounty = lambda values: np.bincount(c, values, 85)
    da, db = byCounty(scaled / np.exp(ls)), byCounty(scaled * fl / np.exp(ls))
    dls = byCounty(scaled**2 - 1)
    gradients = {
        "mu_a": da.sum() - mu_a / 100, "mu_b": db.sum() - mu_b / 100,
        "ga": (da * ur).sum() - ga / 25, "gb": (db * ur).sum() - gb / 25,
        "lsa": (da * za).sum() * sa + 1 - sa**2, "lsb": (db * zb).sum() * sb + 1 - sb**2,
        "lsy": dls.sum() + 1 - sy**2, "za": da * sa - za, "zb": db * sb - zb, "zs": dls * 0.1 - zs
    }
    report("radon.logp", logp)
    for name, values in gradients.items():
        report(f"radon.{name}", values)


print("""//===- Expected.h - what the cases must give; written by make_expected.py -===//
#pragma once

namespace graphc::bench {

struct Expected {
  const char *name;
  double sum, sumAbs, maxAbs, weighted;
};

// clang-format off
inline constexpr Expected kExpected[] = {""")
cases = (elementwise, functions, rows, sums, products, boundProducts, convolutions, step, encoder, attention, networks)
cases += (options, bodies, loops, switches, sites, radon, linear)
for case in cases:
    case()
print("""};
// clang-format on

} // namespace graphc::bench""")
