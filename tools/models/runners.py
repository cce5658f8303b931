"""Runs a network on one case with graphc and with ONNX Runtime, each in a process of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy

HERE = Path(__file__).parent
# Starts a command and prints the most memory that it had, in KiB, behind what the command prints on standard error. A
# process of its own, since a process begins with the memory of the one that starts it.
PEAK = """import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print("peak", usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status) & 255)"""


@dataclass
class Run:
    compile: float  # milliseconds
    call: float  # the median's, but for the first
    memory: int  # KiB
    outputs: dict


class Failure(Exception):
    pass


def start(command, env=None):
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        reason = [line for line in done.stderr.strip().splitlines() if not line.startswith("peak ")]
        raise Failure("\n".join(reason + [f"{Path(command[0]).name} ended with status {done.returncode}"]))
    return done


def memory_of(command, env):
    """The most memory that a command has, in KiB."""
    log = start(
        [sys.executable, "-S", "-c", PEAK, shutil.which(command[0]), *command[1:]], {**os.environ, **env}
    ).stderr
    return int(re.search(r"peak (\d+)", log).group(1))


class Graphc:
    """`cache`: a folder for compiled code, empty at first."""

    name = "graphc"

    def __init__(self, program, cache, mode="fast_run"):
        self.program, self.cache, self.mode = program, cache, mode

    def run(self, model, case, threads=1, calls=1, options=()):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-S", "-c", PEAK, self.program, "run", str(model), "--time"]
            command += ["--threads", str(threads), "--steps", str(calls), "--mode", self.mode, *options]
            names = output_names(self.program, model, [o for o in options if o.startswith("--grad")])
            for i, name in enumerate(names):
                command += ["--output", f"{name}={folder}/out{i}.npy"]
            for i, (name, value) in enumerate(case.items()):
                numpy.save(f"{folder}/in{i}.npy", value)
                command += ["--input", f"{name}={folder}/in{i}.npy"]
            log = start(command, {**os.environ, "XDG_CACHE_HOME": str(self.cache)}).stderr
            outputs = {name: numpy.load(f"{folder}/out{i}.npy") for i, name in enumerate(names)}
        number = lambda pattern: float(re.search(pattern, log).group(1))
        call = number(r"([\d.e+-]+) ms median") if calls > 1 else number(r"first call ([\d.e+-]+) ms")
        return Run(number(r"compile ([\d.e+-]+) ms"), call, int(number(r"peak (\d+)")), outputs)


def output_names(program, model, options=()):
    """As `graphc info` lists them."""
    lines = start([program, "info", str(model), *options]).stdout.splitlines()
    listed = lines[lines.index("outputs:") + 1 :]
    names = []
    for line in listed:
        if not line.startswith("  "):
            break
        names.append(line[2 : line.rindex(": tensor<")])
    return names


class OnnxRuntime:
    """`modules`: the folder in which onnxruntime-node is installed."""

    name = "ONNX Runtime"

    def __init__(self, modules):
        self.env = {**os.environ, "NODE_PATH": f"{modules}/node_modules"}

    def run(self, model, case, threads=1, calls=1):
        with tempfile.TemporaryDirectory() as folder:
            inputs = {}
            for i, (name, value) in enumerate(case.items()):
                Path(folder, f"in{i}.bin").write_bytes(value.tobytes())
                inputs[name] = {"dtype": str(value.dtype), "dims": value.shape, "file": f"in{i}.bin"}
            Path(folder, "inputs.json").write_text(json.dumps(inputs))
            done = start(["node", f"{HERE}/onnxruntime.js", str(model), folder, str(threads), str(calls)], self.env)
            report = json.loads(done.stdout)
            outputs = {
                output["name"]: numpy.fromfile(f"{folder}/{output['file']}", output["dtype"]).reshape(output["dims"])
                for output in json.loads(Path(folder, "outputs.json").read_text())
            }
        times = sorted(report["calls"][1:] or report["calls"])
        return Run(report["compile"], times[len(times) // 2], report["memory"], outputs)
