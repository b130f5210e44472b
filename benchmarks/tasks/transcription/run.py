#!/usr/bin/env python3
"""Recognition and translation of spoken digits: word error rates on voices and speeds that are not
in training.

    python3 benchmarks/tasks/transcription/run.py [--sets english italian] [--seeds 1 2 3]

The sounds are those of spoken_digits.py, by espeak-ng: in the set english their texts are what is
spoken, in italian the Italian words for it. The settings are those of digits.yml beside this
script. Extends benchmarks/results/transcription.json by the sets and seeds that were asked for,
with medians over seeds. Prints it, and a verdict for each set.
"""

import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import seeds  # noqa: E402
from side_by_side import run  # noqa: E402

sys.path.insert(0, str(HERE))
import spoken_digits  # noqa: E402

GOAL = 0.05
SETS = {"english": "en", "italian": "it"}


def measure(options, data, seed):
    """Word error rate on the test set and minutes of training; parameters of the model."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        model = folder / "model.safetensors"
        minutes, parameters = seeds.train(
            options, seed, "transcription", "-c", HERE / "digits.yml", "-m", model,
            "-t", data / "train.tsv", "--valid-sets", data / "valid.tsv",
            "-v", folder / "characters.vocab")
        found = run([options.weft, "transcribe", "-m", model, "--evaluate", data / "test.tsv"])
    rate = float(re.search(r"word error rate ([\d.]+)", found).group(1))
    return {"word error rate": rate, "minutes": minutes}, parameters


def main():
    options = seeds.parser(__doc__.splitlines()[0], SETS).parse_args()
    results = seeds.SeedResults("transcription", SETS, options.threads)
    for name in options.sets:
        with tempfile.TemporaryDirectory() as made:
            data = pathlib.Path(made)
            spoken_digits.make(data, SETS[name])
            for seed in options.seeds:
                figures, parameters = measure(options, data, seed)
                results.add(name, seed, figures, {"parameters": parameters})
    results.tell({name: {"word error rate": -GOAL} for name in SETS})


if __name__ == "__main__":
    main()
