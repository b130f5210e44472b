#!/usr/bin/env python3
"""Classification of text without pretraining, each figure the median of three seeds: accuracy on
TREC-6, SST-2 (sentences only) and the sections of Debian packages; micro F1 on Reuters-21578
(ModApte, 90 labels, several a text) and the tags of Debian packages.

    python3 benchmarks/tasks/classification/run.py [--data DIR] [--debian DIR] [--sets trec ...]

--data DIR ($WEFT_DATA or ../shared/data) holds trec, sst2 and reuters as its README says; --debian
DIR (labels) holds what `scripts/fetch-labels sections DIR/sections` and `scripts/fetch-labels tags
DIR/tags` write. The settings are those of SET.yml beside this script. Of TREC every tenth line of
training is held out for validation, so long as each of its labels stands in another line too. All
of Reuters is trained on, by settings that were chosen with tenths of it held out, and the last
model is measured. Extends benchmarks/results/classification.json by the sets and seeds that were
asked for, with medians over seeds. Prints it, and a verdict for each set.
"""

import collections
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import ROOT, read_text, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# Instead of a validation file: hold out every tenth line of training, or validate on nothing and
# measure the last model.
HELD_OUT, NO_VALIDATION = "held out", "none"
DEBIAN = ("train.tsv", "valid.tsv", "test.tsv")
# Of each set: its training, validation and test files, the options of its text and the
# name of its vocabulary, the metric, the goal, and what it is compared with.
SETS = {
    "trec": (("TREC.train.all.gz", HELD_OUT, "TREC.test.all.gz"),
             ["--format", "first-word"], "vocab", "accuracy", 0.882,
             "a convolutional network with random vectors: 0.882"),
    "sst2": (("stsa.binary.train.gz", "stsa.binary.dev.gz", "stsa.binary.test.gz"),
             ["--format", "first-word"], "vocab", "accuracy", 0.80,
             "78 to 80 % without the labels of phrases"),
    "reuters": (("train.tsv.gz", NO_VALIDATION, "test.tsv.gz"), [], "vocab.model", "micro F1", 0.86,
                "linear support vector machines: 0.86 to 0.87; here: 0.837"),
    "sections": (DEBIAN, [], "vocab.model", "accuracy", 0.70,
                 "naive Bayes: 0.623; linear support vector machines: 0.782"),
    "tags": (DEBIAN, [], "vocab.model", "micro F1", 0.604,
             "linear support vector machines: 0.604"),
}


def labels_of(line):
    """Of lines `labels TAB text` and `label text`."""
    first = line.split("\t")[0] if "\t" in line else line.split(" ", 1)[0]
    return first.split()


def hold_out(lines):
    """Training and validation lines."""
    counts = collections.Counter(label for line in lines for label in labels_of(line))
    train, valid = [], []
    for number, line in enumerate(lines):
        is_held_out = number % 10 == 9 and all(counts[label] > 1 for label in labels_of(line))
        if is_held_out:
            counts.subtract(labels_of(line))
        (valid if is_held_out else train).append(line)
    return train, valid


def write_sets(folder, files, data):
    """The texts of a set, in the folder that is returned."""
    train, valid, test = (None if name in (HELD_OUT, NO_VALIDATION) else
                          read_text(data / name).splitlines() for name in files)
    if files[1] == HELD_OUT:
        train, valid = hold_out(train)
    for name, lines in (("train", train), ("valid", valid), ("test", test)):
        if lines is not None:
            text = "".join(f"{line}\n" for line in lines)
            (folder / name).write_text(text, encoding="utf8")


def measure(options, name, seed):
    """The test figure and the minutes of one training."""
    files, layout, vocabulary, metric, *_ = SETS[name]
    data = (options.debian if files is DEBIAN else options.data) / name
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        write_sets(folder, files, data)
        model = folder / "model.safetensors"
        validation = ["--valid-sets", folder / "valid"] if files[1] != NO_VALIDATION else []
        minutes, _ = seeds.train(
            options, seed, "classification", "-c", HERE / f"{name}.yml", *layout,
            "-t", folder / "train", *validation, "-v", folder / vocabulary, "-m", model)
        found = run([options.weft, "classify", "-m", model, "--evaluate", folder / "test", *layout])
    return {metric: float(re.search(rf"{metric} ([\d.]+)", found).group(1)),
            "minutes": minutes}


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--debian", type=pathlib.Path, default=pathlib.Path("labels"))
    options = parser.parse_args()
    results = seeds.SeedResults("classification", SETS, options.threads)
    for name in options.sets:
        for seed in options.seeds:
            results.add(name, seed, measure(options, name, seed), {"peer": SETS[name][5]})
    results.tell({name: {metric: goal} for name, (*_, metric, goal, _) in SETS.items()})


if __name__ == "__main__":
    main()
