#!/usr/bin/env python3
"""Training speed of R ranks of one thread beside one rank of R threads, in turns; medians compared.

    python3 benchmarks/tasks/training/ranks.py --data DIR

DIR holds train.{en,de}.gz, Multi30k with the paper's BPE. Prints one JSON object, written to
benchmarks/results too, and a line of verdict.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOAL = 0.9
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(command, **more):
    return subprocess.run(command, check=True, text=True, capture_output=True, **more)


def speed(options, ranks, threads):
    """Target tokens a second, the median of the reports after the first ones."""
    launcher = ["mpirun", "-np", str(ranks)] if ranks > 1 else []
    with tempfile.TemporaryDirectory() as folder:
        log = run([*launcher, options.weft, "train", "--task", f"transformer-{options.shape}",
                   "--tied-embeddings-all", "--output-bias", "false", "--vocab-type", "word",
                   "-t", f"{options.data}/train.en.gz", f"{options.data}/train.de.gz",
                   "-v", f"{folder}/vocab", f"{folder}/vocab", "-m", f"{folder}/m.safetensors",
                   "--mini-batch-words", str(options.words), "--learn-rate", "0.001",
                   "--lr-warmup", "0", "--lr-schedule", "constant", "--disp-freq", "4u",
                   "--precision", options.precision, "--after", f"{options.updates}u",
                   "--threads", str(threads)], env=ENVIRONMENT).stderr
    speeds = [float(s) for s in re.findall(r"(\d+) tokens/s", log)]
    return statistics.median(speeds[min(3, len(speeds) - 1):])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--shape", choices=("tiny", "base"), default="tiny")
    parser.add_argument("--precision", choices=("float32", "bfloat16", "auto"), default="float32")
    parser.add_argument("--weft", default=str(ROOT / "build/release/weft"))
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
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    result = {"shape": options.shape, "precision": options.precision, "ranks": options.ranks,
              "words": options.words, "ranks_tokens_per_s": statistics.median(many),
              "threads_tokens_per_s": statistics.median(one), "ratio": round(ratio, 2),
              "goal": GOAL, "ranks_runs": many, "threads_runs": one,
              "mpi": run(["mpirun", "--version"]).stdout.splitlines()[0],
              "cpu": cpu.group(1) if cpu else platform.processor(),
              "compiler": run(["c++", "--version"]).stdout.splitlines()[0],
              "commit": run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT).stdout.strip()}
    text = json.dumps(result, indent=1)
    print(text)
    results = ROOT / "benchmarks/results"
    results.mkdir(exist_ok=True)
    (results / f"ranks_{options.shape}_{options.precision}.json").write_text(text + "\n")
    verdict = "reached" if result["ratio"] >= GOAL else "MISSED"
    print(f"{options.ranks} ranks run at {result['ratio']} of the speed of as many threads, "
          f"goal {GOAL}: {verdict}")


if __name__ == "__main__":
    main()
