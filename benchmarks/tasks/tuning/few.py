#!/usr/bin/env python3
"""Classifiers from a few examples of each label: `weft train classification --from MODEL
--contrastive` and SetFit, on the same draws.

    python3 benchmarks/tasks/tuning/few.py --model MODEL [--peer PYTHON] [--data DIR]
        [--sections FOLDER] [--sets trec sst2 sections] [--examples 8 16 64] [--draws 10]

MODEL is a folder of all-MiniLM-L6-v2, as scripts/fetch-models brings it; PYTHON has setfit. DIR
($WEFT_DATA or ../shared/data) holds trec and sst2 as its README says; FOLDER is what
`scripts/fetch-labels sections` made. A draw has a fixed number of texts of each label and no
validation text. The figure is the accuracy on the whole test set, of sections on its first 1,000
texts. Minutes are those of the training, of SetFit without the start of Python. Weft runs with its
defaults, SetFit with its own, but that it makes at most 20 pairs of each text and kind, as its
paper does. Extends benchmarks/results/tuning/few.json by the draws that were asked for; a run goes
on where it stopped.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import (  # noqa: E402
    RELEASE, ROOT, machine, read_text, result_file, run, write_whole)

PEER = pathlib.Path(__file__).resolve().parent / "peer_setfit.py"
FILES = {"trec": ("trec/TREC.train.all.gz", "trec/TREC.test.all.gz"),
         "sst2": ("sst2/stsa.binary.train.gz", "sst2/stsa.binary.test.gz")}
MOST_TESTS = 1000


def read_examples(options, name, part):
    """(label, text) of each example of training (0) or of the test (1)."""
    if name == "sections":
        text = (options.sections / ("train.tsv", "test.tsv")[part]).read_text(encoding="utf8")
        return [tuple(line.split("\t", 1)) for line in text.splitlines()]
    text = read_text(options.data / FILES[name][part])
    return [tuple(line.split(" ", 1)) for line in text.splitlines()]


def draw(examples, count, seed):
    """`count` examples of each label, or all of a label that has fewer."""
    texts = collections.defaultdict(list)
    for label, text in examples:
        texts[label].append(text)
    numbers = random.Random(seed)
    return [(label, text) for label in sorted(texts)
            for text in numbers.sample(texts[label], min(count, len(texts[label])))]


def write_examples(path, examples):
    path.write_text("".join(f"{label}\t{text}\n" for label, text in examples), encoding="utf8")


def weft_figures(options, folder, seed):
    model = folder / "model.safetensors"
    began = time.monotonic()
    run([options.weft, "train", "classification", "--from", options.model, "--contrastive",
         "-t", folder / "train.tsv", "-m", model, "--seed", str(seed), "--threads",
         str(options.threads), "--overwrite"])
    minutes = (time.monotonic() - began) / 60
    found = run([options.weft, "classify", "-m", model, "--evaluate", folder / "test.tsv"])
    return {"weft": float(re.search(r"accuracy ([\d.]+)", found).group(1)),
            "weft minutes": round(minutes, 3)}


def peer_figures(options, folder, seed):
    printed = run([options.peer, PEER, options.model, folder, str(seed), str(options.threads)])
    found = json.loads(printed.splitlines()[-1])
    return {"setfit": found["accuracy"], "setfit minutes": found["minutes"]}


def measure(options, name, count, seed):
    test = read_examples(options, name, 1)[:MOST_TESTS if name == "sections" else None]
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        write_examples(folder / "train.tsv", draw(read_examples(options, name, 0), count, seed))
        write_examples(folder / "test.tsv", test)
        row = weft_figures(options, folder, seed)
        return row | (peer_figures(options, folder, seed) if options.peer else {})


def summary(runs):
    """Means over draws, and of accuracies the standard deviation."""
    out = {"draws": len(runs)}
    for figure in ("weft", "weft minutes", "setfit", "setfit minutes"):
        values = [one[figure] for one in runs if figure in one]
        if not values:
            continue
        out[figure] = round(statistics.mean(values), 4)
        if "minutes" not in figure and len(values) > 1:
            out[f"{figure} deviation"] = round(statistics.stdev(values), 4)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--peer", help="a Python with setfit")
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--sections", type=pathlib.Path,
                        default=ROOT / "quickstart/sections")
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--sets", nargs="+", choices=(*FILES, "sections"),
                        default=[*FILES, "sections"])
    parser.add_argument("--examples", type=int, nargs="+", default=[8, 16, 64])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    path = result_file("tuning/few")
    rows = json.loads(path.read_text())["rows"] if path.exists() else []
    rows = {(row["set"], row["examples"]): row for row in rows}
    for name in options.sets:
        for count in options.examples:
            row = rows.setdefault((name, count), {"set": name, "examples": count, "runs": []})
            done = {one["draw"] for one in row["runs"]}
            for seed in sorted(set(range(1, options.draws + 1)) - done):
                row["runs"].append({"draw": seed, "threads": options.threads}
                                   | measure(options, name, count, seed) | machine())
                row["mean"] = summary(row["runs"])
                write_whole(path, json.dumps({"rows": list(rows.values())}, indent=1) + "\n")
    for row in rows.values():
        print(f"{row['set']}, {row['examples']} examples of each label: {row['mean']}")


if __name__ == "__main__":
    main()
