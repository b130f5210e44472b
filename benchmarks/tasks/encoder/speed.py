#!/usr/bin/env python3
"""Compares the speed of models with an encoder with PyTorch's nn.TransformerEncoder: training, and
prediction in int8.

    python3 benchmarks/tasks/encoder/speed.py --torch "PYTHON encoder_torch.py" [--tasks image]

Both train a Transformer encoder (pre-norm, GELU, learned positions, dropout 0.1) and predict what
it was trained on:

    tag         words of UD English-EWT, a label for each word; 4 layers, D 128, 4 heads, F 512
    classify    words of TREC, a label for each text; the same encoder, batches of 4,096 words
    image       pictures of 28 by 28 in patches of 4; 6 layers, D 64, 4 heads, F 128, batches of 128
    transcribe  sounds, two convolutions of stride 2, the encoder of tag, CTC; batches of 16

--data DIR ($WEFT_DATA or ../shared/data) holds ud-english-ewt and trec. A speed is words, pictures,
or seconds of sound a second.

PyTorch runs in the --precisions and, in prediction, quantised to int8, with tcmalloc
(--tcmalloc names the library), and the best of each is the peer. The script of --torch takes
--task, --data, --batch, --dtype, --predict, --updates and --threads, and prints a JSON line with
train_per_s_median, predict_per_s_median and system; sounds have speech_torch.py beside this script.
Its times are those of the network on tensors that are ready. Weft's prediction is `weft tag`,
`weft classify` and `weft transcribe` from files to a file, the whole process: start, loading,
reading, log-mel features and writing are in its time. In each round all run in turns, and medians
over the rounds are compared. Prints one JSON object, extends benchmarks/results/encoder.json by the
tasks that were asked for, and prints one line per goal.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from side_by_side import (  # noqa: E402
    RELEASE, ROOT, fixed_defaults, machine, preloading, result_file, run, tell_verdict,
    write_whole)

sys.path.insert(0, str(HERE))
from inputs import JOBS  # noqa: E402

STEADY = ["--learn-rate", "0.0005", "--lr-warmup", "0", "--lr-schedule", "constant",
          "--disp-freq", "4u", "--overwrite"]
PRECISIONS = ("float32", "bfloat16")
TORCH_NAMES = {"float32": "f32", "bfloat16": "bf16"}
GOALS = {"tag": (3, 3), "classify": (3, 3), "image": (2.5, 3), "transcribe": (2.5, 3)}


class Weft:
    """Trains a model of a task and predicts with it."""

    def __init__(self, options, name, folder):
        self.options, self.folder = options, folder
        self.job = JOBS[name](options.data, folder)

    def train(self, precision):
        """Items a second."""
        model = self.folder / f"{precision}.safetensors"
        log = self.folder / "log"
        run([self.options.weft, "train", self.job.task, *self.job.train, *STEADY,
             *fixed_defaults(self.options.weft), "-m", model,
             "--after", f"{self.options.updates}u", "--precision", precision, "--log", log,
             "--threads", str(self.options.threads)])
        speeds = [float(s) for s in re.findall(rf"([\d.]+) {self.job.logged}/s", log.read_text())]
        log.unlink()
        return round(statistics.median(speeds[2:]) * self.job.items_of_logged, 1)

    def predict(self, precision):
        """Items a second of a process that predicts all."""
        begin = time.perf_counter()
        run([self.options.weft, *self.job.predict, "-m", self.folder / "float32.safetensors",
             "--precision", precision, "-o", self.folder / "predicted",
             "--threads", str(self.options.threads)])
        return round(self.job.predicted / (time.perf_counter() - begin), 1)


def torch_speeds(options, name, peer, dtype, predict):
    """(training, prediction) in items a second, and the peer's version."""
    torch = shlex.split(options.torch)
    if name == "transcribe":
        torch = [torch[0], HERE / "speech_torch.py"]
    out = run([*torch, *peer, "--dtype", dtype, "--predict", predict,
               "--updates", str(options.updates), "--threads", str(options.threads)],
              env=preloading(options.tcmalloc))
    result = json.loads(out.strip().splitlines()[-1])
    return result["train_per_s_median"], result["predict_per_s_median"], result["system"]


def measure(options, name):
    """The row of a task."""
    trained, predicted, system = {}, {}, ""
    with tempfile.TemporaryDirectory() as made:
        weft = Weft(options, name, pathlib.Path(made))
        for _ in range(options.rounds):
            for precision in options.precisions:
                trained.setdefault(f"weft {precision}", []).append(weft.train(precision))
            for predict in (*map(TORCH_NAMES.get, options.precisions), "int8"):
                dtype = predict if predict != "int8" else "f32"
                *speeds, system = torch_speeds(options, name, weft.job.peer, dtype, predict)
                trained.setdefault(f"torch {dtype}", []).append(speeds[0])
                predicted.setdefault(f"torch {predict}", []).append(speeds[1])
            for precision in ("int8", *options.precisions):
                predicted.setdefault(f"weft {precision}", []).append(weft.predict(precision))
    return {"task": name, "training": trained, "prediction": predicted,
            "training ratio": round(best(trained, "weft") / best(trained, "torch"), 2),
            "int8 ratio": round(best(predicted, "weft int8") / best(predicted, "torch"), 2),
            "peer": system} | machine()


def best(speeds, program):
    return max(statistics.median(values) for name, values in speeds.items()
               if name.startswith(program))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", required=True)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--tcmalloc", default="libtcmalloc_minimal.so.4")
    parser.add_argument("--tasks", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=["float32"],
                        help="of both beside int8; bfloat16 where the processor multiplies it")
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    path = result_file("encoder")
    known = json.loads(path.read_text()).get("rows", []) if path.exists() else []
    rows = {row["task"]: row for row in known}
    for name in options.tasks:
        rows[name] = {"threads": options.threads} | measure(options, name)
        ordered = [rows[key] for key in JOBS if key in rows]
        write_whole(path, json.dumps({"rows": ordered}, indent=1) + "\n")
    print(path.read_text(), end="")
    for row in ordered:
        for what, goal in zip(("training", "int8"), GOALS[row["task"]]):
            tell_verdict(f"{row['task']}: {what}", row[f"{what} ratio"], goal)


if __name__ == "__main__":
    main()
