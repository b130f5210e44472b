#!/usr/bin/env python3
"""Weft's Python package beside the libraries of Python that do the same work.

    python3 benchmarks/tasks/python/peers.py --python PYTHON --peer PYTHON [--encoder MODEL]
        [--data DIR] [--parts translate embed classify sizes] [--rounds 3] [--wheel FILE]

PYTHON has the wheel of Weft; the other one has ctranslate2, safetensors, torch, transformers,
sentence-transformers, fastembed, onnx, setfit and scikit-learn. The encoder is a folder of
all-MiniLM-L6-v2, as scripts/fetch-models brings it. Models are converted for the peers with their
own tools. Each engine runs in a process of its own, in turns within each round; medians over the
rounds are compared.

- translate: the 1,000 lines of Multi30k's test set (DIR/multi30k), beam 4, translations of exactly
  20 tokens, sentences sorted by length in batches of 32; a model of the size of OPUS-MT's
  (transformer-base, 10,000 subwords) after one update.
- embed: 2,000 sentences of the STS benchmark, batches of 32 but of Weft, which forms its own.
- overhead, of these two: the processor's seconds, by all threads together, of loading and answering
  in Python, divided by those of the whole command with the same input and options; the least of
  each over the rounds, which other programs beside change least.
- classify: TREC with 16 examples of each label for all, and with all of its 5,452 for Weft and the
  linear SVM; accuracy on the 500 test questions, seconds of training.
- sizes: megabytes that pip installs for each library into an empty environment, with all it needs,
  and the seconds of importing what a user imports, the median of five starts, without Python's own.

Extends benchmarks/results/python/peers.json by the parts that were asked for.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import venv

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tuning"))
from few import draw, read_examples, write_examples  # noqa: E402
from side_by_side import (  # noqa: E402
    RELEASE, ROOT, machine, processor_seconds, read_text, result_file, run, tell_verdict,
    write_whole)

HERE = pathlib.Path(__file__).resolve().parent
ENGINES = {"translate": ["weft", "ctranslate2", "weft-int8", "ctranslate2-int8", "transformers"],
           "embed": ["weft", "sentence-transformers", "fastembed", "weft-int8"]}
FEW, ALL = ["weft-contrastive", "weft", "setfit", "tf-idf-svm"], ["weft", "tf-idf-svm"]
SENTENCES, EXAMPLES, OVERHEAD = 2000, 16, 1.02
# Of each library, what pip is given and what a user of it imports.
INSTALLS = {"ctranslate2": "ctranslate2", "transformers and PyTorch": "transformers",
            "sentence-transformers": "sentence_transformers", "fastembed": "fastembed",
            "setfit": "setfit", "scikit-learn": "sklearn.svm, sklearn.feature_extraction.text"}
PACKAGES = {"transformers and PyTorch": ["transformers", "torch"]}


def environment():
    """This one, with the quiet of a machine without network."""
    return {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


def engine(options, task, name, model, folder):
    python = options.python if name.startswith("weft") else options.peer
    printed = run([python, HERE / "engines.py", task, name, model, folder, str(options.threads)],
                  env=environment())
    return json.loads(printed.splitlines()[-1])


def median_of(runs):
    """Each figure of several runs as its median; what is no number as in the last one."""
    return {key: round(statistics.median(one[key] for one in runs), 4)
            if isinstance(runs[-1][key], (int, float)) else runs[-1][key] for key in runs[-1]}


def rounds(options, task, model, folder, command):
    """(the median figures of each engine, the overhead over the command)"""
    runs, commands = {name: [] for name in ENGINES[task]}, []
    for _ in range(options.rounds):
        for name, found in runs.items():
            found.append(engine(options, task, name, model, folder))
        before = processor_seconds()
        run([options.weft, *command, "--threads", str(options.threads), "--quiet"])
        commands.append(processor_seconds() - before)
    least = min(one["processor_s"] for one in runs["weft"]) / min(commands)
    return {name: median_of(found) for name, found in runs.items()}, round(least, 4)


def lines_of(folder, task, name):
    return (folder / f"answers.{task}.{name}.txt").read_text(encoding="utf8").splitlines()


def translate(options, folder):
    model = folder / "model.safetensors"
    for side in ("en", "de"):
        text = read_text(options.data / f"multi30k/bpe10k/train.{side}.gz")
        (folder / f"train.{side}").write_text(text, encoding="utf8")
    vocabulary = folder / "vocab"
    run([options.weft, "train", "translation", "--task", "transformer-base", "--vocab-type", "word",
         "--tied-embeddings-all", "--after", "1u", "-t", folder / "train.en", folder / "train.de",
         "-v", vocabulary, vocabulary, "-m", model])
    run([options.peer, HERE.parent / "decoding/ct2_peer.py", "convert", model, f"{model}.ct2"])
    run([options.weft, "convert", "-m", model, "--to-hf", f"{model}.hf"])
    text = read_text(options.data / "multi30k/bpe10k/test.2016.en.gz")
    (folder / "lines.txt").write_text(text, encoding="utf8")
    out = folder / "command.txt"
    rows, overhead = rounds(
        options, "translate", model, folder,
        ["translate", "-m", model, "-b", "4", "--mini-batch", "32", "--min-length", "20",
         "--max-output-length", "21", "--allow-unk", "-i", folder / "lines.txt", "-o", out])
    for row in rows.values():
        row["times ours"] = round(row["seconds"] / rows["weft"]["seconds"], 3)
    equal = lines_of(folder, "translate", "weft") == out.read_text().splitlines()
    return {"engines": rows, "overhead": overhead, "equal to the command": equal}


def export_for_fastembed(options, folder):
    """Beside the folder of the encoder, which is copied: MODEL.onnx with the same files."""
    model = folder / "encoder"
    shutil.copytree(options.encoder, model)
    shutil.copytree(options.encoder, f"{model}.onnx")
    code = (f"import sys, pathlib; sys.path.insert(0, {str(HERE.parent / 'embedding')!r}); "
            f"import peer_speed; peer_speed.export({str(model)!r}, "
            f"pathlib.Path({str(model) + '.onnx/model.onnx'!r}))")
    run([options.peer, "-c", code], env=environment())
    return model


def embed(options, folder):
    model = export_for_fastembed(options, folder)
    text = read_text(options.data / "stsb/sts-train.csv.gz").splitlines()
    sentences = [one for line in text for one in line.split("\t")[5:7]][:SENTENCES]
    (folder / "lines.txt").write_text("".join(f"{one}\n" for one in sentences), encoding="utf8")
    rows, overhead = rounds(
        options, "embed", model, folder,
        ["embed", "-m", model, "-i", folder / "lines.txt", "-o", folder / "command.npy"])

    def vectors(name):
        return [[float(x) for x in line.split()] for line in lines_of(folder, "embed", name)]

    theirs = vectors("sentence-transformers")
    for name, row in rows.items():
        row["times ours"] = round(row["seconds"] / rows["weft"]["seconds"], 3)
        row["least cosine to sentence-transformers"] = round(
            min(sum(x * y for x, y in zip(a, b)) for a, b in zip(vectors(name), theirs)), 6)
    return {"engines": rows, "overhead": overhead}


def classify(options, folder):
    train, test = (read_examples(options, "trec", part) for part in (0, 1))
    random.Random(1).shuffle(train)  # the same order for all engines
    out = {}
    for what, names, examples in ((f"{EXAMPLES} of each label", FEW, draw(train, EXAMPLES, 1)),
                                  (f"all {len(train)}", ALL, train)):
        made = folder / f"{len(examples)}"
        made.mkdir()
        write_examples(made / "train.tsv", examples)
        write_examples(made / "test.tsv", test)
        out[what] = {name: engine(options, "classify", name, options.encoder, made)
                     for name in names}
    return out


def installed(folder, packages, imports):
    """The megabytes that pip installs for packages, and the seconds of a user's imports."""
    path = folder / "environment"
    venv.create(path, with_pip=True)
    site = next(path.glob("lib/python*/site-packages"))
    before = {entry.name for entry in site.iterdir()}
    run([path / "bin/python", "-m", "pip", "install", "--quiet",
         "--disable-pip-version-check", *packages])
    size = sum(file.stat().st_blocks * 512 for entry in site.iterdir() if entry.name not in before
               for file in (entry.rglob("*") if entry.is_dir() else [entry]) if file.is_file())
    times = []
    code = f"import time; t = time.perf_counter(); import {imports}; print(time.perf_counter() - t)"
    for _ in range(6):  # the first one also compiles
        printed = run([path / "bin/python", "-c", code], env=environment())
        times.append(float(printed.splitlines()[-1]))
    shutil.rmtree(path)
    return {"megabytes": round(size / 1e6, 1), "import_s": round(statistics.median(times[1:]), 3)}


def sizes(options, folder):
    rows = {"weft": installed(folder, [options.wheel], "weft"),
            "weft with scikit-learn":
                installed(folder, [options.wheel, "scikit-learn"], "weft.sklearn")}
    for name, imports in INSTALLS.items():
        try:
            rows[name] = installed(folder, PACKAGES.get(name, [name]), imports)
        except SystemExit as error:
            rows[name] = {"failed": str(error).splitlines()[-1]}
        print(name, rows[name], file=sys.stderr)
    return rows


PARTS = {"translate": translate, "embed": embed, "classify": classify, "sizes": sizes}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--encoder")
    parser.add_argument("--wheel", help="a wheel of Weft")
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    for part, needed in (("embed", "encoder"), ("classify", "encoder"), ("sizes", "wheel")):
        if part in options.parts and getattr(options, needed) is None:
            parser.error(f"{part} needs --{needed}")
    path = result_file("python/peers")
    kept = json.loads(path.read_text()) if path.exists() else {}
    for part in options.parts:
        with tempfile.TemporaryDirectory() as made:
            kept[part] = PARTS[part](options, pathlib.Path(made)) | machine() | {
                "threads": options.threads}
        write_whole(path, json.dumps(kept, indent=1) + "\n")
    print(json.dumps(kept, indent=1))
    for part in ("translate", "embed"):
        if part in kept:
            tell_verdict(f"{part}: Python over the command line",
                         kept[part]["overhead"], -OVERHEAD)


if __name__ == "__main__":
    main()
