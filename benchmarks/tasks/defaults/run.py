#!/usr/bin/env python3
"""What the plain command reaches, with the preset that it chooses by the amount of data, beside the
fixed defaults (--preset none) and settings chosen by hand.

    python3 benchmarks/tasks/defaults/run.py [--sets trec ...] [--amounts 500 5000] [--variants ...]

Each set is cut to its first N training examples; validation and test sets are whole, but for
sentences with a tag that the training does not have. The settings by hand are those of HAND below;
the best of them on the validation set counts as the best found. Rows are added to
benchmarks/results/defaults.json as they come, and rows that are there are not trained again, so
that the script may be stopped at any time and go on another day: 50,000 and more examples take
hours. Prints the rows, and for each set and amount whether the plain command is within 2 points of
the best.

$WEFT_DATA (../shared/data) holds multi30k, scan, g2p-french, wikisql, trec, sst2, conll2000
and ud-english-ewt; --debian what scripts/fetch-corpus writes. `toy` is the corpus of
scripts/make-toy-corpus, of any size.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import (  # noqa: E402
    RELEASE, ROOT, machine, read_text, result_file, run, tell_verdict, write_whole)

POINTS = 0.02


def lines(path):
    return read_text(path).splitlines()


def sentences(path):
    """Of a word a line, with blank lines between sentences."""
    return [part + "\n" for part in read_text(path).strip("\n").split("\n\n")]


def pairs_of(source, target):
    return list(zip(lines(source), lines(target), strict=True))


def columns(path):
    return [tuple(line.split("\t")[:2]) for line in lines(path)]


def scan(path):
    return [tuple(line.removeprefix("IN: ").split(" OUT: ")) for line in lines(path)]


def wikisql(path):
    """The columns and the question, and the query."""
    texts = (json.loads(line)["text"] for line in lines(path))
    return [tuple(" ".join(side.split()) for side in text.split("\nA: ")) for text in texts]


def latin_lines(path):
    return gzip.open(path, "rt", encoding="latin1").read().splitlines()


def held_out(examples):
    """Training and validation examples: every tenth."""
    return ([e for i, e in enumerate(examples) if i % 10 != 9],
            [e for i, e in enumerate(examples) if i % 10 == 9])


def trec(data, _):
    train, valid = held_out(latin_lines(data / "trec/TREC.train.all.gz"))
    return train, valid, latin_lines(data / "trec/TREC.test.all.gz")


def conll2000(data, _):
    train, valid = held_out(sentences(data / "conll2000/train.txt.gz"))
    return train, valid, sentences(data / "conll2000/test.txt.gz")


def toy(_, amount):
    with tempfile.TemporaryDirectory() as folder:
        run([ROOT / "scripts/make-toy-corpus", folder, str(amount)])
        return [pairs_of(f"{folder}/{part}.en", f"{folder}/{part}.it")
                for part in ("train", "valid", "test")]


# Of each set: the task, its parts, options of the text, names of vocabularies, and the figure.
SETS = {
    "multi30k": ("translation", lambda data, _: [
        pairs_of(data / f"multi30k/{part}.en.gz", data / f"multi30k/{part}.de.gz")
        for part in ("train", "val", "test_2016_flickr")], [], ["en.model", "de.model"], "bleu"),
    "descriptions": ("translation", None, [], ["en.model", "it.model"], "bleu"),
    "toy": ("translation", toy, [], ["en.model", "it.model"], "bleu"),
    "wikisql": ("translation", lambda data, _: [
        wikisql(data / f"wikisql/{part}.jsonl") for part in ("train", "valid", "test")],
        [], ["text.model", "text.model"], "exact"),
    "scan": ("translation", lambda data, _: [
        *held_out(scan(data / "scan/tasks_train_simple.txt.gz")),
        scan(data / "scan/tasks_test_simple.txt.gz")], [], ["in.vocab", "out.vocab"], "exact"),
    "g2p-french": ("translation", lambda data, _: [
        columns(data / f"g2p-french/fre_{part}.tsv.gz") for part in ("train", "dev", "test")],
        ["--vocab-type", "character"], ["letters.vocab", "phones.vocab"], "exact"),
    "trec": ("classification", trec, ["--format", "first-word"], ["words.vocab"], "accuracy"),
    "sst2": ("classification", lambda data, _: [
        lines(data / f"sst2/stsa.binary.{part}.gz") for part in ("train", "dev", "test")],
        ["--format", "first-word"], ["words.vocab"], "accuracy"),
    "conll2000": ("tagging", conll2000, ["--format", "conll", "--word-labels", "2"],
                  ["words.vocab"], "span F1"),
    "ewt": ("tagging", lambda data, _: [
        sentences(data / f"ud-english-ewt/r2.3-{part}.form-upos-xpos.tsv.gz")
        for part in ("train", "dev", "test")], ["--format", "conll", "--word-labels", "1"],
            ["words.vocab"], "accuracy"),
}
AMOUNTS = (500, 5000, 50000, 500000)

SMALL = ("--transformer-norm pre --tied-embeddings --lr-warmup 100 --transformer-heads 4 "
         "--exponential-smoothing 0.005 ")
CONVOLUTION = ("--type cnn --enc-depth 1 --position none --lr-warmup 50 --learn-rate 0.002 "
               "--exponential-smoothing 0.01 --dropout-rnn 0.3 --classifier-dropout 0.5 ")
RECURRENT = ("--type rnn --enc-depth 1 --char-encoder cnn --char-filters 100 --lr-warmup 100 "
             "--learn-rate 0.002 --exponential-smoothing 0.003 --dropout-rnn 0.4 "
             "--tagger-dropout 0.4 --word-dropout 0.1 ")
# Settings by hand: of each task and amount, several.
HAND = {
    ("translation", 500): {
        "D 128": SMALL + "--dim-emb 128 --transformer-dim-ffn 512 --enc-depth 2 --dec-depth 2 "
                 "--transformer-dropout 0.3 --dim-vocabs 1000 --mini-batch-words 1024 "
                 "--learn-rate 0.002 --after 100e",
        "D 256": SMALL + "--dim-emb 256 --transformer-dim-ffn 512 --enc-depth 2 --dec-depth 2 "
                 "--transformer-dropout 0.4 --dim-vocabs 1000 --mini-batch-words 1024 "
                 "--learn-rate 0.001 --after 100e",
        "D 128, 500 subwords": SMALL + "--dim-emb 128 --transformer-dim-ffn 512 --enc-depth 2 "
                 "--dec-depth 2 --transformer-dropout 0.3 --dim-vocabs 500 --mini-batch-words 512 "
                 "--learn-rate 0.002 --after 60e"},
    ("translation", 5000): {
        "D 128": SMALL + "--dim-emb 128 --transformer-dim-ffn 512 --enc-depth 3 --dec-depth 3 "
                 "--transformer-dropout 0.2 --dim-vocabs 3000 --mini-batch-words 2048 "
                 "--learn-rate 0.003 --after 40e",
        "D 256": SMALL + "--dim-emb 256 --transformer-dim-ffn 512 --enc-depth 3 --dec-depth 3 "
                 "--transformer-dropout 0.3 --dim-vocabs 3000 --mini-batch-words 2048 "
                 "--learn-rate 0.001 --after 40e",
        "D 128, 8,000 subwords": SMALL + "--dim-emb 128 --transformer-dim-ffn 512 --enc-depth 3 "
                 "--dec-depth 3 --transformer-dropout 0.3 --dim-vocabs 8000 "
                 "--mini-batch-words 2048 --learn-rate 0.003 --after 40e"},
    ("translation", 50000): {
        "D 256": SMALL + "--dim-emb 256 --transformer-dim-ffn 1024 --enc-depth 4 --dec-depth 4 "
                 "--transformer-dropout 0.2 --dim-vocabs 8000 --learn-rate 0.001 --after 30e"},
    ("translation", 500000): {
        "D 256": SMALL + "--dim-emb 256 --transformer-dim-ffn 1024 --enc-depth 4 --dec-depth 4 "
                 "--transformer-dropout 0.1 --dim-vocabs 16000 --learn-rate 0.001 --after 10e"},
    ("classification", 500): {
        "maximum": CONVOLUTION + "--dim-emb 256 --pooling max --word-dropout 0.1 "
                   "--mini-batch-words 512 --after 60e",
        "attention": CONVOLUTION + "--dim-emb 128 --pooling attention --word-dropout 0.3 "
                     "--mini-batch-words 512 --after 60e",
        "mean": CONVOLUTION + "--dim-emb 256 --pooling mean --word-dropout 0.3 "
                "--mini-batch-words 512 --after 60e"},
    ("classification", 5000): {
        "maximum": CONVOLUTION + "--dim-emb 256 --pooling max --word-dropout 0.1 --after 20e",
        "attention": CONVOLUTION + "--dim-emb 256 --pooling attention --word-dropout 0.1 "
                     "--after 20e",
        "mean": CONVOLUTION + "--dim-emb 256 --pooling mean --word-dropout 0.3 --after 20e"},
    ("tagging", 500): {
        "D 128": RECURRENT + "--dim-emb 128 --mini-batch-words 512 --after 40e",
        "D 200": RECURRENT + "--dim-emb 200 --mini-batch-words 512 --after 60e"},
    ("tagging", 5000): {
        "D 128": RECURRENT + "--dim-emb 128 --after 20e",
        "D 200": RECURRENT + "--dim-emb 200 --after 20e"},
}


def variants(task, amount):
    """By name, the options of each training."""
    return {"plain": "", "fixed": "--preset none"} | HAND.get((task, amount), {})


def tags_of(sentence, layout):
    """The tags of a sentence of a word a line."""
    field = int(layout[layout.index("--word-labels") + 1])
    return {line.split()[field] for line in sentence.splitlines()}


def cut(parts, amount, layout):
    """The parts, the training cut to `amount`."""
    train, *others = parts
    train = train[:amount]
    if "--word-labels" in layout:
        known = set().union(*(tags_of(sentence, layout) for sentence in train))
        others = [[s for s in part if tags_of(s, layout) <= known] for part in others]
    return [train, *others]


def write_parts(folder, parts):
    """The files of each part."""
    out = []
    for name, examples in zip(("train", "valid", "test"), parts, strict=True):
        texts = list(zip(*examples)) if isinstance(examples[0], tuple) else [examples]
        files = [f"{folder}/{name}.{column}" for column in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            pathlib.Path(file).write_text("".join(f"{line}\n" for line in text), encoding="utf8")
        out.append(files)
    return out


def label_figure(options, name, model, file):
    """What `weft classify` or `weft tag` measures on labelled text."""
    task, _, layout, _, figure = SETS[name]
    command = {"classification": "classify", "tagging": "tag"}[task]
    text = run([options.weft, command, "-m", model, "--threads", str(options.threads), "--quiet",
                *layout, "--evaluate", file])
    return float(re.search(rf"(?i)\b{figure} ([0-9.]+)", text).group(1))


def text_figure(options, name, model, files):
    """BLEU as a fraction, or the fraction of lines that are exactly right."""
    output = run([options.weft, "translate", "-m", model, "-i", files[0], "--threads",
                  str(options.threads), "--quiet"])
    if SETS[name][-1] == "bleu":
        scores = run([options.weft, "evaluate", "--metrics", "bleu", "--json", "--quiet", "-r",
                      files[1]], input=output)
        return json.loads(scores)[0]["score"] / 100
    expected = lines(files[1])
    return sum(a == b for a, b in zip(output.splitlines(), expected, strict=True)) / len(expected)


def figure_of(options, name, model, files):
    if SETS[name][0] == "translation":
        return text_figure(options, name, model, files)
    return label_figure(options, name, model, files[0])


def train(options, arguments):
    """The log of a training; exits if it fails."""
    command = [options.weft, "train", *map(str, arguments), "--seed", str(options.seed),
               "--threads", str(options.threads)]
    done = subprocess.run(command, text=True, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr[-2000:]}")
    return done.stderr


def read_parts(options, name, amount):
    """Training, validation and test examples; None for fewer than nine tenths of `amount`."""
    read = SETS[name][1]
    parts = read(options.data, amount) if read else [
        pairs_of(options.debian / f"{part}.en", options.debian / f"{part}.it")
        for part in ("train", "valid", "test")]
    return parts if len(parts[0]) >= 0.9 * amount else None


def measure(options, name, amount, variant):
    """One row; None where there is not enough data."""
    task, _, layout, vocabularies, figure = SETS[name]
    parts = read_parts(options, name, amount)
    if parts is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        files, valid, test = write_parts(folder, cut(parts, amount, layout))
        model, more = f"{folder}/model.safetensors", variants(task, amount)[variant].split()
        started = time.monotonic()
        log = train(options, [task, *layout, "-t", *files, "--valid-sets", *valid, "-v",
                              *(f"{folder}/{v}" for v in vocabularies), "-m", model, *more])
        minutes = (time.monotonic() - started) / 60
        preset = re.search(r"preset (\w+)", log)
        return {"set": name, "examples": amount, "variant": variant, "figure": figure,
                "options": " ".join(more), "preset": preset.group(1) if preset else "none",
                "valid": round(figure_of(options, name, model, valid), 4),
                "test": round(figure_of(options, name, model, test), 4),
                "parameters": int(re.search(r"model: (\d+) parameters", log).group(1)),
                "minutes": round(minutes, 2), "threads": options.threads,
                "seed": options.seed} | machine()


def key(row):
    return row["set"], row["examples"], row["variant"], row["seed"]


def keep(path, row):
    """Adds a row to the file."""
    rows = json.loads(path.read_text())["rows"] if path.exists() else []
    rows = [one for one in rows if key(one) != key(row)] + [row]
    rows.sort(key=lambda r: (list(SETS).index(r["set"]), r["examples"], r["variant"] != "plain",
                             r["variant"], r["seed"]))
    write_whole(path, json.dumps({"rows": rows}, indent=1) + "\n")


def tell(path):
    """Prints the rows, and whether plain commands are near the best found by hand."""
    rows = json.loads(path.read_text())["rows"]
    for row in rows:
        print(f"{row['set']} {row['examples']} {row['variant']}: {row['figure']} "
              f"{row['valid']:.4f} valid, {row['test']:.4f} test, preset {row['preset']}, "
              f"{row['minutes']} minutes")
    for name, amount in sorted({(row["set"], row["examples"]) for row in rows}):
        these = [row for row in rows if (row["set"], row["examples"]) == (name, amount)]
        plain = [row for row in these if row["variant"] == "plain"]
        hand = [row for row in these if row["variant"] not in ("plain", "fixed")]
        if plain and hand:
            best = max(hand, key=lambda row: row["valid"])
            tell_verdict(f"{name} {amount}, plain", plain[0]["test"], best["test"] - POINTS)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--data", type=pathlib.Path,
                        default=os.environ.get("WEFT_DATA", ROOT / "../shared/data"))
    parser.add_argument("--debian", type=pathlib.Path, default=ROOT / "quickstart/descriptions")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--amounts", type=int, nargs="+", choices=AMOUNTS, default=[500, 5000])
    parser.add_argument("--variants", nargs="+", help="plain, fixed, or names of HAND; all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    path = result_file("defaults")
    known = {key(row) for row in json.loads(path.read_text())["rows"]} if path.exists() else set()
    for amount in options.amounts:
        for name in options.sets:
            for variant in variants(SETS[name][0], amount):
                is_wanted = not options.variants or variant in options.variants
                if not is_wanted or (name, amount, variant, options.seed) in known:
                    continue
                row = measure(options, name, amount, variant)
                if row is None:
                    print(f"{name}: fewer than {amount} examples")
                    break
                keep(path, row)
    tell(path)


if __name__ == "__main__":
    main()
