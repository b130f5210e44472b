#!/usr/bin/env python3
"""What a second view is worth for completing a first one, and what completion is worth for motion.

    python3 benchmarks/tasks/cross_view/run.py [--seeds 1 2 3]

Makes 4,000 scenes for training and 500 of other articles for testing (scenes.py), and trains for
each seed, by completion.yml and motion.yml beside this script:

    completion   CroCo: the masked patches of the first view by the second
    alone        the same model without second views, a masked autoencoder
    motion       the motion between the views, from the weights of the completion
    scratch      the same from random weights

The errors of completions are mean squared errors of masked pixels by the variance of pixels, that
of the completion also with the second view of another pair. The error of motions is the mean
absolute difference by the deviation of each number. Writes benchmarks/results/cross_view.json with
the median over seeds, prints it, and a verdict for each of two ratios: completion to alone, and
motion to scratch. --after N trains completions for N updates and motions for a fifth of them.
"""

import argparse
import pathlib
import re
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from scenes import write_scenes  # noqa: E402
from sitting import RELEASE, report, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CROPS = ["--views", "crops"]
GOALS = {"completion to alone": 0.5, "motion to scratch": 0.9}


class Seed:
    """The trainings of one seed."""

    def __init__(self, options, folder, seed):
        self.options, self.folder, self.seed = options, folder, seed

    def train(self, name, config, *more):
        """Trains a model and returns its minutes."""
        updates = self.options.after // (5 if config == "motion" else 1)
        started = time.monotonic()
        run([self.options.weft, "train", "cross-view", "-c", HERE / f"{config}.yml",
             "-t", self.folder / "train.idx", "-m", self.folder / name, "--overwrite",
             "--seed", str(self.seed), "--after", f"{updates}u", "--lr-decay-updates", str(updates),
             "--threads", str(self.options.threads), *more])
        return (time.monotonic() - started) / 60

    def error(self, command, name, *more):
        """The error of a model on the test pairs."""
        found = run([self.options.weft, command, "-m", self.folder / name, *CROPS,
                     "-i", self.folder / "test.idx", "--evaluate", *more])
        return float(re.search(r"^error ([\d.]+)", found, re.M).group(1))

    def figures(self):
        """All errors, and the minutes of each training."""
        minutes = {
            "completion": self.train("completion", "completion"),
            "alone": self.train("alone", "completion", "--second-view", "none"),
            "motion": self.train("motion", "motion", "--pretrained-model",
                                 self.folder / "completion", "--pretrained-parts", "model.*"),
            "scratch": self.train("scratch", "motion")}
        errors = {
            "completion": self.error("complete", "completion"),
            "completion, another view": self.error("complete", "completion", "--without-second"),
            "alone": self.error("complete", "alone"),
            "motion": self.error("motion", "motion"),
            "scratch": self.error("motion", "scratch")}
        return errors, minutes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--fashion", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--after", type=int, default=4000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        write_scenes(folder / "train.idx", options.fashion, 4000, 1)
        write_scenes(folder / "test.idx", options.fashion, 500, 2, held_out=True)
        for seed in options.seeds:
            found.append(Seed(options, folder, seed).figures())
    rows = [{"model": name, "seeds": [errors[name] for errors, _ in found],
             "median": statistics.median(errors[name] for errors, _ in found),
             "minutes": round(statistics.median(m.get(name, 0) for _, m in found), 2)}
            for name in found[0][0]]
    ratios = {name: [errors[name.split()[0]] / errors[name.split()[-1]] for errors, _ in found]
              for name in GOALS}
    for name, values in ratios.items():
        rows.append({"ratio": name, "seeds": [round(v, 4) for v in values],
                     "median": round(statistics.median(values), 4), "goal": GOALS[name]})
    report("cross_view",
           {"threads": options.threads, "updates": options.after, "rows": rows},
           [(name, statistics.median(values), -GOALS[name]) for name, values in ratios.items()])


if __name__ == "__main__":
    main()
