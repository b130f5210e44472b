#!/usr/bin/env python3
"""Measures training and translation speed while other processes use the same cores.

    python3 benchmarks/tasks/contention.py --data DIR

Each case runs alone, beside one process that computes all the time, and beside two; the cases
alternate within a round, and medians over the rounds are compared. DIR holds train.{en,de}.gz,
Multi30k with the paper's BPE. Prints one JSON object, which is also written to benchmarks/results,
and one line per goal.
"""

import argparse
import contextlib
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cells import UPDATES, decoding_cells, make_models, training_cells  # noqa: E402
from side_by_side import RELEASE, report  # noqa: E402

GOALS = {1: 0.55, 2: 0.40}  # busy processes: speed relative to none
NAMES = ["batch 32, beam 4", "batch 1, beam 1"]  # of the translations


@contextlib.contextmanager
def busy(processes):
    """Runs processes that compute all the time, with one thread each."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
               for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def measure(options):
    speeds = {}
    with tempfile.TemporaryDirectory() as folder:
        make_models(options, folder, options.weft)
        cells = training_cells(options, options.weft) | decoding_cells(
            options, options.weft, folder, ["int8", "float32"], NAMES)
        for _ in range(options.rounds):
            for name, cell in cells.items():
                of_cell = speeds.setdefault(name, {})
                of_cell.setdefault("alone", []).append(cell()[0])
                for processes in GOALS:
                    with busy(processes):
                        of_cell.setdefault(f"beside {processes}", []).append(cell()[0])
    return speeds


def verdicts(speeds):
    """Returns (what, ratio, goal) triples, and the ratios by case."""
    goals, ratios = [], {}
    for cell, values in speeds.items():
        median = {name: statistics.median(v) for name, v in values.items()}
        ratios[cell] = {}
        for processes, goal in GOALS.items():
            ratio = median[f"beside {processes}"] / median["alone"]
            ratios[cell][f"beside {processes}, over alone"] = round(ratio, 3)
            goals.append((f"{cell}, beside {processes}", ratio, goal))
    return goals, ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--shapes", nargs="+", choices=UPDATES, default=list(UPDATES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    speeds = measure(options)
    goals, ratios = verdicts(speeds)
    report("contention", {"threads": options.threads, "speed": speeds, "ratios": ratios}, goals)


if __name__ == "__main__":
    main()
