#!/usr/bin/env python3
"""The speed and memory of tuning a classifier from a pretrained encoder, beside Transformers.

    python3 benchmarks/tasks/tuning/speed.py --model MODEL --peer PYTHON [--data DIR]
        [--tcmalloc LIBRARY] [--precisions float32 bfloat16] [--rounds 3]

MODEL is a folder of all-MiniLM-L6-v2, as scripts/fetch-models brings it; PYTHON has transformers.
Both tune it on TREC (DIR/trec) with AdamW, mini-batches of 32 sentences and two epochs, the peer
(peer_transformers.py) with tcmalloc preloaded. "speed" compares the sentences a second of updates
alone, Weft's as the log of `weft train classification --from MODEL` has them for the last epoch.
"speed, whole process" is harder on Weft: its time from start to end, with reading, tokenising and
writing in it, against the peer's updates alone. In each round all run in turns, medians over the
rounds are compared, each program at its faster precision. Writes
benchmarks/results/tuning/speed.json, prints it, and a verdict for each goal.
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
from side_by_side import (  # noqa: E402
    RELEASE, ROOT, Training, preloading, read_text, report, run, run_measured)

PEER = pathlib.Path(__file__).resolve().parent / "peer_transformers.py"
PRECISIONS = {"float32": "f32", "bfloat16": "bf16"}
LAYOUT = ["--format", "first-word"]
EPOCHS, BATCH, RATE = 2, 32, 1e-4
WITH_AVX512, WITHOUT, MEMORY = 2.5, 1.4, 0.5  # goals


def weft(options, folder, precision):
    model, began = folder / "model.safetensors", time.monotonic()
    done = Training(*run_measured([
        options.weft, "train", "classification", "--from", options.model, *LAYOUT, "-t",
        folder / "train", "-m", model, "--overwrite", "--precision", precision, "--mini-batch",
        BATCH, "--mini-batch-words", "0", "--after", f"{EPOCHS}e", "--learn-rate", RATE,
        "--threads", options.threads, "--disp-freq", "1e"]))
    seconds = time.monotonic() - began
    found = run([options.weft, "classify", "-m", model, "--evaluate", folder / "test"])
    accuracy = float(re.search(r"accuracy ([\d.]+)", found).group(1))
    return {"seconds": round(seconds, 1), "examples_per_s": done.speed("examples"),
            "peak_mb": round(done.peak_mb), "accuracy": accuracy}


def peer(options, folder, precision):
    env = preloading(options.tcmalloc)
    out = run([options.peer, PEER, "--model", options.model, "--train", folder / "train", "--test",
               folder / "test", "--dtype", PRECISIONS[precision], "--epochs", str(EPOCHS),
               "--batch", str(BATCH), "--rate", str(RATE), "--threads", str(options.threads)],
              env=env)
    found = json.loads(out.splitlines()[-1])
    examples = EPOCHS * len((folder / "train").read_text(encoding="utf8").splitlines())
    return found | {"examples_per_s": round(examples / found["seconds"], 1)}


def median(runs, name):
    return statistics.median(found[name] for found in runs)


def fastest(rows, program):
    return max((runs for name, runs in rows.items() if name.startswith(program)),
               key=lambda runs: median(runs, "examples_per_s"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--model", required=True)
    parser.add_argument("--peer", required=True, help="a Python with transformers")
    parser.add_argument("--tcmalloc", default="libtcmalloc_minimal.so.4")
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=list(PRECISIONS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    rows = {}
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        for part, name in (("train", "train.all"), ("test", "test.all")):
            text = read_text(options.data / f"trec/TREC.{name}.gz")
            (folder / part).write_text(text, encoding="utf8")
        for _ in range(options.rounds):
            for precision in options.precisions:
                rows.setdefault(f"Transformers {precision}", []).append(
                    peer(options, folder, precision))
                rows.setdefault(f"weft {precision}", []).append(weft(options, folder, precision))
    ours, theirs = fastest(rows, "weft"), fastest(rows, "Transformers")
    ratios = {"speed": round(
                  median(ours, "examples_per_s") / median(theirs, "examples_per_s"), 2),
              "speed, whole process": round(
                  median(theirs, "seconds") / median(ours, "seconds"), 2),
              "memory": round(median(ours, "peak_mb") / median(theirs, "peak_mb"), 2),
              "accuracy above": round(median(ours, "accuracy") - median(theirs, "accuracy"), 4)}
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    goal = WITH_AVX512 if "avx512f" in flags else WITHOUT
    report("tuning/speed",
           {"set": "trec", "epochs": EPOCHS, "batch": BATCH, "threads": options.threads,
            "rows": rows, "ratios": ratios},
           [("tuning, times Transformers", ratios["speed"], goal),
            ("tuning, memory", ratios["memory"], -MEMORY)])


if __name__ == "__main__":
    main()
