#!/usr/bin/env python3
"""Measures what a translator loses and gains when the cheapest half of its heads is pruned.

    python3 benchmarks/tasks/pruning/run.py [--weft BINARY] [--folder FOLDER]

Trains a small translator on the text of scripts/make-toy-corpus, asks `weft inspect --ablate` what
each head costs, and prunes the cheapest half. Compares the model with all heads, trained for as
many updates more, the one that has lost them and that one after these updates: BLEU on the test
text, bytes of the file, and the processor's time for 2,000 lines, medians of repeats in turn.
Models are written to FOLDER (quickstart/pruning by default), which has to be empty, and the
result to benchmarks/results/pruning.json.
"""

import argparse
import pathlib
import resource
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, ROOT, bleu, fixed_defaults, report, run  # noqa: E402

MODEL = ["--enc-depth", "2", "--dec-depth", "2", "--dim-emb", "128", "--transformer-heads", "4",
         "--transformer-dim-ffn", "256", "--dim-vocabs", "1000", "1000", "--mini-batch-words",
         "1500", "--precision", "float32", "--threads", "1", "--quiet"]
WHOLE = ["--after", "600u", "--lr-warmup", "100", "--learn-rate", "0.002"]
MORE = ["--after", "300u", "--lr-warmup", "50", "--learn-rate", "0.0008"]
REPEATS = 7


def cheapest_half(table):
    """The names of the heads in the lower half of the table of --ablate."""
    rows = [line.split() for line in table.splitlines()[3:]]
    names = [f"{stack}{'-cross' * (role == 'cross')}.{layer}.{head}"
             for stack, role, layer, head, _, _ in rows]
    return names[len(names) // 2:]


def seconds(command, **more):
    """The processor's time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run(command, **more)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "quickstart/pruning")
    options = parser.parse_args()
    folder = options.folder
    run([ROOT / "scripts/make-toy-corpus", folder])
    files = {name: folder / f"{name}.safetensors" for name in ("first", "whole", "cut", "pruned")}

    def train(name, *more):
        run([options.weft, "train", "-t", folder / "train.en", folder / "train.it", "-v",
             folder / "en.spm", folder / "it.spm", "-m", files[name], *MODEL,
             *fixed_defaults(options.weft), *more])

    train("first", *WHOLE)
    heads = cheapest_half(run([options.weft, "inspect", "-m", files["first"], "--threads", "1",
                               "--ablate", folder / "valid.en", folder / "valid.it"]))
    start = ["--pretrained-model", files["first"]]
    train("whole", *MORE, *start)
    train("cut", "--after", "1u", "--learn-rate", "0", *start, "--prune-heads", *heads)
    train("pruned", *MORE, *start, "--prune-heads", *heads)
    rows = {name: {"bytes": file.stat().st_size, "seconds": {}} for name, file in files.items()}
    for name, file in files.items():
        translate = [options.weft, "translate", "-m", file, "-i", folder / "test.en", "--quiet",
                     "--threads", "1"]
        rows[name]["bleu"] = round(bleu(options.weft, run(translate).splitlines(),
                                        folder / "test.it"), 2)
    lines = (folder / "test.en").read_text() + (folder / "valid.en").read_text()
    (folder / "lines").write_text(2 * lines)
    for precision in ("float32", "int8"):
        times = {name: [] for name in ("whole", "pruned")}
        for _ in range(REPEATS):
            for name, found in times.items():
                found.append(seconds([options.weft, "translate", "-m", files[name], "-i",
                                      folder / "lines", "--threads", "1", "--quiet",
                                      "--precision", precision]))
        for name, found in times.items():
            rows[name]["seconds"][precision] = {
                key: round(summary(found), 2)
                for key, summary in (("median", statistics.median), ("min", min), ("max", max))}
    report("pruning", {"pruned": heads, "models": rows})


if __name__ == "__main__":
    main()
