#!/usr/bin/env python3
"""Writes tests/golden/regression.json: scores of numbers by scikit-learn and SciPy.

Requires scikit-learn and scipy; the tests only read the file.
"""
import json
import pathlib
import random

from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error


def case(name, expected, predicted):
    return {"name": name, "expected": expected, "predicted": predicted,
            "rmse": float(root_mean_squared_error(expected, predicted)),
            "mae": float(mean_absolute_error(expected, predicted)),
            "r2": float(r2_score(expected, predicted)),
            "pearson": float(pearsonr(expected, predicted).statistic),
            "spearman": float(spearmanr(expected, predicted).statistic)}


def cases():
    rng = random.Random(7)
    expected = [rng.gauss(3, 2) for _ in range(60)]
    near = [x + rng.gauss(0, 0.7) for x in expected]
    steps = [rng.randrange(6) for _ in range(60)]
    return [
        case("near", expected, near),
        case("steps, with many equals", steps, [round(x + rng.gauss(0, 1)) for x in steps]),
        case("the other way round", expected, [-x for x in near]),
        case("far from zero", [1e6 + x for x in expected], [1e6 + x for x in near]),
        case("all right", expected, expected),
        case("two", [1.0, 2.0], [1.5, 1.25]),
    ]


def main():
    path = pathlib.Path(__file__).parents[2] / "tests/golden/regression.json"
    path.write_text(json.dumps(cases(), indent=None) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
