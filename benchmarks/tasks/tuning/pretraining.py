#!/usr/bin/env python3
"""What masked pretraining on unlabelled text is worth: an encoder learns to fill masks in Debian's
package descriptions, then to tell sections from a hundredth and a tenth of the labels.

    python3 benchmarks/tasks/tuning/pretraining.py FOLDER [--seeds 1 2 3] [--shares 0.01 0.1]
        [--options "--after 8e"]

FOLDER is what `scripts/fetch-labels sections` wrote. Pretraining is `weft train masked-lm` with its
defaults on the descriptions of all training lines, once for each seed; --options are given to it
besides. Of the labelled lines a share is drawn, and learned by `weft train classification` with its
defaults from the pretrained model, and from nothing. Figures are accuracies on the test lines.
Extends benchmarks/results/tuning/pretraining.json by the seeds that were asked for, with medians
over seeds. Prints it, and a verdict for each share: the gain.
"""

import pathlib
import random
import re
import shlex
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import run  # noqa: E402

SETS = ("sections",)


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")


def measure(options, seed):
    """The minutes of pretraining, and of each share both accuracies and the gain."""
    lines = (options.folder / "train.tsv").read_text(encoding="utf8").splitlines()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        texts, train, words = folder / "texts", folder / "train.tsv", folder / "words.model"
        pretrained, model = folder / "pretrained.safetensors", folder / "model.safetensors"
        write_lines(texts, (line.split("\t", 1)[1] for line in lines))
        minutes, parameters = seeds.train(
            options, seed, "masked-lm", "-t", texts, "-v", words, "-m", pretrained,
            *shlex.split(options.options))
        out = {"pretraining minutes": minutes, "parameters": parameters}

        def accuracy(*start):
            seeds.train(options, seed, "classification", "-t", train, "-m", model, "--overwrite",
                        *start)
            found = run([options.weft, "classify", "-m", model, "--evaluate", folder / "test.tsv"])
            return float(re.search(r"accuracy ([\d.]+)", found).group(1))

        for share in options.shares:
            chosen = random.Random(seed).sample(lines, round(len(lines) * share))
            known = {line.split("\t")[0] for line in chosen}
            test = (options.folder / "test.tsv").read_text(encoding="utf8").splitlines()
            write_lines(train, chosen)
            # A label that was not drawn cannot be told; it counts as wrong.
            write_lines(folder / "test.tsv", (line for line in test
                                              if line.split("\t")[0] in known))
            known_share = sum(line.split("\t")[0] in known for line in test) / len(test)
            vocabulary = folder / f"words.{share}.model"
            found = {"from nothing": accuracy("-v", vocabulary) * known_share,
                     "pretrained": accuracy("--from", pretrained) * known_share}
            out |= {f"{share:g} {name}": round(value, 4) for name, value in found.items()}
            out[f"{share:g} gain"] = round(found["pretrained"] - found["from nothing"], 4)
    return out


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.01, 0.1])
    parser.add_argument("--options", default="", help="more options of pretraining")
    options = parser.parse_args()
    results = seeds.SeedResults("tuning/pretraining", SETS, options.threads)
    facts = {"options": options.options}
    for seed in options.seeds:
        results.add("sections", seed, measure(options, seed), facts)
    results.tell({"sections": {f"{share:g} gain": 0.001 for share in options.shares}})


if __name__ == "__main__":
    main()
