#!/usr/bin/env python3
"""Prints docs/results.md: tables of the family of models, non-autoregressive translation, long
copying, and attention by length.

    python3 benchmarks/tasks/family/table.py > docs/results.md
"""

import json
import pathlib

from kinds import KINDS

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "results"
INTRODUCTION = """# Results by kind of model

Measured comparisons of model types, positions, attention, norms, losses and decoding methods. This
page is written by `benchmarks/tasks/family/table.py` from the JSON files in `benchmarks/results`
that each section names; they record the processor and the commit.
"""
FAMILY = """
## Multi30k English-German

All models are trained with the same settings by `benchmarks/tasks/family/run.py` (`family.json`),
with updates of 4,096 target tokens. BLEU is tokenised BLEU on test 2016, with a beam of 5 for
left-to-right models. AER, the alignment error rate, is measured against hard alignments of the
teacher, which is the Transformer trained for 4,000 updates. Training and decoding are speeds on 2
cores, relative to the baseline, which is measured in turns with each kind. The baseline processes
{speeds}.

The baseline is a Transformer with 4 + 4 layers, D 64, sinusoidal positions, full softmax attention
and pre-norm. Each row below it changes what its name says. After 1,000 updates BLEU shows how fast
a kind learns rather than its final quality; the Euclidean losses, whose gradients are small at the
beginning, have hardly started by then. `--loss kl` trains exactly as cross-entropy. BLEU differs by
some tenths between runs with different seeds.
{missing}"""
GENERATION = """
## Non-autoregressive translation

Models trained on Multi30k English-German with the references or with the teacher's translations
(distilled) as targets, initialised from the teacher above (`generation.json`,
`benchmarks/tasks/family/generation.py`). BLEU is tokenised BLEU on test 2016. The other columns
are lines per second on 2 cores, relative to the teacher with beam 5 or with greedy search, one
line at a time or in batches of 32. The teacher: {teacher}.
"""
COPYING = """
## Long copying

Copying of random letters: the share of letters at the right position, by length. Training
sequences have at most {} letters. Small models, by `benchmarks/tasks/copying/run.py`
(`copying.json`).
"""
ATTENTION = """
## Attention by length

Time of one attention call, forward and backward, on one sentence ({} heads of {}, float32, {}
threads), and peak memory of the process. Local attention has a window of {} tokens on each side,
block-sparse blocks of 64 and 16 global tokens, linformer 256 keys, sinkhorn blocks of 128, and
clusters about 256 tokens. The last seven kinds compute whole rows of scores, which exceed the
caches beyond 4,096 tokens. By `benchmarks/tasks/attention/kinds.py` (`attention_kinds.json`, {}).
"""


def table(head, rows):
    print("|", " | ".join(head), "|")
    print("|" + "---|" * len(head))
    for row in rows:
        print("|", " | ".join("" if cell is None else str(cell) for cell in row), "|")


def load(name):
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def baseline_speeds(results):
    for r in results:
        if r["kind"] == "baseline" and "timed_on" in r:
            return (f"{r['training_tokens_per_s']:,} target tokens per second in training and "
                    f"{r['decoding_tokens_per_s']:,} in decoding ({r['timed_on']})")
    return "an unknown number of tokens per second (not measured yet)"


def print_family(family):
    results = family["results"]
    missing = len(KINDS) - len(results)
    print(FAMILY.format(speeds=baseline_speeds(results), missing=(
        f"{missing} of the {len(KINDS)} kinds are not measured yet.\n" if missing else "")))
    table(["kind", "updates", "BLEU", "parameters", "training", "decoding", "AER"],
          [[r["kind"], f"{r['updates']:,}", r["bleu"], f"{r['parameters'] / 1e6:.2f} M",
            r.get("training_times_baseline"), r.get("decoding_times_baseline"),
            r.get("alignment_error_rate")] for r in results])
    types = [r for r in results if "bleu_by_length" in r]
    for key, title in (("bleu_by_length", "BLEU by source length in words"),
                       ("gradient_by_distance", "Gradient norm at the first three source tokens, "
                                                "by distance to the end of the source")):
        if types:
            print(f"\n{title}:\n")
            table(["kind", *types[0][key]], [[r["kind"], *r[key].values()] for r in types])


def print_generation(generation):
    results = generation["results"]
    teacher = ", ".join(f"{how} {bleu} BLEU" for how, bleu in results[0]["teacher_bleu"].items())
    print(GENERATION.format(teacher=teacher))
    columns = [(search, batch) for search in results[0]["teacher_bleu"] for batch in ("1", "32")]
    rows = []
    for r in results:
        for rounds, bleu in r["bleu"].items():
            times = r.get("times_teacher", {}).get(rounds, {})
            rows.append([r["kind"], rounds, bleu,
                         *(times.get(batch, {}).get(search) for search, batch in columns)])
    table(["kind", "rounds", "BLEU", *(f"{search}, {batch}" for search, batch in columns)], rows)


def print_copying(copying):
    print(COPYING.format(copying["trained_up_to"]))
    lengths = list(copying["results"][0]["by_length"])
    table(["kind", *lengths], [[r["kind"], *(f"{100 * cell['tokens']:.0f} %" for cell in
                                             r["by_length"].values())]
                               for r in copying["results"]])


def print_attention(attention):
    print(ATTENTION.format(*(attention[key] for key in ("heads", "size", "threads", "window",
                                                        "cpu"))))
    lengths = sorted({cell["length"] for cell in attention["cells"]})
    for unit, title in (("ms", "Milliseconds, by length in tokens:"),
                        ("mb", "\nPeak memory in MiB, by length in tokens:")):
        print(f"{title}\n")
        kinds = {}
        for cell in attention["cells"]:
            of_kind = kinds.setdefault(cell["kind"], dict.fromkeys(lengths))
            of_kind[cell["length"]] = (f"over {cell['over']}" if "over" in cell else
                                       f"{cell[unit]:,.{1 if cell[unit] < 100 else 0}f}")
        table(["kind", *(f"{length:,}" for length in lengths)],
              [[kind, *of_kind.values()] for kind, of_kind in kinds.items()])


def main():
    print(INTRODUCTION, end="")
    for name, print_section in (("family", print_family), ("generation", print_generation),
                                ("copying", print_copying), ("attention_kinds", print_attention)):
        result = load(name)
        if result:
            print_section(result)


if __name__ == "__main__":
    main()
