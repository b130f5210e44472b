#!/usr/bin/env python3
"""Measures speed and BLEU of a trained model with and without a lexical shortlist.

    python3 benchmarks/tasks/decoding/shortlist.py --model MODEL --train SOURCE TARGET \\
        --test SOURCE TARGET

The lexicon is computed from the model's hard alignments of the training text: `target source p` for
each aligned pair of tokens, where p is its share of the source token's alignments. Texts are plain
or .gz, tokenised like the model's vocabularies; BLEU is computed on tokens with BPE undone. Runs
with and without shortlist alternate; medians are compared. Prints one JSON object, which is also
written to benchmarks/results, and one line per precision and batch size.
"""

import argparse
import collections
import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, bleu, read_text, report, run  # noqa: E402

PRECISIONS = ("int8", "float32")
SEARCHES = {"32 lines, beam 4": ("--mini-batch", "32", "--beam-size", "4", "--normalize", "1"),
            "a line, greedily": ("--mini-batch", "1", "--beam-size", "1")}


def read_lines(path):
    return read_text(path).splitlines()


def lexicon(options):
    """The lexicon as lines of `target source p`."""
    links = run([options.weft, "score", "-m", options.model, "-t", *options.train, "--alignment",
                 "hard", "--threads", options.threads]).splitlines()
    counts = collections.defaultdict(collections.Counter)
    for source, target, line in zip(*map(read_lines, options.train), links, strict=True):
        sides = source.split(), target.split()
        for link in line.split():
            s, t = (side[int(i)] for side, i in zip(sides, link.split("-")))
            counts[s][t] += 1
    return "".join(f"{t} {s} {count / found.total():.6g}\n"
                   for s, found in counts.items() for t, count in found.most_common())


def speed(options, figures, how):
    run([options.weft, "bench", "decode", "-m", options.model, "-i", options.test[0], *how,
         "--threads", options.threads, "--repeats", "2", "--json", figures])
    return json.loads(figures.read_text())["lines_per_s"]["best"]


def score(options, reference, how):
    text = run([options.weft, "translate", "-m", options.model, "-i", options.test[0], "--undo-bpe",
                "--threads", options.threads, *how])
    return round(bleu(options.weft, text.splitlines(), reference), 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--train", nargs=2, required=True)
    parser.add_argument("--test", nargs=2, required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        lex, figures = pathlib.Path(folder, "lex.s2t"), pathlib.Path(folder, "figures.json")
        reference = pathlib.Path(folder, "reference")
        lex.write_text(lexicon(options), encoding="utf8")
        reference.write_text("".join(line.replace("@@ ", "") + "\n"
                                     for line in read_lines(options.test[1])), encoding="utf8")
        kinds = {"all": (), "shortlist": ("--shortlist", str(lex))}
        for precision in PRECISIONS:
            for search, how in SEARCHES.items():
                given = ("--precision", precision, *how)
                speeds = {kind: [] for kind in kinds}
                for _ in range(options.rounds):
                    for kind, more in kinds.items():
                        speeds[kind].append(round(speed(options, figures, (*given, *more)), 1))
                rows.append({"precision": precision, "search": search, "lines_per_s": speeds,
                             "bleu": {kind: score(options, reference, (*given, *more))
                                      for kind, more in kinds.items()}})
    for row in rows:
        medians = {kind: statistics.median(s) for kind, s in row["lines_per_s"].items()}
        row["ratio"] = round(medians["shortlist"] / medians["all"], 3)
    report("decoding_shortlist", {"threads": int(options.threads), "rows": rows},
           [(f"{row['precision']}, {row['search']}", row["ratio"], 1) for row in rows])


if __name__ == "__main__":
    main()
