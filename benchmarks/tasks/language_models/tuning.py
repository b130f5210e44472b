#!/usr/bin/env python3
"""Tuning SmolLM2 by low-rank updates, beside Transformers and PEFT: speed, memory, loss, and what
the tuned model answers.

    python3 benchmarks/tasks/language_models/tuning.py --gguf FILE [--peer PYTHON] [NAME...]

NAME is one or more of

    speed   100 updates of 4 lines of WikiSQL, rank 8, in float32 and bfloat16, in turns with the
            peer under tcmalloc; the better precision of each counts. Loss before and after
    sql     text to SQL: the plain command on 1,000 lines; loss of the answers and exact match on
            the held-out lines, before and after, by seed; the peer's adapter of as many updates is
            scored by Weft
    synopsis    the line that sums up a Debian package, from its description: ROUGE-L on packages
            held out, of the first sentence, an encoder-decoder from nothing, and SmolLM2 before
            and after tuning on a tenth of the lines

Without --peer, a Python with torch, transformers and peft, the peer's cells are left out. Extends
benchmarks/results/tuning.json, and prints one line per goal.
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

sys.path.insert(0, str(ROOT / "tools"))
from debian_text import sentences  # noqa: E402

PEER = pathlib.Path(__file__).resolve().parent / "peer_tuning.py"
UPDATES, RANK, RATE = 100, 8, 2e-4
PRECISIONS = {"float32": "f32", "bfloat16": "bf16"}
SPEED_GOAL, MEMORY_GOAL, LOSS_GOAL = 2.5, 0.5, 0.02
SUMMED = "\n\nSynopsis:"  # behind a description
ANSWER = "A:"  # what stands before the SQL of a line


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
    """Tunes with fixed options, and measures time and memory."""
    begin = time.time()
    log, peak = run_measured([
        options.weft, "train", "language-model", "--from", options.gguf, "-t", train,
        "--valid-sets", valid, "-m", adapter, "--lora-rank", RANK, "--threads", options.threads,
        *more])
    return Training(log, peak), round((time.time() - begin) / 60, 2)


def peer(options, train, valid, *more):
    return json.loads(run([options.peer, PEER, "--gguf", options.gguf, "--train", train, "--valid",
                           valid, "--rank", str(RANK), "--threads", str(options.threads),
                           *map(str, more)], env=preloading(options.tcmalloc)).splitlines()[-1])


def speed(options, folder):
    wikisql = options.data / "wikisql"
    train, valid = wikisql / "train.jsonl", wikisql / "valid.jsonl"
    cells = {}
    for turn in range(options.rounds):
        for precision, dtype in PRECISIONS.items():
            adapter = folder / f"{precision}-{turn}.safetensors"
            done, _ = tune(options, train, valid, adapter, "--precision", precision,
                           "--mini-batch", 4, "--mini-batch-words", 0, "--learn-rate", RATE,
                           "--lr-schedule", "constant", "--lr-warmup-ratio", 0, "--lr-warmup", 0,
                           "--weight-decay", 0, "--after", f"{UPDATES}u", "--disp-freq", "1u",
                           "--valid-freq", f"{UPDATES}u")
            cells.setdefault(f"weft {precision}", []).append(
                {"tokens_per_s": done.speed(), "peak_mb": round(done.peak_mb),
                 "valid_loss": losses(done.log)[-1]})
            if options.peer:
                cells.setdefault(f"peft {precision}", []).append(
                    peer(options, train, valid, "--updates", UPDATES, "--rate", RATE, "--dtype",
                         dtype))
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


def divided(source, path):
    """Writes lines of a prompt and its completion; returns both as lists."""
    prompts, answers, lines = [], [], []
    for line in source.read_text(encoding="utf8").splitlines():
        prompt, answer = json.loads(line)["text"].split(f"\n{ANSWER}")
        prompts.append(f"{prompt}\n{ANSWER}")
        answers.append(answer)
        lines.append(json.dumps({"prompt": prompts[-1], "completion": answer}))
    path.write_text("\n".join(lines) + "\n", encoding="utf8")
    return prompts, answers


def exact_match(options, prompts, answers, *adapter):
    """The share of prompts whose greedy answer, up to the end of its line, is the reference."""
    lines = "".join(json.dumps({"prompt": prompt}) + "\n" for prompt in prompts)
    written = run([options.weft, "generate", "-m", options.gguf, *adapter, "--format", "jsonl",
                   "--json", "--temperature", "0", "--max-length", "64", "--stop", "\n",
                   "--threads", str(options.threads)], input=lines).splitlines()
    texts = [json.loads(line)["text"] for line in written]
    return sum(text.strip() == answer.strip() for text, answer in zip(texts, answers)) / len(texts)


def sql_row(options, folder):
    files = {}
    for part in ("train", "valid", "test"):
        files[part] = folder / f"{part}.jsonl"
        prompts, answers = divided(options.data / f"wikisql/{part}.jsonl", files[part])
    row = {"before": {"valid_loss": loss_of(options, options.gguf, files["valid"]),
                      "exact_match": exact_match(options, prompts, answers)}, "weft": []}
    for seed in range(1, options.seeds + 1):
        adapter = folder / f"sql-{seed}.safetensors"
        done, minutes = tune(options, files["train"], files["valid"], adapter, "--seed", seed)
        row["weft"].append({
            "seed": seed, "minutes": minutes, "valid_loss": min(losses(done.log)),
            "updates": int(re.findall(r"validation at update (\d+)", done.log)[-1]),
            "exact_match": exact_match(options, prompts, answers, "--lora", str(adapter))})
    if options.peer:
        updates = 3 * len(files["train"].read_text().splitlines()) // 8
        found = peer(options, files["train"], files["valid"], "--updates", updates, "--batch", 8,
                     "--rate", RATE, "--decays", "--dtype", "f32", "--save", folder / "peft")
        row["peft"] = found | {"exact_match": exact_match(
            options, prompts, answers, "--lora", str(folder / "peft"))}
    return row


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def rouge(options, texts, references):
    """ROUGE-L of lines."""
    with tempfile.NamedTemporaryFile("w", encoding="utf8", suffix=".ref") as file:
        file.write("\n".join(references) + "\n")
        file.flush()
        scores = run([options.weft, "evaluate", "--metrics", "rougeL", "--json", "-r", file.name],
                     input="\n".join(text.strip() for text in texts) + "\n")
    return round(json.loads(scores)[0]["score"], 2)


def continuations(options, path, *adapter):
    """What follows the prompts of a file, up to the end of the line that is not empty."""
    written = run([options.weft, "generate", "-m", options.gguf, *adapter, "-i", path, "--json",
                   "--temperature", "0", "--max-length", "32", "--threads",
                   str(options.threads)]).splitlines()
    return [json.loads(line)["text"].strip().split("\n")[0] for line in written]


def encoder_decoder(options, folder, parts):
    """The synopses that a translator of descriptions, trained from nothing, writes."""
    for part, lines in parts.items():
        for side, name in (("source", "prompt"), ("target", "completion")):
            texts = (line[name].removesuffix(SUMMED).replace("\n", " ") for line in lines)
            (folder / f"{part}.{side}").write_text("\n".join(t.strip() for t in texts) + "\n",
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


def synopsis_row(options, folder):
    text = ROOT / "quickstart/synopsis"
    run([sys.executable, ROOT / "scripts/fetch-labels", "synopsis", text, "--apt",
         ROOT / "quickstart/apt"])
    parts = {part: lines_of(text / f"{part}.jsonl") for part in ("train", "valid", "test")}
    references = [line["completion"].strip() for line in parts["test"]]
    descriptions = [line["prompt"].removesuffix(SUMMED) for line in parts["test"]]
    row = {"first_sentence": rouge(options, [sentences(d)[0] for d in descriptions], references)}
    texts, minutes = encoder_decoder(options, folder, parts)
    row["encoder_decoder"] = {"rouge_l": rouge(options, texts, references), "minutes": minutes}
    row["before"] = rouge(options, continuations(options, text / "test.jsonl"), references)
    few = folder / "few.jsonl"
    few.write_text("".join(json.dumps(line) + "\n" for line in parts["train"][::10]))
    adapter = folder / "synopsis.safetensors"
    done, minutes = tune(options, few, text / "valid.jsonl", adapter, "--after", "1e",
                         "--mini-batch-words", 1024, "--learn-rate", 0.001, "--disp-freq", "20u")
    row["tuned"] = {
        "rouge_l": rouge(options, continuations(options, text / "test.jsonl", "--lora", adapter),
                         references),
        "lines": len(parts["train"][::10]), "valid_loss": min(losses(done.log)),
        "minutes": minutes}
    scores = (row["first_sentence"], row["encoder_decoder"]["rouge_l"], row["tuned"]["rouge_l"])
    tell_verdict("synopsis, encoder-decoder above the first sentence", scores[1], scores[0])
    tell_verdict("synopsis, tuned above the encoder-decoder", scores[2], scores[1])
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rows_of = {"speed": speed_row, "sql": sql_row, "synopsis": synopsis_row}
    parser.add_argument("names", nargs="*", default=list(rows_of), help=", ".join(rows_of))
    parser.add_argument("--gguf", type=pathlib.Path, required=True)
    parser.add_argument("--peer", help="a Python with torch, transformers, peft and gguf")
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("WEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--tcmalloc", default="libtcmalloc_minimal.so.4")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    path = result_file("tuning")
    rows = json.loads(path.read_text()) if path.exists() else {}
    for name in options.names:
        with tempfile.TemporaryDirectory() as made:
            row = rows_of[name](options, pathlib.Path(made))
        rows[name] = {"model": options.gguf.name, "threads": options.threads} | row | machine()
        write_whole(path, json.dumps(rows, indent=1) + "\n")
    print(path.read_text(), end="")


if __name__ == "__main__":
    main()
