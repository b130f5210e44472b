#!/usr/bin/env python3
"""Measures training and translation speed while other processes use the same cores.

    python3 benchmarks/tasks/busy.py --data DIR [--before PROGRAM]

Each case runs alone, beside one process that computes all the time, and beside two; the cases
alternate within a round, and medians over the rounds are compared. DIR holds train.{en,de}.gz,
Multi30k with the paper's BPE. --before is another build of weft, whose speed without other
processes is measured too. Prints one JSON object, which is also written to benchmarks/results, and
one line per goal.
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sitting import RELEASE, multi30k, read_text, report, run, steady, train  # noqa: E402

GOALS = {1: 0.55, 2: 0.40}  # busy processes: speed relative to none
ALONE = 0.98  # relative to --before
UPDATES = {"tiny": 45, "base": 16}  # the first 12 are warm-up, not measured
LENGTH = 32
DECODING = {"batch 32, beam 4": (32, 4, 128), "batch 1, beam 1": (1, 1, 16)}  # batch, beam, lines


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


def training_cells(options, weft):
    def speed(shape, precision):
        return train(weft, [*multi30k(options.data, shape), "--precision", precision,
                            *steady(UPDATES[shape], 4096, options.threads)]).speed()
    return {f"training, {shape}, {precision}": lambda s=shape, p=precision: speed(s, p)
            for shape in options.shapes for precision in ("bfloat16", "float32")}


def make_models(options, folder):
    """Writes a nearly untrained model of each shape and precision; translations get a fixed length.
    The older program writes the files, so that both can read them."""
    weft = options.before or options.weft
    for shape in options.shapes:
        data = [o.replace("{}", folder) for o in multi30k(options.data, shape)]
        data[data.index("-m") + 1] = f"{folder}/{shape}"
        run([weft, "train", *data, "--after", "1u", "--mini-batch-words", "64",
             "--overwrite", "--quiet"])
        run([weft, "quantize", "-m", f"{folder}/{shape}", "-o", f"{folder}/{shape}.int8",
             "--precision", "int8", "--quiet"])
    lines = read_text(f"{options.data}/train.en.gz").splitlines()
    for name, (_, _, count) in DECODING.items():
        pathlib.Path(folder, name).write_text("\n".join(lines[:count]) + "\n", encoding="utf8")


def decoding_cells(options, weft, folder):
    def speed(model, name):
        batch, beam, _ = DECODING[name]
        out = f"{folder}/out.json"
        run([weft, "bench", "decode", "-m", f"{folder}/{model}", "-i", f"{folder}/{name}",
             "--mini-batch", str(batch), "--beam-size", str(beam), "--min-length", str(LENGTH),
             "--max-output-length", str(LENGTH + 1), "--allow-unk", "--repeats", "5",
             "--threads", str(options.threads), "--json", out, "--quiet"])
        return json.loads(pathlib.Path(out).read_text())["tokens_per_s"]["median"]
    return {f"translation, {shape}, {kind or 'float32'}, {name}":
            lambda m=shape + (f".{kind}" if kind else ""), n=name: speed(m, n)
            for shape in options.shapes for kind in ("int8", "") for name in DECODING}


def measure(options):
    programs = {"now": options.weft} | ({"before": options.before} if options.before else {})
    speeds = {}
    with tempfile.TemporaryDirectory() as folder:
        make_models(options, folder)
        cells = {name: training_cells(options, weft) | decoding_cells(options, weft, folder)
                 for name, weft in programs.items()}
        for _ in range(options.rounds):
            for cell in cells["now"]:
                of_cell = speeds.setdefault(cell, {})
                for name in programs:
                    of_cell.setdefault(name, []).append(round(cells[name][cell](), 1))
                for processes in GOALS:
                    with busy(processes):
                        of_cell.setdefault(f"beside {processes}", []).append(
                            round(cells["now"][cell](), 1))
    return speeds


def verdicts(speeds):
    """Returns (what, ratio, goal) triples, and the ratios by case."""
    goals, ratios = [], {}
    for cell, values in speeds.items():
        median = {name: statistics.median(v) for name, v in values.items()}
        ratios[cell] = {}
        for processes, goal in GOALS.items():
            ratio = median[f"beside {processes}"] / median["now"]
            ratios[cell][f"beside {processes}, over alone"] = round(ratio, 3)
            goals.append((f"{cell}, beside {processes}", ratio, goal))
        if "before" in median:
            ratio = median["now"] / median["before"]
            ratios[cell]["now, over before"] = round(ratio, 3)
            goals.append((f"{cell}, alone, over before", ratio, ALONE))
    return goals, ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--before")
    parser.add_argument("--shapes", nargs="+", choices=UPDATES, default=list(UPDATES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    speeds = measure(options)
    goals, ratios = verdicts(speeds)
    report("busy", {"threads": options.threads, "speed": speeds, "ratios": ratios}, goals)


if __name__ == "__main__":
    main()
