#!/usr/bin/env python3
"""Tuning SmolLM2 by low-rank updates, beside Transformers and PEFT: speed, memory, loss, and what
the tuned model answers.

    python3 benchmarks/tasks/language_models/tuning.py --gguf FILE [--peer PYTHON] [NAME...]

NAME is one or more of

    speed       100 updates of 4 lines of WikiSQL, rank 8, in float32 and bfloat16, in turns with
                the peer under tcmalloc; the better precision of each counts. Loss before and after.
                Both take lines in random order and have PyTorch's defaults of Adam; each round has
                a seed of its own
    sql         recipes/sql.py, before tuning and after, by seed: loss of the answers and exact
                match on the test questions; the peer's adapter of as many lines is scored by Weft
    summary     recipes/summary.py: ROUGE-L on packages held out, of the first sentence, of an
                encoder-decoder from nothing (synopsis.yml), and of SmolLM2 before and after tuning

Without --peer, a Python with torch, transformers and peft, the peer's cells are left out. Extends
benchmarks/results/language_models/tuning.json, and prints one line per goal.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import (  # noqa: E402
    RELEASE, ROOT, Training, machine, preloading, result_file, run, run_measured, tell_verdict,
    write_whole)

sys.path.insert(0, str(ROOT / "recipes"))
from recipe import exact, sentences  # noqa: E402
from sql import Sql  # noqa: E402
from summary import Summary, rouge_l  # noqa: E402

PEER = pathlib.Path(__file__).resolve().parent / "peer_tuning.py"
UPDATES, RANK, RATE = 100, 8, 2e-4
ADAM = (0.9, 0.999, 1e-8)  # the defaults of torch.optim.AdamW, which the peer keeps
PRECISIONS = {"float32": "f32", "bfloat16": "bf16"}
SPEED_GOAL, MEMORY_GOAL, LOSS_GOAL = 2.5, 0.5, 0.02
SQL_UPDATES, SQL_BATCH, SQL_RATE = 300, 8, 1e-3  # of the peer, about those of recipes/sql.yml


def losses(log):
    return [float(x) for x in re.findall(r"validation at update \d+: cross-entropy ([\d.]+)", log)]


def loss_of(options, model, valid, *more):
    """The loss of a model as training measures it: of one update that changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        log, _ = run_measured([
            options.weft, "train", "language-model", "--from", model, "-t", valid, "--valid-sets",
            valid, "-m", f"{folder}/m.safetensors", "--lora-rank", 1, "--learn-rate", 1e-30,
            "--after", "1u", "--threads", options.threads, *more])
    return losses(log)[-1]


def tune(options, train, valid, adapter, *more):
    """The log and the peak memory of tuning with fixed options."""
    return Training(*run_measured([
        options.weft, "train", "language-model", "--from", options.gguf, "-t", train,
        "--valid-sets", valid, "-m", adapter, "--lora-rank", RANK, "--threads", options.threads,
        *more]))


def peer(options, train, valid, *more):
    return json.loads(run([options.peer, PEER, "--gguf", options.gguf, "--train", train, "--valid",
                           valid, "--rank", str(RANK), "--threads", str(options.threads),
                           *map(str, more)], env=preloading(options.tcmalloc)).splitlines()[-1])


def speed(options, folder):
    wikisql = options.data / "wikisql"
    train, valid = wikisql / "train.jsonl", wikisql / "valid.jsonl"
    cells = {}
    for turn in range(options.rounds):
        for precision in options.precisions:
            dtype = PRECISIONS[precision]
            adapter = folder / f"{precision}-{turn}.safetensors"
            done = tune(options, train, valid, adapter, "--precision", precision,
                        "--mini-batch", 4, "--mini-batch-words", 0, "--maxi-batch", 1,
                        "--optimizer-params", *ADAM, "--learn-rate", RATE,
                        "--lr-schedule", "constant", "--lr-warmup-ratio", 0, "--lr-warmup", 0,
                        "--after", f"{UPDATES}u", "--disp-freq", "1u",
                        "--valid-freq", f"{UPDATES}u", "--seed", turn + 1)
            cells.setdefault(f"weft {precision}", []).append(
                {"tokens_per_s": done.speed(), "peak_mb": round(done.peak_mb),
                 "valid_loss": losses(done.log)[-1]})
            if options.peer:
                cells.setdefault(f"peft {precision}", []).append(
                    peer(options, train, valid, "--updates", UPDATES, "--rate", RATE, "--dtype",
                         dtype, "--seed", turn + 1))
    return cells


def best(cells, system):
    """The cells of the faster precision."""
    found = [rows for name, rows in cells.items() if name.startswith(system)]
    return max(found, key=lambda rows: median(rows, "tokens_per_s"))


def median(rows, name):
    return statistics.median(row[name] for row in rows)


def speed_row(options, folder):
    cells = speed(options, folder)
    row = {"updates": UPDATES, "rank": RANK, "cells": cells}
    if not options.peer:
        return row
    mine, theirs = best(cells, "weft"), best(cells, "peft")
    row["speed_ratio"] = round(median(mine, "tokens_per_s") / median(theirs, "tokens_per_s"), 2)
    row["memory_ratio"] = round(median(mine, "peak_mb") / median(theirs, "peak_mb"), 2)
    row["loss"] = [round(median(mine, "valid_loss"), 4),
                   round(statistics.median(x["valid_loss"][1] for x in theirs), 4)]
    tell_verdict("tuning, tokens a second", row["speed_ratio"], SPEED_GOAL)
    tell_verdict("tuning, memory", row["memory_ratio"], -MEMORY_GOAL)
    tell_verdict("tuning, loss above PEFT's", row["loss"][0] - row["loss"][1], -LOSS_GOAL)
    return row


def chosen(recipe, options, folder, data=None):
    """What a recipe asks the command line for."""
    return argparse.Namespace(set=next(iter(recipe.sets)), file=None, data=data, folder=folder,
                              weft=options.weft, threads=options.threads, model=options.gguf)


def tuned(recipe, choice, seed):
    """Trains as the recipe does; returns the least loss in validation and the minutes."""
    begin = time.time()
    log, _ = run_measured([choice.weft, "train", *recipe.train_arguments(choice), "--seed", seed,
                           "--threads", choice.threads, "--overwrite"])
    return {"seed": seed, "valid_loss": min(losses(log)),
            "minutes": round((time.time() - begin) / 60, 2)}


def sql_row(options, folder):
    recipe = Sql()
    choice = chosen(recipe, options, folder, options.data / "wikisql")
    examples = recipe.prepare(choice)["test"]
    lines, references = zip(*examples)
    valid = folder / "valid.jsonl"
    row = {"before": {"valid_loss": loss_of(options, options.gguf, valid),
                      "exact_match": exact(recipe.answers(lines, choice), references)}, "weft": []}
    for seed in range(1, options.seeds + 1):
        found = tuned(recipe, choice, seed)
        row["weft"].append(found | {"exact_match": exact(recipe.results(lines, choice),
                                                         references)})
    if options.peer:
        found = peer(options, folder / "train.jsonl", valid, "--updates", SQL_UPDATES, "--batch",
                     SQL_BATCH, "--rate", SQL_RATE, "--decays", "--dtype", "bf16", "--save",
                     folder / "peft")
        row["peft"] = found | {"exact_match": exact(
            recipe.answers(lines, choice, "--lora", folder / "peft"), references)}
    return row


def encoder_decoder(options, folder, parts):
    """The synopses that a translator of descriptions, trained from nothing, writes."""
    for part, examples in parts.items():
        for side, texts in zip(("source", "target"), zip(*examples)):
            (folder / f"{part}.{side}").write_text("".join(f"{text}\n" for text in texts),
                                                   encoding="utf8")
    begin = time.time()
    run([options.weft, "train", "translation", "--config",
         pathlib.Path(__file__).resolve().parent / "synopsis.yml", "-t", folder / "train.source",
         folder / "train.target", "--valid-sets", folder / "valid.source", folder / "valid.target",
         "-v", folder / "spm.model", folder / "spm.model", "-m", folder / "s2s.safetensors",
         "--threads", str(options.threads)])
    minutes = round((time.time() - begin) / 60, 2)
    texts = run([options.weft, "translate", "-m", folder / "s2s.safetensors", "-i",
                 folder / "test.source", "--threads", str(options.threads)]).splitlines()
    return texts, minutes


def summary_row(options, folder):
    recipe = Summary()
    choice = chosen(recipe, options, folder)
    parts = recipe.prepare(choice)
    lines, references = zip(*parts["test"])
    score = lambda texts: round(rouge_l(options.weft, texts, references), 4)  # noqa: E731
    texts, minutes = encoder_decoder(options, folder, parts)
    row = {"first_sentence": score([sentences(line)[0] for line in lines]),
           "encoder_decoder": {"rouge_l": score(texts), "minutes": minutes},
           "before": score(recipe.answers(lines, choice))}
    row["tuned"] = tuned(recipe, choice, 1)
    row["tuned"]["rouge_l"] = score(recipe.results(lines, choice))
    first, untuned, last = (row["first_sentence"], row["encoder_decoder"]["rouge_l"],
                            row["tuned"]["rouge_l"])
    tell_verdict("summary, encoder-decoder above the first sentence", untuned, first)
    tell_verdict("summary, tuned above the encoder-decoder", last, untuned)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rows_of = {"speed": speed_row, "sql": sql_row, "summary": summary_row}
    parser.add_argument("names", nargs="*", default=list(rows_of), help=", ".join(rows_of))
    parser.add_argument("--gguf", type=pathlib.Path, required=True)
    parser.add_argument("--peer", help="a Python with torch, transformers, peft and gguf")
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--tcmalloc", default="libtcmalloc_minimal.so.4")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=list(PRECISIONS))
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    path = result_file("language_models/tuning")
    rows = json.loads(path.read_text()) if path.exists() else {}
    for name in options.names:
        with tempfile.TemporaryDirectory() as made:
            row = rows_of[name](options, pathlib.Path(made))
        rows[name] = {"model": options.gguf.name, "threads": options.threads} | row | machine()
        write_whole(path, json.dumps(rows, indent=1) + "\n")
    print(path.read_text(), end="")


if __name__ == "__main__":
    main()
