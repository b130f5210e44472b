#!/usr/bin/env python3
"""The whole family on Multi30k English-German: one row for each kind that an option selects.

    python3 benchmarks/tasks/family/run.py --data DIR --teacher MODEL [--kinds NAME ...]

DIR holds {train,test.2016}.{en,de}.gz with the paper's BPE; MODEL is a model trained on it, with
vocab.txt beside it: its vocabulary is that of all kinds, its hard alignments guide attention and
are what alignments are measured against. All kinds are trained alike, 1,000 updates of 4,096 target
tokens (4,000 for the four types), and differ in the options of their row. Measured of each: BLEU on
test 2016 (beam 5 from left to right), parameters, target tokens a second in training and in
decoding, and where it says something, BLEU by length, the gradient that reaches the first source
words by their distance, and the alignment error rate. Speeds are taken when all is trained, one
kind after the other, on a machine that does nothing else (--untimed: not taken).
What it makes lies in --folder (quickstart/family by default); a second run goes on from what is
there. Prints one JSON object, written to benchmarks/results too.
"""

import argparse
import collections
import json
import math
import pathlib
import re
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sitting import RELEASE, ROOT, bleu, machine, read_text, report, run, write_whole  # noqa: E402

from kinds import KINDS, TYPES  # noqa: E402

LENGTHS = [(1, 9), (10, 13), (14, 17), (18, 100)]  # source tokens without the end symbol
TIMED_UPDATES = 40
DISTANCES = [(1, 5), (6, 10), (11, 15), (16, 20), (21, 30), (31, 100)]


def unpack(packed, plain):
    """A plain copy of a .gz file, made once."""
    if not plain.exists():
        write_whole(plain, read_text(packed))
    return plain


def join(text):
    return [line.replace("@@ ", "") for line in text.splitlines()]


def score(options, hypotheses, references):
    """Tokenised BLEU of lines."""
    with tempfile.NamedTemporaryFile("w", encoding="utf8") as file:
        file.write("".join(f"{line}\n" for line in references))
        file.flush()
        return round(bleu(options.weft, hypotheses, file.name), 2)


def bleu_by_length(options, sources, hypotheses, references):
    out = {}
    for low, high in LENGTHS:
        chosen = [i for i, line in enumerate(sources) if low <= len(line.split()) <= high]
        out[f"{low}-{high}"] = score(options, [hypotheses[i] for i in chosen],
                                     [references[i] for i in chosen])
    return out


def gradient_by_distance(options, model):
    """Mean norm of the gradient at the first three source words, by rows from there to the end."""
    lines = run([options.gradients, model, options.source, options.target]).splitlines()
    rows = [line.split() for line in lines]
    out = {}
    for low, high in DISTANCES:
        norms = [float(norm) for place, distance, norm in rows
                 if int(place) < 3 and low <= int(distance) <= high]
        out[f"{low}-{high}"] = float(f"{statistics.mean(norms):.4g}") if norms else None
    return out


def hard_alignments(options, model, source, target, out):
    """Links between the tokens of both sides, by the model's attention."""
    if not out.exists():
        write_whole(out, run([options.weft, "score", "-m", model, "-t", source, target,
                              "--alignment", "hard", "--threads", options.threads]))
    return out


def token_weights(options):
    """Weights of the training text's target tokens, near 2 for rare ones and 1 for frequent ones
    (Gu et al. 2020, arXiv 2010.04380)."""
    out = options.folder / "train.weights"
    if not out.exists():
        text = read_text(options.data / "train.de.gz")
        lines = [line.split() for line in text.rstrip("\n").split("\n")]
        counts = collections.Counter(token for line in lines for token in line)
        weights = {token: f"{1 + math.exp(-count / 1000):.3f}" for token, count in counts.items()}
        write_whole(out, "".join(" ".join(weights[t] for t in line) + "\n" for line in lines))
    return out


def distilled(options):
    """The teacher's translations of the training text, made once."""
    out = options.folder / "distilled.de"
    if not out.exists():
        part = out.with_suffix(".part")
        run([options.weft, "translate", "-m", options.teacher, "-b", "5", "--normalize", "1", "-i",
             options.data / "train.en.gz", "-o", part, "--threads", options.threads])
        part.rename(out)
    return out


def folder_of(options, name):
    folder = options.folder / name.replace(" ", "-").replace(",", "")
    folder.mkdir(exist_ok=True)
    return folder


def train(options, model, kind, updates, *more):
    """What `weft train` says of so many updates of a kind."""
    given = [str(option).format(links=options.links, teacher=options.teacher,
                                weights=options.weights) for option in kind["options"]]
    target = distilled(options) if kind["is_distilled"] else f"{options.data}/train.de.gz"
    vocab = options.teacher.with_name("vocab.txt")
    log = model.with_suffix(".log")
    run([options.weft, "train", "--config", pathlib.Path(__file__).parent / "config.yml", *given,
         "-t", f"{options.data}/train.en.gz", target, "-v", vocab, vocab,
         "-m", model, "--after", f"{updates}u", "--log", log, "--threads", options.threads, *more])
    return log.read_text()


def measure(options, name, kind):
    """Quality and size of a kind."""
    model = folder_of(options, name) / "model.safetensors"
    log = train(options, model, kind, kind["updates"])
    sources = options.source.read_text().splitlines()
    references = join(options.target.read_text())
    translated = join(run([options.weft, "translate", "-m", model, *kind["search"], "--threads",
                           options.threads, "-i", options.source]))
    result = {"kind": name, "options": " ".join(map(str, kind["options"])),
              "trained_on": "the teacher's translations" if kind["is_distilled"] else "the text",
              "updates": kind["updates"], "bleu": score(options, translated, references),
              "parameters": int(re.search(r"model: (\d+) parameters", log).group(1))}
    if name in TYPES:
        result["bleu_by_length"] = bleu_by_length(options, sources, translated, references)
        result["gradient_by_distance"] = gradient_by_distance(options, model)
    if kind["aligns"]:
        out = model.parent / "test.links"
        hard_alignments(options, model, options.source, options.target, out)
        error = run([options.weft, "evaluate", "--metrics", "aer", "-r", options.test_links, "-i",
                     out])
        result["alignment_error_rate"] = float(re.search(r"AER = ([\d.]+)", error).group(1))
    return result


def time(options, name, kind):
    """Target tokens a second in training and in decoding."""
    folder = folder_of(options, name)
    with tempfile.TemporaryDirectory() as spare:
        log = train(options, pathlib.Path(spare) / "model.safetensors", kind, TIMED_UPDATES,
                    "--disp-freq", "5u")
    speeds = [float(s) for s in re.findall(r"(\d+) tokens/s", log)]
    figures = folder / "decoding.json"
    run([options.weft, "bench", "decode", "-m", folder / "model.safetensors", *kind["search"],
         "--mini-batch", "32", "--repeats", "1", "--json", figures, "--threads", options.threads,
         "-i", options.source])
    return {"cpu": options.cpu, "training_tokens_per_s": statistics.median(speeds[1:]),
            "decoding_tokens_per_s": round(json.loads(figures.read_text())["tokens_per_s"]["best"])}


def once(options, name, kind, tell):
    """What `tell` finds of a kind, or what it found in an earlier run, speeds on this processor."""
    known = folder_of(options, name) / f"{tell.__name__}.json"
    if known.exists():
        found = json.loads(known.read_text())
        if found.pop("cpu", options.cpu) == options.cpu:
            return found
    found = tell(options, name, kind)
    write_whole(known, json.dumps(found))
    found.pop("cpu", None)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--teacher", type=pathlib.Path, required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--gradients", default=str(RELEASE / "benchmarks/weft_source_gradients"))
    parser.add_argument("--kinds", nargs="+", metavar="NAME", default=list(KINDS),
                        choices=list(KINDS))
    parser.add_argument("--threads", default="2")
    parser.add_argument("--untimed", action="store_true",
                        help="leave the speeds out, for a machine that is busy")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "quickstart/family")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.source = unpack(options.data / "test.2016.en.gz", options.folder / "test.en")
    options.target = unpack(options.data / "test.2016.de.gz", options.folder / "test.de")
    options.test_links = hard_alignments(options, options.teacher, options.source, options.target,
                                         options.folder / "test.links")
    options.links = hard_alignments(options, options.teacher, options.data / "train.en.gz",
                                    options.data / "train.de.gz", options.folder / "train.links")
    options.weights = token_weights(options)
    options.cpu = machine()["cpu"]
    results = []
    for name in options.kinds:
        results.append(once(options, name, KINDS[name], measure))
        print(name, results[-1]["bleu"], file=sys.stderr, flush=True)
    for result in results if not options.untimed else ():
        result |= once(options, result["kind"], KINDS[result["kind"]], time)
        print(result["kind"], result["training_tokens_per_s"], file=sys.stderr, flush=True)
    report("family", {"test": "multi30k test 2016, tokenised BLEU, beam 5", "results": results})


if __name__ == "__main__":
    main()
