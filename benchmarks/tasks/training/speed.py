#!/usr/bin/env python3
"""Training speed of Weft beside PyTorch, in one sitting: peer, Weft, peer, Weft; medians compared.

    python3 benchmarks/tasks/training/speed.py --peer "PYTHON train_torch.py" --data DIR

DIR holds train.{en,de}.gz, Multi30k with the paper's BPE; the peer script takes --data, --shape,
--dtype, --updates and --threads and prints a JSON line with target_tokens_per_s_median. Prints one
JSON object, written to benchmarks/results too, and a line of verdict.
"""

import argparse
import json
import pathlib
import platform
import re
import shlex
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOALS = {"tiny": 1.0, "base": 1.0}


def run(command, **more):
    return subprocess.run(command, check=True, text=True, capture_output=True, **more)


def peer_speed(options):
    out = run([*shlex.split(options.peer), "--data", options.data, "--shape", options.shape,
               "--dtype", "f32", "--updates", str(options.updates),
               "--threads", str(options.threads)]).stdout
    return json.loads(out.strip().splitlines()[-1])


def weft_speed(options):
    with tempfile.TemporaryDirectory() as folder:
        log = run([options.weft, "train", "--task", f"transformer-{options.shape}",
                   "--tied-embeddings-all", "--output-bias", "false", "--vocab-type", "word",
                   "-t", f"{options.data}/train.en.gz", f"{options.data}/train.de.gz",
                   "-v", f"{folder}/vocab", f"{folder}/vocab", "-m", f"{folder}/m.safetensors",
                   "--mini-batch-words", "4096", "--learn-rate", "0.001", "--lr-warmup", "0",
                   "--lr-schedule", "constant", "--disp-freq", "4u",
                   "--after", f"{options.updates}u", "--threads", str(options.threads)]).stderr
    speeds = [float(s) for s in re.findall(r"(\d+) tokens/s", log)]
    return statistics.median(speeds[min(3, len(speeds) - 1):])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--shape", choices=GOALS, default="tiny")
    parser.add_argument("--weft", default=str(ROOT / "build/release/weft"))
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    peers, ours = [], []
    for _ in range(options.rounds):
        peers.append(peer_speed(options))
        ours.append(weft_speed(options))
    peer = statistics.median(p["target_tokens_per_s_median"] for p in peers)
    weft = statistics.median(ours)
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    result = {"shape": options.shape, "dtype": "f32", "threads": options.threads,
              "peer": peers[0]["system"], "peer_tokens_per_s": peer, "weft_tokens_per_s": weft,
              "ratio": round(weft / peer, 2), "goal": GOALS[options.shape],
              "peer_runs": [p["target_tokens_per_s_median"] for p in peers], "weft_runs": ours,
              "cpu": cpu.group(1) if cpu else platform.processor(),
              "compiler": run(["c++", "--version"]).stdout.splitlines()[0],
              "commit": run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT).stdout.strip()}
    text = json.dumps(result, indent=1)
    print(text)
    results = ROOT / "benchmarks/results"
    results.mkdir(exist_ok=True)
    (results / f"training_{options.shape}_f32.json").write_text(text + "\n")
    verdict = "reached" if result["ratio"] >= result["goal"] else "MISSED"
    print(f"{result['ratio']} times the peer, goal {result['goal']}: {verdict}")


if __name__ == "__main__":
    main()
