#!/usr/bin/env python3
"""Non-autoregressive translation beside left-to-right, on the family's text: each kind of
--generation, trained on the text as it is and on the translations of the family's teacher
(sequence-level distillation, Kim and Rush 2016, arXiv 1606.07947), its BLEU on test 2016, by
rounds where it has any, and how many times as many lines a second it translates as the teacher.

    python3 benchmarks/tasks/family/generation.py [--kinds NAME ...]

Students start from the teacher's weights. Speeds are taken in the end, on a machine that does
nothing else (--untimed: not taken). Text, --folder, and how a second run goes on are those of
run.py; the rows are in benchmarks/results/generation.json. Prints them, and a line of verdict.
"""

import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sitting import Record, machine, tell_verdict  # noqa: E402

from experiment import Experiment, arguments  # noqa: E402
from kinds import BEAM, TINY, kind  # noqa: E402

SEARCHES = {"beam": BEAM, "greedy": ("-b", "1")}
BATCHES = (1, 32)
REPEATS = 3
ROUNDS = range(1, 11)
LENGTHS = ("--length-beam", "5")
LOSS, MOST_ROUNDS = 3, 4  # goal: so much BLEU below the teacher at most, at so many rounds


# Of the student's parameters all that its teacher has: no mask_embedding, no length_head.
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
    """What to give for each number of rounds of a kind."""
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
    """Lines a second of a way, and how many times as many as the teacher's by search: the best, and
    the medians of passes each just after the teacher's, for other work on the machine comes and
    goes."""
    own, times = [], {search: [] for search in SEARCHES}
    for _ in range(REPEATS):
        teacher = {search: experiment.decoding_speed("lines", experiment.teacher, batch, 1, *given)
                   for search, given in SEARCHES.items()}
        own.append(experiment.decoding_speed("lines", model, batch, 1, *how))
        for search, speed in teacher.items():
            times[search].append(own[-1] / speed)
    return round(max(own)), {search: round(statistics.median(x), 2) for search, x in times.items()}


def time(experiment, record, names):
    """Adds the speeds of rows that have none."""
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
