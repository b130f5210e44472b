#!/usr/bin/env python3
"""Compares the speed of taggers and classifiers with PyTorch's nn.TransformerEncoder: training, and
prediction in int8.

    python3 benchmarks/tasks/encoder/speed.py --torch "PYTHON encoder_torch.py" [--data DIR]

Both train a Transformer encoder of 4 layers, D 128, 4 heads, F 512 (pre-norm, GELU, learned
positions, dropout 0.1) on the words of UD English-EWT (a label for each word) and of TREC (a label
for each text), in batches of 4,096 words, and predict the labels of the training text. DIR
($WEFT_DATA or ../shared/data) holds ud-english-ewt and trec. A speed is words of the text a second.

PyTorch runs in the --precisions and, in prediction, quantised to int8, with tcmalloc
(--tcmalloc names the library), and the best of each is the peer. Its script takes --task, --data,
--dtype, --predict, --updates and --threads, and prints a JSON line with train_per_s_median,
predict_per_s_median and peak_rss_mb; its times are those of the network on tensors that are ready.
Weft's prediction is `weft tag` and `weft classify` from a text file to a file of labels, the whole
process: start, loading, reading, tokenising and writing are in its time. In each round all run in
turns, and medians over the rounds are compared. Prints one JSON object, which is also written to
benchmarks/results, and one line per goal.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sitting import RELEASE, ROOT, preloading, read_text, report, run  # noqa: E402

SHAPE = ["--type", "transformer", "--enc-depth", "4", "--dim-emb", "128",
         "--transformer-heads", "4", "--transformer-dim-ffn", "512",
         "--transformer-ffn-activation", "gelu",
         "--transformer-norm", "pre", "--position", "learned", "--max-positions", "1024",
         "--transformer-dropout", "0.1", "--transformer-dropout-ffn", "0.1",
         "--transformer-dropout-attention", "0.1"]
STEADY = ["--learn-rate", "0.0005", "--lr-warmup", "0", "--lr-schedule", "constant",
          "--disp-freq", "4u", "--overwrite"]
PRECISIONS = ("float32", "bfloat16")
TORCH_NAMES = {"float32": "f32", "bfloat16": "bf16"}
GOAL = 3  # times as fast
COPIES = {"tag": 1, "classify": 10}  # of the text that is labelled


def tagged_texts(data):
    """The words of each sentence, and the labels of each word."""
    text = read_text(data / "ud-english-ewt/r2.3-train.form-upos-xpos.tsv.gz")
    rows = [[row.split("\t")[:2] for row in one.splitlines()] for one in text.split("\n\n")]
    return [([word.replace(" ", "_") for word, _ in row], [label for _, label in row])
            for row in rows if row]


def labelled_texts(data):
    """The words of each question, and its label."""
    rows = [line.split() for line in read_text(data / "trec/TREC.train.all.gz").splitlines()]
    return [(row[1:], row[:1]) for row in rows if len(row) > 1]


TASKS = {"tag": ("tagging", tagged_texts, "ud-english-ewt", "words",
                 ["--mini-batch-words", "4096"]),
         "classify": ("classification", labelled_texts, "trec", "texts", [])}


class Weft:
    """Trains a model of a task and predicts with it."""

    def __init__(self, options, command, folder):
        self.options, self.command, self.folder = options, command, folder
        self.task, read, _, self.unit, self.batches = TASKS[command]
        texts = read(options.data)
        self.words = sum(len(words) for words, _ in texts)
        self.words_of_unit = 1 if self.unit == "words" else self.words / len(texts)
        order = (0, 1) if command == "tag" else (1, 0)
        (folder / "train.tsv").write_text("".join(
            "\t".join(" ".join(text[field]) for field in order) + "\n" for text in texts))
        (folder / "lines").write_text(
            "".join(" ".join(words) + "\n" for words, _ in texts) * COPIES[command])
        if command == "classify":  # as many texts as have 4,096 words
            self.batches = ["--mini-batch", str(round(4096 / self.words_of_unit)),
                            "--mini-batch-words", "0"]

    def train(self, precision):
        """Words a second."""
        model = self.folder / f"{precision}.safetensors"
        log = self.folder / "log"
        run([self.options.weft, "train", self.task, *SHAPE, *STEADY, *self.batches,
             "-t", self.folder / "train.tsv", "-v", self.folder / "vocab", "-m", model,
             "--after", f"{self.options.updates}u", "--precision", precision, "--log", log,
             "--threads", str(self.options.threads)])
        speeds = [float(s) for s in re.findall(rf"(\d+) {self.unit}/s", log.read_text())]
        return round(statistics.median(speeds[3:]) * self.words_of_unit)

    def predict(self, precision):
        """Words a second of a process that labels the text."""
        begin = time.perf_counter()
        run([self.options.weft, self.command, "-m", self.folder / "float32.safetensors",
             "--precision", precision, "-i", self.folder / "lines", "-o", self.folder / "labels",
             "--threads", str(self.options.threads)])
        return round(self.words * COPIES[self.command] / (time.perf_counter() - begin))


def torch_speeds(options, command, dtype, predict):
    """(training, prediction) in words a second."""
    out = run([*shlex.split(options.torch), "--task", command, "--data",
               options.data / TASKS[command][2], "--dtype", dtype, "--predict", predict,
               "--updates", str(options.updates), "--threads", str(options.threads)],
              env=preloading(options.tcmalloc))
    result = json.loads(out.strip().splitlines()[-1])
    return result["train_per_s_median"], result["predict_per_s_median"], result["system"]


def measure(options, command):
    """{"training": {program: [speed, ...]}, "prediction": {...}}, and the peer's version."""
    found, system = {"training": {}, "prediction": {}}, ""
    with tempfile.TemporaryDirectory() as made:
        weft = Weft(options, command, pathlib.Path(made))
        for _ in range(options.rounds):
            for precision in options.precisions:
                found["training"].setdefault(f"weft {precision}", []).append(weft.train(precision))
            for predict in (*map(TORCH_NAMES.get, options.precisions), "int8"):
                dtype = predict if predict != "int8" else "f32"
                trained, predicted, system = torch_speeds(options, command, dtype, predict)
                found["training"].setdefault(f"torch {dtype}", []).append(trained)
                found["prediction"].setdefault(f"torch {predict}", []).append(predicted)
            for precision in ("int8", *options.precisions):
                found["prediction"].setdefault(f"weft {precision}", []).append(
                    weft.predict(precision))
    return found, system


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
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=["float32"],
                        help="of both beside int8; bfloat16 where the processor multiplies it")
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    speeds, goals, system = {}, [], ""
    for command in TASKS:
        speeds[command], system = measure(options, command)
        trained, predicted = speeds[command]["training"], speeds[command]["prediction"]
        goals.append((f"{command}: training", best(trained, "weft") / best(trained, "torch"), GOAL))
        goals.append((f"{command}: prediction in int8",
                      best(predicted, "weft int8") / best(predicted, "torch"), GOAL))
    report("encoder", {"peer": system, "threads": options.threads, "words_per_s": speeds,
                       "ratios": {name: round(ratio, 3) for name, ratio, _ in goals}}, goals)


if __name__ == "__main__":
    main()
