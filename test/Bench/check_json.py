"""Checks what graphc-bench wrote: check_json.py FILE NAMES..."""

import json
import sys

report = json.load(open(sys.argv[1]))
assert report["context"]["cpus"] > 0 and report["context"]["threads"] == 1
cases = {case["name"]: case for case in report["cases"]}
for name in sys.argv[2:]:
    case = cases[name]
    if "nodes" in case:
        assert all(time > 0 for time in case["ns_per_node"].values()), case
        continue
    assert case["ours_ns"]["least"] > 0 and case["pairs"] > 0, case
    if "peer_ns" in case:
        ratio = case["ratio"]
        assert 0 < ratio["low"] <= ratio["median"] <= ratio["high"], case
    if case["target"]:
        assert isinstance(case["reached"], bool), case
