#!/usr/bin/env python3
"""Checks that Weft and Transformers produce the same tokens and scores, line by line.

    python3 benchmarks/tasks/decoding/same_answers.py --model MODEL --source FILE --torch PYTHON

MODEL is a model file of Weft with a word vocabulary, FILE has lines of its tokens (plain or .gz),
PYTHON has torch and transformers. The model is exported with `weft convert --to-hf`. Prints one
JSON object, which is also written to benchmarks/results, and a verdict for greedy search and for
beam search with scores divided by length.
"""

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, read_text, report, run  # noqa: E402

SHARE, SCORE = 0.995, 1e-3


def weft_answers(options, text, beam):
    out = run([options.weft, "translate", "-m", options.model, "--beam-size", str(beam),
               "--normalize", "1" if beam > 1 else "0", "--allow-unk", "--n-best", "--quiet"],
              input=text)
    best = {}
    for line in out.splitlines():
        number, words, _, score = line.split(" ||| ")
        best.setdefault(int(number), (words, float(score)))
    return [best[i] for i in range(len(best))]


def compare(options, folder, text, beam):
    peer = pathlib.Path(__file__).with_name("hf_generate.py")
    theirs = [json.loads(line) for line in
              run([options.torch, str(peer), folder, str(beam)], input=text).splitlines()]
    ours = weft_answers(options, text, beam)
    same = [a["score"] - b[1] for a, b in zip(theirs, ours) if a["text"] == b[0]]
    return {"beam": beam, "lines": len(theirs), "same": len(same),
            "largest_score_difference": max(map(abs, same), default=None)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--torch", required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    options = parser.parse_args()
    text = read_text(options.source)
    with tempfile.TemporaryDirectory() as folder:
        run([options.weft, "convert", "-m", options.model, "--to-hf", folder])
        runs = [compare(options, folder, text, beam) for beam in (1, 5)]
    goals = [(f"same lines, beam {r['beam']}", r["same"] / r["lines"], SHARE) for r in runs]
    goals += [(f"score difference, beam {r['beam']}", r["largest_score_difference"], -SCORE)
              for r in runs if r["same"]]
    report("same_answers", {"runs": runs}, goals)


if __name__ == "__main__":
    main()
