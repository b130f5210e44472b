#!/usr/bin/env python3
"""Compares the speed and peak memory of two builds of Weft: this one and an earlier one.

    python3 benchmarks/tasks/baseline.py --data DIR --before PROGRAM [--cells PATTERN]

Translators: training in both precisions and translation in all three, of both shapes. The other
tasks: training in both precisions, and prediction, the whole process, in int8 and float32. In each
round the two programs run every cell in turns, in the order before, now, now, before. Compared are
medians of speed and memory over the runs, and the least processor time, which other work on the
machine disturbs least: the goal of speed is one of processor time. DIR holds train.{en,de}.gz,
Multi30k with the paper's BPE; PROGRAM is the earlier build, which writes the models, so that both
can read them. --task-data ($WEFT_DATA or ../shared/data) holds ud-english-ewt and trec. --cells
measures only the cells whose name matches a regular expression, in place of those in the result
file. Prints one JSON object, which is also written to benchmarks/results, and one line per goal.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cells import DECODING, UPDATES, decoding_cells, make_models, training_cells  # noqa: E402
from side_by_side import RELEASE, ROOT, machine, report, result_file, run  # noqa: E402
from task_cells import TASKS, TaskCells  # noqa: E402

SPEED, MEMORY = 0.98, -1.02  # now over before


def with_processor_time(cell):
    """What the cell returns, and the processor time of its processes, in seconds."""
    def seconds():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    begin = seconds()
    speed, peak_mb = cell()
    return speed, peak_mb, round(seconds() - begin, 2)


def measure(options):
    """{cell: {"before": [(speed, MiB, processor seconds), ...], "now": [...]}}"""
    programs = {"before": options.before, "now": options.weft}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        make_models(options, folder, options.before)
        tasks = TaskCells(options, folder, options.before, options.tasks)
        cells = {name: training_cells(options, weft) | decoding_cells(
            options, weft, folder, ["int8", "bfloat16", "float32"], DECODING) | tasks.cells(weft)
            for name, weft in programs.items()}
        wanted = [cell for cell in cells["now"] if re.search(options.cells, cell)]
        for _ in range(options.rounds):
            for cell in wanted:
                for name in ("before", "now", "now", "before"):
                    runs = found.setdefault(cell, {"before": [], "now": []})
                    runs[name].append(with_processor_time(cells[name][cell]))
    return found


def compare(runs):
    """Speed, memory and processor time of one cell, and their ratios, of the first two now over
    before, of the last before over now: above 1 is faster now."""
    row = {}
    for what, number in (("speed", 0), ("peak_mb", 1)):
        row[what] = {name: [run[number] for run in values] for name, values in runs.items()}
        median = {name: statistics.median(values) for name, values in row[what].items()}
        row[f"{what}_ratio"] = round(median["now"] / median["before"], 3)
    row["cpu_s"] = {name: [run[2] for run in values] for name, values in runs.items()}
    row["cpu_ratio"] = round(min(row["cpu_s"]["before"]) / min(row["cpu_s"]["now"]), 3)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--before", required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--cells", default="", help="a regular expression")
    parser.add_argument("--shapes", nargs="*", choices=UPDATES, default=list(UPDATES))
    parser.add_argument("--tasks", nargs="*", choices=TASKS, default=list(TASKS))
    parser.add_argument("--task-data", default=os.environ.get("WEFT_DATA", ROOT / "../shared/data"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    path = result_file("baseline")
    rows = json.loads(path.read_text())["cells"] if options.cells and path.exists() else {}
    for cell, runs in measure(options).items():
        rows[cell] = compare(runs) | {"commit": machine()["commit"]}
    report("baseline", {"threads": options.threads, "before": run([options.before, "--version"])
                      .strip(), "cells": rows},
           [goal for cell, row in rows.items()
            for goal in ((f"{cell}, processor time", row["cpu_ratio"], SPEED),
                         (f"{cell}, memory", row["peak_mb_ratio"], MEMORY))])


if __name__ == "__main__":
    main()
