#!/usr/bin/env python3
"""Recognition of spoken digits by voices that are not in training, softer and louder than those.

    python3 benchmarks/tasks/transcription/loudness.py [--sets global gain peak ...]

The sounds are those of spoken_digits.py, by espeak-ng; those of the test set at a tenth to ten
times their loudness, as 32-bit floats, which do not clip. The sets are ways to train with the
settings of digits.yml: frames normalised by all training sounds; the same with a random gain;
frames relative to the peak of their sound, the default; the same with a random speed; frames
normalised by each sound itself. "rise" is how much the word error rate is over that of the loudness
of training, at most. "padded" is that of the test set with 1.5 seconds of faint noise before and
after each sound. Extends benchmarks/results/transcription_loudness.json by the sets and seeds that
were asked for, with medians over seeds. Prints it, and a verdict for "peak".
"""

import array
import pathlib
import random
import re
import struct
import sys
import tempfile
import wave

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import seeds  # noqa: E402
from side_by_side import run  # noqa: E402

sys.path.insert(0, str(HERE))
import spoken_digits  # noqa: E402

GOAL = 0.01
GAINS = [0.1, 0.3, 1, 3, 10]
SETS = {
    "global": ["--frame-norm", "global"],
    "gain": ["--frame-norm", "global", "--gain-perturbation", "20"],
    "peak": ["--frame-norm", "peak"],
    "speed": ["--frame-norm", "peak", "--speed-perturbation", "0.1"],
    "utterance": ["--frame-norm", "utterance"],
}


def write_floats(path, rate, samples):
    """Writes a WAV file of 32-bit floats."""
    data = array.array("f", samples).tobytes()
    header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, 1,
                         rate, 4 * rate, 4, 32, b"data", len(data))
    path.write_bytes(header + data)


def changed(folder, name, change):
    """The list of a copy of the test set, whose samples change() gives from samples and rate."""
    made = folder / f"test_{name}"
    made.mkdir(exist_ok=True)
    lines = (folder / "test.tsv").read_text().splitlines()
    for line in lines:
        path = folder / line.split("\t")[0]
        with wave.open(str(path)) as file:
            rate = file.getframerate()
            samples = [x / 32768 for x in array.array("h", file.readframes(file.getnframes()))]
        write_floats(made / path.name, rate, change(samples, rate))
    listed = folder / f"test_{name}.tsv"
    listed.write_text("".join(line.replace("test/", f"{made.name}/", 1) + "\n" for line in lines))
    return listed


def padded(samples, rate):
    """With 1.5 seconds of noise of 3 steps of 16 bits before and after."""
    draw = random.Random(1)
    noise = [draw.uniform(-3, 3) / 32768 for _ in range(rate * 3 // 2)]
    return noise + samples + noise


def word_error_rate(options, model, listed):
    """Of a model on the sounds of a list."""
    found = run([options.weft, "transcribe", "-m", model, "--evaluate", listed,
                 "--threads", str(options.threads)])
    return float(re.search(r"word error rate ([\d.]+)", found).group(1))


def rates_of(options, model, lists):
    """Word error rates by the names of lists, and how much those of gains are over that of 1."""
    rates = {name: word_error_rate(options, model, listed) for name, listed in lists.items()}
    figures = {f"word error rate, {name}": rate for name, rate in rates.items()}
    figures["rise"] = round(max(rates[f"gain {gain}"] for gain in GAINS) - rates["gain 1"], 4)
    return figures


def measure(options, data, lists, more, seed):
    """The figures of a model that is trained with these options, and its parameters."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        model = folder / "model.safetensors"
        minutes, parameters = seeds.train(
            options, seed, "transcription", "-c", HERE / "digits.yml", "-m", model,
            "-t", data / "train.tsv", "--valid-sets", data / "valid.tsv",
            "-v", folder / "characters.vocab", *more)
        return rates_of(options, model, lists) | {"minutes": minutes}, parameters


def make_lists(data):
    """The test sets, in a folder that spoken_digits.py made."""
    lists = {f"gain {gain}": changed(data, gain, lambda samples, _, gain=gain:
                                     [gain * sample for sample in samples]) for gain in GAINS}
    return lists | {"padded": changed(data, "padded", padded)}


def main():
    options = seeds.parser(__doc__.splitlines()[0], SETS).parse_args()
    results = seeds.SeedResults("transcription_loudness", SETS, options.threads)
    with tempfile.TemporaryDirectory() as made:
        data = pathlib.Path(made)
        spoken_digits.make(data)
        lists = make_lists(data)
        for name in options.sets:
            for seed in options.seeds:
                figures, parameters = measure(options, data, lists, SETS[name], seed)
                results.add(name, seed, figures, {"parameters": parameters})
    results.tell({"peak": {"rise": -GOAL}})


if __name__ == "__main__":
    main()
