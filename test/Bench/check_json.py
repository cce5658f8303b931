"""Checks what graphc-bench wrote: check_json.py FILE [--peers]"""

import json
import sys

report = json.load(open(sys.argv[1]))
assert report["version"] == 2
context = report["context"]
assert context["cpus"] > 0 and context["threads"] == 1
assert context["peaks"]["f32_per_second"] > context["peaks"]["f64_per_second"] / 2 > 0
assert len(context["peaks"]["bandwidths"]) == 3
for case in report["cases"]:
    if "nodes" in case:
        assert all(time >= 0 for time in case["ns_per_node"].values()), case
        continue
    assert case["ns"]["least"] > 0 and case["rounds"] > 0, case
    for rival in case["rivals"]:
        ratio = rival["ratio"]
        assert 0 < ratio["low"] <= ratio["median"] <= ratio["high"], case
    if "limit" in case:
        assert case["limit"]["share"] > 0, case
    if case["target"] and (case["rivals"] or "ms" in case["target"]):
        assert isinstance(case["reached"], bool), case
    if case["rivals"]:
        assert case["beside"] in [rival["name"] for rival in case["rivals"]], case
if sys.argv[2:] == ["--peers"]:
    # NumPy has no grouped convolution; ONNX Runtime has no gradients, which radon asks for. Gradients of convolutions
    # are measured beside oneDNN alone.
    without = {"mobilenet_512x14_512_3x3": {"NumPy"}, "radon": {"ONNX Runtime"}}
    for case in report["cases"]:
        if case["name"].endswith(("_dx", "_dw")):
            continue
        names = {rival["name"] for rival in case["rivals"]} | without.get(case["name"], set())
        assert {"NumPy", "PyTorch", "ONNX Runtime"} <= names, case
