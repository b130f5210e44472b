#!/usr/bin/env python3
"""Writes tests/golden/text_metrics.json: ROUGE of rouge_score, error rates of jiwer, paired
bootstrap of sacreBLEU and random numbers of NumPy.

Requires rouge-score, jiwer, sacrebleu and numpy; the tests only read the file.
"""
import json
import os
import pathlib
import random

import jiwer
import numpy as np
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

ROUGE = ["rouge1", "rouge2", "rougeL"]
PAIRS = [  # hypothesis, references
    ("the cat sat on the mat", ["the cat sat on the mat"]),
    ("the cat was found under the bed", ["the cat was under the bed"]),
    ("police killed the gunman", ["police kill the gunman", "the gunman police killed"]),
    ("a b c d e f", ["f e d c b a", "a c e b d f"]),
    ("the the the the", ["the cat the dog"]),
    ("It's 3.14, NOT 1,000!", ["it s 3 14 not 1 000"]),
    ("Größe naïve Kelvin: \u212a", ["grosse naive kelvin k"]),
    ("running runs ran", ["run runner running"]),
    ("", ["something"]),
    ("something", [""]),
    ("...", ["!!!"]),
    ("one", ["one two three four", "zero one", "one one one"]),
]


def rouge_of(hypothesis, references):
    scores = RougeScorer(ROUGE).score_multi(references, hypothesis)
    return {kind: [scores[kind].precision, scores[kind].recall, scores[kind].fmeasure]
            for kind in ROUGE}


def systems(lines):
    """A reference of random words and two systems, the second with fewer errors."""
    rng = random.Random(17)
    words = ["".join(rng.choices("abdeiklmnorst", k=rng.randint(1, 6))) for _ in range(60)]
    reference = [[rng.choice(words) for _ in range(rng.randint(1, 12))] for _ in range(lines)]

    def damaged(rate):
        out = []
        for line in reference:
            kept = [w if rng.random() > rate else rng.choice(words) for w in line]
            out.append(" ".join(w for w in kept if rng.random() > rate / 3))
        return out

    return [" ".join(line) for line in reference], damaged(0.27), damaged(0.26)


def errors(reference, hypotheses):
    out = {}
    for name, process in (("word", jiwer.process_words), ("character", jiwer.process_characters)):
        found = process(reference, hypotheses)
        rate = found.wer if name == "word" else found.cer
        out[name] = [found.substitutions + found.deletions + found.insertions,
                     found.substitutions + found.deletions + found.hits, rate]
    return out


def bootstrap(reference, first, second, samples, seed):
    """The seed must not be 0, by which sacreBLEU draws anew each time."""
    os.environ["SACREBLEU_SEED"] = str(seed)
    metrics = {"bleu": BLEU(), "chrf": CHRF()}
    test = PairedTest([("first", first), ("second", second)], metrics, [reference], "bs", samples)
    found = test()[1]
    results = {}
    for name, key in (("bleu", "BLEU"), ("chrf", "chrF2")):
        results[name] = {"p": found[key][1].p_value,
                         "systems": [[float(r.score), float(r.mean), float(r.ci)]
                                     for r in found[key]]}
    return {"samples": samples, "seed": seed, "results": results}


def numbers():
    return [{"seed": seed, "below": n,
             "numbers": np.random.default_rng(seed).choice(n, size=40, replace=True).tolist()}
            for seed, n in ((12345, 7), (0, 1000), (1, 3000000000), (2**40 + 3, 1), (9, 2**31 + 1))]


def main():
    reference, first, second = systems(80)
    out = {
        "pairs": [{"hypothesis": h, "references": r, "scores": rouge_of(h, r)} for h, r in PAIRS],
        "reference": reference,
        "systems": [first, second],
        "errors": [errors(reference, s) for s in (first, second)],
        "exact": [sum(a == b for a, b in zip(s, reference)) for s in (first, second)],
        "bootstraps": [bootstrap(reference, first, second, *how)
                       for how in ((1000, 12345), (200, 7), (39, 3))],
        "numbers": numbers(),
    }
    folder = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
    text = json.dumps(out, ensure_ascii=False, separators=(",", ":"))
    (folder / "text_metrics.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
