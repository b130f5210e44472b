#!/usr/bin/env python3
"""The speed of embedding lines, beside sentence-transformers, ONNX Runtime and llama.cpp.

    python3 benchmarks/tasks/embedding/speed.py --from MODEL --peer PYTHON [--data DIR]
        [--precisions float32 bfloat16] [--peers torch onnx onnx-int8 llama llama-q8] [--rounds 3]

MODEL is a folder of all-MiniLM-L6-v2, as scripts/fetch-models brings it; PYTHON has
sentence-transformers, onnx and onnxruntime, and llama-cpp-python built there for this processor
(CMAKE_ARGS=-DGGML_NATIVE=ON); llama.cpp reads the model as GGUF, in float32 and in Q8_0, as `weft
convert --to-gguf` writes it. The lines are 10,000 sentences of the STS benchmark
(DIR/stsb). Weft's time is that of the whole process, `weft embed` from a file to a file: start,
loading, reading and writing are in it; one line is timed through a pipe, from writing it to reading
its vector. Peers are timed inside of Python (peer_speed.py). In each round all run in turns, and
medians over the rounds are compared. Spearman's correlation of cosines with the scores of people is
that on the test pairs. Writes benchmarks/results/embedding/speed.json, prints it, and a verdict for
each goal.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, ROOT, read_text, report, run  # noqa: E402

PEER = pathlib.Path(__file__).resolve().parent / "peer_speed.py"
PEERS = {"torch": "sentence-transformers", "onnx": "ONNX Runtime",
         "onnx-int8": "ONNX Runtime int8", "llama": "llama.cpp", "llama-q8": "llama.cpp int8"}
GGUF = {"llama": "float32", "llama-q8": "q8_0"}  # precisions
LINES, SINGLE = 10_000, 200
LEAST_COSINE = 0.995  # of the vectors of a peer and of Weft's


def pairs_of(data, part):
    return [line.split("\t")[4:7] for line in
            read_text(data / "stsb" / f"sts-{part}.csv.gz").splitlines()]


def ranks(values):
    """Of each value, from 0; equal ones have the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    out, begin = [0.0] * len(values), 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in order[begin:end]:
            out[i] = (begin + end - 1) / 2
        begin = end
    return out


def spearman(vectors, pairs):
    """Of the cosines of vectors 2 i and 2 i + 1 with the scores of the pairs."""
    cosines = [sum(x * y for x, y in zip(*vectors[2 * i:2 * i + 2])) for i in range(len(pairs))]
    return round(statistics.correlation(ranks(cosines), ranks([float(p[0]) for p in pairs])), 4)


def read_vectors(path):
    return [[float(word) for word in line.split()] for line in path.read_text().splitlines()]


class Folder:
    """The text of a measurement: of 10,000 lines, of the test pairs, and single lines."""

    def __init__(self, path, data):
        self.path, self.test = path, pairs_of(data, "test")
        train = [text for pair in pairs_of(data, "train") for text in pair[1:]][:LINES]
        self.single = train[::LINES // SINGLE]
        for name, lines in (("lines", train), ("single", self.single),
                            ("test", [text for pair in self.test for text in pair[1:]])):
            (path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), "utf8")


def embed(options, precision, *more):
    return [options.weft, "embed", "-m", options.model, "--precision", precision, "--threads",
            str(options.threads), *more]


def weft_speeds(options, precision, folder):
    """(lines a second of a process, median milliseconds of one line)"""
    began = time.perf_counter()
    run(embed(options, precision, "-i", folder.path / "lines.txt", "-o", folder.path / "out.npy"))
    speed = LINES / (time.perf_counter() - began)
    times = []
    with subprocess.Popen(embed(options, precision), text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for line in folder.single:
            began = time.perf_counter()
            process.stdin.write(line + "\n")
            process.stdin.flush()
            process.stdout.readline()
            times.append((time.perf_counter() - began) * 1000)
        process.stdin.close()
    return round(speed, 1), round(statistics.median(times), 3)


def weft_spearman(options, precision, folder):
    out = folder.path / "test.vectors"
    run(embed(options, precision, "-i", folder.path / "test.txt", "-o", out))
    return spearman(read_vectors(out), folder.test)


def peer_speeds(options, kind, folder):
    model = options.model
    if kind in GGUF:
        model = folder.path / f"{kind}.gguf"
        if not model.exists():
            run([options.weft, "convert", "--from-hf", options.model, "--to-gguf", model,
                 "--precision", GGUF[kind]])
    found = json.loads(run([options.peer, PEER, kind, model, folder.path,
                            str(options.threads)]).splitlines()[-1])
    return found["lines_per_s"], found["one_line_ms"], found["system"]


def check_vectors(options, folder):
    """Exits unless the peers compute the vectors that Weft computes."""
    out = folder.path / "lines.vectors"
    run(embed(options, "float32", "-i", folder.path / "lines.txt", "-o", out))
    ours = read_vectors(out)
    for kind in options.peers:
        theirs = read_vectors(folder.path / f"{kind}.txt")
        least = min(sum(x * y for x, y in zip(*pair)) for pair in zip(ours, theirs))
        print(f"{PEERS[kind]}: cosine with Weft's vectors at least {least:.4f}", file=sys.stderr)
        if least < LEAST_COSINE:
            sys.exit(f"{PEERS[kind]}: other vectors; expected a cosine of {LEAST_COSINE} at least")


def measure(options, folder):
    """Of each program: lines a second and milliseconds of one line, in each round."""
    rows = {}

    def keep(name, speed, latency, system):
        row = rows.setdefault(name, {"lines per second": [], "ms of one line": []})
        row["lines per second"].append(speed)
        row["ms of one line"].append(latency)
        row["system"] = system

    for number in range(options.rounds):
        for precision in (*options.precisions, "int8"):
            keep(f"weft {precision}", *weft_speeds(options, precision, folder), "")
        for kind in options.peers:
            keep(PEERS[kind], *peer_speeds(options, kind, folder))
        if number == 0:
            check_vectors(options, folder)
    for precision in (*options.precisions, "int8"):
        rows[f"weft {precision}"]["spearman"] = weft_spearman(options, precision, folder)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="model", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--precisions", nargs="+", choices=("float32", "bfloat16"),
                        default=["float32"])
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        rows = measure(options, Folder(pathlib.Path(made), options.data))
    speed = {name: statistics.median(row["lines per second"]) for name, row in rows.items()}
    latency = {name: statistics.median(row["ms of one line"]) for name, row in rows.items()}
    peers = [name for name in rows if not name.startswith("weft")]
    ours = [name for name in rows if name.startswith("weft")]
    floats = [speed[name] for name in peers if "int8" not in name]
    goals = []
    if floats:
        goals.append(("float32, times the best float32", speed["weft float32"] / max(floats), 1.3))
    if "onnx-int8" in options.peers:
        goals.append(("int8, times ONNX Runtime's int8",
                      speed["weft int8"] / speed["ONNX Runtime int8"], 1.5))
    goals += [
        ("int8, Spearman's correlation lost",
         rows["weft float32"]["spearman"] - rows["weft int8"]["spearman"], -0.005),
        ("one line, share of the best latency",
         min(latency[name] for name in ours) / min(latency[name] for name in peers), -0.5)]
    report("embedding/speed", {"lines": LINES, "threads": options.threads, "rounds": options.rounds,
                               "rows": rows, "ratios": {what: round(ratio, 3) for what, ratio, _
                                                        in goals}}, goals)


if __name__ == "__main__":
    main()
