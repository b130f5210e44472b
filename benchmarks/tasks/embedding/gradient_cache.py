#!/usr/bin/env python3
"""Memory and time of training an embedder on large mini-batches, with and without a cache of
gradients.

    python3 benchmarks/tasks/embedding/gradient_cache.py --from MODEL [--data DIR]
        [--mini-batch 256] [--cached 32]

MODEL is an embedder, such as the folder of all-MiniLM-L6-v2 that scripts/fetch-models brings. Pairs
are the sentences of SST-2 (DIR/sst2), each with itself without its last word. Two updates of the
in-batch loss by `weft train embedding`, with all texts of a mini-batch at once and with
`--gradient-cache`, one training each. Memory is the peak of the process, less that of a training
with mini-batches of two pairs, which has the weights, gradients and moments as well; time is the
processor's. Writes benchmarks/results/embedding/gradient_cache.json and prints it.
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import (  # noqa: E402
    RELEASE, ROOT, processor_seconds, read_text, report, run_measured)


def write_pairs(data, path):
    lines = [line.split(" ", 1)[1] for line in
             read_text(data / "sst2/stsa.binary.train.gz").splitlines()]
    path.write_text("".join(f"{line}\t{line.rsplit(' ', 1)[0]}\n" for line in lines
                            if len(line.split()) > 5), encoding="utf8")


def measure(options, folder, mini_batch, cached):
    """MiB, processor seconds and the loss after the last update."""
    before = processor_seconds()
    log, peak = run_measured([
        options.weft, "train", "embedding", "--from", options.start, "-t", folder / "pairs.tsv",
        "-m", folder / "model.safetensors", "--overwrite", "--mini-batch", mini_batch, "--after",
        "2u", "--disp-freq", "1u", "--gradient-cache", cached, "--transformer-dropout", "0",
        "--threads", options.threads])
    return {"MiB": round(peak), "seconds": round(processor_seconds() - before, 1),
            "loss": float(re.findall(r" loss ([\d.]+)", log)[-1])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="start", required=True)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--mini-batch", type=int, default=256)
    parser.add_argument("--cached", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        write_pairs(options.data, folder / "pairs.tsv")
        rest = measure(options, folder, 2, 0)["MiB"]
        rows = {"whole": measure(options, folder, options.mini_batch, 0),
                "cached": measure(options, folder, options.mini_batch, options.cached)}
    for row in rows.values():
        row["MiB of the mini-batch"] = row["MiB"] - rest
    report("embedding/gradient_cache",
           {"mini-batch": options.mini_batch, "texts at a time": options.cached, "rows": rows})


if __name__ == "__main__":
    main()
