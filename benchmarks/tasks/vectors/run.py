#!/usr/bin/env python3
"""Classification of pictures and of sequences of vectors without pretraining: accuracy on
Fashion-MNIST and on Japanese Vowels.

    python3 benchmarks/tasks/vectors/run.py [--sets ...] [--seeds 1 2 3]

--fashion DIR holds the four files of Debian's package dataset-fashion-mnist, and is where that
package puts them unless it is given; the last 5,000 pictures of training are held out for
validation. --data DIR ($WEFT_DATA or ../shared/data) holds japanese-vowels as its README says;
nothing of it is held out, and the last model is measured. The settings are those of
examples/images/fashion.yml and of japanese-vowels.yml beside this script. Extends
benchmarks/results/vectors.json by the sets and seeds that were asked for, with medians over seeds.
Prints it, and a verdict for each set.
"""

import gzip
import os
import pathlib
import re
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import ROOT, run, write_idx  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
HELD_OUT = 5000


def read_idx(path):
    """The sizes of an IDX file of bytes, plain or .gz, and its items."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    dimensions = data[3]
    sizes = struct.unpack(f">{dimensions}I", data[4:4 + 4 * dimensions])
    return sizes, data[4 + 4 * dimensions:]


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
    """Test accuracy and minutes of one training, and the parameters of the model."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        model = folder / "model.safetensors"
        train, test = SETS[name][0](options, folder)
        minutes, parameters = seeds.train(options, seed, "classification", *train, "-m", model)
        found = run([options.weft, "classify", "-m", model, "--evaluate", *test])
    accuracy = float(re.search(r"accuracy ([\d.]+)", found).group(1))
    return {"accuracy": accuracy, "minutes": minutes}, parameters


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("--fashion", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    options = parser.parse_args()
    results = seeds.SeedResults("vectors", SETS, options.threads)
    for name in options.sets:
        for seed in options.seeds:
            figures, parameters = measure(options, name, seed)
            results.add(name, seed, figures,
                        {"parameters": parameters, "peer": SETS[name][2]})
    results.tell({name: {"accuracy": goal} for name, (_, goal, _) in SETS.items()})


if __name__ == "__main__":
    main()
