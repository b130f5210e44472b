#!/usr/bin/env python3
"""Non-autoregressive translation beside left-to-right, on Multi30k English-German: each kind of
--generation, trained on the text as it is and on a teacher's translations of it (sequence-level
distillation, Kim and Rush 2016, arXiv 1606.07947), its BLEU on test 2016, by rounds where it has
any, and how much faster it translates than its teacher.

    python3 benchmarks/tasks/generation/run.py --teacher quickstart/multi30k/model.safetensors

The teacher is what benchmarks/tasks/multi30k/run makes, its vocabulary stands beside it, and the
text is the same ($WEFT_DATA/multi30k). Students start from the teacher's weights where they have
them (--from-scratch: not). What is made lies in --out; a second run goes on from what is there.
Prints one JSON object, written to benchmarks/results too, and a line of verdict.
"""

import argparse
import hashlib
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sitting import RELEASE, ROOT, bleu, machine, read_text, report, run, write_whole  # noqa: E402

CONFIG = ROOT / "benchmarks/tasks/multi30k/config.yml"
KINDS = {"mask-predict": ["--generation", "mask-predict"],
         "parallel": ["--generation", "parallel"],
         "parallel-end": ["--generation", "parallel", "--length-from", "end"],
         "ctc": ["--generation", "ctc", "--label-smoothing", "0"]}
UPDATES = {kind: 6500 if kind == "mask-predict" else 1500 for kind in KINDS}
BY_LENGTH = ("mask-predict", "parallel")
BATCHES = (1, 32)
ROUNDS = range(1, 11)
LOSS, MOST_ROUNDS = 3, 4  # goal: so much BLEU below the teacher at most, at so many rounds


class Experiment:
    def __init__(self, options):
        self.options = options
        self.out = pathlib.Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.updates = {kind: options.updates or UPDATES[kind] for kind in options.kinds}
        self.bpe = pathlib.Path(options.data) / "bpe10k"
        self.known_path = self.out / "known.json"
        self.known = json.loads(self.known_path.read_text()) if self.known_path.exists() else {}

    def once(self, key, measure):
        """What `measure` gives, kept under `key` for the runs to come."""
        if key not in self.known:
            self.known[key] = measure()
            write_whole(self.known_path, json.dumps(self.known, indent=1) + "\n")
        return self.known[key]

    def check_given(self):
        """Ends the experiment where what lies in `out` was made of another teacher or text."""
        teacher = hashlib.sha256(pathlib.Path(self.options.teacher).read_bytes()).hexdigest()
        given = [teacher, self.options.lines, str(self.options.beam)]
        if self.once("made of", lambda: given) != given:
            sys.exit(f"{self.out} was made of another --teacher, --lines or --beam; expected "
                     "another --out")

    def weft(self, *arguments):
        return run([self.options.weft, *map(str, arguments), "--threads",
                    str(self.options.threads), "--quiet"])

    def head(self, source, name):
        """The text, or its first --lines lines, as a file in `out`."""
        path = self.out / name
        if not path.exists():
            write_whole(path, "".join(read_text(source).splitlines(True)[:self.options.lines]))
        return path

    def prepare(self):
        self.check_given()
        self.train = [self.head(self.bpe / f"train.{side}.gz", f"train.{side}")
                      for side in ("en", "de")]
        self.valid = [self.head(self.bpe / f"valid.{side}.gz", f"valid.{side}")
                      for side in ("en", "de")]
        self.test = self.head(self.bpe / "test.2016.en.gz", "test.en")
        self.reference = self.head(
            pathlib.Path(self.options.data) / "test_2016_flickr.lc.norm.tok.de.gz", "reference.de")
        self.distilled = self.out / "distilled.de"
        if not self.distilled.exists():
            part = self.distilled.with_suffix(".part")
            self.weft("translate", "-m", self.options.teacher, "-i", self.train[0], "-o", part,
                      "--beam-size", self.options.beam, "--normalize", "1")
            part.rename(self.distilled)

    def student(self, kind, is_distilled):
        model = self.out / f"{kind}{'.distilled' if is_distilled else ''}.safetensors"
        start = [] if self.options.from_scratch else ["--pretrained-model", self.options.teacher]
        vocab = self.options.vocab or pathlib.Path(self.options.teacher).with_name("vocab.txt")
        self.once(f"{model.name} trained for {self.updates[kind]}", lambda: self.weft(
            "train", "--config", CONFIG, *KINDS[kind], "-t", self.train[0],
            self.distilled if is_distilled else self.train[1], "--valid-sets", *self.valid,
            "-v", vocab, vocab, "-m", model, "--after", f"{self.updates[kind]}u",
            "--valid-metrics", "bleu", "--valid-undo-bpe", "--valid-freq", self.options.valid_freq,
            "--save-freq", "50u", "--lr-schedule", "linear", "--lr-decay-updates",
            self.updates[kind], "--learn-rate", self.options.learn_rate, "--lr-warmup",
            self.options.warmup, *start, *self.options.train_options.split()))
        return model

    def bleu(self, model, *how):
        text = self.out / "translated.de"
        self.weft("translate", "-m", model, "-i", self.test, "-o", text, "--undo-bpe", *how)
        return bleu(self.options.weft, read_text(text).splitlines(), self.reference)

    def lines_per_s(self, model, batch, *how):
        figures = self.out / "figures.json"
        self.weft("bench", "decode", "-m", model, "-i", self.test, "--mini-batch", batch,
                  "--repeats", self.options.repeats, "--json", figures, *how)
        return json.loads(figures.read_text())["lines_per_s"]["best"]

    def measure(self, model, name, *how, is_timed=True):
        """BLEU and speeds of a model that decodes so; `name` says which weights these are."""
        key = " ".join(map(str, (name, *how)))
        out = {"bleu": self.once(f"bleu {key}", lambda: self.bleu(model, *how))}
        if is_timed:
            cpu = machine()["cpu"]
            out["lines_per_s"] = {str(b): self.once(f"speed {b} {key}, {cpu}",
                                                    lambda b=b: self.lines_per_s(model, b, *how))
                                  for b in BATCHES}
        return out


def with_speed_ups(measured, teacher):
    if "lines_per_s" not in measured:
        return measured
    return measured | {"times_faster_than": {
        how: {b: round(measured["lines_per_s"][b] / theirs["lines_per_s"][b], 2)
              for b in theirs["lines_per_s"]} for how, theirs in teacher.items()}}


def measure_student(experiment, kind, is_distilled, teacher):
    is_timed = not experiment.options.untimed
    model = experiment.student(kind, is_distilled)
    name = f"{model.name} after {experiment.updates[kind]}"
    lengths = ["--length-beam", experiment.options.length_beam] if kind in BY_LENGTH else []
    if kind != "mask-predict":
        return with_speed_ups(experiment.measure(model, name, *lengths, is_timed=is_timed), teacher)
    measured = {n: experiment.measure(model, name, *lengths, "--iterations", n,
                                      is_timed=is_timed) for n in ROUNDS}
    return {"by_rounds": {str(n): with_speed_ups(m, teacher) for n, m in measured.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--teacher", required=True)
    parser.add_argument("--vocab", help="default: vocab.txt beside the teacher")
    parser.add_argument("--data", default=pathlib.Path(
        os.environ.get("WEFT_DATA", ROOT / "../shared/data")) / "multi30k")
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--out", default=ROOT / "quickstart/generation")
    parser.add_argument("--name", default="generation", help="of the result's file")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--updates", type=int, help="of every student; default: " + ", ".join(
        f"{kind} {updates}" for kind, updates in UPDATES.items()))
    parser.add_argument("--learn-rate", default="0.005")
    parser.add_argument("--warmup", default="500")
    parser.add_argument("--valid-freq", default="500u")
    parser.add_argument("--train-options", default="--transformer-dropout 0.1",
                        help="more options of weft train, in one string")
    parser.add_argument("--from-scratch", action="store_true")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--length-beam", type=int, default=5)
    parser.add_argument("--lines", type=int, help="of each text; default: all")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--untimed", action="store_true",
                        help="leave the speeds out, for a machine that is busy")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    experiment = Experiment(options)
    experiment.prepare()
    teacher = {how: experiment.measure(options.teacher, "teacher", *search,
                                       is_timed=not options.untimed)
               for how, search in (("beam", ("--beam-size", options.beam, "--normalize", "1")),
                                   ("greedy", ("--beam-size", "1")))}
    students = {}
    for kind in options.kinds:
        students[kind] = {text: measure_student(experiment, kind, text == "distilled", teacher)
                          for text in ("as it is", "distilled")}
    goals = []
    if "mask-predict" in students:
        rounds = students["mask-predict"]["distilled"]["by_rounds"]
        best = max(rounds[str(n)]["bleu"] for n in range(1, MOST_ROUNDS + 1))
        goals = [(f"BLEU below the teacher, distilled mask-predict, {MOST_ROUNDS} rounds at most",
                  teacher["beam"]["bleu"] - best, -LOSS)]
    report(options.name, {"test": "multi30k test 2016, tokenised BLEU",
                          "updates": experiment.updates,
                          "starts_from_teacher": not options.from_scratch,
                          "threads": options.threads, "beam": options.beam,
                          "length_beam": options.length_beam, "teacher": teacher,
                          "students": students}, goals)


if __name__ == "__main__":
    main()
