#!/usr/bin/env python3
"""Compares one attention call with PyTorch's scaled_dot_product_attention.

    python3 benchmarks/tasks/training/attention.py --torch "PYTHON attention_torch.py"

One call has 8 heads of 64, forward or forward and backward, in f32 and bf16. The PyTorch script
takes --length, --dtype, --threads and --backward, and prints a JSON line with ms_best. Prints one
JSON object, which is also written to benchmarks/results, and one line per case.
"""

import argparse
import json
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, report, run  # noqa: E402

GOALS = {("f32", "forward"): 1.1, ("bf16", "forward"): 1.6,
         ("f32", "both"): 1.1, ("bf16", "both"): 1.3}


def peer_ms(options, length, dtype, part):
    backward = ["--backward"] if part == "both" else []
    out = run([*shlex.split(options.torch), "--length", str(length), "--dtype", dtype,
               "--threads", str(options.threads), *backward])
    return json.loads(out.strip().splitlines()[-1])["ms_best"]


def weft_ms(options, length, dtype, part):
    line = f"attention {part} {dtype} {length}\n"
    out = run([options.kernel_times, str(options.threads)], input=line)
    return 1e3 * float(out.split()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", required=True)
    parser.add_argument("--kernel-times", default=str(RELEASE / "benchmarks/weft_kernel_times"))
    parser.add_argument("--lengths", type=int, nargs="+", default=[4096, 16384])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    cells = []
    for (dtype, part), goal in GOALS.items():
        for length in options.lengths:
            peer, ours = [], []
            for _ in range(options.rounds):
                peer.append(peer_ms(options, length, dtype, part))
                ours.append(weft_ms(options, length, dtype, part))
            cells.append({"type": dtype, "pass": part, "length": length, "torch_ms": min(peer),
                          "weft_ms": round(min(ours), 2), "goal": goal,
                          "ratio": round(min(peer) / min(ours), 2)})
    report("training_attention", {"cells": cells, "threads": options.threads},
           [(f"{c['type']} {c['pass']} {c['length']}", c["ratio"], c["goal"]) for c in cells])


if __name__ == "__main__":
    main()
