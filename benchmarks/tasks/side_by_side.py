"""Shared by all experiments: running programs, training with Weft, and result files."""

import functools
import gzip
import json
import os
import pathlib
import re
import resource
import shlex
import statistics
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "build/release"


def run(command, **more):
    """Returns the standard output of a command; exits with its errors if it fails."""
    try:
        done = subprocess.run(command, text=True, capture_output=True, **more)
    except FileNotFoundError:
        sys.exit(f"{command[0]}: no such program; build Weft with: cmake --preset release && "
                 "cmake --build --preset release")
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


@functools.cache
def fixed_defaults(weft):
    """The options by which options that are not given do not follow the data; none for an older
    program, whose defaults never do."""
    return ["--preset", "none"] if "--preset" in run([weft, "train", "--help"]) else []


def processor_seconds():
    """Of all programs that were run so far, by all threads together."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def machine():
    """Processor, compiler and commit of a measurement."""
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    commit = run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT).strip()
    changed = run(["git", "status", "--porcelain", "--untracked-files=no", "--", ".",
                   ":!benchmarks/results"], cwd=ROOT)
    return {"cpu": cpu.group(1) if cpu else "",
            "compiler": run(["c++", "--version"]).splitlines()[0],
            "commit": commit + (", changed" if changed else "")}


def write_whole(path, text):
    """Replaces a file atomically, so that a killed run leaves no partial file."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf8")
    part.rename(path)


def write_idx(path, sizes, items):
    """Writes bytes in the form of MNIST: `sizes` from the number of items on, and the items."""
    header = bytes([0, 0, 8, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes)
    path.write_bytes(header + items)


def read_text(path):
    """Reads a text file, plain or .gz."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf8") as file:
        return file.read()


def bleu(weft, hypotheses, reference, *more):
    """Tokenised BLEU of lines against a reference file; `more` are options of weft evaluate."""
    text = "".join(f"{line}\n" for line in hypotheses)
    scores = run([weft, "evaluate", "--tokenize", "none", "--metrics", "bleu", "--json", "--quiet",
                  "-r", reference, *more], input=text)
    return json.loads(scores)[0]["score"]


def preloading(library):
    """The environment that preloads a library; exits if it cannot be loaded."""
    env = dict(os.environ, LD_PRELOAD=library)
    if subprocess.run(["true"], env=env, capture_output=True, check=True).stderr:
        sys.exit(f"{library} cannot be preloaded; expected that of package libtcmalloc-minimal4")
    return env


def result_file(name):
    """The path of a result file."""
    path = ROOT / "benchmarks/results" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    return path


def tell_verdict(what, reached, goal):
    """Prints whether a goal is reached; a negative goal is an upper bound of its absolute value."""
    met = reached <= -goal if goal < 0 else reached >= goal
    print(f"{what}: {reached:.3g}, goal {'at most' if goal < 0 else 'at least'} {abs(goal)}: "
          f"{'reached' if met else 'missed'}")


def report(name, result, goals=()):
    """Prints the result, writes it to benchmarks/results, and prints a line for each of `goals`:
    (what, ratio, goal)."""
    text = json.dumps(result | machine(), indent=1)
    write_whole(result_file(name), text + "\n")
    print(text)
    for goal in goals:
        tell_verdict(*goal)


class Record:
    """A result file that is extended over several runs: `head`, and one row for each of `kinds`. A
    row whose "options" or "updates" differ from those of its kind is ignored."""

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
        """Adds a row to the file, or fields to an existing row."""
        rows = self.read()
        rows[row["kind"]] = rows.get(row["kind"], {}) | row
        self.rows = {name: rows[name] for name in self.kinds if name in rows}
        write_whole(self.path, self.text() + "\n")


@dataclass
class Training:
    """The log of a training and its peak memory in MiB."""

    log: str
    peak_mb: float

    def speed(self, counted="tokens"):
        """Target tokens, or what else the log counts, per second: the median of the reports,
        without the first three."""
        speeds = [float(s) for s in re.findall(rf"([\d.]+) {counted}/s", self.log)]
        return statistics.median(speeds[min(3, len(speeds) - 1):])


def run_measured(command, **more):
    """Returns the errors and log that a command prints, and its peak memory in MiB; exits with the
    former if it fails."""
    command = list(map(str, command))
    with tempfile.TemporaryFile("w+", encoding="utf8") as log:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, **more)
        _, status, usage = os.wait4(process.pid, 0)
        log.seek(0)
        text = log.read()
    if status != 0:
        sys.exit(f"{shlex.join(command)}\n{text[-2000:]}")
    return text, usage.ru_maxrss / 1024


def train(weft, options, launcher=()):
    """Trains in a temporary folder; {} in the options is replaced by its path."""
    with tempfile.TemporaryDirectory() as folder:
        options = (str(option).replace("{}", folder) for option in options)
        env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return Training(*run_measured([*launcher, weft, "train", *options], env=env))


def multi30k(data, shape):
    """Options for a --task shape on Multi30k with the paper's BPE; data holds train.{en,de}.gz."""
    return ["--task", f"transformer-{shape}", "--tied-embeddings-all", "--output-bias", "false",
            "--vocab-type", "word", "-t", f"{data}/train.en.gz", f"{data}/train.de.gz",
            "-v", "{}/vocab", "{}/vocab", "-m", "{}/m.safetensors"]


def steady(updates, words, threads):
    """Options for measuring a number of updates of equal size."""
    return ["--learn-rate", "0.001", "--lr-warmup", "0", "--lr-schedule", "constant",
            "--mini-batch-words", words, "--disp-freq", "4u", "--after", f"{updates}u",
            "--threads", threads]
