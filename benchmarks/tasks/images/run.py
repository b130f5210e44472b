#!/usr/bin/env python3
"""Classification of pictures without pretraining: accuracy on Fashion-MNIST.

    python3 benchmarks/tasks/images/run.py [--data DIR] [--seeds 1 2 3]

--data DIR holds the four files of Debian's package dataset-fashion-mnist, and is where that package
puts them unless it is given. The settings are those of
examples/images/fashion.yml; the last 5,000 pictures of training are held out for validation. Writes benchmarks/results/images.json with
the median over seeds, prints it, and a line of verdict.
"""

import argparse
import gzip
import pathlib
import re
import statistics
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sitting import RELEASE, ROOT, machine, report, run  # noqa: E402

HELD_OUT = 5000
GOAL = 0.923
PEER = "published for a Vision Transformer of this size: 0.923"


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


def measure(options, seed):
    """Test accuracy of one training, its minutes, and the parameters of the model."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        split(options.data / "train-images-idx3-ubyte.gz", folder, "images")
        split(options.data / "train-labels-idx1-ubyte.gz", folder, "labels")
        model = folder / "model.safetensors"
        started = time.monotonic()
        run([options.weft, "train", "classification", "-c", ROOT / "examples/images/fashion.yml",
             "-t", folder / "train.images", folder / "train.labels",
             "--valid-sets", folder / "valid.images", folder / "valid.labels",
             "-m", model, "--seed", str(seed), "--threads", str(options.threads),
             "--log", folder / "log"])
        minutes = (time.monotonic() - started) / 60
        parameters = re.search(r"model: (\d+) parameters", (folder / "log").read_text()).group(1)
        found = run([options.weft, "classify", "-m", model,
                     "--evaluate", options.data / "t10k-images-idx3-ubyte.gz",
                     options.data / "t10k-labels-idx1-ubyte.gz"])
    return float(re.search(r"accuracy ([\d.]+)", found).group(1)), minutes, int(parameters)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    figures, minutes, parameters = zip(*[measure(options, seed) for seed in options.seeds])
    row = {"set": "fashion-mnist", "metric": "accuracy", "parameters": parameters[0],
           "seeds": figures, "median": statistics.median(figures), "goal": GOAL, "peer": PEER,
           "minutes": round(statistics.median(minutes), 2)} | machine()
    report("images", {"threads": options.threads, "rows": [row]},
           [("Fashion-MNIST accuracy", row["median"], GOAL)])


if __name__ == "__main__":
    main()
