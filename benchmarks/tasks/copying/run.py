#!/usr/bin/env python3
"""Measures how kinds of positions and attention generalise to longer sequences than in training.

    python3 benchmarks/tasks/copying/run.py [--kinds NAME ...] [--folder FOLDER]

Trains one small model per kind to copy random words of 4 to 24 letters, and tests it on 8 to 96
letters: the share of tokens at the right position, and of lines without a mistake. Models are
written to FOLDER (quickstart/copying by default), and each row to benchmarks/results/copying.json
as soon as it is measured. A second run continues from there; remove a row from the file to measure
it again. Prints the rows.
"""

import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import (  # noqa: E402
    RELEASE, ROOT, Record, fixed_defaults, machine, run, write_whole)

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONGEST = 24  # in training
LENGTHS = [8, 16, 24, 32, 48, 96]
TESTED = 100  # lines of each length
UPDATES = 3000
MODEL = ["--enc-depth", "2", "--dec-depth", "2", "--dim-emb", "64", "--transformer-heads", "4",
         "--transformer-dim-ffn", "128", "--vocab-type", "word", "--max-positions", "128"]
TRAINING = ["--mini-batch-words", "2000", "--learn-rate", "0.003", "--lr-warmup", "200",
            "--lr-schedule", "inverse-sqrt", "--disp-freq", "200u", "--save-freq", "1000u",
            "--seed", "1", "--precision", "float32", "--max-length", "200"]
POSITIONS = ["none", "index", "sinusoidal", "learned", "rotary", "relative", "alibi"]
OPTIONS = {
    **{f"position {name}": ["--position", name] for name in POSITIONS},
    "local, 4 each side": ["--attention", "local", "--attention-window", "4"],
    "local, rotary": ["--attention", "local", "--attention-window", "4", "--position", "rotary"],
    "block-sparse": ["--attention", "block-sparse", "--attention-block", "4",
                     "--attention-global", "1"],
    **{name: ["--attention", name]
       for name in ("linear", "linear-unnormalised", "synthesizer-dense", "synthesizer-random")},
    "linformer, encoder": ["--attention", "linformer", "--attention-in", "encoder",
                           "--attention-keys", "8"],
    "sinkhorn, encoder": ["--attention", "sinkhorn", "--attention-in", "encoder",
                          "--attention-block", "4"],
    "clustered, centroids": ["--attention", "clustered", "--attention-clusters", "4"],
    "clustered, hashes": ["--attention", "clustered", "--attention-clusters", "4",
                          "--attention-clustering", "hash"],
    "two heads of keys": ["--transformer-key-heads", "2"],
    "one head of keys": ["--transformer-key-heads", "1"],
    **{name: ["--attention-activation", name]
       for name in ("relu", "relu2", "sigmoid", "sparsemax", "entmax15")},
    "diagonal prior": ["--attention-prior", "diagonal"],
    "diagonal prior, no positions": ["--attention-prior", "diagonal", "--position", "none"],
    "monotonic prior": ["--attention-prior", "monotonic"],
    "guided by the diagonal": ["--guided-attention", "diagonal", "--guided-attention-weight", "1"],
}
KINDS = {name: {"options": options, "updates": UPDATES} for name, options in OPTIONS.items()}


def line(draw, length):
    return " ".join(draw.choice(LETTERS) for _ in range(length)) + "\n"


def write_text(folder):
    draw = random.Random(1)
    train = [line(draw, draw.randint(4, LONGEST)) for _ in range(20000)]
    write_whole(folder / "train", "".join(train))
    test = [line(draw, length) for length in LENGTHS for _ in range(TESTED)]
    write_whole(folder / "test", "".join(test))


def shares(test, copied):
    """The share of tokens at the right position, and of correct lines, by length."""
    out = {}
    for i, length in enumerate(LENGTHS):
        pairs = list(zip(test, copied))[i * TESTED:(i + 1) * TESTED]
        right = sum(a == b for x, y in pairs for a, b in zip(x.split(), y.split()))
        out[length] = {"tokens": round(right / (length * TESTED), 4),
                       "lines": sum(x == y for x, y in pairs) / TESTED}
    return out


def measure(options, name, kind):
    model = options.folder / f"{name.replace(' ', '-').replace(',', '')}.safetensors"
    text, vocab = str(options.folder / "train"), str(options.folder / "vocab")
    run([options.weft, "train", *MODEL, *TRAINING, *fixed_defaults(options.weft),
         *kind["options"], "-t", text, text, "-v", vocab, vocab, "-m", model,
         "--after", f"{kind['updates']}u", "--threads", options.threads])
    test = options.folder / "test"
    copied = run([options.weft, "translate", "-m", model, "--beam-size", "1", "--threads",
                  options.threads, "-i", test]).splitlines()
    return {"kind": name, "options": " ".join(kind["options"]), "updates": kind["updates"],
            "by_length": shares(test.read_text().splitlines(), copied),
            "commit": machine()["commit"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--threads", default="2")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "quickstart/copying")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if not (options.folder / "test").exists():
        write_text(options.folder)
    record = Record("copying", {"trained_up_to": LONGEST}, KINDS)
    for name in options.kinds:
        if name not in record.rows:
            record.keep(measure(options, name, KINDS[name]))
            cells = (f"{cell['tokens']:.0%}" for cell in record.rows[name]["by_length"].values())
            print(f"{name:30}", *(f"{cell:>6}" for cell in cells), file=sys.stderr, flush=True)
    print(record.text())


if __name__ == "__main__":
    main()
