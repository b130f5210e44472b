#!/usr/bin/env python3
"""Compares decoding speed, memory and start-up time with CTranslate2, using the same weights.

    python3 benchmarks/tasks/decoding/speed.py --model MODEL --source FILE \\
        --peer "PYTHON decode_ct2.py --model CT2_FOLDER" --python PYTHON

Measures tokens per second with outputs of exactly 32 tokens, peak memory, and the time from exec to
the first line. In each round CTranslate2, CTranslate2 with tcmalloc, and Weft run every case in
turns; medians are compared. MODEL is a float32 model file of Weft, FILE has 128 lines of its
tokens, the same that the peer script generates. The peer script takes --type, --batch, --beam,
--length, --lines, --threads and --repeats, and prints a JSON line with tokens_per_s_best and
peak_rss_mb. PYTHON has ctranslate2 and safetensors. Prints one JSON object, which is also written
to benchmarks/results, and one line per goal.
"""

import argparse
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, preloading, report, run  # noqa: E402

LENGTH = 32
GOALS = {("int8", 32, 4): 1.8, ("int8", 32, 1): 2.2, ("int8", 1, 1): 6, ("int8", 1, 4): 9,
         ("float32", 32, 4): 1.5, ("float32", 32, 1): 2.0, ("float32", 1, 1): 1.35,
         ("float32", 1, 4): 1.9}
BF16_GOAL, MEMORY_GOALS, START_GOAL = 2.8, {"int8": 0.5, "float32": 0.7}, 0.1
CELLS = [*GOALS, ("bfloat16", 32, 4)]


def lines_for(batch):
    return 128 if batch > 1 else 16


def peer(options, kind, batch, beam, tuned):
    command = [*shlex.split(options.peer), "--type", kind, "--batch", str(batch), "--beam",
               str(beam), "--length", str(LENGTH), "--lines", str(lines_for(batch)), "--threads",
               str(options.threads), "--repeats", str(options.repeats)]
    env = preloading(options.tcmalloc) if tuned else None
    result = json.loads(run(command, env=env).strip().splitlines()[-1])
    return result["tokens_per_s_best"], result["peak_rss_mb"], result.get("system", "")


def weft(options, folder, kind, batch, beam):
    head = pathlib.Path(folder, "lines")
    lines = pathlib.Path(options.source).read_text(encoding="utf8").splitlines()
    head.write_text("\n".join(lines[:lines_for(batch)]) + "\n", encoding="utf8")
    out = pathlib.Path(folder, "out.json")
    run([options.weft, "bench", "decode", "-m", f"{folder}/{kind}", "-i", str(head),
         "--mini-batch", str(batch), "--beam-size", str(beam), "--min-length", str(LENGTH),
         "--max-output-length", str(LENGTH + 1), "--normalize", "0", "--allow-unk", "--threads",
         str(options.threads), "--repeats", str(options.repeats), "--json", str(out), "--quiet"])
    result = json.loads(out.read_text())
    return result["tokens_per_s"]["best"], result["memory_mb"]["peak"] * 1e6 / 2**20, result


def first_line(command, line):
    """Seconds from exec to the first complete line of standard output."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as process:
        process.stdin.write(line + "\n")
        process.stdin.close()
        if not process.stdout.readline().endswith("\n"):
            sys.exit(f"{shlex.join(command)}: no output")
        return time.perf_counter() - begin


def start_times(options, folder):
    """Start-up times of the peer (int8) and of Weft, in turns; the first round is warm-up."""
    script = str(pathlib.Path(__file__).with_name("ct2_peer.py"))
    run([options.python, script, "convert", options.model, f"{folder}/ct2", "int8"])
    line = pathlib.Path(options.source).read_text(encoding="utf8").splitlines()[0]
    words = " ".join(line.split()[:6])
    threads = str(options.threads)
    commands = {"ctranslate2": [options.python, script, "translate", f"{folder}/ct2", "int8", "1",
                                "1", threads, "0"],
                "weft": [options.weft, "translate", "-m", f"{folder}/int8", "--beam-size", "1",
                         "--max-output-length", "8", "--threads", threads]}
    times = {name: [] for name in commands}
    for _ in range(6):
        for name, command in commands.items():
            times[name].append(first_line(command, words))
    return {name: statistics.median(values[1:]) for name, values in times.items()}


def measure(options, folder):
    for kind in ("int8", "bfloat16", "float32"):
        run([options.weft, "quantize", "-m", options.model, "-o", f"{folder}/{kind}",
             "--precision", kind, "--quiet"])
    speeds, memory, shares, system = {}, {}, {}, ""
    for _ in range(options.rounds):
        for kind, batch, beam in CELLS:
            cell = speeds.setdefault(f"{kind}, batch {batch}, beam {beam}", {})
            for tuned in (0, 1):
                if kind == "bfloat16":
                    break
                name = "ctranslate2 tcmalloc" if tuned else "ctranslate2"
                speed, peak, system = peer(options, kind, batch, beam, tuned)
                cell.setdefault(name, []).append(speed)
                if (batch, beam) == (32, 4):
                    memory.setdefault(kind, {}).setdefault(name, []).append(peak)
            speed, peak, result = weft(options, folder, kind, batch, beam)
            cell.setdefault("weft", []).append(round(speed, 1))
            shares[f"{kind}, batch {batch}, beam {beam}"] = result["share"]  # of the last round
            if (batch, beam) == (32, 4):
                memory.setdefault(kind, {}).setdefault("weft", []).append(round(peak))
    return speeds, memory, shares, system


def best(cell, of):
    return max(statistics.median(values) for name, values in cell.items() if name.startswith(of))


def goals_of(speeds, memory, start):
    goals = []
    for (kind, batch, beam), goal in GOALS.items():
        cell = speeds[f"{kind}, batch {batch}, beam {beam}"]
        goals.append((f"{kind}, batch {batch}, beam {beam}",
                      best(cell, "weft") / best(cell, "ctranslate2"), goal))
    goals.append(("bfloat16 over float32, batch 32, beam 4",
                  best(speeds["bfloat16, batch 32, beam 4"], "weft") /
                  best(speeds["float32, batch 32, beam 4"], "ctranslate2"), BF16_GOAL))
    for kind, goal in MEMORY_GOALS.items():
        least = min(statistics.median(v) for n, v in memory[kind].items() if n != "weft")
        goals.append((f"memory, {kind}", statistics.median(memory[kind]["weft"]) / least, -goal))
    goals.append(("start", start["weft"] / start["ctranslate2"], -START_GOAL))
    return goals


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--tcmalloc", default="libtcmalloc_minimal.so.4")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        speeds, memory, shares, system = measure(options, folder)
        start = start_times(options, folder)
    goals = goals_of(speeds, memory, start)
    report("decoding", {"peer": system, "threads": options.threads, "tokens_per_s": speeds,
                        "peak_mb": memory,
                        "first_line_s": {k: round(v, 4) for k, v in start.items()},
                        "weft_share_of_time": shares,
                        "ratios": {name: round(value, 3) for name, value, _ in goals}}, goals)


if __name__ == "__main__":
    main()
