#!/usr/bin/env python3
"""Measures time and memory of every kind of attention by length.

    python3 benchmarks/tasks/attention/kinds.py [--kinds NAME ...] [--lengths N ...]

One call has 8 heads of 64, f32, forward and backward, and runs in its own process. A call over
--most-seconds or --most-gib is marked, and longer inputs of its kind are skipped. Measurements are
saved in --out with their commit; a second run continues from there. Prints one JSON object, which
is also written to benchmarks/results, and verdicts on the cost per token at the greatest length
relative to 4,096, and on the speed of local attention relative to full.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, ROOT, machine, report, write_whole  # noqa: E402

KINDS = ["full", "full-causal", "grouped-query", "multi-query", "local", "local-causal",
         "block-sparse", "block-sparse-causal", "linear", "linear-causal", "linear-unnormalised",
         "linear-unnormalised-causal", "linformer", "synthesizer-dense", "synthesizer-random",
         "clustered", "clustered-causal", "clustered-hash", "sinkhorn", "alibi", "relative",
         "relu", "relu2", "sigmoid", "sparsemax", "entmax15"]
LINEAR = [kind for kind in KINDS if kind.startswith(("local", "block-sparse", "linear"))]


def measure(options, kind, length):
    most = options.most_gib << 30

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    command = [options.program, kind, str(length), str(options.threads)]
    try:
        done = subprocess.run(command, text=True, capture_output=True, preexec_fn=limit,
                              timeout=options.most_seconds)
    except subprocess.TimeoutExpired:
        return {"over": f"{options.most_seconds} s"}
    if done.returncode != 0:
        if "alloc" in done.stderr or "memory" in done.stderr:
            return {"over": f"{options.most_gib} GiB"}
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    seconds, megabytes = map(float, done.stdout.split()[2:])
    return {"ms": round(1e3 * seconds, 3), "mb": megabytes, "commit": machine()["commit"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(RELEASE / "benchmarks/weft_attention_kinds"))
    parser.add_argument("--kinds", nargs="+", default=KINDS)
    parser.add_argument("--lengths", type=int, nargs="+",
                        default=[256, 1024, 4096, 16384, 65536])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--most-seconds", type=int, default=600)
    parser.add_argument("--most-gib", type=int, default=16)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "quickstart/attention.json")
    options = parser.parse_args()
    options.out.parent.mkdir(exist_ok=True)
    here = machine()["cpu"]
    known = json.loads(options.out.read_text()) if options.out.exists() else {}
    cells = {}
    for kind in options.kinds:
        for length in options.lengths:
            name = f"{kind} {length}, {options.threads} threads, {here}"
            if name not in known:
                known[name] = measure(options, kind, length)
                write_whole(options.out, json.dumps(known, indent=1) + "\n")
                print(name, known[name], file=sys.stderr, flush=True)
            cells[kind, length] = known[name]
            if "over" in known[name]:
                break
    goals = []
    last = options.lengths[-1]
    for kind in LINEAR:
        first, end = cells.get((kind, 4096), {}), cells.get((kind, last), {})
        if "ms" in first and "ms" in end:
            goals.append((f"{kind}: a token at {last} over one at 4096",
                          end["ms"] / last / (first["ms"] / 4096), -1.3))
    full, local = cells.get(("full", 16384), {}), cells.get(("local", 16384), {})
    if "ms" in full and "ms" in local:
        goals.append(("local over full at 16384", full["ms"] / local["ms"], 20))
    result = {"threads": options.threads, "heads": 8, "size": 64, "window": 128,
              "cells": [{"kind": kind, "length": length} | cell
                        for (kind, length), cell in cells.items()]}
    report("attention_kinds", result, goals)


if __name__ == "__main__":
    main()
