#!/usr/bin/env python3
"""Compares non-autoregressive and left-to-right translation on the family's text: each kind of
--generation, trained on the text and on translations of the family's teacher (sequence-level
distillation, Kim and Rush 2016, arXiv 1606.07947). Measures BLEU on test 2016, by number of rounds
if it has any, and the speed in lines per second relative to the teacher.

    python3 benchmarks/tasks/family/generation.py [--kinds NAME ...]

Students start from the teacher's weights. Speeds are measured at the end, on an idle machine
(--untimed: not measured). Text, --folder and resuming are as in run.py; the rows are in
benchmarks/results/generation.json. Prints the rows and a verdict.
"""

import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sitting import Record, machine, print_verdict  # noqa: E402

from experiment import Experiment, arguments  # noqa: E402
from kinds import BEAM, TINY, kind  # noqa: E402

SEARCHES = {"beam": BEAM, "greedy": ("-b", "1")}
BATCHES = (1, 32)
REPEATS = 3
ROUNDS = range(1, 11)
LENGTHS = ("--length-beam", "5")
LOSS, MOST_ROUNDS = 3, 4  # goal: at most LOSS BLEU below the teacher with MOST_ROUNDS rounds


# The student's parameters that the teacher has: no mask_embedding, no length_head.
PARTS = ("--pretrained-parts", "model.[!d]*", "model.decoder.[!m]*", "final_logits_bias")


def student(updates, *options, is_distilled):
    return kind(*TINY, *options, "--pretrained-model", "{teacher}", *PARTS, "--lr-warmup", "500",
                "--lr-schedule", "linear", "--lr-decay-updates", str(updates), updates=updates,
                is_distilled=is_distilled)


STUDENTS = {
    "mask-predict": (12000, "--generation", "mask-predict"),
    "parallel": (3000, "--generation", "parallel"),
    "parallel, up to the end": (3000, "--generation", "parallel", "--length-from", "end"),
    "ctc": (3000, "--generation", "ctc", "--label-smoothing", "0"),
}
KINDS = {name + text: student(*of, is_distilled=bool(text)) for text in ("", ", distilled")
         for name, of in STUDENTS.items()}


def ways(name):
    """The options for each number of rounds of a kind."""
    if name.startswith("mask-predict"):
        return {str(n): (*LENGTHS, "--iterations", str(n)) for n in ROUNDS}
    return {"1": LENGTHS if name in ("parallel", "parallel, distilled") else ()}


def measure(experiment, name):
    model = experiment.model_of(f"student {name}")
    experiment.train(model, KINDS[name], KINDS[name]["updates"])
    return {"kind": name, "options": " ".join(KINDS[name]["options"]),
            "updates": KINDS[name]["updates"],
            "bleu": {rounds: experiment.bleu(experiment.translate(model, *decoding))
                     for rounds, decoding in ways(name).items()},
            "teacher_bleu": {search: experiment.bleu(
                                experiment.translate(experiment.teacher, *decoding))
                             for search, decoding in SEARCHES.items()},
            "commit": machine()["commit"]}


def speeds(experiment, model, batch, decoding):
    """Lines per second, and the speedup over the teacher by search: the best pass, and the medians
    of passes that each follow one of the teacher, to cancel varying load of the machine."""
    own, times = [], {search: [] for search in SEARCHES}
    for _ in range(REPEATS):
        teacher = {search: experiment.decoding_speed("lines", experiment.teacher, batch, 1, *given)
                   for search, given in SEARCHES.items()}
        own.append(experiment.decoding_speed("lines", model, batch, 1, *decoding))
        for search, speed in teacher.items():
            times[search].append(own[-1] / speed)
    return round(max(own)), {search: round(statistics.median(x), 2) for search, x in times.items()}


def time(experiment, record, names):
    """Adds speeds to the rows without them."""
    for name in names:
        if "timed_on" in record.rows[name]:
            continue
        model = experiment.model_of(f"student {name}")
        experiment.train(model, KINDS[name], KINDS[name]["updates"])
        lines, times = {}, {}
        for rounds, decoding in ways(name).items():
            found = {str(batch): speeds(experiment, model, batch, decoding) for batch in BATCHES}
            lines[rounds] = {batch: speed for batch, (speed, _) in found.items()}
            times[rounds] = {batch: ratios for batch, (_, ratios) in found.items()}
        record.keep({"kind": name, "lines_per_s": lines, "times_teacher": times,
                     "timed_on": machine()["cpu"]})
        print(name, times, file=sys.stderr, flush=True)


def main():
    options = arguments(__doc__, KINDS).parse_args()
    experiment = Experiment(options)
    record = Record("generation", {"test": "multi30k test 2016, tokenised BLEU"}, KINDS)
    for name in options.kinds:
        if name not in record.rows:
            record.keep(measure(experiment, name))
            print(name, record.rows[name]["bleu"], file=sys.stderr, flush=True)
    if not options.untimed:
        time(experiment, record, options.kinds)
    print(record.text())
    row = record.rows.get("mask-predict, distilled")
    if row:
        best = max(row["bleu"][str(n)] for n in range(1, MOST_ROUNDS + 1))
        print_verdict(f"BLEU below the teacher, distilled mask-predict, {MOST_ROUNDS} rounds at "
                     "most", row["teacher_bleu"]["beam"] - best, -LOSS)


if __name__ == "__main__":
    main()
