#!/usr/bin/env python3
"""Prints docs/results.md: the results of the model family, non-autoregressive translation, long
copying and attention by length.

    python3 benchmarks/tasks/family/table.py > docs/results.md
"""

import json
import pathlib

from kinds import KINDS

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "results"
INTRODUCTION = """# Results by kind of model

Written by `benchmarks/tasks/family/table.py` from the files of `benchmarks/results` that each
part names, which say the processor and the commit.
"""
FAMILY = """
## Multi30k English-German

Trained alike, so many updates of 4,096 target tokens each, by `benchmarks/tasks/family/run.py`
(`family.json`); tokenised BLEU on test 2016, beam 5 from left to right; AER, the alignment error
rate, against hard alignments of the teacher, which is the Transformer of 4,000 updates. Training
and decoding are speeds in target tokens on 2 cores, as multiples of the baseline's in the same
sitting: {speeds}.

The baseline is a Transformer of 4 layers and width 64 with sinusoidal positions, full attention,
softmax and pre-norm; each row below it changes what it is named after. 1,000 updates tell how
fast a kind learns more than how well it ends: what starts with small steps, as the Euclidean
losses do, hardly begins by then. `--loss kl` trains as cross-entropy does, to the bit. The scores
of two runs that differ in their seed alone are some tenths apart.
{missing}"""
GENERATION = """
## Non-autoregressive translation

Students of the family's teacher on Multi30k English-German, trained on the text as it is and on
the teacher's translations (`generation.json`; `benchmarks/tasks/family/generation.py`). Tokenised
BLEU on test 2016; lines a second on 2 cores, one at a time and in batches of 32, as multiples of
the teacher's in the same sitting, with beam 5 and without one (greedy). The teacher: {teacher}.
"""
COPYING = """
## Long copying

Random letters, written again: the share of letters in their places, by length. No training sequence
is longer than {}; small models, `benchmarks/tasks/copying/run.py` (`copying.json`).
"""
ATTENTION = """
## Attention by length

One call, forward and backward, on one sentence: {} heads of {}, float32, {} threads; and how much
the process held at most. Local attention sees {} tokens each way, block-sparse has blocks of 64
and 16 global tokens, linformer 256 keys, sinkhorn blocks of 128, and clusters hold 256 tokens.
The last seven kinds keep whole rows of scores, which leave the caches beyond 4,096 tokens.
By `benchmarks/tasks/attention/kinds.py` (`attention_kinds.json`, {}).
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
            return (f"{r['training_tokens_per_s']:,} a second in training and "
                    f"{r['decoding_tokens_per_s']:,} in decoding ({r['timed_on']})")
    return "not taken yet"


def tell_family(family):
    results = family["results"]
    missing = len(KINDS) - len(results)
    print(FAMILY.format(speeds=baseline_speeds(results), missing=(
        f"{missing} of the {len(KINDS)} kinds are still to be measured.\n" if missing else "")))
    table(["kind", "updates", "BLEU", "parameters", "training", "decoding", "AER"],
          [[r["kind"], f"{r['updates']:,}", r["bleu"], f"{r['parameters'] / 1e6:.2f} M",
            r.get("training_times_baseline"), r.get("decoding_times_baseline"),
            r.get("alignment_error_rate")] for r in results])
    types = [r for r in results if "bleu_by_length" in r]
    for key, title in (("bleu_by_length", "BLEU by source words"),
                       ("gradient_by_distance", "Gradient of the loss at the first three source "
                                                "tokens, by tokens from there to the end")):
        if types:
            print(f"\n{title}:\n")
            table(["kind", *types[0][key]], [[r["kind"], *r[key].values()] for r in types])


def tell_generation(generation):
    results = generation["results"]
    told = ", ".join(f"{how} {bleu} BLEU" for how, bleu in results[0]["teacher_bleu"].items())
    print(GENERATION.format(teacher=told))
    columns = [(search, batch) for search in results[0]["teacher_bleu"] for batch in ("1", "32")]
    rows = []
    for r in results:
        for rounds, bleu in r["bleu"].items():
            times = r.get("times_teacher", {}).get(rounds, {})
            rows.append([r["kind"], rounds, bleu,
                         *(times.get(batch, {}).get(search) for search, batch in columns)])
    table(["kind", "rounds", "BLEU", *(f"{search}, {batch}" for search, batch in columns)], rows)


def tell_copying(copying):
    print(COPYING.format(copying["trained_up_to"]))
    lengths = list(copying["results"][0]["by_length"])
    table(["kind", *lengths], [[r["kind"], *(f"{100 * cell['tokens']:.0f} %" for cell in
                                             r["by_length"].values())]
                               for r in copying["results"]])


def tell_attention(attention):
    print(ATTENTION.format(*(attention[key] for key in ("heads", "size", "threads", "window",
                                                        "cpu"))))
    lengths = sorted({cell["length"] for cell in attention["cells"]})
    for unit, title in (("ms", "Milliseconds by tokens:"), ("mb", "\nMiB by tokens:")):
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
    for name, tell in (("family", tell_family), ("generation", tell_generation),
                       ("copying", tell_copying),
                       ("attention_kinds", tell_attention)):
        result = load(name)
        if result:
            tell(result)


if __name__ == "__main__":
    main()
