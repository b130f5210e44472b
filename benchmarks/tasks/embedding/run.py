#!/usr/bin/env python3
"""Embedders as they are and trained: Spearman's correlation of cosines with the scores of people on
the STS benchmark.

    python3 benchmarks/tasks/embedding/run.py --from MODEL [--peer PYTHON] [--data DIR]
        [--seeds 1 2 3]

MODEL is an embedder, such as the folder of all-MiniLM-L6-v2 that scripts/fetch-models brings. DIR
($WEFT_DATA or ../shared/data) holds stsb as its README says. Weft trains with the defaults of
`weft train embedding --from`; the last model is measured on the test pairs. PYTHON, one with
sentence-transformers, trains the same model on the same pairs with the same loss, rate, epochs and
batch (peer_training.py), in turns. Extends benchmarks/results/embedding/training.json by the seeds
that were asked for. Prints it, and a verdict for each goal.
"""

import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import ROOT, read_text, run  # noqa: E402
from validated import validated  # noqa: E402

PEER = pathlib.Path(__file__).resolve().parent / "peer_training.py"
SCORES = ["--format", "scores"]
SETS = ("stsb",)
GOALS = {"stsb": {"spearman": 0.85}}


def write_pairs(data, folder):
    """Training, validation and test pairs as lines `text TAB text TAB score`."""
    for name in ("train", "dev", "test"):
        rows = [line.split("\t") for line in
                read_text(data / "stsb" / f"sts-{name}.csv.gz").splitlines()]
        lines = [f"{row[5]}\t{row[6]}\t{row[4]}\n" for row in rows]
        (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf8")


def measure(options, seed):
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        write_pairs(options.data, folder)
        model = folder / "model.safetensors"
        minutes, parameters = seeds.train(
            options, seed, "embedding", "--from", options.start, *SCORES, "-t",
            folder / "train.tsv", "-m", model)
        test = folder / "test.tsv"
        row = {"spearman before": validated(options, options.start, test, "spearman", SCORES),
               "spearman": validated(options, model, test, "spearman", SCORES),
               "minutes": minutes, "parameters": parameters}
        if options.peer:
            peer = json.loads(run([options.peer, PEER, options.start, folder, str(seed),
                                   str(options.threads)]).splitlines()[-1])
            row |= {f"peer {name}": value for name, value in peer.items()}
    return row


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("--from", dest="start", required=True)
    parser.add_argument("--peer", help="a Python with sentence-transformers")
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    options = parser.parse_args()
    results = seeds.SeedResults("embedding/training", SETS, options.threads)
    for name in options.sets:
        for seed in options.seeds:
            results.add(name, seed, measure(options, seed), {"goals": GOALS[name]})
    results.tell(GOALS)


if __name__ == "__main__":
    main()
