#!/usr/bin/env python3
"""Measures what it costs to record a training: --metrics and --tensorboard.

    python3 benchmarks/tasks/training/recording.py --data DIR

Trains the same tiny Transformer with and without recording, in turns, and compares the time of the
processor and that of the clock; the model files must be equal. It reports and validates ten
times as often as by default. DIR holds train.{en,de}.gz and valid.{en,de}.gz, Multi30k with the
paper's BPE. Prints one JSON object, which is also written to benchmarks/results, and a line for the
goal.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, multi30k, report  # noqa: E402

GOAL = -1.01  # at most
RECORDING = ["--metrics", "{}/metrics.jsonl", "--tensorboard", "{}/events"]


def train(options, folder, more):
    """Seconds by the clock and of the processor, with options `more`."""
    folder.mkdir()
    arguments = [*multi30k(options.data, "tiny"), "--mini-batch-words", 4096,
                 "--after", f"{options.updates}u", "--threads", options.threads,
                 "--valid-sets", f"{options.data}/valid.en.gz", f"{options.data}/valid.de.gz",
                 "--valid-metrics", "cross-entropy", "--disp-freq", "10u", "--valid-freq", "100u",
                 "--seed", 1, *more]
    command = [options.weft, "train", *(str(a).replace("{}", str(folder)) for a in arguments)]
    begin = time.perf_counter()
    with open(folder / "log", "w+", encoding="utf8") as log:
        process = subprocess.Popen(command, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        log.seek(0)
        if status != 0:
            sys.exit(log.read()[-2000:])
    return seconds, usage.ru_utime + usage.ru_stime


def measure(options):
    """Seconds by the clock and of the processor of each round, by kind."""
    kinds = {"plain": [], "recorded": RECORDING}
    clock, processor = ({kind: [] for kind in kinds} for _ in range(2))
    models = set()
    for number in range(options.rounds + 1):
        order = list(kinds) if number % 2 else list(kinds)[::-1]
        for kind in order:
            with tempfile.TemporaryDirectory() as name:
                result = train(options, pathlib.Path(name) / "run", kinds[kind])
                models.add((pathlib.Path(name) / "run/m.safetensors").read_bytes())
            if number > 0:  # the first round warms up
                clock[kind].append(round(result[0], 2))
                processor[kind].append(round(result[1], 2))
    if len(models) != 1:
        sys.exit("the model files of trainings with and without recording differ")
    return clock, processor


def ratio(seconds):
    """The median of the rounds' ratios."""
    return statistics.median(b / a for a, b in zip(seconds["plain"], seconds["recorded"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    clock, processor = measure(options)
    ratios = {"clock": round(ratio(clock), 4), "processor": round(ratio(processor), 4)}
    report("recording",
           {"updates": options.updates, "threads": options.threads, "clock_seconds": clock,
            "processor_seconds": processor, "ratios": ratios},
           [("recorded over plain, processor time", ratios["processor"], GOAL)])


if __name__ == "__main__":
    main()
