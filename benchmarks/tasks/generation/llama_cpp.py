#!/usr/bin/env python3
"""Compares language models in Weft and in llama.cpp: same GGUF file, same threads, in turns.

    python3 benchmarks/tasks/generation/llama_cpp.py --model FILE.gguf --llama DIR [--threads 2]

DIR holds llama-bench, llama-batched-bench and llama-completion, built with
`cmake -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DBUILD_SHARED_LIBS=OFF` from the source package
llama-cpp-python of PyPI (scripts/fetch-models). Measured are prompts of 512 tokens (pp512 of
llama-bench; of Weft until the first token of the answer), one continuation of 128 tokens of a
prompt of 128, eight at once, the whole process until the first token after a prompt of a sentence,
and the peak memory of the process in each. Medians over --rounds. Prints one JSON object, which is
also written to benchmarks/results, and one line per goal.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, report  # noqa: E402

PROMPT, LENGTH, STREAMS = 512, 128, 8
SENTENCE = "The largest city of France is"
# Weft over llama.cpp; negative: at most this.
GOALS = {"prompt": 2.5, "one stream": 1.15, f"{STREAMS} streams": 1.6, "first token": -0.5,
         "memory": -1.0}


def measured(command, text=""):
    """Standard output, peak memory in MiB and seconds of a process; exits if it fails."""
    command = list(map(str, command))
    with tempfile.TemporaryFile("w+", encoding="utf8") as out, \
            tempfile.TemporaryFile("w+", encoding="utf8") as source:
        source.write(text)
        source.seek(0)
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        out.seek(0)
        if status != 0:
            sys.exit(f"{' '.join(command)}: status {status}")
        return out.read(), usage.ru_maxrss / 1024, seconds


class Weft:
    def __init__(self, options):
        self.base = [options.weft, "bench", "generate", "-m", options.model, "--threads",
                     options.threads, "--repeats", 3]
        self.one = [options.weft, "generate", "-m", options.model, "--threads", options.threads,
                    "--temperature", 0, "--max-length", 1, "--quiet"]

    def bench(self, *more):
        with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
            _, peak, _ = measured([*self.base, *more, "--json", file.name])
            return json.loads(pathlib.Path(file.name).read_text()), peak

    def prompt(self):
        figures, peak = self.bench("-p", PROMPT, "-n", 1)
        return figures["prompt_tokens_per_s"]["median"], peak

    def streams(self, count):
        figures, peak = self.bench("-p", LENGTH, "-n", LENGTH, "--streams", count)
        return figures["tokens_per_s"]["median"], peak

    def first_token(self):
        _, peak, seconds = measured(self.one, SENTENCE + "\n")
        return seconds, peak


class LlamaCpp:
    def __init__(self, options):
        self.folder, self.options = pathlib.Path(options.llama), options

    def run(self, program, *more):
        return measured([self.folder / program, "-m", self.options.model, "-t",
                         self.options.threads, *more])

    def prompt(self):
        text, peak, _ = self.run("llama-bench", "-p", PROMPT, "-n", 0, "-r", 3, "-o", "json")
        return json.loads(text)[0]["avg_ts"], peak

    def streams(self, count):
        text, peak, _ = self.run("llama-batched-bench", "-c", 2 * LENGTH * count, "-npp", LENGTH,
                                 "-ntg", LENGTH, "-npl", count, "--output-format", "jsonl")
        rows = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        return rows[-1]["speed_tg"], peak

    def first_token(self):
        _, peak, seconds = self.run("llama-completion", "-p", SENTENCE, "-n", 1, "--temp", 0,
                                    "-no-cnv", "-c", 512)
        return seconds, peak


CELLS = {"prompt": lambda program: program.prompt(),
         "one stream": lambda program: program.streams(1),
         f"{STREAMS} streams": lambda program: program.streams(STREAMS),
         "first token": lambda program: program.first_token()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--llama", required=True)
    parser.add_argument("--weft", default=RELEASE / "weft")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    version = subprocess.run([pathlib.Path(options.llama) / "llama-bench", "--version"],
                             capture_output=True, text=True, check=False)
    programs = {"llama.cpp": LlamaCpp(options), "weft": Weft(options)}
    cells = {}
    for _ in range(options.rounds):
        for cell, run in CELLS.items():
            for name, program in programs.items():
                runs = cells.setdefault(cell, {}).setdefault(name, {"figure": [], "peak_mb": []})
                figure, peak = run(program)
                runs["figure"].append(round(figure, 3))
                runs["peak_mb"].append(round(peak, 1))
    for row in cells.values():
        for what in ("figure", "peak_mb"):
            medians = [statistics.median(row[name][what]) for name in ("weft", "llama.cpp")]
            row[f"{what}_ratio"] = round(medians[0] / medians[1], 3)
    ratios = {cell: row["figure_ratio"] for cell, row in cells.items()}
    ratios["memory"] = max(row["peak_mb_ratio"] for row in cells.values())
    llama = re.search(r"build: (.*)|version: (.*)", version.stdout + version.stderr)
    report("llama_cpp", {"model": pathlib.Path(options.model).name, "threads": options.threads,
                         "llama.cpp": llama.group(0) if llama else "", "cells": cells},
           [(f"{cell}, Weft over llama.cpp", ratios[cell], goal)
            for cell, goal in GOALS.items()])


if __name__ == "__main__":
    main()
