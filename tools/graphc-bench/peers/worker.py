"""A worker of graphc-bench --peers: worker.py numpy|torch THREADS (the lines that it answers: Workers.h)

Each formula of docs/Benchmarks.md as somebody who knows the library writes it: results are new arrays, intermediate
ones are used again where that is natural. A formula is a function of the inputs by name that returns the call.
"""

import math
import sys
import time
from pathlib import Path

library, threads = sys.argv[1], int(sys.argv[2])
try:
    import numpy as np
    if library == "torch":
        import torch
        import torch.nn.functional as F
except ImportError:
    print(f"missing {'PyTorch' if library == 'torch' else 'NumPy'} is not installed", flush=True)
    sys.exit()

formulas = {}


def formula(*names):
    def add(function):
        for name in names:
            formulas[name] = function
        return function
    return add



@formula("ew10")
def ew10(x, y):
    return lambda: np.exp(-np.tanh(x * y + x)**2) / np.sqrt(1 + y * y)


@formula("ew10cheap")
def ew10cheap(x, y):
    def call():
        t = np.maximum(x * y + x, np.float32(0.25)) * np.float32(0.5) - y
        return np.abs(np.minimum(t * t + 1, 3) * x)
    return call


@formula("softmax")
def softmax(x):
    def call():
        e = np.exp(x - x.max(-1, keepdims=True))
        e /= e.sum(-1, keepdims=True)
        return e
    return call


@formula("layernorm")
def layernorm(x, g, b):
    return lambda: numpyLayerNorm(x, g, b)


@formula("sum_axis0")
def sumAxis0(x):
    return lambda: x.sum(0)


@formula("sum_axis1")
def sumAxis1(x):
    return lambda: x.sum(1)


@formula("sum_all")
def sumAll(x):
    return lambda: x.sum()


@formula("cumrec_fwd")
def recurrence(x, a, h0):
    def call():
        h, state = np.empty_like(x), h0
        for t in range(len(x)):
            state = np.tanh(a * state + x[t], out=h[t])
        return h
    return call


@formula("gru_fwd")
def gatedUnit(x, h0, Wz, Wr, Wn, Uz, Ur, Un, bz, br, bn):
    def call():
        fromInput = x @ np.hstack([Wz, Wr, Wn]) + np.hstack([bz, br, bn])
        U = np.hstack([Uz, Ur, Un])
        h, state, n = np.empty_like(x), h0, x.shape[1]
        for t in range(len(x)):
            i, s = fromInput[t], state @ U
            zr = 1 / (1 + np.exp(-(i[:2 * n] + s[:2 * n])))
            z = zr[:n]
            state = h[t] = (1 - z) * np.tanh(i[2 * n:] + zr[n:] * s[2 * n:]) + z * state
        return h
    return call


@formula("gemm")
def gemm(a, b):
    return lambda: a @ b


@formula("linear_cholesky")
def linearCholesky(a):
    return lambda: np.linalg.cholesky(a)


@formula("linear_solve")
def linearSolve(a, b):
    return lambda: np.linalg.solve(a, b)


@formula("linear_svd")
def linearSvd(a):
    def call():
        u, s, vt = np.linalg.svd(a, full_matrices=False)
        return np.abs(u), s, np.abs(vt)
    return call


@formula("linear_eigh")
def linearEigh(a):
    def call():
        values, vectors = np.linalg.eigh(a)
        return values, np.abs(vectors)
    return call


@formula("order_sort")
def orderSort(x):
    return lambda: np.sort(x)


@formula("order_topk")
def orderTopk(x):
    return lambda: -np.sort(-x[np.argpartition(x, -100)[-100:]])


@formula("order_cumsum")
def orderCumsum(x):
    return lambda: np.cumsum(x, dtype=np.float64).astype(np.float32)


@formula("random_normal")
def randomNormal(x):
    generator = np.random.default_rng(1)
    return lambda: (np.abs(generator.standard_normal(x.shape, np.float32)) < 1000).astype(np.float32)


@formula("dense")
def dense(x, b):
    return lambda: x @ b


@formula("gemm_abt")
def gemmTransposed(a, b):
    return lambda: a @ b.T


@formula("add")
def add(x, y):
    return lambda: x + y


@formula("conv")
def conv(x, w, b, stride, padding, groups):
    if groups > 1:
        return None  # NumPy has no convolution; products group by group would be a caricature
    outputs, window = w.shape[0], w.shape[2]
    flat, bias = w.reshape(outputs, -1), b[:, None]

    def one(image):
        padded = np.pad(image, ((0, 0), (padding, padding), (padding, padding))) if padding else image
        windows = np.lib.stride_tricks.sliding_window_view(padded, (window, window), (1, 2))[:, ::stride, ::stride]
        columns = windows.transpose(0, 3, 4, 1, 2).reshape(flat.shape[1], -1)
        result = flat @ columns
        result += bias
        return np.maximum(result, 0, out=result).reshape(outputs, windows.shape[1], -1)

    def call():
        return np.stack([one(image) for image in x])
    return call


@formula("mlp_step")
def mlpStep(x, t, W1, b1, W2, b2, W3, b3):
    n = len(t)
    rows, rate = np.arange(n), np.float32(0.01)

    def call():
        h1 = np.maximum(x @ W1 + b1, 0)
        h2 = np.maximum(h1 @ W2 + b2, 0)
        z = h2 @ W3 + b3
        z -= z.max(1, keepdims=True)
        e = np.exp(z)
        total = e.sum(1, keepdims=True)
        loss = -(z - np.log(total))[rows, t].mean()
        d3 = e / total
        d3[rows, t] -= 1
        d3 /= n
        d2 = (d3 @ W3.T) * (h2 > 0)
        d1 = (d2 @ W2.T) * (h1 > 0)
        for p, d in (W1, x.T @ d1), (b1, d1.sum(0)), (W2, h1.T @ d2), (b2, d2.sum(0)), (W3, h2.T @ d3), (b3, d3.sum(0)):
            d *= rate
            p -= d
        return loss, W1, b1, W2, b2, W3, b3
    return call


@formula("encoder")
def encoder(x, Wq, bq, Wk, bk, Wv, bv, Wo, bo, g1, c1, W1, b1, W2, b2, g2, c2):
    tokens, width = x.shape[1:]
    x = x[0]

    def call():
        q, k, v = ((x @ W + b).reshape(tokens, 8, -1).transpose(1, 0, 2) for W, b in ((Wq, bq), (Wk, bk), (Wv, bv)))
        s = q @ k.transpose(0, 2, 1)
        s *= np.float32(0.125)
        p = np.exp(s - s.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        y = numpyLayerNorm(x + (p @ v).transpose(1, 0, 2).reshape(tokens, width) @ Wo + bo, g1, c1)
        f = y @ W1 + b1
        f = np.float32(0.5) * f * (1 + numpyErf(f / np.float32(math.sqrt(2))))
        return numpyLayerNorm(y + f @ W2 + b2, g2, c2)[None]
    return call


@formula("attention")
def attention(q, k, v):
    def call():
        p = q @ k.transpose(0, 2, 1)
        p *= np.float32(0.125)
        p -= p.max(-1, keepdims=True)
        np.exp(p, out=p)
        p /= p.sum(-1, keepdims=True)
        return p @ v
    return call


@formula("blackscholes")
def blackscholes(s, k, t, v):
    r = np.float32(0.02)

    def normal(z):
        return np.float32(0.5) * (1 + numpyErf(z / np.float32(math.sqrt(2))))

    def call():
        q = v * np.sqrt(t)
        d1 = (np.log(s / k) + (r + v * v / 2) * t) / q
        n1, n2, discounted = normal(d1), normal(d1 - q), k * np.exp(-r * t)
        return s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)
    return call


@formula("nbody")
def nbody(p, u, m):
    def call():
        d = p[None] - p[:, None]
        pull = m * ((d * d).sum(2) + np.float32(0.01))**np.float32(-1.5)
        speed = u + np.float32(0.001) * np.matmul(pull[:, None], d)[:, 0]
        return p + np.float32(0.001) * speed, speed
    return call


@formula("ofg")
def ofg(x, y, sites):
    def call():
        t = x
        for _ in range(sites):
            for i in range(25):
                t = t * (1 + 0.001 * (12.5 - i)) + y
        return t
    return call


@formula("radon")
def radon(mu_a, mu_b, ga, gb, lsa, lsb, lsy, za, zb, zs, c, fl, y, ur):
    half, n = 0.5 * math.log(2 * math.pi), len(za)
    constant = -(len(y) + 4 + 3 * n) * half - 2 * math.log(10) - 2 * math.log(5) + 1.5 * math.log(2 / math.pi)

    def call():
        sa, sb, sy = np.exp(lsa), np.exp(lsb), np.exp(lsy)
        a, b = mu_a + ga * ur + sa * za, mu_b + gb * ur + sb * zb
        ls = lsy + 0.1 * zs
        inverse = np.exp(-ls)[c]
        scaled = (y - a[c] - b[c] * fl) * inverse
        square = scaled * scaled
        logp = constant - 0.5 * square.sum() - ls[c].sum()
        logp -= (mu_a * mu_a + mu_b * mu_b) / 200 + (ga * ga + gb * gb) / 50
        logp += lsa + lsb + lsy - 0.5 * (sa * sa + sb * sb + sy * sy + za @ za + zb @ zb + zs @ zs)
        slope = scaled * inverse
        da, db = np.bincount(c, slope, n), np.bincount(c, slope * fl, n)
        dls = np.bincount(c, square - 1, n)
        return (logp, da.sum() - mu_a / 100, db.sum() - mu_b / 100, da @ ur - ga / 25, db @ ur - gb / 25,
                da @ za * sa + 1 - sa * sa, db @ zb * sb + 1 - sb * sb, dls.sum() + 1 - sy * sy,
                da * sa - za, db * sb - zb, dls * 0.1 - zs)
    return call


def numpyLayerNorm(x, g, b):
    d = x - x.mean(-1, keepdims=True)
    d /= np.sqrt((d * d).mean(-1, keepdims=True) + np.float32(1e-5))
    return d * g + b


def numpyErf(x):
    """NumPy has none: that of Numerical Recipes (3rd edition, section 6.2.2), in the fewest passes for f32."""
    z = np.abs(x)
    t = 2 / (2 + z)
    p = np.full_like(t, 0.17087277)
    for c in -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368:
        p *= t
        p += np.float32(c)
    return np.copysign(1 - t * np.exp(-z * z - np.float32(1.26551223) + t * p), x)


def torchFormulas():
    """By name; every one gets its inputs as tensors."""
    def conv(x, w, b, stride, padding, groups):
        return lambda: torch.relu(F.conv2d(x, w, b, stride, padding, groups=groups))

    def mlpStep(x, t, W1, b1, W2, b2, W3, b3):
        parameters = [p.requires_grad_() for p in (W1, b1, W2, b2, W3, b3)]

        def call():
            h = torch.relu(torch.addmm(b2, torch.relu(torch.addmm(b1, x, W1)), W2))
            loss = F.cross_entropy(torch.addmm(b3, h, W3), t)
            gradients = torch.autograd.grad(loss, parameters)
            with torch.no_grad():
                for p, d in zip(parameters, gradients):
                    p.sub_(d, alpha=0.01)
            return loss, *parameters
        return call

    def encoder(x, Wq, bq, Wk, bk, Wv, bv, Wo, bo, g1, c1, W1, b1, W2, b2, g2, c2):
        tokens, width = x.shape[1:]
        x = x[0]

        def call():
            pairs = (Wq, bq), (Wk, bk), (Wv, bv)
            q, k, v = (torch.addmm(b, x, W).view(tokens, 8, -1).transpose(0, 1) for W, b in pairs)
            p = torch.softmax(torch.bmm(q, k.transpose(1, 2)) * 0.125, -1)
            h = torch.bmm(p, v).transpose(0, 1).reshape(tokens, width)
            y = F.layer_norm(x + torch.addmm(bo, h, Wo), (width, ), g1, c1)
            f = torch.addmm(b2, F.gelu(torch.addmm(b1, y, W1)), W2)
            return F.layer_norm(y + f, (width, ), g2, c2)[None]
        return call

    def blackscholes(s, k, t, v):
        def normal(z):
            return 0.5 * (1 + torch.erf(z * (1 / math.sqrt(2))))

        def call():
            q = v * torch.sqrt(t)
            d1 = (torch.log(s / k) + (0.02 + v * v / 2) * t) / q
            n1, n2, discounted = normal(d1), normal(d1 - q), k * torch.exp(-0.02 * t)
            return s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)
        return call

    def nbody(p, u, m):
        def call():
            d = p[None] - p[:, None]
            pull = m * ((d * d).sum(2) + 0.01)**-1.5
            speed = u + 0.001 * torch.bmm(pull[:, None], d)[:, 0]
            return p + 0.001 * speed, speed
        return call

    def radon(mu_a, mu_b, ga, gb, lsa, lsb, lsy, za, zb, zs, c, fl, y, ur):
        parameters = [p.requires_grad_() for p in (mu_a, mu_b, ga, gb, lsa, lsb, lsy, za, zb, zs)]
        half = 0.5 * math.log(2 * math.pi)
        constant = -(len(y) + 4 + 3 * len(za)) * half - 2 * math.log(10) - 2 * math.log(5) + 1.5 * math.log(2 / math.pi)

        def call():
            sa, sb, sy = torch.exp(lsa), torch.exp(lsb), torch.exp(lsy)
            a, b = mu_a + ga * ur + sa * za, mu_b + gb * ur + sb * zb
            ls = (lsy + 0.1 * zs)[c]
            scaled = (y - a[c] - b[c] * fl) * torch.exp(-ls)
            logp = constant - 0.5 * (scaled * scaled).sum() - ls.sum()
            logp = logp - (mu_a**2 + mu_b**2) / 200 - (ga**2 + gb**2) / 50 + lsa + lsb + lsy
            logp = logp - 0.5 * (sa * sa + sb * sb + sy * sy + za @ za + zb @ zb + zs @ zs)
            return logp, *torch.autograd.grad(logp, parameters)
        return call

    def ew10cheap(x, y):
        def call():
            t = torch.clamp(x * y + x, min=0.25) * 0.5 - y
            return torch.abs(torch.clamp(t * t + 1, max=3) * x)
        return call

    simple = {
        "ofg": formulas["ofg"],  # operators alone
        "ew10": lambda x, y: lambda: torch.exp(-torch.tanh(x * y + x)**2) / torch.sqrt(1 + y * y),
        "softmax": lambda x: lambda: torch.softmax(x, -1),
        "layernorm": lambda x, g, b: lambda: F.layer_norm(x, x.shape[-1:], g, b),
        "sum_axis0": lambda x: lambda: x.sum(0),
        "sum_axis1": lambda x: lambda: x.sum(1),
        "sum_all": lambda x: lambda: x.sum(),
        "attention": lambda q, k, v: lambda: torch.bmm(torch.softmax(torch.bmm(q, k.transpose(1, 2)) * 0.125, -1), v),
        "gemm": lambda a, b: lambda: a @ b,
        "dense": lambda x, b: lambda: x @ b,
        "gemm_abt": lambda a, b: lambda: a @ b.T,
        "add": lambda x, y: lambda: x + y,
    }
    models = (conv, blackscholes, nbody, radon, ew10cheap, encoder)
    return {**simple, **{f.__name__: f for f in models}, "mlp_step": mlpStep}


def load(name, folder, *numbers):
    make = formulas.get(name)
    if not make:
        return None
    inputs = {path.stem: np.load(path) for path in Path(folder).glob("*.npy")}
    if library == "torch":
        inputs = {name: torch.from_numpy(value) for name, value in inputs.items()}
        halves = {name for name in inputs if name.endswith(".bf16")}
        inputs = {name.removesuffix(".bf16"): value.bfloat16() if name in halves else value
                  for name, value in inputs.items()}
    elif any(name.endswith(".bf16") for name in inputs):
        return None
    return make(**inputs, **{key: int(value) for key, value in (n.split("=") for n in numbers)})


def save(result, folder):
    results = result if isinstance(result, tuple) else (result, )
    for i, value in enumerate(results):
        name = str(i)
        if library == "torch":
            value = value.detach()
            if value.dtype == torch.bfloat16:
                name, value = f"{i}.bf16", value.float()
            value = value.numpy()
        np.save(Path(folder) / f"{name}.npy", np.ascontiguousarray(value).reshape(np.shape(value)))
    return len(results)


if library == "torch":
    torch.set_num_threads(threads)
    formulas = torchFormulas()
    print(f"ready {torch.__version__}", flush=True)
else:
    print(f"ready {np.__version__}", flush=True)
call = result = None
for line in sys.stdin:
    verb, *words = line.split()
    try:
        if verb == "load":
            call = load(*words)
            answer = "ok" if call else "none"
        elif verb == "run":
            count = int(words[0])
            begin = time.perf_counter_ns()
            for _ in range(count):
                result = call()
            answer = time.perf_counter_ns() - begin
        else:
            answer = f"ok {save(result, words[0])}"
    except Exception as problem:
        answer = f"error {type(problem).__name__}: {problem}".replace("\n", " ")
    print(answer, flush=True)
