#!/usr/bin/env python3
"""Embedders that find translations: the Italian one of each English sentence among all of the test
sentences of Debian's package descriptions, by the nearest vector.

    python3 benchmarks/tasks/embedding/search.py FOLDER [--from MODEL] [--sets nothing ...]
                                                 [--options "--after 4e"] [--again]

FOLDER is what `scripts/fetch-corpus` made. Trainings are `weft train embedding` with its defaults,
on pairs: `nothing`, with a vocabulary of SentencePiece of both languages; `minilm`, from MODEL,
whose vocabulary is English; `mined`, from the model of `nothing`, with two hard negatives for each
pair by `weft mine`. --options are given to each training besides. The figure is the accuracy: the
share of English sentences whose own translation is nearest. Extends
benchmarks/results/embedding/search.json by the sets and seeds that were asked for; with --again
only the accuracy, by measuring the model that a training left in --models. Prints it, and a verdict
for each set.
"""

import pathlib
import shlex
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import processor_seconds, run  # noqa: E402
from validated import validated  # noqa: E402

SETS = ("nothing", "minilm", "mined")
GOALS = {name: {"accuracy": 0.95} for name in SETS}


def write_pairs(source, folder):
    for part in ("train", "test"):
        sides = [(source / f"{part}.{language}").read_text(encoding="utf8").splitlines()
                 for language in ("en", "it")]
        text = "".join(f"{a}\t{b}\n" for a, b in zip(*sides, strict=True))
        (folder / f"{part}.tsv").write_text(text, encoding="utf8")


def measure(options, name, seed):
    """The accuracy on the test pairs and the minutes of one training; with --again the accuracy."""
    kept = options.models / f"search.{{}}.{seed}.safetensors"
    model = pathlib.Path(str(kept).format(name))
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        write_pairs(options.folder, folder)
        if options.again:
            return {"accuracy": validated(options, model, folder / "test.tsv", "accuracy")}
        pairs, start = folder / "train.tsv", ["-v", folder / "both.spm"]
        if name == "minilm":
            start = ["--from", options.start]
        if name == "mined":
            first = pathlib.Path(str(kept).format("nothing"))
            start = ["--from", first]
            run([options.weft, "mine", "-m", first, "-i", pairs, "-o", folder / "mined.tsv",
                 "--negatives", "2", "--threads", str(options.threads)])
            pairs = folder / "mined.tsv"
        before = processor_seconds()
        minutes, parameters = seeds.train(
            options, seed, "embedding", *start, "-t", pairs, "-m", model, "--overwrite",
            *shlex.split(options.options))
        spent = round((processor_seconds() - before) / 60, 2)
        accuracy = validated(options, model, folder / "test.tsv", "accuracy")
    return {"accuracy": accuracy, "minutes": minutes, "processor minutes": spent,
            "parameters": parameters}


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--from", dest="start", help="a pretrained embedder, of minilm")
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path("."),
                        help="where models are kept")
    parser.add_argument("--options", default="", help="more options of each training")
    parser.add_argument("--again", action="store_true", help="measure models that are there")
    options = parser.parse_args()
    if "minilm" in options.sets and options.start is None:
        parser.error("minilm needs --from")
    results = seeds.SeedResults("embedding/search", SETS, options.threads)
    for name in options.sets:
        for seed in options.seeds:
            row = results.figures(name, seed) if options.again else {}
            facts = {"options": results.rows[name]["options"] if row else options.options}
            results.add(name, seed, row | measure(options, name, seed), facts)
    results.tell(GOALS)


if __name__ == "__main__":
    main()
