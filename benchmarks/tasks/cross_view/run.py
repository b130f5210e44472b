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
absolute difference by the deviation of each number. Extends benchmarks/results/cross_view.json by
the seeds that were asked for, with medians over seeds. Prints it, and a verdict for each of two
ratios: completion to alone, and motion to scratch. --after N trains completions for N updates and
motions for a fifth of them.
"""

import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import seeds  # noqa: E402
from side_by_side import run  # noqa: E402

sys.path.insert(0, str(HERE))
from scenes import write_scenes  # noqa: E402

# As in the two files.
CROPS = ["--views", "crops", "--crop-shift", "0.15", "--crop-scale", "1.15",
         "--crop-rotation", "10"]
GOALS = {"completion to alone": -0.5, "motion to scratch": -0.9}


class Seed:
    """The trainings of one seed."""

    def __init__(self, options, folder, seed):
        self.options, self.folder, self.seed = options, folder, seed

    def train(self, name, config, *more):
        """Trains a model and returns its minutes."""
        updates = self.options.after // (5 if config == "motion" else 1)
        minutes, _ = seeds.train(
            self.options, self.seed, "cross-view", "-c", HERE / f"{config}.yml",
            "-t", self.folder / "train.idx", "-m", self.folder / name, "--overwrite",
            "--after", f"{updates}u", "--lr-decay-updates", updates, *more)
        return minutes

    def error(self, command, name, *more):
        """The error of a model on the test pairs."""
        found = run([self.options.weft, command, "-m", self.folder / name, *CROPS,
                     "-i", self.folder / "test.idx", "--evaluate", *more])
        return float(re.search(r"^error ([\d.]+)", found, re.M).group(1))

    def figures(self):
        """All errors, two ratios of them, and the minutes of each training."""
        minutes = {
            "completion": self.train("completion", "completion"),
            "alone": self.train("alone", "completion", "--second-view", "none"),
            "motion": self.train("motion", "motion", "--pretrained-model",
                                 self.folder / "completion", "--pretrained-parts", "model.*"),
            "scratch": self.train("scratch", "motion")}
        out = {
            "completion": self.error("complete", "completion"),
            "completion, another view": self.error("complete", "completion", "--without-second"),
            "alone": self.error("complete", "alone"),
            "motion": self.error("motion", "motion"),
            "scratch": self.error("motion", "scratch")}
        out["completion to alone"] = round(out["completion"] / out["alone"], 4)
        out["motion to scratch"] = round(out["motion"] / out["scratch"], 4)
        return out | {f"minutes of {name}": spent for name, spent in minutes.items()}


def main():
    parser = seeds.parser(__doc__.splitlines()[0], ["views"])
    parser.add_argument("--fashion", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--after", type=int, default=6000)
    options = parser.parse_args()
    results = seeds.SeedResults("cross_view", ["views"], options.threads)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        write_scenes(folder / "train.idx", options.fashion, 4000, 1)
        write_scenes(folder / "test.idx", options.fashion, 500, 2, held_out=True)
        for seed in options.seeds:
            results.add("views", seed, Seed(options, folder, seed).figures(),
                        {"updates": options.after})
    results.tell({"views": GOALS})


if __name__ == "__main__":
    main()
