#!/usr/bin/env python3
"""Detection without pretraining: average precision on canvases with Fashion-MNIST's clothes and on
photographs of blood cells.

    python3 benchmarks/tasks/detection/run.py [--sets canvases bccd bccd-half] [--seeds 1 2 3]

The canvases are made by canvases.py beside this script: 20,000 to train on, of items of the
training set, and 2,000 to test on, of items of the test set. --data DIR ($WEFT_DATA or
../shared/data) has bccd as its README says: trained on its trainval list, or on every second
picture of it, tested on its test list. Nothing is held out: the last model of a training is
measured. The settings are those of canvases.yml and bccd.yml beside this script.
Extends benchmarks/results/detection.json by the sets and seeds that were asked for: AP at IoU 0.5
(ap50), AP over 0.5:0.95 (ap), minutes, and medians over seeds. Prints it, and a verdict.
"""

import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import seeds  # noqa: E402
from side_by_side import ROOT, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def canvases(options, folder):
    """Files to train on and to test on."""
    run([sys.executable, HERE / "canvases.py", folder, "--fashion", options.fashion])
    return folder / "train.jsonl", folder / "test.jsonl"


def bccd(options, _):
    lists = options.data / "bccd/ImageSets/Main"
    return lists / "trainval.txt", lists / "test.txt"


def bccd_half(options, folder):
    """Every second picture of the list, in a folder of the same form."""
    train, test = bccd(options, folder)
    for name in ("Annotations", "JPEGImages"):
        (folder / name).symlink_to((options.data / "bccd" / name).resolve())
    half = folder / "ImageSets/Main/half.txt"
    half.parent.mkdir(parents=True)
    half.write_text("\n".join(train.read_text().split()[::2]) + "\n")
    return half, test


SETS = {"canvases": canvases, "bccd": bccd, "bccd-half": bccd_half}
GOALS = {"canvases": {"ap50": 0.90}}


def measure(options, files, name, seed):
    """The figures of one training, and the model's parameters."""
    train, test = files
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        model = folder / "model.safetensors"
        minutes, parameters = seeds.train(
            options, seed, "detection", "-c", HERE / f"{name.removesuffix('-half')}.yml",
            "-t", train, "-m", model)
        found = run([options.weft, "detect", "-m", model, "--evaluate", test])
    figures = re.search(r"IoU 0.5 ([\d.]+), .* at 0.5:0.95 ([\d.]+)", found)
    return {"ap50": float(figures.group(1)), "ap": float(figures.group(2)),
            "minutes": minutes}, parameters


def main():
    parser = seeds.parser(__doc__.splitlines()[0], SETS)
    parser.add_argument("--fashion", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    options = parser.parse_args()
    results = seeds.SeedResults("detection", SETS, options.threads)
    for name in options.sets:
        with tempfile.TemporaryDirectory() as made:
            files = SETS[name](options, pathlib.Path(made))
            for seed in options.seeds:
                figures, parameters = measure(options, files, name, seed)
                results.add(name, seed, figures, {"parameters": parameters})
    results.tell(GOALS)


if __name__ == "__main__":
    main()
