"""Result files of trainings from several seeds, which a script extends run by run."""

import argparse
import json
import re
import shlex
import statistics
import subprocess
import sys
import time

from side_by_side import RELEASE, machine, result_file, tell_verdict, write_whole


def parser(description, sets):
    """The options that all scripts of such trainings have."""
    out = argparse.ArgumentParser(description=description)
    out.add_argument("--weft", default=str(RELEASE / "weft"))
    out.add_argument("--sets", nargs="+", choices=sets, default=list(sets))
    out.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    out.add_argument("--threads", type=int, default=2)
    return out


def train(options, seed, *arguments):
    """The minutes of one training, and the parameters of its model. The log goes to standard error
    as it comes; exits if the training fails."""
    command = [str(word) for word in (
        options.weft, "train", *arguments, "--seed", seed, "--threads", options.threads)]
    started, parameters = time.monotonic(), None
    with subprocess.Popen(command, text=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as training:
        for line in training.stderr:
            sys.stderr.write(line)
            found = re.search(r"model: (\d+) parameters", line)
            parameters = int(found.group(1)) if found else parameters
    if training.returncode != 0:
        sys.exit(f"{shlex.join(command)}: exit status {training.returncode}")
    return round((time.monotonic() - started) / 60, 2), parameters


class SeedResults:
    """A row for each set: what `facts` say of it, "runs", one for each seed with its figures and
    its machine, and "median", that of each figure over the runs. A run is written as soon as it is
    there, and replaces the one of its seed, so that a script which is stopped goes on with the
    seeds that are left, and two processes can train different seeds."""

    def __init__(self, name, sets, threads):
        self.path, self.sets, self.threads = result_file(name), list(sets), threads
        self.read()

    def read(self):
        """Takes the rows of the file."""
        rows = json.loads(self.path.read_text())["rows"] if self.path.exists() else []
        self.rows = {row["set"]: row for row in rows}

    def add(self, name, seed, figures, facts):
        """Keeps the figures of one training."""
        self.read()
        runs = {run["seed"]: run for run in self.rows.get(name, {}).get("runs", [])}
        runs[seed] = {"seed": seed, "threads": self.threads} | figures | machine()
        ordered = [runs[key] for key in sorted(runs)]
        median = {figure: round(statistics.median(run[figure] for run in ordered), 4)
                  for figure in figures if all(figure in run for run in ordered)}
        self.rows[name] = {"set": name} | facts | {"median": median, "runs": ordered}
        rows = [self.rows[key] for key in self.sets if key in self.rows]
        write_whole(self.path, json.dumps({"rows": rows}, indent=1) + "\n")

    def figures(self, name, seed):
        """Those that add() was given for a training before."""
        row = self.rows[name]
        run = next(run for run in row["runs"] if run["seed"] == seed)
        return {figure: run[figure] for figure in row["median"]}

    def tell(self, goals):
        """Prints the file and a verdict for each of `goals`, {set: {figure: goal}}; the goal of an
        error is negative: at most so much."""
        print(self.path.read_text(), end="")
        for name, row in self.rows.items():
            for figure, goal in goals.get(name, {}).items():
                tell_verdict(f"{name} {figure}", row["median"][figure], goal)
