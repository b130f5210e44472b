"""Cells of speed of the tasks besides translation: trainings of steady updates, and predictions
from files to a file, the whole process. Shared by the experiments that compare speeds of Weft with
speeds of Weft."""

import pathlib
import random
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE / "encoder"), str(HERE / "detection")]
from canvases import png  # noqa: E402
from inputs import JOBS, Job  # noqa: E402
from side_by_side import fixed_defaults, run_measured, train, write_idx  # noqa: E402

PICTURES, SIDE, BATCH = 512, 96, 16
VIEWS, VIEW_SIDE = 2048, 64
STEADY = ["--learn-rate", "0.0005", "--lr-warmup", "0", "--lr-schedule", "constant",
          "--disp-freq", "4u", "--overwrite"]
UPDATES = {"tag": 40, "classify": 40, "image": 60, "transcribe": 28, "detect": 28, "complete": 40}
DETECTOR = ["--patch-size", "8", "--patch-embedding", "convolutions", "--query-count", "20",
            "--enc-depth", "3", "--dec-depth", "2", "--dim-emb", "128", "--transformer-heads", "4",
            "--transformer-dim-ffn", "256", "--position", "sinusoidal-2d"]
CROPS = ["--views", "crops", "--crop-shift", "0.15", "--crop-scale", "1.15"]
CROSS_VIEW = [*CROPS, "--image-size", "32", "--patch-size", "4", "--mask-ratio", "0.75",
              "--enc-depth", "4", "--dec-depth", "3", "--dim-emb", "128"]


def detect(_, folder):
    """Random pictures with two random boxes each."""
    draw = random.Random(1)
    lines, paths = [], []
    for number in range(PICTURES):
        path = folder / f"{number}.png"
        path.write_bytes(png([draw.randbytes(SIDE) for _ in range(SIDE)]))
        boxes = ", ".join('{"label": "%s", "box": [%d, %d, %d, %d]}' % (
            draw.choice("abc"), draw.randrange(60), draw.randrange(60), draw.randint(9, 30),
            draw.randint(9, 30)) for _ in range(2))
        lines.append('{"image": "%s", "boxes": [%s]}\n' % (path.name, boxes))
        paths.append(f"{path}\n")
    (folder / "train.jsonl").write_text("".join(lines))
    (folder / "paths").write_text("".join(paths))
    return Job(task="detection", predict=["detect", "-i", folder / "paths"],
               train=[*DETECTOR, "--mini-batch", str(BATCH), "-t", folder / "train.jsonl"],
               logged="boxes", items_of_logged=0.5, predicted=PICTURES)


def complete(_, folder):
    """Random scenes, whose crops are pairs of views."""
    write_idx(folder / "scenes", (VIEWS, VIEW_SIDE, VIEW_SIDE),
              random.Random(1).randbytes(VIEWS * VIEW_SIDE * VIEW_SIDE))
    return Job(task="cross-view",
               predict=["complete", *CROPS, "-i", folder / "scenes", "--evaluate"],
               train=[*CROSS_VIEW, "--mini-batch", "64", "-t", folder / "scenes"],
               logged="pairs", items_of_logged=1, predicted=VIEWS)


TASKS = JOBS | {"detect": detect, "complete": complete}


class TaskCells:
    """The inputs of all tasks in a folder, with models that one program trains."""

    def __init__(self, options, folder, weft, names):
        self.threads, self.jobs, self.models = str(options.threads), {}, {}
        for name in names:
            place = pathlib.Path(folder, name)
            place.mkdir()
            self.jobs[name] = TASKS[name](pathlib.Path(options.task_data), place)
            self.models[name] = place / "model.safetensors"
            self.run_training(weft, name, self.models[name], "--after", "2u")

    def run_training(self, weft, name, model, *more):
        job = self.jobs[name]
        return train(weft, [job.task, *job.train, *STEADY, *fixed_defaults(weft), "-m", model,
                            "--threads", self.threads, *more])

    def train(self, weft, name, model, *more):
        """Items/s and peak memory in MiB."""
        job = self.jobs[name]
        training = self.run_training(weft, name, model, *more)
        return (round(training.speed(job.logged) * job.items_of_logged, 1),
                round(training.peak_mb, 1))

    def predict(self, weft, name, precision):
        """The same of a process that predicts all; the median of three."""
        job = self.jobs[name]
        found = []
        for _ in range(3):
            begin = time.perf_counter()
            output = [] if name == "complete" else ["-o", self.models[name].with_name("output")]
            _, peak_mb = run_measured([weft, *job.predict, "-m", self.models[name], *output,
                                    "--precision", precision, "--threads", self.threads])
            found.append((job.predicted / (time.perf_counter() - begin), peak_mb))
        return tuple(round(statistics.median(values), 1) for values in zip(*found))

    def cells(self, weft):
        """Of each cell, a function that returns (items/s, peak memory in MiB)."""
        out = {}
        for name in self.jobs:
            for precision in ("int8", "float32"):
                out[f"prediction, {name}, {precision}"] = (
                    lambda n=name, p=precision: self.predict(weft, n, p))
        for name in self.jobs:
            for precision in ("bfloat16", "float32"):
                out[f"training, {name}, {precision}"] = (
                    lambda n=name, p=precision: self.train(
                        weft, n, "{}/m.safetensors", "--precision", p,
                        "--after", f"{UPDATES[n]}u"))
        return out
