#!/usr/bin/env python3
"""Compares the processor time of builds and tests of two checkouts: this one and an earlier one.

    python3 benchmarks/tasks/build_time.py --before CHECKOUT [--parts PART...]

A part is `release`, the build of that preset (library, program, tests, benchmarks, examples), or a
part of scripts/test, build and tests. Each is measured from an empty build folder, build/PART of
both checkouts, without a compiler cache: user and system time of all processes, which depends
little on other work of the machine. scripts/setup runs in both checkouts before. Each part is
written to benchmarks/results as soon as it is measured; --parts measures only these, in place of
those in the file. A part that fails ends the run. Prints one JSON object, and one line per goal.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from side_by_side import ROOT, machine, report, result_file, run, write_whole  # noqa: E402

TESTS = ["checks", "dev", "tidy", "tsan", "fuzz", "asan"]  # all of .ci/run
BUILD, ALL_TESTS = -0.6, -0.7  # processor time, now over before


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def execute(command, checkout):
    """Runs a command in a checkout; exits with the end of what it printed if it fails."""
    with tempfile.TemporaryFile("w+", encoding="utf8", errors="replace") as log:
        status = subprocess.call(command, cwd=checkout, stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=log, env={**os.environ, "CCACHE_DISABLE": "1"})
        log.seek(0)
        if status != 0:
            sys.exit(f"{checkout}: {' '.join(command)}: exit status {status}\n{log.read()[-4000:]}")


def measure(checkout, part):
    shutil.rmtree(checkout / "build" / part, ignore_errors=True)
    commands = [["scripts/test", part]] if part in TESTS else [
        ["cmake", "--preset", part], ["cmake", "--build", "--preset", part]]
    begin, used = time.monotonic(), processor_seconds()
    for command in commands:
        execute(command, checkout)
    return {"processor_seconds": round(processor_seconds() - used, 1),
            "clock_seconds": round(time.monotonic() - begin, 1)}


def total(rows, which):
    return sum(row[which]["processor_seconds"] for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", required=True, type=pathlib.Path, help="a checkout")
    parser.add_argument("--parts", nargs="+", choices=["release", *TESTS])
    options = parser.parse_args()
    path = result_file("build_time")
    before = run(["git", "rev-parse", "--short", "HEAD"], cwd=options.before).strip()
    earlier = json.loads(path.read_text()) if options.parts and path.exists() else {}
    rows = earlier["parts"] if earlier.get("before") == before else {}
    result = {"before": before, "parts": rows}
    for checkout in (options.before, ROOT):
        execute(["scripts/setup"], checkout)
    for part in options.parts or ["release", *TESTS]:
        row = {"before": measure(options.before, part), "now": measure(ROOT, part)}
        rows[part] = row | {"ratio": round(total([row], "now") / total([row], "before"), 3),
                            "commit": machine()["commit"]}
        write_whole(path, json.dumps(result | machine(), indent=1) + "\n")
    goals = []
    if "release" in rows:
        goals.append(("release build", rows["release"]["ratio"], BUILD))
    if all(part in rows for part in TESTS):
        tests = [rows[part] for part in TESTS]
        goals.append(("scripts/test", total(tests, "now") / total(tests, "before"), ALL_TESTS))
    report("build_time", result, goals)


if __name__ == "__main__":
    main()
