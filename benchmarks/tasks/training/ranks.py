#!/usr/bin/env python3
"""Compares training speed of R ranks of one thread with one rank of R threads.

    python3 benchmarks/tasks/training/ranks.py --data DIR

Both run in turns; medians are compared. DIR holds train.{en,de}.gz, Multi30k with the paper's BPE.
Prints one JSON object, which is also written to benchmarks/results, and one verdict.
"""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, multi30k, report, run, steady, train  # noqa: E402

GOAL = 0.9


def speed(options, ranks, threads):
    how = [*multi30k(options.data, options.shape), "--precision", options.precision,
           *steady(options.updates, options.words, threads)]
    return train(options.weft, how, ["mpirun", "-np", ranks] if ranks > 1 else []).speed()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--shape", choices=("tiny", "base"), default="tiny")
    parser.add_argument("--precision", choices=("float32", "bfloat16", "auto"), default="float32")
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--words", type=int, default=4096)
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    many, one = [], []
    for _ in range(options.rounds):
        one.append(speed(options, 1, options.ranks))
        many.append(speed(options, options.ranks, 1))
    ratio = statistics.median(many) / statistics.median(one)
    report(f"ranks_{options.shape}_{options.precision}",
           {"shape": options.shape, "precision": options.precision, "ranks": options.ranks,
            "words": options.words, "ranks_tokens_per_s": many, "threads_tokens_per_s": one,
            "ratio": round(ratio, 2), "mpi": run(["mpirun", "--version"]).splitlines()[0]},
           [(f"{options.ranks} ranks over as many threads", ratio, GOAL)])


if __name__ == "__main__":
    main()
