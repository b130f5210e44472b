#!/usr/bin/env python3
"""The speed of a program without oneDNN beside one with it: training, translating, embedding.

    cmake --preset release -B build/own -DWEFT_ONEDNN=OFF && cmake --build build/own --target weft
    python3 benchmarks/tasks/training/without_onednn.py --own build/own/weft --data DIR
        [--model MODEL] [--lines FILE] [--shapes tiny base] [--rounds 3]

DIR holds train.{en,de}.gz, Multi30k with the paper's BPE. Training is of Transformers of two shapes
in float32 and bfloat16. Translating is of 200 lines by such a model after one update, embedding of
FILE by MODEL, each in float32, bfloat16 and int8, as whole processes. In each round the programs
run in turns; medians over the rounds are compared. Writes
benchmarks/results/training/without_onednn.json, prints it, and a verdict for each figure.
"""

import argparse
import gzip
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, multi30k, report, run, steady, train  # noqa: E402

PRECISIONS = ("float32", "bfloat16", "int8")
UPDATES = {"tiny": 24, "base": 8}
TRAINING, INFERENCE = 0.85, 0.95  # goals: the speed without oneDNN over that with it


def seconds(command):
    began = time.perf_counter()
    run([str(word) for word in command])
    return time.perf_counter() - began


def make_translator(options, folder):
    """A translator after one update, and the lines to translate."""
    model, lines = folder / "m.safetensors", folder / "lines"
    data = [str(word).replace("{}", str(folder)) for word in multi30k(options.data, "tiny")]
    run([options.weft, "train", *data, *map(str, steady(1, 4096, options.threads))])
    with gzip.open(options.data / "train.en.gz", "rt", encoding="utf8") as text:
        lines.write_text("".join(line for _, line in zip(range(200), text)), encoding="utf8")
    return ["translate", "-m", model, "-i", lines]


def measure(options, folder):
    """{what: {program: speeds}}"""
    programs = {"onednn": options.weft, "own": options.own}
    jobs = {"translate": make_translator(options, folder)}
    if options.model:
        jobs["embed"] = ["embed", "-m", options.model, "-i", options.lines]
    speeds = {}

    def keep(what, name, speed):
        speeds.setdefault(what, {}).setdefault(name, []).append(round(speed, 4))

    for _ in range(options.rounds):
        for shape in options.shapes:
            for precision in PRECISIONS[:2]:
                for name, program in programs.items():
                    found = train(program, [
                        *multi30k(options.data, shape), "--precision", precision,
                        *steady(UPDATES[shape], 4096, options.threads)])
                    keep(f"training, {shape}, {precision}", name, found.speed())
        for job, command in jobs.items():
            for precision in PRECISIONS:
                for name, program in programs.items():
                    keep(f"{job}, {precision}", name, 1 / seconds([
                        program, *command, "--precision", precision, "--threads",
                        options.threads]))
    return speeds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--own", required=True, help="the program without oneDNN")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--model", help="an embedder")
    parser.add_argument("--lines", help="what it embeds")
    parser.add_argument("--shapes", nargs="+", choices=UPDATES, default=list(UPDATES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        speeds = measure(options, pathlib.Path(folder))
    ratios = {what: round(statistics.median(row["own"]) / statistics.median(row["onednn"]), 3)
              for what, row in speeds.items()}
    goals = [(what, ratio, TRAINING if what.startswith("training") else INFERENCE)
             for what, ratio in ratios.items()]
    report("training/without_onednn",
           {"threads": options.threads, "rounds": options.rounds, "speeds": speeds,
            "ratios": ratios}, goals)


if __name__ == "__main__":
    main()
