#!/usr/bin/env python3
"""Classification of pictures and of sequences of vectors without pretraining: accuracy on
Fashion-MNIST and on Japanese Vowels.

    python3 benchmarks/tasks/vectors/run.py [--sets ...] [--seeds 1 2 3]

--fashion DIR holds the four files of Debian's package dataset-fashion-mnist, and is where that
package puts them unless it is given; the last 5,000 pictures of training are held out for
validation. --data DIR ($WEFT_DATA or ../shared/data) holds japanese-vowels as its README says;
nothing of it is held out, and the last model is measured. The settings are those of
examples/images/fashion.yml and of japanese-vowels.yml beside this script. Extends
benchmarks/results/vectors.json by the sets that were asked for, with the median over seeds, prints
it, and a line of verdict for each set.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import statistics
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sitting import RELEASE, ROOT, machine, report, result_file, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
HELD_OUT = 5000


def read_idx(path):
    """The sizes of an IDX file of bytes, and its items."""
    data = gzip.decompress(path.read_bytes())
    dimensions = data[3]
    sizes = struct.unpack(f">{dimensions}I", data[4:4 + 4 * dimensions])
    return sizes, data[4 + 4 * dimensions:]


def write_idx(path, sizes, items):
    header = bytes([0, 0, 8, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes)
    path.write_bytes(header + items)


def split(source, folder, kind):
    """Writes the items of training that are kept, and those held out."""
    (count, *item), data = read_idx(source)
    size = len(data) // count
    kept = count - HELD_OUT
    write_idx(folder / f"train.{kind}", (kept, *item), data[:kept * size])
    write_idx(folder / f"valid.{kind}", (HELD_OUT, *item), data[kept * size:])


def fashion(options, folder):
    """Options of training on Fashion-MNIST, and the files of its test set."""
    split(options.fashion / "train-images-idx3-ubyte.gz", folder, "images")
    split(options.fashion / "train-labels-idx1-ubyte.gz", folder, "labels")
    train = ["-c", ROOT / "examples/images/fashion.yml",
             "-t", folder / "train.images", folder / "train.labels",
             "--valid-sets", folder / "valid.images", folder / "valid.labels"]
    return train, [options.fashion / "t10k-images-idx3-ubyte.gz",
                   options.fashion / "t10k-labels-idx1-ubyte.gz"]


def japanese_vowels(options, _):
    """The same of Japanese Vowels."""
    data = options.data / "japanese-vowels"
    return (["-c", HERE / "japanese-vowels.yml", "-t", data / "JapaneseVowels_TRAIN.ts.gz"],
            [data / "JapaneseVowels_TEST.ts.gz"])


# Of each set: what gives its files, the goal, and what it is compared with.
SETS = {
    "fashion-mnist": (fashion, 0.923, "published for a Vision Transformer of this size: 0.923"),
    "japanese-vowels": (japanese_vowels, 0.98, "published: 0.97 to 0.99"),
}


def measure(options, name, seed):
    """Test accuracy of one training, its minutes, and the parameters of the model."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        model = folder / "model.safetensors"
        train, test = SETS[name][0](options, folder)
        started = time.monotonic()
        run([options.weft, "train", "classification", *train, "-m", model, "--seed", str(seed),
             "--threads", str(options.threads), "--log", folder / "log"])
        minutes = (time.monotonic() - started) / 60
        parameters = re.search(r"model: (\d+) parameters", (folder / "log").read_text()).group(1)
        found = run([options.weft, "classify", "-m", model, "--evaluate", *test])
    return float(re.search(r"accuracy ([\d.]+)", found).group(1)), minutes, int(parameters)


def earlier_rows():
    """The rows of the result file by set."""
    path = result_file("vectors")
    rows = json.loads(path.read_text())["rows"] if path.exists() else []
    return {row["set"]: row for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--fashion", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    rows = earlier_rows()
    for name in options.sets:
        _, goal, peer = SETS[name]
        figures, minutes, parameters = zip(*[measure(options, name, s) for s in options.seeds])
        rows[name] = {"set": name, "metric": "accuracy", "parameters": parameters[0],
                      "seeds": figures, "median": statistics.median(figures), "goal": goal,
                      "peer": peer, "minutes": round(statistics.median(minutes), 2)} | machine()
    ordered = [rows[name] for name in SETS if name in rows]
    report("vectors", {"threads": options.threads, "rows": ordered},
           [(f"{r['set']} accuracy", r["median"], r["goal"]) for r in ordered])


if __name__ == "__main__":
    main()
