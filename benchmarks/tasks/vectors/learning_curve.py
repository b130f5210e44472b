#!/usr/bin/env python3
"""Self-attention beside convolution by the amount of data: classifiers of Fashion-MNIST trained on
1, 10 and 100 % of its pictures.

    python3 benchmarks/tasks/vectors/learning_curve.py [--sets ...] [--seeds 1 2 3]

The models have about as many parameters: a Vision Transformer, the same whose patches attend to
those near them alone, one with convolutions from pixels to patches, and a network of convolutions.
All train with the same pictures, augmentation and updates; the best on the 5,000 pictures that are
held out is measured on the test set. A set is a model and a percentage: "convolutions 10". Extends
benchmarks/results/learning_curve.json by the sets and seeds that were asked for, with medians over
seeds, prints it, and draws docs/learning_curve.svg from it.
"""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import ROOT, run, write_idx, write_whole  # noqa: E402

from run import read_idx, split  # noqa: E402

TRANSFORMER = ["--enc-depth", "6", "--transformer-heads", "4", "--transformer-dim-ffn", "128",
               "--transformer-ffn-activation", "gelu", "--transformer-norm", "pre",
               "--transformer-dropout", "0", "--drop-path", "0.05"]
# Of 7 by 7 patches, one of the local transformer attends to the 3 by 3 around it.
MODELS = {
    "transformer": TRANSFORMER,
    "local-transformer": [*TRANSFORMER, "--attention", "local", "--attention-window", "1"],
    "stem-transformer": [*TRANSFORMER, "--patch-embedding", "convolutions"],
    "convolutions": ["--type", "cnn", "--enc-depth", "3", "--dropout-rnn", "0",
                     "--patch-embedding", "convolutions"],
}
COMMON = ["--input", "image", "--patch-size", "4", "--dim-emb", "64", "--position", "learned",
          "--max-positions", "49", "--pooling", "mean", "--random-crop", "2", "--random-flip",
          "--label-smoothing", "0.1", "--mini-batch", "128", "--mini-batch-words", "0",
          "--optimizer", "adamw", "--weight-decay", "0.05", "--learn-rate", "0.003",
          "--lr-schedule", "cosine", "--valid-freq", "200u", "--save-freq", "1000u"]
UPDATES = {1: 1000, 10: 2000, 100: 4000}
SETS = {f"{model} {percent}": (model, percent) for model in MODELS for percent in UPDATES}
COLOURS = {"transformer": "#1f77b4", "local-transformer": "#2ca02c", "stem-transformer": "#9467bd",
           "convolutions": "#d62728"}


def first_items(source, target, count):
    """The first items of an IDX file as another one."""
    (all_items, *item), data = read_idx(source)
    size = len(data) // all_items
    write_idx(target, (count, *item), data[:count * size])


def measure(options, folder, model, percent, seed):
    """Test accuracy and parameters of a model trained on `percent` of the pictures."""
    path, updates = folder / "model.safetensors", UPDATES[percent]
    _, parameters = seeds.train(
        options, seed, "classification", *COMMON, *MODELS[model],
        "-t", folder / f"{percent}.images", folder / f"{percent}.labels",
        "--valid-sets", folder / "valid.images", folder / "valid.labels", "-m", path, "--overwrite",
        "--lr-warmup", updates // 10, "--lr-decay-updates", updates, "--after", f"{updates}u")
    found = run([options.weft, "classify", "-m", path, "--evaluate",
                 options.fashion / "t10k-images-idx3-ubyte.gz",
                 options.fashion / "t10k-labels-idx1-ubyte.gz"])
    return float(re.search(r"accuracy ([\d.]+)", found).group(1)), parameters


def drawing(rows):
    """An SVG of accuracy by the share of the data."""
    x = {1: 80, 10: 250, 100: 420}
    lowest = min(row["median"]["accuracy"] for row in rows) - 0.02
    y = lambda value: 260 - 230 * (value - lowest) / (0.95 - lowest)  # noqa: E731
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="600" height="310" '
           'font-family="sans-serif" font-size="12">',
           '<rect width="600" height="310" fill="white"/>']
    for value in [v / 100 for v in range(50, 96, 5) if v / 100 >= lowest]:
        out.append(f'<path d="M60 {y(value):.1f}H440" stroke="#ddd"/>'
                   f'<text x="20" y="{y(value) + 4:.1f}">{value:.2f}</text>')
    for percent, at in x.items():
        out.append(f'<text x="{at - 12}" y="285">{percent} %</text>')
    for i, (model, colour) in enumerate(COLOURS.items()):
        points = [(x[row["percent"]], y(row["median"]["accuracy"]))
                  for row in rows if row["model"] == model]
        line = " ".join(f"{px},{py:.1f}" for px, py in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{px}" cy="{py:.1f}" r="3" fill="{colour}"/>' for px, py in points]
        out.append(f'<text x="450" y="{60 + 20 * i}" fill="{colour}">{model}</text>')
    out.append('<text x="130" y="305">accuracy by the share of 55,000 pictures trained on</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("--fashion", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    options = parser.parse_args()
    results = seeds.SeedResults("learning_curve", SETS, options.threads)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        for kind, name in (("images", "train-images-idx3"), ("labels", "train-labels-idx1")):
            split(options.fashion / f"{name}-ubyte.gz", folder, kind)
            for percent in UPDATES:
                first_items(folder / f"train.{kind}", folder / f"{percent}.{kind}", 550 * percent)
        for name in options.sets:
            model, percent = SETS[name]
            for seed in options.seeds:
                accuracy, parameters = measure(options, folder, model, percent, seed)
                results.add(name, seed, {"accuracy": accuracy},
                            {"model": model, "percent": percent, "parameters": parameters,
                             "updates": UPDATES[percent]})
    results.tell({})
    write_whole(ROOT / "docs/learning_curve.svg", drawing(results.rows.values()))


if __name__ == "__main__":
    main()
