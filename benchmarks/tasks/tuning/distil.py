#!/usr/bin/env python3
"""Smaller classifiers that learn from a larger one: a pretrained encoder is tuned, and a student
with some of its layers learns the same labels and what the tuned model says of them, and of lines
without labels.

    python3 benchmarks/tasks/tuning/distil.py --model minilm.safetensors [--data DIR]
                                              [--sets trec sst2] [--layers 1 3 5] [--lines 10000]

DIR ($WEFT_DATA or ../shared/data) holds the sets as its README says. Half of the lines are
sentences of other sets, half are parts of the training texts. For comparison, the same student
without a teacher, and without lines. Extends benchmarks/results/tuning/distil.json by the sets and
seeds that were asked for, with medians over seeds: accuracies on the test text, that of the student
as a share of its teacher's, and its speed of `weft classify` over that of the teacher, the median
of alternating runs. Prints it, and a verdict for each set.
"""

import json
import os
import pathlib
import random
import re
import shlex
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import ROOT, read_text, run  # noqa: E402

LAYOUT = ["--format", "first-word"]
SETS = {"trec": "trec/TREC.{}.all.gz", "sst2": "sst2/stsa.binary.{}.gz"}
GOALS = {"share of the teacher": 0.98, "speed over the teacher": 2}
SPEED_LINES, SPEED_ROUNDS = 4000, 5


def sentences_of_words(text):
    """Of text with a word a line, first in it, and a blank line after each sentence."""
    for block in text.split("\n\n"):
        yield " ".join(line.split()[0] for line in block.splitlines() if line.strip())


def lines_of_others(data, name):
    """Sentences of the sets that are not tuned on."""
    out = []
    for file in ("ud-english-ewt/r2.3-train.form-upos-xpos.tsv.gz", "conll2000/train.txt.gz"):
        out += sentences_of_words(read_text(data / file))
    out += read_text(data / "atis/train.seq.in.gz").splitlines()
    out += [re.search(r"\nQ: (.*?) *\n", json.loads(line)["text"]).group(1)
            for line in read_text(data / "wikisql/train.jsonl").splitlines()]
    for other, files in SETS.items():
        if other != name:
            out += [line.split(" ", 1)[1]
                    for line in read_text(data / files.format("train")).splitlines()]
    return [line for line in out if len(line.split()) > 2]


def part_of(text, draw):
    """Some words after each other, half of them at least."""
    words = text.split()
    count = draw.randint((len(words) + 1) // 2, len(words))
    begin = draw.randint(0, len(words) - count)
    return " ".join(words[begin:begin + count])


def unlabelled(options, name, train):
    """The lines without labels of a set, the same for every seed."""
    draw = random.Random(1)
    others = lines_of_others(options.data, name)
    texts = [line.split(" ", 1)[1] for line in train.splitlines()]
    out = draw.sample(others, min(options.lines // 2, len(others)))
    out += [part_of(draw.choice(texts), draw) for _ in range(options.lines - len(out))]
    return "".join(f"{line}\n" for line in out)


def accuracy(options, model, test):
    found = run([options.weft, "classify", "-m", model, "--evaluate", test])
    return float(re.search(r"accuracy ([\d.]+)", found).group(1))


def speed_over(options, student, teacher, lines):
    """How many times as many lines a second the student classifies."""
    def seconds(model):
        started = time.monotonic()
        run([options.weft, "classify", "-m", model, "--threads", str(options.threads), "-i", lines])
        return time.monotonic() - started
    seconds(student), seconds(teacher)
    return statistics.median(seconds(teacher) / seconds(student) for _ in range(SPEED_ROUNDS))


def measure(options, name, seed):
    """The figures of one teacher and its students."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        train, test, lines = folder / "train", folder / "test", folder / "lines"
        train.write_text(read_text(options.data / SETS[name].format("train")), encoding="utf8")
        test.write_text(read_text(options.data / SETS[name].format("test")), encoding="utf8")
        lines.write_text(unlabelled(options, name, train.read_text(encoding="utf8")),
                         encoding="utf8")
        texts = [line.split(" ", 1)[1] for line in test.read_text(encoding="utf8").splitlines()]
        texts = (texts * (SPEED_LINES // len(texts) + 1))[:SPEED_LINES]
        speed = folder / "speed"
        speed.write_text("".join(f"{text}\n" for text in texts), encoding="utf8")

        def tuned(model, *more):
            path = folder / f"{model}.safetensors"
            minutes, _ = seeds.train(options, seed, "classification", *LAYOUT, "-t", train, "-m",
                                     path, *more)
            return path, minutes, accuracy(options, path, test)

        teacher, teacher_minutes, best = tuned("teacher", "--from", options.model,
                                               *shlex.split(options.options))
        smaller = ["--from", teacher, "--take-layers", *map(str, options.layers),
                   *shlex.split(options.student_options)]
        taught = ["--teacher", teacher, "--teacher-temperature", str(options.temperature),
                  "--teacher-weight", str(options.weight)]
        out = {"teacher": best, "teacher minutes": teacher_minutes}
        if not options.student_alone:
            out["student without a teacher"] = tuned("plain", *smaller)[2]
            out["student without lines"] = tuned("labelled", *smaller, *taught)[2]
        student, minutes, reached = tuned("student", *smaller, *taught, "--unlabelled", lines)
        return out | {"student": reached, "student minutes": minutes,
                      "share of the teacher": round(reached / best, 4),
                      "speed over the teacher": round(
                          speed_over(options, student, teacher, speed), 2)}


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--model", required=True, help="the pretrained encoder")
    parser.add_argument("--layers", type=int, nargs="+", default=[1, 3, 5])
    parser.add_argument("--lines", type=int, default=10000, help="without labels")
    parser.add_argument("--temperature", type=float, default=2)
    parser.add_argument("--weight", type=float, default=0.7)
    parser.add_argument("--options", default="", help="more options of the teacher's training")
    parser.add_argument("--student-options", default="", help="more options of the students'")
    parser.add_argument("--student-alone", action="store_true",
                        help="without the students for comparison")
    options = parser.parse_args()
    results = seeds.SeedResults("tuning/distil", SETS, options.threads)
    facts = {"model": pathlib.Path(options.model).name, "layers": options.layers,
             "lines": options.lines, "temperature": options.temperature, "weight": options.weight,
             "options": options.options, "student options": options.student_options}
    for name in options.sets:
        for seed in options.seeds:
            results.add(name, seed, measure(options, name, seed), facts)
    results.tell({name: GOALS for name in SETS})


if __name__ == "__main__":
    main()
