#!/usr/bin/env python3
"""Writes tests/golden/labels.json: label metrics of scikit-learn and seqeval.

Requires scikit-learn, scipy and seqeval; the tests only read the file.
"""
import json
import pathlib
import random
import re
import warnings

import numpy as np
from scipy.optimize import brentq
from seqeval.metrics import classification_report as span_report
from seqeval.scheme import IOB2, IOBES
from sklearn.metrics import classification_report, f1_score

NAMES = ["ADJ", "Überschrift", "NOUN", "VERB", "weekday", "X"]


def averages(report, names):
    """Rows and averages as [precision, recall, f1, support]."""
    keys = ("precision", "recall", "f1-score", "support")
    out = {}
    for name in [*names, "micro avg", "macro avg", "weighted avg"]:
        if name in report:
            out[name] = [float(report[name][key]) for key in keys]
    return out


def one_label(rng, items, labels):
    truth = [rng.randrange(labels) for _ in range(items)]
    guess = [t if rng.random() < 0.6 else rng.randrange(labels) for t in truth]
    return truth, guess


def classification(name, truth, guess):
    ids = sorted(set(truth) | set(guess))
    names = [NAMES[i] for i in ids]
    report = classification_report(truth, guess, labels=ids, target_names=names,
                                   output_dict=True, zero_division=0)
    text = classification_report(truth, guess, labels=ids, target_names=names, digits=3,
                                 zero_division=0)
    # If nothing is correct, scikit-learn prints counts as 1.0.
    text = re.sub(r"  (\d+)\.0$", r"    \1", text, flags=re.MULTILINE)
    return {"name": name, "expected": truth, "predicted": guess,
            "accuracy": float(report["accuracy"]), "rows": averages(report, names), "text": text}


def classifications():
    rng = random.Random(3)
    return [
        classification("many", *one_label(rng, 200, 6)),
        classification("a label that is never given", [0, 1, 2, 2], [0, 1, 1, 1]),
        classification("a label that is never right", [0, 0, 1], [0, 5, 4]),
        classification("all wrong", [0, 1], [1, 0]),
        classification("one item", [3], [3]),
    ]


def random_tags(rng, letters, types, words):
    out = []
    for _ in range(words):
        letter = rng.choice(letters)
        out.append("O" if letter == "O" else f"{letter}-{rng.choice(types)}")
    return out


def damaged(rng, sentences, letters, types):
    return [[tag if rng.random() < 0.8 else random_tags(rng, letters, types, 1)[0]
             for tag in sentence] for sentence in sentences]


def well_formed(rng, words, scheme):
    out = []
    while len(out) < words:
        kind, length = rng.choice(["PER", "LOC", "O"]), min(rng.randint(1, 3), words - len(out))
        if kind == "O":
            out.append("O")
        elif scheme == "BIO":
            out += [f"B-{kind}"] + [f"I-{kind}"] * (length - 1)
        else:
            inner = [f"I-{kind}"] * (length - 2)
            out += [f"S-{kind}"] if length == 1 else [f"B-{kind}", *inner, f"E-{kind}"]
    return out


SPANS = {
    "perfect": ([["B-A", "I-A", "O", "B-B"]], [["B-A", "I-A", "O", "B-B"]]),
    "a word too long": ([["B-A", "I-A", "O"]], [["B-A", "I-A", "I-A"]]),
    "begins with I": ([["I-A", "I-A", "O", "I-B"]], [["B-A", "I-A", "O", "B-B"]]),
    "type changes inside": ([["B-A", "I-B", "I-B", "I-A"]], [["B-A", "B-B", "I-B", "B-A"]]),
    "I after O": ([["O", "I-A"], ["O"]], [["O", "B-A"], ["I-A"]]),
    "across sentences": ([["B-A"], ["I-A"]], [["B-A"], ["B-A"]]),
    "hyphens in types": ([["B-a-b", "I-a-b", "B-a"]], [["B-a-b", "I-a-b", "O"]]),
    "no type": ([["B", "I", "O", "B-A"]], [["B", "I", "B", "B-A"]]),
    "nothing found": ([["B-A", "O"]], [["O", "O"]]),
    "nothing expected": ([["O", "O"]], [["O", "B-A"]]),
}


def span_cases():
    rng = random.Random(5)
    for name, (truth, guess) in SPANS.items():
        yield name, "BIO", truth, guess
    types = ["PER", "LOC", "ORG"]
    wild = [random_tags(rng, "BIO", types, rng.randint(1, 12)) for _ in range(60)]
    yield "wild BIO", "BIO", wild, damaged(rng, wild, "BIO", types)
    wild = [random_tags(rng, "BIOES", types, rng.randint(1, 12)) for _ in range(60)]
    yield "wild IOBES", "IOBES", wild, damaged(rng, wild, "BIOES", types)
    for scheme, letters in (("BIO", "BIO"), ("IOBES", "BIOES")):
        good = [well_formed(rng, rng.randint(1, 12), scheme) for _ in range(60)]
        yield f"well-formed {scheme}", scheme, good, damaged(rng, good, letters, ["PER", "LOC"])


def spans():
    out = []
    for name, scheme, truth, guess in span_cases():
        case = {"name": name, "scheme": scheme, "expected": truth, "predicted": guess}
        modes = {"lenient": {}, "strict": {"mode": "strict",
                                           "scheme": IOB2 if scheme == "BIO" else IOBES}}
        for mode, options in modes.items():
            try:
                report = span_report(truth, guess, output_dict=True, zero_division=0, **options)
                text = span_report(truth, guess, digits=4, zero_division=0, **options)
            except ValueError:  # the strict mode finds no spans
                continue
            types = [key for key in report if not key.endswith(" avg")]
            case[mode] = {"rows": averages(report, types), "text": text}
        out.append(case)
    return out


def indicator(sets, labels):
    out = np.zeros((len(sets), labels), int)
    for i, chosen in enumerate(sets):
        out[i, chosen] = 1
    return out


def multi_label():
    rng = random.Random(7)
    labels = len(NAMES)
    truth = [sorted(rng.sample(range(labels - 1), rng.randint(0, 3))) for _ in range(40)]
    guess = [sorted({l for l in t if rng.random() < 0.7} |
                    {l for l in range(labels - 1) if rng.random() < 0.1}) for t in truth]
    y, z = indicator(truth, labels), indicator(guess, labels)
    report = classification_report(y, z, target_names=NAMES, output_dict=True, zero_division=0)
    return {"names": NAMES, "expected": truth, "predicted": guess,
            "rows": averages(report, NAMES), "subset_accuracy": float((y == z).all(1).mean())}


def given(scores, threshold, at_least_one):
    out = (scores >= threshold).astype(int)
    if at_least_one:
        out[np.arange(len(out)), scores.argmax(1)] = 1
    return out


def threshold():
    """Evaluates all thresholds by scikit-learn's F1; returns the best ones and their F1."""
    rng = np.random.default_rng(11)
    items, labels = 60, 5
    truth = [sorted(rng.choice(labels, rng.integers(0, 3), replace=False).tolist())
             for _ in range(items)]
    y = indicator(truth, labels)
    scores = np.round(np.clip(0.5 * y + rng.normal(0.25, 0.25, y.shape), 0, 1), 2)
    scores = scores.astype(np.float32)
    out = {"labels": labels, "expected": truth, "scores": scores.ravel().tolist(), "best": {}}
    for at_least_one in (False, True):
        tried = {}
        for value in np.unique(scores):
            z = given(scores, value, at_least_one)
            tried[float(value)] = f1_score(y, z, average="micro", zero_division=0)
        best = max(tried.values())
        highest = max(v for v, f1 in tried.items() if f1 == best)
        below = [float(v) for v in np.unique(scores) if v < highest]
        out["best"][str(at_least_one).lower()] = {
            "micro_f1": best, "highest": highest, "next": below[-1] if below else highest}
    return out


def temperature():
    rng = np.random.default_rng(13)
    items, labels = 80, 4
    z = rng.normal(0, 3, (items, labels)).astype(np.float32).astype(float)
    wanted = np.array([rng.choice(labels, p=np.exp(r / 2.5) / np.exp(r / 2.5).sum()) for r in z])

    def loss(t):
        s = z / t
        top = s.max(1)
        return (top + np.log(np.exp(s - top[:, None]).sum(1)) - s[np.arange(items), wanted]).mean()

    def slope(b):
        p = np.exp(b * (z - z.max(1)[:, None]))
        p /= p.sum(1)[:, None]
        return ((p * z).sum(1) - z[np.arange(items), wanted]).mean()

    sets = [np.flatnonzero(rng.random(labels) < 1 / (1 + np.exp(-r / 1.7))).tolist() for r in z]
    y = indicator(sets, labels)

    def several_loss(t):
        return np.logaddexp(0, np.where(y == 1, -z, z) / t).mean()

    def several_slope(b):
        return ((1 / (1 + np.exp(-b * z)) - y) * z).mean()

    one, several = 1 / brentq(slope, 0.01, 100), 1 / brentq(several_slope, 0.01, 100)
    p = np.exp(z - z.max(1)[:, None])
    p /= p.sum(1)[:, None]
    confidence, right = p.max(1), p.argmax(1) == wanted
    error = 0.0
    for low, high in zip(np.linspace(0, 1, 16)[:-1], np.linspace(0, 1, 16)[1:]):
        inside = (confidence > low) & (confidence <= high)
        if inside.any():
            error += abs(right[inside].mean() - confidence[inside].mean()) * inside.mean()
    return {"labels": labels, "logits": z.ravel().tolist(), "expected": wanted.tolist(),
            "sets": sets, "temperature": one, "before": loss(1), "after": loss(one),
            "several": several, "several_before": several_loss(1),
            "several_after": several_loss(several), "calibration_error": error}


def main():
    warnings.simplefilter("ignore")
    out = {"names": NAMES, "classification": classifications(), "spans": spans(),
           "multi_label": multi_label(), "threshold": threshold(), "temperature": temperature()}
    target = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "labels.json"
    target.write_text(json.dumps(out, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
