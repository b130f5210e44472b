#!/usr/bin/env python3
"""Checks that a translation does not depend on batch, order or threads, and what precision costs.

    python3 benchmarks/tasks/decoding/invariance.py --model MODEL --source FILE --reference FILE

Each precision translates the text in batches of 1, 7 and 32, shuffled, and with 1 and 2 threads.
All outputs must be identical, and their BLEU is compared between precisions. Prints one JSON
object, which is also written to benchmarks/results, and one line per goal.
"""

import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, bleu, read_text, report, run  # noqa: E402

PRECISIONS = ("float32", "bfloat16", "int8")
BATCHES, THREADS = (1, 7, 32), (1, 2)
BLEU_LOSS = 0.3


def translate(options, lines, precision, batch=32, threads=2):
    out = run([options.weft, "translate", "-m", options.model, "--precision", precision,
               "--beam-size", str(options.beam), "--normalize", "1", "--undo-bpe", "--mini-batch",
               str(batch), "--threads", str(threads), "--quiet"],
              input="".join(f"{line}\n" for line in lines))
    return out.splitlines()


def differing_lines(options, lines, precision, expected):
    """The number of lines whose translations differ between settings."""
    order = list(range(len(lines)))
    random.Random(1).shuffle(order)
    differ = set()
    for batch in BATCHES:
        for threads in THREADS:
            found = translate(options, lines, precision, batch, threads)
            differ |= {i for i, line in enumerate(found) if line != expected[i]}
    found = translate(options, [lines[i] for i in order], precision)
    differ |= {order[k] for k, line in enumerate(found) if line != expected[order[k]]}
    return len(differ)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    options = parser.parse_args()
    lines = read_text(options.source).splitlines()
    out, scores = {}, {}
    for precision in PRECISIONS:
        expected = translate(options, lines, precision)
        scores[precision] = bleu(options.weft, expected, options.reference, "--undo-bpe")
        out[precision] = {"bleu": scores[precision],
                          "differing_lines": differing_lines(options, lines, precision, expected)}
    report("decoding_invariance", {"lines": len(lines), "batches": BATCHES, "threads": THREADS,
                                   "precisions": out},
           [(f"lines that differ, {p}", out[p]["differing_lines"], -1e-9) for p in PRECISIONS] +
           [(f"BLEU lost in {p}", scores["float32"] - scores[p], -BLEU_LOSS)
            for p in ("bfloat16", "int8")])


if __name__ == "__main__":
    main()
