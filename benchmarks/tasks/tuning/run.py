#!/usr/bin/env python3
"""Classifiers and taggers from a pretrained encoder by the plain command, `weft train TASK --from
MODEL -t FILES -m FILE`, on all of the training text, each figure the median of three seeds.

    python3 benchmarks/tasks/tuning/run.py --model minilm.safetensors [--data DIR] [--debian DIR]
                                           [--sets trec ...] [--options "--after 2e" --results X]

--data DIR ($WEFT_DATA or ../shared/data) holds trec, sst2, reuters, ud-english-ewt, conll2000 and
atis as its README says; --debian DIR (labels) holds what `scripts/fetch-labels sections
DIR/sections` and `scripts/fetch-labels tags DIR/tags` write. --options are given to each training
besides; --results names the file of such a trial. Extends benchmarks/results/tuning/all.json, or
the file that is named, by the sets and seeds that were asked for, with medians over seeds. Minutes
are those of the clock, and those of the processor, by all threads together, which other programs
beside change less. Prints it, and a verdict for each set.
"""

import os
import pathlib
import re
import shlex
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import ROOT, processor_seconds, read_text, run  # noqa: E402

UD = "ud-english-ewt/r2.3-{}.form-upos-xpos.tsv.gz"
LINES = ["--format", "first-word"]
SEVERAL = ["--labels", "several", "--at-least-one"]
DEBIAN = ("sections", "tags")
# Of each set: the task, the files of training and of the test, the options of the text, and for
# each figure a pattern in what is printed, and the goal.
SETS = {
    "trec": ("classification", ["trec/TREC.train.all.gz"], ["trec/TREC.test.all.gz"], LINES,
             {"accuracy": (r"accuracy ([\d.]+)", 0.970)}),
    "sst2": ("classification", ["sst2/stsa.binary.train.gz"], ["sst2/stsa.binary.test.gz"], LINES,
             {"accuracy": (r"accuracy ([\d.]+)", 0.880)}),
    "reuters": ("classification", ["reuters/train.tsv.gz"], ["reuters/test.tsv.gz"], SEVERAL,
                {"micro F1": (r"micro F1 ([\d.]+)", 0.89)}),
    "sections": ("classification", ["sections/train.tsv"], ["sections/test.tsv"], [],
                 {"accuracy": (r"accuracy ([\d.]+)", 0.83)}),
    "tags": ("classification", ["tags/train.tsv"], ["tags/test.tsv"], SEVERAL,
             {"micro F1": (r"micro F1 ([\d.]+)", 0.68)}),
    "ewt": ("tagging", [UD.format("train")], [UD.format("test")],
            ["--format", "conll", "--word-labels", "1"],
            {"UPOS": (r"field 1: accuracy ([\d.]+)", 0.955)}),
    "conll2000": ("tagging", ["conll2000/train.txt.gz"], ["conll2000/test.txt.gz"],
                  ["--format", "conll", "--word-labels", "2"],
                  {"chunk F1": (r"span F1 ([\d.]+)", 0.955)}),
    "atis": ("tagging", *([f"atis/{part}.{kind}.gz" for kind in ("seq.in", "seq.out", "label")]
                          for part in ("train", "test")),
             ["--format", "files", "--word-labels", "1", "--text-labels", "2"],
             {"sentence accuracy": (r"right in ([\d.]+)", 0.875)}),
}
COMMANDS = {"classification": "classify", "tagging": "tag"}


def measure(options, name, seed):
    """The test figures and the minutes of one training."""
    task, train, test, layout, figures = SETS[name]
    data = options.debian if name in DEBIAN else options.data
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        files = {}
        for part, names in (("train", train), ("test", test)):
            files[part] = [folder / f"{part}.{n}" for n in range(len(names))]
            for file, source in zip(files[part], names):
                file.write_text(read_text(data / source), encoding="utf8")
        model = folder / "model.safetensors"
        before = processor_seconds()
        minutes, _ = seeds.train(options, seed, task, "--from", options.model, *layout, "-t",
                                 *files["train"], "-m", model, *shlex.split(options.options))
        minutes = {"minutes": minutes,
                   "processor minutes": round((processor_seconds() - before) / 60, 2)}
        found = run([options.weft, COMMANDS[task], "-m", model, "--evaluate", *files["test"]])
    return {figure: float(re.search(pattern, found).group(1))
            for figure, (pattern, _) in figures.items()} | minutes


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--debian", type=pathlib.Path, default=pathlib.Path("labels"))
    parser.add_argument("--model", required=True, help="the pretrained encoder")
    parser.add_argument("--options", default="", help="more options of each training")
    parser.add_argument("--results", default="all", help="a name in benchmarks/results/tuning")
    options = parser.parse_args()
    results = seeds.SeedResults(f"tuning/{options.results}", SETS, options.threads)
    facts = {"model": pathlib.Path(options.model).name, "options": options.options}
    for name in options.sets:
        for seed in options.seeds:
            results.add(name, seed, measure(options, name, seed), facts)
    results.tell({name: {figure: goal for figure, (_, goal) in figures.items()}
                  for name, (*_, figures) in SETS.items()})


if __name__ == "__main__":
    main()
