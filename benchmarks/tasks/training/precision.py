#!/usr/bin/env python3
"""Compares validation cross-entropy after training in bfloat16 and in float32.

    python3 benchmarks/tasks/training/precision.py --data DIR

Both use the same seed and batches. DIR holds {train,valid}.{en,de}.gz, Multi30k with the paper's
BPE. Prints one JSON object, which is also written to benchmarks/results, and one verdict.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, multi30k, report, train  # noqa: E402

GOAL = -0.02  # nats
# At higher learning rates two float32 runs with different thread counts differ by 0.05 nats after
# 1,000 updates. At this rate they do not, so that the difference shows the precision.
GENTLE = ("--mini-batch-words", 2048, "--learn-rate", 0.001, "--lr-warmup", 500, "--seed", 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    at = {}
    for precision in ("float32", "bfloat16"):
        log = train(options.weft, [
            *multi30k(options.data, "tiny"), *GENTLE, "--valid-sets", f"{options.data}/valid.en.gz",
            f"{options.data}/valid.de.gz", "--after", f"{options.updates}u", "--valid-freq",
            f"{options.updates // 4}u", "--precision", precision,
            "--threads", options.threads]).log
        at[precision] = {int(update): float(value) for update, value in re.findall(
            r"validation at update (\d+): cross-entropy ([\d.]+)", log)}
    difference = abs(at["bfloat16"][options.updates] - at["float32"][options.updates])
    report("training_precision",
           {"cross_entropy": at, "difference": round(difference, 4), "threads": options.threads},
           [(f"nats apart after {options.updates} updates", difference, GOAL)])


if __name__ == "__main__":
    main()
