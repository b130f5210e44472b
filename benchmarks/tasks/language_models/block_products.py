#!/usr/bin/env python3
"""Measures products with weights in blocks, by instruction set.

    python3 benchmarks/tasks/language_models/block_products.py [--sets avx2 avx2_vnni avx512 amx]

Runs the benchmarks block_product of weft_micro_bench, on one thread, with kernels limited to each
set of instructions in turns (WEFT_MAX_CPU_ISA). Prints one JSON object, which is also written to
benchmarks/results, with billions of operations (a multiplication or an addition) per second of
processor time: the best of --rounds, so that a busy machine shows less.
"""

import argparse
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, report, run  # noqa: E402


def products(program, instructions, wanted):
    """Operations per nanosecond of processor time of each product."""
    text = run(["taskset", "-c", str(min(os.sched_getaffinity(0))), program,
                f"--benchmark_filter=block_product/{wanted}", "--benchmark_min_time=0.03",
                "--benchmark_format=json"],
               env={**os.environ, "WEFT_MAX_CPU_ISA": instructions})
    out = {}
    for row in json.loads(text)["benchmarks"]:
        sizes = re.findall(r"[mnk]=(\d+)", row["name"])
        operations = 2.0
        for size in sizes:
            operations *= int(size)
        out[row["name"].removeprefix("block_product/")] = operations / row["cpu_time"]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=RELEASE / "benchmarks/weft_micro_bench")
    parser.add_argument("--sets", nargs="+", default=["avx2", "avx2_vnni", "avx512", "amx"])
    parser.add_argument("--products", default=".*/m=(1|8|64|512)/n=576/", help="regular expression")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    best = {}
    for _ in range(options.rounds):
        for instructions in options.sets:
            for name, speed in products(options.program, instructions, options.products).items():
                row = best.setdefault(name, {})
                row[instructions] = round(max(speed, row.get(instructions, 0)), 1)
    report("block_products", {"threads": 1, "billion_operations_per_second": best}, [])


if __name__ == "__main__":
    main()
