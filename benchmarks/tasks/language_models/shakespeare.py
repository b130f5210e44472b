#!/usr/bin/env python3
"""Language models of characters on Tiny Shakespeare, in the shapes of nanoGPT: loss on the last
tenth of the text, minutes, and the speed of training beside PyTorch.

    python3 benchmarks/tasks/language_models/shakespeare.py [--torch "PYTHON encoder_torch.py"]
        [NAME...]

NAME is small or large; small by default:

    small   4 layers, D 128, 4 heads, 2,000 updates of 12 sequences of 64 characters; three seeds
    large   6 layers, D 384, 6 heads, dropout 0.2, 2,000 updates of 64 sequences of 256 characters

Weft's models have rotary positions, root-mean-square norms and gated networks of 2/3 of the width,
so that both have the same number of weights, within 2 %. The last tenth of the text is for
validation, as in nanoGPT. The script of --torch takes --task lm, --shape, --data, --batch, --block,
--dtype, --updates and --threads; it runs with tcmalloc in float32 and bfloat16, in turns with
Weft, and the better of each is compared. Prints one JSON object, extends
benchmarks/results/language_models/shakespeare.json, and prints one line per goal.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import (  # noqa: E402
    RELEASE, ROOT, machine, preloading, read_text, result_file, run, tell_verdict, train,
    write_whole)

SHAPES = {
    "small": {"peer": "nanogpt-cpu", "batch": 12, "block": 64, "updates": 2000, "seeds": 3,
              "goal": 1.88,
              "options": ["--dec-depth", 4, "--dim-emb", 128, "--transformer-heads", 4,
                          "--transformer-dim-ffn", 341, "--transformer-dropout", 0,
                          "--learn-rate", 0.003]},
    "large": {"peer": "nanogpt", "batch": 64, "block": 256, "updates": 2000, "seeds": 1,
              "goal": 1.47,
              "options": ["--dec-depth", 6, "--dim-emb", 384, "--transformer-heads", 6,
                          "--transformer-dim-ffn", 1024, "--transformer-dropout", 0.2,
                          "--learn-rate", 0.001]},
}
PRECISIONS = {"float32": "f32", "bfloat16": "bf16"}
SPEED_GOAL = 3
SPEED_UPDATES = 40


def split(data, folder):
    """Writes the first nine tenths of the text and the rest."""
    text = read_text(data / "tiny-shakespeare/input.txt.gz")
    cut = len(text) * 9 // 10
    for name, part in (("train.txt", text[:cut]), ("valid.txt", text[cut:])):
        (folder / name).write_text(part, encoding="utf8")


def common(options, shape, folder):
    return ["language-model", "-t", folder / "train.txt", "-v", folder / "characters.vocab",
            "--vocab-type", "character", "-m", "{}/m.safetensors", "--preset", "none",
            "--max-length", shape["block"], "--mini-batch-words", shape["batch"] * shape["block"],
            "--threads", options.threads, *shape["options"]]


def losses(options, shape, folder):
    """Validation losses by seed, and the minutes of each training."""
    found, minutes = [], []
    for seed in range(1, shape["seeds"] + 1):
        begin = time.time()
        log = train(options.weft, [
            *common(options, shape, folder), "--seed", seed, "--after", f"{shape['updates']}u",
            "--lr-schedule", "cosine", "--lr-decay-updates", shape["updates"],
            "--valid-sets", folder / "valid.txt", "--valid-freq", "500u"]).log
        minutes.append(round((time.time() - begin) / 60, 2))
        found.append(float(re.findall(r"the best in validation so far \(([\d.]+)\)", log)[-1]))
    return {"losses": found, "minutes": minutes}


def speeds(options, shape, folder):
    """Tokens a second in training, in turns."""
    found, peer = {}, ""
    for _ in range(options.rounds):
        for precision, dtype in PRECISIONS.items():
            log = train(options.weft, [
                *common(options, shape, folder), "--precision", precision, "--lr-schedule",
                "constant", "--disp-freq", "4u", "--after", f"{SPEED_UPDATES}u"])
            found.setdefault(f"weft {precision}", []).append(log.speed())
            out = json.loads(run(
                [*shlex.split(options.torch), "--task", "lm", "--shape", shape["peer"],
                 "--data", str(options.data / "tiny-shakespeare"), "--batch", str(shape["batch"]),
                 "--block", str(shape["block"]), "--dtype", dtype, "--updates",
                 str(SPEED_UPDATES), "--threads", str(options.threads)],
                env=preloading(options.tcmalloc)).splitlines()[-1])
            found.setdefault(f"torch {precision}", []).append(out["train_per_s_median"])
            peer = out["system"]
    best = {name: max(statistics.median(v) for k, v in found.items() if k.startswith(name))
            for name in ("weft", "torch")}
    return {"speeds": found, "ratio": round(best["weft"] / best["torch"], 2), "peer": peer}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["small"], help=", ".join(SHAPES))
    parser.add_argument("--torch", help="without it no speeds are measured")
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--tcmalloc", default="libtcmalloc_minimal.so.4")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    path = result_file("language_models/shakespeare")
    rows = json.loads(path.read_text()) if path.exists() else {}
    for name in options.names:
        shape = SHAPES[name]
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            split(options.data, folder)
            row = {"threads": options.threads, **losses(options, shape, folder)}
            if options.torch:
                row |= speeds(options, shape, folder)
        rows[name] = row | machine()
        write_whole(path, json.dumps(rows, indent=1) + "\n")
        tell_verdict(f"{name}, loss", statistics.mean(row["losses"]), -shape["goal"])
        if options.torch:
            tell_verdict(f"{name}, speed", row["ratio"], SPEED_GOAL)
    print(path.read_text(), end="")


if __name__ == "__main__":
    main()
