#!/usr/bin/env python3
"""Tagging without pretraining: parts of speech of UD English-EWT r2.3 on gold words, chunks of
CoNLL-2000, slots and intents of ATIS, each the median of three seeds.

    python3 benchmarks/tasks/tagging/run.py [--data DIR] [--sets ewt conll2000 atis]

DIR ($WEFT_DATA or ../shared/data) holds ud-english-ewt, conll2000 and atis as its README says. The
settings are those of SET.yml beside this script. CoNLL-2000 has no validation text: every tenth
sentence of its training text is held out. Texts of validation that have a label which training
never saw are left out; those of the test stay, and count as wrong. Extends
benchmarks/results/tagging.json by the sets and seeds that were asked for, with medians over seeds.
Prints it, and a verdict for each figure.
"""

import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import ROOT, read_text, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
UD = "r2.3-{}.form-upos-xpos.tsv.gz"
# Of each set: its folder; its training, validation (or None) and test files; the options of its
# format; and for each figure a pattern in the output of weft tag, the goal, and a published figure.
SETS = {
    "ewt": ("ud-english-ewt", ([UD.format("train")], [UD.format("dev")], [UD.format("test")]),
            ["--format", "conll", "--word-labels", "1"],
            {"UPOS": (r"field 1: accuracy ([\d.]+)", 0.944, "UDPipe 1.2: 94.4 %")}),
    "conll2000": ("conll2000", (["train.txt.gz"], None, ["test.txt.gz"]),
                  ["--format", "conll", "--word-labels", "2", "1"],
                  {"chunk F1": (r"field 2: .*span F1 ([\d.]+)", 0.935,
                                "support vector machines, the winner of the task: 93.5")}),
    "atis": ("atis", [[f"{part}.{kind}.gz" for kind in ("seq.in", "seq.out", "label")]
                      for part in ("train", "valid", "test")],
             ["--format", "files", "--word-labels", "1", "--text-labels", "2"],
             {"slot F1": (r"field 1: .*span F1 ([\d.]+)", 0.952, "Capsule-NLU: 95.2"),
              "intent accuracy": (r"field 2: accuracy ([\d.]+)", 0.950, "Capsule-NLU: 95.0 %"),
              "sentence accuracy": (r"right in ([\d.]+)", 0.834, "Capsule-NLU: 83.4 %")}),
}


def examples_of(texts, layout):
    """The parts of a file's text that are an example each, for every file."""
    if "conll" in layout:
        return [[f"{one.strip()}\n\n" for one in text.split("\n\n") if one.strip()]
                for text in texts]
    return [text.splitlines(keepends=True) for text in texts]


def labels_of(example, layout):
    """All that is a label in an example, a part of each file."""
    if "conll" in layout:
        fields = [int(field) for field in layout[layout.index("--word-labels") + 1:]]
        rows = [re.split(r"[\t ]", row) for row in example[0].splitlines() if row]
        return {(field, row[field]) for row in rows for field in fields}
    return {(n, label) for n, part in enumerate(example[1:]) for label in part.split()}


def write_sets(folder, files, layout, data):
    """Writes the texts of a set; returns the names of each part's files."""
    train, valid, test = (list(zip(*examples_of([read_text(data / name) for name in part], layout)))
                          if part else None for part in files)
    if valid is None:
        train, valid = [one for n, one in enumerate(train) if n % 10 != 9], train[9::10]
    seen = set().union(*(labels_of(one, layout) for one in train))
    valid = [one for one in valid if labels_of(one, layout) <= seen]
    names = {}
    for part, examples in (("train", train), ("valid", valid), ("test", test)):
        names[part] = [folder / f"{part}.{n}" for n in range(len(examples[0]))]
        for name, column in zip(names[part], zip(*examples)):
            name.write_text("".join(column), encoding="utf8")
    return names


def measure(options, name, seed):
    """The test figures and the minutes of one training."""
    place, files, layout, figures = SETS[name]
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        parts = write_sets(folder, files, layout, options.data / place)
        model = folder / "model.safetensors"
        minutes, _ = seeds.train(
            options, seed, "tagging", "-c", HERE / f"{name}.yml", *layout,
            "-t", *parts["train"], "--valid-sets", *parts["valid"], "-v", folder / "vocab",
            "-m", model)
        found = run([options.weft, "tag", "-m", model, *layout, "--evaluate", *parts["test"]])
    return {figure: float(re.search(pattern, found).group(1))
            for figure, (pattern, _, _) in figures.items()} | {"minutes": minutes}


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    options = parser.parse_args()
    results = seeds.SeedResults("tagging", SETS, options.threads)
    for name in options.sets:
        peers = {figure: peer for figure, (_, _, peer) in SETS[name][3].items()}
        for seed in options.seeds:
            results.add(name, seed, measure(options, name, seed), {"peers": peers})
    results.tell({name: {figure: goal for figure, (_, goal, _) in figures.items()}
                  for name, (*_, figures) in SETS.items()})


if __name__ == "__main__":
    main()
