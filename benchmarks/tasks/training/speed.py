#!/usr/bin/env python3
"""Compares training speed and memory with PyTorch and Marian, and speed with the limit by oneDNN.

    python3 benchmarks/tasks/training/speed.py --shape tiny --data DIR \\
        --torch "PYTHON train_torch.py" [--marian "train_marian.sh"]

In each round every program runs once; medians over the rounds are compared. The limit is the time
that the matrix products alone take in oneDNN. DIR holds train.{en,de}.gz, Multi30k with the paper's
BPE. The PyTorch script takes --data, --shape, --dtype, --compile, --updates and --threads, and
prints a JSON line with target_tokens_per_s_median and peak_rss_mb; it runs with and without
tcmalloc (--tcmalloc names the library). The Marian script takes DIR, shape, updates and threads,
and prints words/s. Prints one JSON object, which is also written to benchmarks/results, and one
line per goal.
"""

import argparse
import json
import pathlib
import re
import shlex
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, multi30k, preloading, report, run, steady, train  # noqa: E402

GOALS = {"tiny": {"over_installed": 4, "over_tuned": 2.5, "over_marian": 5, "share_of_limit": 0.62,
                  "f32_over_f32": 2.0, "memory": -0.2},
         "base": {"over_installed": 1.8, "over_tuned": 1.3, "over_marian": 3,
                  "share_of_limit": 0.75, "memory": -0.5}}
SIZES = {"tiny": {"layers": 4, "d": 128, "ffn": 256}, "base": {"layers": 6, "d": 512, "ffn": 2048}}


def torch_speed(options, dtype, compiled, tuned):
    command = [*shlex.split(options.torch), "--data", options.data, "--shape", options.shape,
               "--dtype", dtype, "--updates", str(options.peer_updates),
               "--threads", str(options.threads)] + (["--compile"] if compiled else [])
    env = preloading(options.tcmalloc) if tuned else None
    return json.loads(run(command, env=env).strip().splitlines()[-1])


def marian_speed(options):
    out = run([*shlex.split(options.marian), options.data, options.shape,
               str(options.peer_updates), str(options.threads)])
    return statistics.median(float(s) for s in re.findall(r"([\d.]+) words/s", out)[1:])


def weft_training(options, precision):
    return train(options.weft, [*multi30k(options.data, options.shape), "--precision", precision,
                                *steady(options.updates, 4096, options.threads)])


def products(options):
    """The products of an update with 4,096 source and target rows: (form, m, n, k, count)."""
    layers, d, ffn = (SIZES[options.shape][k] for k in ("layers", "d", "ffn"))
    rows, vocabulary, chunk = 4096, 9711, 512
    maps = [(d, 3 * d, 2 * layers),  # queries, keys and values of self-attention: in, out, count
            (d, d, 2 * layers + 2 * layers),  # its output; queries and output of cross-attention
            (d, 2 * d, layers),  # keys and values of cross-attention
            (d, ffn, 2 * layers), (ffn, d, 2 * layers)]
    out = []
    for inner, outer, count in maps:
        out += [("ab'", rows, outer, inner, count), ("ab", rows, inner, outer, count),
                ("a'b", outer, inner, rows, count)]
    chunks = rows // chunk
    return out + [("ab'", chunk, vocabulary, d, chunks), ("ab", chunk, d, vocabulary, chunks),
                  ("a'b", vocabulary, d, chunk, chunks)]


def limit(options, dtype):
    """Target tokens per second if an update took only its products in oneDNN."""
    shapes = products(options)
    lines = "".join(f"gemm {form} {dtype} {m} {n} {k}\n" for form, m, n, k, _ in shapes)
    out = run([options.kernel_times, str(options.threads)], input=lines)
    times = [float(line.split()[-1]) for line in out.splitlines()]
    return 4096 / sum(t * shape[-1] for t, shape in zip(times, shapes))


def measure(options):
    kinds = {"f32": ("f32", False), "bf16": ("bf16", False)}
    if options.compile:
        kinds["bf16 compiled"] = ("bf16", True)
    runs = {f"torch {kind}{' tcmalloc' if tuned else ''}": [] for kind in kinds for tuned in (0, 1)}
    runs |= {"weft f32": [], "weft bf16": []} | ({"marian": []} if options.marian else {})
    memory, limits, system = {}, {"f32": [], "bf16": []}, ""
    for _ in range(options.rounds):
        for kind, how in kinds.items():
            for tuned in (0, 1):
                name = f"torch {kind}{' tcmalloc' if tuned else ''}"
                result = torch_speed(options, *how, tuned)
                runs[name].append(result["target_tokens_per_s_median"])
                memory.setdefault(name, []).append(result["peak_rss_mb"])
                system = result.get("system", "")
        for dtype, precision in (("f32", "float32"), ("bf16", "bfloat16")):
            training = weft_training(options, precision)
            runs[f"weft {dtype}"].append(training.speed())
            memory.setdefault(f"weft {dtype}", []).append(round(training.peak_mb))
            limits[dtype].append(limit(options, dtype))
        if options.marian:
            runs["marian"].append(marian_speed(options))
    medians = [{k: statistics.median(v) for k, v in of.items()} for of in (memory, limits)]
    return runs, *medians, system


def verdict(runs, memory, limits):
    speed = {name: statistics.median(values) for name, values in runs.items()}
    installed = max((n for n in speed if n.startswith("torch") and "tcmalloc" not in n),
                    key=speed.get)
    tuned = max((n for n in speed if n.startswith("torch")), key=speed.get)
    ours = speed["weft bf16"]
    f32_peer = max(v for n, v in speed.items() if n.startswith("torch f32"))
    out = {"over_installed": ours / speed[installed], "over_tuned": ours / speed[tuned],
           "share_of_limit": ours / limits["bf16"], "f32_over_f32": speed["weft f32"] / f32_peer,
           "memory": memory["weft bf16"] / min(v for n, v in memory.items() if "torch" in n)}
    if "marian" in speed:
        out["over_marian"] = ours / speed["marian"]
    return {k: round(v, 3) for k, v in out.items()}, installed, tuned


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", required=True)
    parser.add_argument("--marian")
    parser.add_argument("--data", required=True)
    parser.add_argument("--shape", choices=GOALS, default="tiny")
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--kernel-times", default=str(RELEASE / "benchmarks/weft_kernel_times"))
    parser.add_argument("--tcmalloc", default="libtcmalloc_minimal.so.4")
    parser.add_argument("--compile", action="store_true", help="also torch.compile")
    parser.add_argument("--updates", type=int, default=80)
    parser.add_argument("--peer-updates", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    runs, memory, limits, system = measure(options)
    ratios, installed, tuned = verdict(runs, memory, limits)
    goals = GOALS[options.shape]
    report(f"training_{options.shape}",
           {"shape": options.shape, "peer": system, "threads": options.threads,
            "target_tokens_per_s": runs, "peak_mb": memory,
            "limit_tokens_per_s": {k: round(v) for k, v in limits.items()},
            "best_installed": installed, "best_tuned": tuned, "ratios": ratios},
           [(name, ratios[name], goal) for name, goal in goals.items() if name in ratios])


if __name__ == "__main__":
    main()
