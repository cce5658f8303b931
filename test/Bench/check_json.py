"""Checks what graphc-bench wrote: check_json.py FILE [--peers]"""

import json
import math
import sys

report = json.load(open(sys.argv[1]))
assert report["version"] == 2


def checkGroups():
    """Computes all geometric means anew, of the cases' ratios; and each row beside a peer is of a group."""
    groups = {}
    for case in report["cases"]:
        peers = [rival for rival in case.get("rivals", []) if rival["is_peer"]]
        if not peers:
            continue
        rows = [("", max(peers, key=lambda rival: rival["ratio"]["median"]))] + [(p["name"], p) for p in peers]
        atLimit = case.get("limit", {}).get("is_reached", False)
        for group in ["at the machine's limit"] if atLimit else [case["group"], "all"]:
            for peer, rival in rows:
                groups.setdefault(group, {}).setdefault(peer, []).append((rival["ratio"], case["name"]))
    if len(set(groups) - {"all", "at the machine's limit"}) == 1:
        del groups["all"]  # the same
    assert {group["name"] for group in report["groups"]} == set(groups), groups.keys()
    for group in report["groups"]:
        expected = groups[group["name"]]
        assert set(expected) == {""} | set(group["peers"]), group
        for peer, ratios in expected.items():
            found = group["peers"][peer] if peer else group["beside"]
            medians = [ratio["median"] for ratio, name in ratios]
            assert math.isclose(found["mean"], math.prod(medians)**(1 / len(medians)), rel_tol=1e-12), group
            assert found["rows"] == len(ratios) and found["greatest"] == max(medians), group
            assert (group["beside"]["greatest"], group["beside"]["greatest_of"]) in [
                (ratio["median"], name) for ratio, name in expected[""]], group
            assert found["greatest_low"] == max(ratio["low"] for ratio, name in ratios), group
            assert found["behind"] == sum(ratio["low"] > 1 / 0.95 for ratio, name in ratios), group
        wanted = [(group["peers"].get(bar["peer"]) if bar["peer"] else group["beside"], bar) for bar in group["target"]]
        if wanted and all(found for found, bar in wanted):
            isReached = all(found["mean"] <= bar["mean"] and found["greatest_low"] <= bar.get("each", math.inf)
                            for found, bar in wanted)
            assert group["reached"] == isReached, group
        else:
            assert "reached" not in group, group


checkGroups()
context = report["context"]
assert context["cpus"] > 0 and context["threads"] == 1
assert context["peaks"]["f32_per_second"] > context["peaks"]["f64_per_second"] / 2 > 0
assert context["peaks"]["bf16_per_second"] >= context["peaks"]["f32_per_second"]
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
    # NumPy has no grouped convolution; ONNX Runtime has no gradients, which radon asks for; neither has bfloat16.
    # Gradients of convolutions and bound products are measured beside libraries of this process alone.
    without = {"mobilenet_512x14_512_3x3": {"NumPy"}, "radon": {"ONNX Runtime"},
               "gemm_bf16_256x256x256": {"NumPy", "ONNX Runtime"}}
    for case in report["cases"]:
        if case["name"].endswith(("_dx", "_dw")):
            continue
        names = {rival["name"] for rival in case["rivals"]} | without.get(case["name"], set())
        if case["name"].startswith("bound_"):
            assert names == ({"OpenBLAS"} if "f64" in case["name"] else {"OpenBLAS", "oneDNN"}), case
            continue
        assert {"NumPy", "PyTorch", "ONNX Runtime"} <= names, case
