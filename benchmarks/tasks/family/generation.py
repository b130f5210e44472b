#!/usr/bin/env python3
"""Compares non-autoregressive kinds of --generation with a left-to-right teacher on Multi30k.

    python3 benchmarks/tasks/family/generation.py [--kinds NAME ...]

Each kind is initialised from the teacher of the family and trained on the references, and on the
teacher's translations (sequence-level distillation, Kim and Rush 2016, arXiv 1606.07947). Measures
BLEU on test 2016, by number of iterations, and lines per second relative to the teacher. Speeds are
measured last and need an idle machine (--untimed: skip them). Text, --folder and resuming are as in
run.py; rows are written to benchmarks/results/generation.json. Prints them and one verdict.
"""

import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import Record, machine, tell_verdict  # noqa: E402

from experiment import Experiment, arguments  # noqa: E402
from kinds import BEAM, TINY, kind  # noqa: E402

SEARCHES = {"beam": BEAM, "greedy": ("-b", "1")}
BATCHES = (1, 32)
REPEATS = 3
ROUNDS = range(1, 11)
LENGTHS = ("--length-beam", "5")
LOSS, MOST_ROUNDS = 3, 4  # goal: at most 3 BLEU below the teacher with 4 iterations


# The parameters that the teacher has too: all but mask_embedding and length_head.
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
KINDS = {name + how: student(*of, is_distilled=bool(how)) for how in ("", ", distilled")
         for name, of in STUDENTS.items()}


def ways(name):
    """Decoding options for each number of iterations of a kind."""
    if name.startswith("mask-predict"):
        return {str(n): (*LENGTHS, "--iterations", str(n)) for n in ROUNDS}
    return {"1": LENGTHS if name in ("parallel", "parallel, distilled") else ()}


def measure(experiment, name):
    model = experiment.model_of(f"student {name}")
    experiment.train(model, KINDS[name], KINDS[name]["updates"])
    return {"kind": name, "options": " ".join(KINDS[name]["options"]),
            "updates": KINDS[name]["updates"],
            "bleu": {rounds: experiment.bleu(experiment.translate(model, *how))
                     for rounds, how in ways(name).items()},
            "teacher_bleu": {search: experiment.bleu(experiment.translate(experiment.teacher, *how))
                             for search, how in SEARCHES.items()},
            "commit": machine()["commit"]}


def speeds(experiment, model, batch, how):
    """Returns the best lines per second, and the median ratio to each search of the teacher. The
    teacher is measured just before each pass, as the load of the machine varies."""
    own, times = [], {search: [] for search in SEARCHES}
    for _ in range(REPEATS):
        teacher = {search: experiment.decoding_speed("lines", experiment.teacher, batch, 1, *given)
                   for search, given in SEARCHES.items()}
        own.append(experiment.decoding_speed("lines", model, batch, 1, *how))
        for search, speed in teacher.items():
            times[search].append(own[-1] / speed)
    return round(max(own)), {search: round(statistics.median(x), 2) for search, x in times.items()}


def time(experiment, record, names):
    """Measures the speeds of rows without any."""
    for name in names:
        if "timed_on" in record.rows[name]:
            continue
        model = experiment.model_of(f"student {name}")
        experiment.train(model, KINDS[name], KINDS[name]["updates"])
        lines, times = {}, {}
        for rounds, how in ways(name).items():
            found = {str(batch): speeds(experiment, model, batch, how) for batch in BATCHES}
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
        tell_verdict(f"BLEU below the teacher, distilled mask-predict, {MOST_ROUNDS} rounds at "
                     "most", row["teacher_bleu"]["beam"] - best, -LOSS)


if __name__ == "__main__":
    main()
