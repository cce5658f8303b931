"""Runs all tests and sums them up: run.py BUILD_FOLDER [--unit] [--lit] [--tsan=FOLDER]

The GoogleTest programs of unittests/ (BUILD_FOLDER/unittests/programs.txt names them) side by side, then the lit suite,
of which the style checks are a part. With --tsan, ConcurrencyTests of another build folder (preset tsan), on functions
that this one compiles and saves: one failure more where ThreadSanitizer reports anything, or cannot run. The last line
is "N passed, N failed, N skipped"; the exit status tells the same.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

build = Path(sys.argv[1]).resolve()
userCache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
passed = failed = skipped = 0


modelsOfTests = None  # where EvalTests leaves its models


def runProgram(program, arguments=(), **more):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        begin = time.monotonic()
        # An empty cache of compiled code, and none of the user's; what tests leave goes with the folder, and none meets
        # another process's. Tests ask for more memory than there is.
        environment = dict(os.environ, XDG_CACHE_HOME=folder, TMPDIR=folder, TEST_TMPDIR=folder,
                           ASAN_OPTIONS="allocator_may_return_null=1", **more)
        environment.pop("GRAPHC_CACHE_DIR", None)
        # Where tools/fetch-model puts networks: the user's cache folder.
        environment["GRAPHC_TEST_MODELS"] = str(userCache / "graphc" / "models")
        if modelsOfTests:
            environment["GRAPHC_TEST_MODELS_TO"] = modelsOfTests
        process = subprocess.run(
            [program, f"--gtest_output=json:{report}", "--gtest_brief=1", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment)
        try:
            suites = json.loads(report.read_text())["testsuites"]
            tests = [test for suite in suites for test in suite["testsuite"]]
        except (OSError, ValueError):
            tests = None
        return Path(program).name, process, tests, time.monotonic() - begin


def count(name, process, tests, seconds):
    global passed, failed, skipped
    if tests is None:  # it crashed, and no one can say how many tests were left
        bad, text = 1, f"ended with status {process.returncode} before its report"
        failed += 1
    else:
        bad = sum(1 for test in tests if test.get("failures"))
        left = sum(1 for test in tests if test["result"] == "SKIPPED")
        ran = len(tests) - bad - left
        failed, passed, skipped = failed + bad, passed + ran, skipped + left
        text = f"{ran} passed, {bad} failed" + (f", {left} skipped" if left else "")
        if process.returncode and not bad:
            failed, bad = failed + 1, 1
            text += f"; then it ended with status {process.returncode}"
    print(f"{name}: {text} ({seconds:.1f} s)", flush=True)
    if bad:
        print(process.stdout, flush=True)


# The longest programs: so many processes share each. They begin first, so that no processor waits for the last one.
PARTS = {"EvalTests": 6, "TransformsTests": 2, "APITests": 2, "ImportTests": 4}


def runPart(part):
    program, index, total = part
    name, *rest = runProgram(program, GTEST_TOTAL_SHARDS=str(total), GTEST_SHARD_INDEX=str(index))
    return (f"{name}, part {index + 1}" if total > 1 else name, *rest)


def runUnitTests():
    programs = (build / "unittests" / "programs.txt").read_text().split()
    programs.sort(key=lambda program: Path(program).name not in PARTS)
    parts = []
    for program in programs:
        total = PARTS.get(Path(program).name, 1)
        parts += [(program, index, total) for index in range(total)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(runPart, parts):
            count(*result)


def runUnderThreadSanitizer(folder):
    global failed
    program = build / "bin" / "ConcurrencyTests"
    with tempfile.TemporaryDirectory() as functions:
        # Tests of that name are the other build's to count.
        _, process, tests, _ = runProgram(
            program, ["--gtest_filter=Concurrency.SavesItsFunctions"], GRAPHC_TEST_FUNCTIONS_TO=functions)
        if process.returncode:
            failed += 1
            print(f"the functions for ThreadSanitizer cannot be saved:\n{process.stdout}", flush=True)
            return
        # With TZ, the C library sets its time zone once; else libzip has it freed and made again, under a lock of the
        # C library's that ThreadSanitizer does not see.
        name, process, tests, seconds = runProgram(
            Path(folder).resolve() / "bin" / "ConcurrencyTests", GRAPHC_TEST_FUNCTIONS_FROM=functions, TZ="UTC")
        count(f"{name} under ThreadSanitizer", process, tests, seconds)


def runLit():
    global passed, failed, skipped
    settings = json.loads((build / "test" / "lit.json").read_text())
    report = build / "test" / "report.json"
    report.unlink(missing_ok=True)
    process = subprocess.run([settings["python"], settings["lit"], "-sv", "--output", str(report), str(build / "test")])
    try:
        tests = json.loads(report.read_text())["tests"]
    except (OSError, ValueError):
        failed += 1
        print(f"lit ended with status {process.returncode} before its report")
        return
    counts = {}
    for test in tests:
        counts[test["code"]] = counts.get(test["code"], 0) + 1
    good = counts.pop("PASS", 0) + counts.pop("XFAIL", 0)
    left = counts.pop("UNSUPPORTED", 0) + counts.pop("SKIPPED", 0)
    bad = sum(counts.values())
    failed, passed, skipped = failed + bad, passed + good, skipped + left
    print(f"lit: {good} passed, {bad} failed" + (f", {left} skipped" if left else ""))


wanted = set(sys.argv[2:]) or {"--unit", "--lit"}
with tempfile.TemporaryDirectory() as folder:
    # All models, for test/Export/onnxruntime.test, which else has them made again.
    if "--lit" in wanted:
        modelsOfTests = folder
    if "--unit" in wanted:
        runUnitTests()
        if modelsOfTests and not failed:
            os.environ["GRAPHC_TEST_MODELS_FROM"] = modelsOfTests
    for option in wanted:
        if option.startswith("--tsan="):
            runUnderThreadSanitizer(option.removeprefix("--tsan="))
    if "--lit" in wanted:
        runLit()
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(1 if failed or not passed else 0)
