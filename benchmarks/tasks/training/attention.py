#!/usr/bin/env python3
"""One attention call of Weft beside PyTorch's scaled_dot_product_attention: 8 heads of 64, forward
and with backward, in f32 and bf16.

    python3 benchmarks/tasks/training/attention.py --torch "PYTHON attention_torch.py"

The PyTorch script takes --length, --dtype, --threads and --backward and prints a JSON line with
ms_best. Prints one JSON object, written to benchmarks/results too, and a line of verdict a cell.
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOALS = {("f32", "forward"): 1.1, ("bf16", "forward"): 1.6,
         ("f32", "both"): 1.1, ("bf16", "both"): 1.3}


def run(command, **more):
    done = subprocess.run(command, text=True, capture_output=True, **more)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


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
    parser.add_argument("--kernel-times",
                        default=str(ROOT / "build/release/benchmarks/weft_kernel_times"))
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
            ratio = min(peer) / min(ours)
            cells.append({"type": dtype, "pass": part, "length": length,
                          "torch_ms": min(peer), "weft_ms": round(min(ours), 2),
                          "ratio": round(ratio, 2), "goal": goal})
            print(f"{dtype} {part} {length}: {ratio:.2f}, goal {goal}: "
                  f"{'reached' if ratio >= goal else 'missed'}", flush=True)
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    commit = run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT).strip()
    result = {"cells": cells, "threads": options.threads, "cpu": cpu.group(1) if cpu else "",
              "commit": commit}
    text = json.dumps(result, indent=1)
    (ROOT / "benchmarks/results/training_attention.json").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
