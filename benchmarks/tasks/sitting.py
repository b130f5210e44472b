"""Shared by the experiments: running programs, Weft's training command, and result files."""

import gzip
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "build/release"


def run(command, **more):
    """The standard output of the command; on failure exits with its errors."""
    try:
        done = subprocess.run(command, text=True, capture_output=True, **more)
    except FileNotFoundError:
        sys.exit(f"{command[0]} is missing; expected a program; to build Weft: cmake --preset "
                 "release && cmake --build --preset release")
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


def machine():
    """The environment of a measurement: processor, compiler, commit."""
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    commit = run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT).strip()
    changed = run(["git", "status", "--porcelain", "--untracked-files=no", "--", ".",
                   ":!benchmarks/results"], cwd=ROOT)
    return {"cpu": cpu.group(1) if cpu else "",
            "compiler": run(["c++", "--version"]).splitlines()[0],
            "commit": commit + (", changed" if changed else "")}


def write_whole(path, text):
    """Replaces a file atomically, so that a killed run never leaves a partial one."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf8")
    part.rename(path)


def read_text(path):
    """The text of a file, plain or .gz."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf8") as file:
        return file.read()


def bleu(weft, hypotheses, reference, *more):
    """Tokenised BLEU of lines against a file; `more` are options of weft evaluate."""
    text = "".join(f"{line}\n" for line in hypotheses)
    scores = run([weft, "evaluate", "--tokenize", "none", "--metrics", "bleu", "--json", "--quiet",
                  "-r", reference, *more], input=text)
    return json.loads(scores)[0]["score"]


def preloading(library):
    """The environment that preloads a library into a peer; exits if it cannot be loaded."""
    env = dict(os.environ, LD_PRELOAD=library)
    if subprocess.run(["true"], env=env, capture_output=True, check=True).stderr:
        sys.exit(f"{library} cannot be preloaded; expected the library of libtcmalloc-minimal4")
    return env


def result_file(name):
    """The file of the result of that name."""
    path = ROOT / "benchmarks/results" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    return path


def print_verdict(name, reached, goal):
    """Prints whether a goal is reached; a negative goal is an upper bound."""
    met = reached <= -goal if goal < 0 else reached >= goal
    print(f"{name}: {reached:.3g}, goal {'at most' if goal < 0 else 'at least'} {abs(goal)}: "
          f"{'reached' if met else 'missed'}")


def report(name, result, goals=()):
    """Prints the result and writes it to benchmarks/results; then prints a verdict for each of
    `goals`, triples of name, ratio and goal."""
    text = json.dumps(result | machine(), indent=1)
    write_whole(result_file(name), text + "\n")
    print(text)
    for goal in goals:
        print_verdict(*goal)


class Record:
    """A result file: `head`, and a row for each of `kinds`, kept between runs. A row whose
    "options" or "updates" differ from those of its kind counts as missing."""

    def __init__(self, name, head, kinds):
        self.path, self.head, self.kinds = result_file(name), head, kinds
        self.rows = self.read()

    def read(self):
        rows = json.loads(self.path.read_text())["results"] if self.path.exists() else []
        rows = {row["kind"]: row for row in rows}
        return {name: rows[name] for name, kind in self.kinds.items() if name in rows
                and rows[name]["options"] == " ".join(kind["options"])
                and rows[name]["updates"] == kind["updates"]}

    def text(self):
        return json.dumps(self.head | {"results": list(self.rows.values())}, indent=1)

    def keep(self, row):
        """Adds a row or updates an existing one in the file."""
        rows = self.read()
        rows[row["kind"]] = rows.get(row["kind"], {}) | row
        self.rows = {name: rows[name] for name in self.kinds if name in rows}
        write_whole(self.path, self.text() + "\n")


@dataclass
class Training:
    """The output of a training, and its peak memory in MB."""

    log: str
    peak_mb: float

    def speed(self):
        """Target tokens per second: the median of the reports after the first ones."""
        speeds = [float(s) for s in re.findall(r"(\d+) tokens/s", self.log)]
        return statistics.median(speeds[min(3, len(speeds) - 1):])


def train(weft, options, launcher=()):
    """Trains in a temporary folder, which replaces {} in the options."""
    with tempfile.TemporaryDirectory() as folder:
        options = (str(option).replace("{}", folder) for option in options)
        command = [*map(str, launcher), weft, "train", *options]
        env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        with open(f"{folder}/log", "w+", encoding="utf8") as log:
            process = subprocess.Popen(command, stderr=log, env=env)
            _, status, usage = os.wait4(process.pid, 0)
            log.seek(0)
            text = log.read()
    if status != 0:
        sys.exit(f"{shlex.join(command)}\n{text[-2000:]}")
    return Training(text, usage.ru_maxrss / 1024)


def multi30k(data, shape):
    """Options for a shape on Multi30k with the paper's BPE: DATA holds train.{en,de}.gz."""
    return ["--task", f"transformer-{shape}", "--tied-embeddings-all", "--output-bias", "false",
            "--vocab-type", "word", "-t", f"{data}/train.en.gz", f"{data}/train.de.gz",
            "-v", "{}/vocab", "{}/vocab", "-m", "{}/m.safetensors"]


def steady(updates, words, threads):
    """Options for `updates` measured updates of equal work."""
    return ["--learn-rate", "0.001", "--lr-warmup", "0", "--lr-schedule", "constant",
            "--mini-batch-words", words, "--disp-freq", "4u", "--after", f"{updates}u",
            "--threads", threads]
