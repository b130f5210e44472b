#!/usr/bin/env python3
"""Recognition and translation of spoken digits: word error rates on voices and speeds that are not
in training.

    python3 benchmarks/tasks/transcription/run.py [--sets english italian] [--seeds 1 2 3]

The sounds are those of spoken_digits.py, by espeak-ng: in the set english their texts are what is
spoken, in italian the Italian words for it. The settings are those of digits.yml beside this
script; with --decoder another one. Extends benchmarks/results/transcription.json by the sets that
were asked for, with the median over seeds, prints it, and a line of verdict for each set.
"""

import argparse
import json
import pathlib
import re
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from sitting import RELEASE, machine, report, result_file, run  # noqa: E402

sys.path.insert(0, str(HERE))
import spoken_digits  # noqa: E402

GOAL = 0.05
SETS = {"english": "en", "italian": "it"}


def measure(options, data, seed):
    """Word error rate on the test set, minutes of training, and parameters of the model."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        model = folder / "model.safetensors"
        started = time.monotonic()
        run([options.weft, "train", "transcription", "-c", HERE / "digits.yml", "-m", model,
             "-t", data / "train.tsv", "--valid-sets", data / "valid.tsv",
             "-v", folder / "characters.vocab", "--seed", str(seed),
             "--threads", str(options.threads), "--log", folder / "log"])
        minutes = (time.monotonic() - started) / 60
        parameters = re.search(r"model: (\d+) parameters", (folder / "log").read_text()).group(1)
        found = run([options.weft, "transcribe", "-m", model, "--evaluate", data / "test.tsv"])
    return float(re.search(r"word error rate ([\d.]+)", found).group(1)), minutes, int(parameters)


def earlier_rows():
    """The rows of the result file by set."""
    path = result_file("transcription")
    rows = json.loads(path.read_text())["rows"] if path.exists() else []
    return {row["set"]: row for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    rows = earlier_rows()
    for name in options.sets:
        with tempfile.TemporaryDirectory() as made:
            data = pathlib.Path(made)
            spoken_digits.make(data, SETS[name])
            figures, minutes, parameters = zip(
                *[measure(options, data, seed) for seed in options.seeds])
        rows[name] = {"set": name, "metric": "word error rate", "parameters": parameters[0],
                      "seeds": figures, "median": statistics.median(figures), "goal": GOAL,
                      "minutes": round(statistics.median(minutes), 2)} | machine()
    ordered = [rows[name] for name in SETS if name in rows]
    report("transcription", {"threads": options.threads, "rows": ordered},
           [(f"{r['set']} word accuracy", 1 - r["median"], 1 - r["goal"]) for r in ordered])


if __name__ == "__main__":
    main()
