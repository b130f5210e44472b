#!/usr/bin/env python3
"""Detection without pretraining: average precision on canvases with Fashion-MNIST's clothes and on
photographs of blood cells.

    python3 benchmarks/tasks/detection/run.py [--sets canvases bccd] [--seeds 1 2 3]

The canvases are made by canvases.py beside this script: 20,000 to train on, of items of the
training set, and 2,000 to test on, of items of the test set. --data DIR ($WEFT_DATA or
../shared/data) has bccd as its README says: trained on its trainval list, tested on its test list.
Nothing is held out: the last model of a training is measured. The settings are those of SET.yml.
Extends benchmarks/results/detection.json by the sets that were asked for, with the median over
seeds of AP at IoU 0.5 and of AP over 0.5:0.95, prints it, and a line of verdict for each set.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sitting import RELEASE, ROOT, machine, report, result_file, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def canvases(options, folder):
    """Files to train on and to test on."""
    run([sys.executable, HERE / "canvases.py", folder, "--fashion", options.fashion])
    return folder / "train.jsonl", folder / "test.jsonl"


def bccd(options, _):
    lists = options.data / "bccd/ImageSets/Main"
    return lists / "trainval.txt", lists / "test.txt"


SETS = {"canvases": (canvases, 0.90), "bccd": (bccd, 0.80)}  # the files, and the goal at IoU 0.5


def measure(options, files, name, seed):
    """AP at IoU 0.5 and over 0.5:0.95 of one training, its minutes, and the model's parameters."""
    train, test = files
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        model = folder / "model.safetensors"
        started = time.monotonic()
        run([options.weft, "train", "detection", "-c", HERE / f"{name}.yml", "-t", train,
             "-m", model, "--seed", str(seed), "--threads", str(options.threads),
             "--log", folder / "log"])
        minutes = (time.monotonic() - started) / 60
        parameters = re.search(r"model: (\d+) parameters", (folder / "log").read_text()).group(1)
        found = run([options.weft, "detect", "-m", model, "--evaluate", test])
    figures = re.search(r"IoU 0.5 ([\d.]+), .* at 0.5:0.95 ([\d.]+)", found)
    return float(figures.group(1)), float(figures.group(2)), minutes, int(parameters)


def row_of(options, name):
    """The row of a set."""
    make, goal = SETS[name]
    with tempfile.TemporaryDirectory() as made:
        files = make(options, pathlib.Path(made))
        at_50, mean, minutes, parameters = zip(
            *[measure(options, files, name, seed) for seed in options.seeds])
    return {"set": name, "parameters": parameters[0], "seeds_ap50": at_50, "seeds_ap": mean,
            "ap50": statistics.median(at_50), "ap": statistics.median(mean), "goal": goal,
            "minutes": round(statistics.median(minutes), 2)} | machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--fashion", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    path = result_file("detection")
    known = json.loads(path.read_text())["rows"] if path.exists() else []
    rows = {row["set"]: row for row in known}
    for name in options.sets:
        rows[name] = row_of(options, name)
    ordered = [rows[name] for name in SETS if name in rows]
    report("detection", {"threads": options.threads, "rows": ordered},
           [(f"{r['set']} AP at IoU 0.5", r["ap50"], r["goal"]) for r in ordered])


if __name__ == "__main__":
    main()
