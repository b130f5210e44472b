#!/usr/bin/env python3
"""Trains and measures every kind of model on Multi30k English-German, one row per kind.

    python3 benchmarks/tasks/family/run.py [--kinds NAME ...]

The text is lower-cased and tokenised, {train,test_2016_flickr}.lc.norm.tok.{en,de}.gz in
$WEFT_DATA/multi30k (../shared/data by default). All kinds share a vocabulary of 3,000 pieces and
are trained for 1,000 updates of 4,096 target tokens (4,000 for the four types); they differ in the
options of their row. The Transformer with 4,000 updates is the teacher: its hard alignments guide
attention and are the reference of the alignment error rate. Measures BLEU on test 2016 (beam 5 for
left-to-right models), parameters, target tokens per second in training and in decoding, and for
some kinds BLEU by length, the gradient at the first source words by distance, and the alignment
error rate.

Speeds are measured after all training and need an idle machine (--untimed: skip them). The baseline
is measured just before each kind, for the ratios.

Models are written to --folder (quickstart/family by default), and each row to
benchmarks/results/family.json as soon as it is measured. A second run continues from there; remove
a row from the file to measure it again. Token weights need spm_encode (Debian package
sentencepiece). Prints the rows.
"""

import pathlib
import re
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, Record, machine, run  # noqa: E402

from experiment import Experiment, arguments  # noqa: E402
from kinds import KINDS, TYPES  # noqa: E402

BASELINE = "baseline"
LENGTHS = [(1, 9), (10, 13), (14, 17), (18, 100)]  # source words
DISTANCES = [(1, 5), (6, 10), (11, 15), (16, 20), (21, 30), (31, 100)]  # source tokens
TIMED_UPDATES, ROUNDS = 40, 3


def bleu_by_length(experiment, translated):
    sources = experiment.source.read_text().splitlines()
    return {f"{low}-{high}": experiment.bleu(translated, [
        i for i, line in enumerate(sources) if low <= len(line.split()) <= high])
        for low, high in LENGTHS}


def gradient_by_distance(experiment, gradients, model):
    """Mean gradient norm at the first three source tokens, by distance to the end of the source."""
    lines = run([gradients, model, experiment.source, experiment.target]).splitlines()
    rows = [line.split() for line in lines]
    out = {}
    for low, high in DISTANCES:
        norms = [float(norm) for place, distance, norm in rows
                 if int(place) < 3 and low <= int(distance) <= high]
        out[f"{low}-{high}"] = float(f"{statistics.mean(norms):.4g}") if norms else None
    return out


def alignment_error_rate(experiment, model):
    text = [experiment.source, experiment.target]
    reference = experiment.hard_alignments(experiment.teacher, text, "test.links")
    links = experiment.hard_alignments(model, text, model.parent / "test.links")
    error = experiment.weft("evaluate", "--metrics", "aer", "-r", reference, "-i", links)
    return float(re.search(r"AER = ([\d.]+)", error).group(1))


def measure(experiment, gradients, name, kind):
    """Trains a kind; measures quality and size."""
    model = experiment.model_of(name)
    log = experiment.train(model, kind, kind["updates"])
    translated = experiment.translate(model, *kind["search"])
    row = {"kind": name, "options": " ".join(kind["options"]), "updates": kind["updates"],
           "trained_on": "the teacher's translations" if kind["is_distilled"] else "the text",
           "bleu": experiment.bleu(translated),
           "parameters": int(re.search(r"model: (\d+) parameters", log).group(1)),
           "commit": machine()["commit"]}
    if name in TYPES:
        row["bleu_by_length"] = bleu_by_length(experiment, translated)
        row["gradient_by_distance"] = gradient_by_distance(experiment, gradients, model)
    if kind["aligns"]:
        row["alignment_error_rate"] = alignment_error_rate(experiment, model)
    return row


def speeds(experiment, name):
    """Target tokens per second in training and in decoding."""
    kind, model = KINDS[name], experiment.model_of(name)
    with tempfile.TemporaryDirectory() as spare:
        log = experiment.train(pathlib.Path(spare) / "model.safetensors", kind, TIMED_UPDATES,
                               "--disp-freq", "5u")
    training = [float(s) for s in re.findall(r"(\d+) tokens/s", log)]
    return {"training_tokens_per_s": round(statistics.median(training[1:])),
            "decoding_tokens_per_s": round(
                experiment.decoding_speed("tokens", model, 32, 1, *kind["search"]))}


def time(experiment, record, names):
    """Measures the speeds of rows without any: the best of ROUNDS, and the median ratio to the
    baseline, which is measured just before each round, as the load of the machine varies."""
    names = [name for name in names if "timed_on" not in record.rows[name]]
    for name in {BASELINE, *names}:
        experiment.train(experiment.model_of(name), KINDS[name], KINDS[name]["updates"])
    for name in names:
        pairs = [(speeds(experiment, BASELINE), speeds(experiment, name)) for _ in range(ROUNDS)]
        found = {}
        for key in pairs[0][1]:
            found[key] = max(own[key] for _, own in pairs)
            found[key.replace("_tokens_per_s", "_times_baseline")] = round(
                statistics.median(own[key] / base[key] for base, own in pairs), 2)
        record.keep({"kind": name, **found, "timed_on": machine()["cpu"]})
        print(name, found, file=sys.stderr, flush=True)


def main():
    parser = arguments(__doc__, KINDS)
    parser.add_argument("--gradients", default=str(RELEASE / "benchmarks/weft_source_gradients"))
    options = parser.parse_args()
    experiment = Experiment(options)
    record = Record("family", {"test": "multi30k test 2016, tokenised BLEU, beam 5"}, KINDS)
    for name in options.kinds:
        if name not in record.rows:
            record.keep(measure(experiment, options.gradients, name, KINDS[name]))
            print(name, record.rows[name]["bleu"], file=sys.stderr, flush=True)
    if not options.untimed:
        time(experiment, record, options.kinds)
    print(record.text())


if __name__ == "__main__":
    main()
