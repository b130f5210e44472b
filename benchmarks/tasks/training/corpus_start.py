#!/usr/bin/env python3
"""Measures time and memory until the first update on a text of millions of pairs.

    python3 benchmarks/tasks/training/corpus_start.py --data DIR [--before PROGRAM] [--pairs N]

Compares starts without the cache of tokenised text, with the cache written, and with it reused. DIR
holds Multi30k's train.{en,de}.gz, which are repeated with numbers in every line; a vocabulary of
8,000 SentencePiece tokens is first trained on a tenth of them. --before is an older program to
compare with. Prints one JSON object, which is also written to benchmarks/results. Needs 3 GB in the
temporary folder.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, fixed_defaults, read_text, report  # noqa: E402

TINY = ("--enc-depth 1 --dec-depth 1 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 16 "
        "--mini-batch-words 256 --precision float32 --after 1u --overwrite").split()


def write_text(data, folder, pairs):
    """Writes the text, without repeated lines, and a tenth of it for the vocabulary."""
    for language in ("en", "de"):
        lines = read_text(data / f"train.{language}.gz").splitlines()
        with (open(folder / f"text.{language}", "w", encoding="utf8") as text,
              open(folder / f"some.{language}", "w", encoding="utf8") as some):
            for i in range(pairs):
                line = f"{lines[i % len(lines)]} {i}\n"
                text.write(line)
                if i % 10 == 0:
                    some.write(line)


def start(weft, folder, text, *more):
    """Wall seconds, processor seconds and peak MB of a training with one update."""
    command = [weft, "train", "-t", folder / f"{text}.en", folder / f"{text}.de", "-v",
               folder / "v.model", folder / "v.model", "-m", folder / "m.safetensors",
               *TINY, *fixed_defaults(weft), *more]
    begin = time.perf_counter()
    with open(folder / "log", "w+", encoding="utf8") as log:
        process = subprocess.Popen(list(map(str, command)), stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        log.seek(0)
        if status != 0:
            sys.exit(log.read()[-2000:])
    return {"seconds": round(seconds, 2),
            "processor_seconds": round(usage.ru_utime + usage.ru_stime, 2),
            "peak_mb": round(usage.ru_maxrss / 1024)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--before")
    parser.add_argument("--pairs", type=int, default=2_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_text(options.data, folder, options.pairs)
        start(options.weft, folder, "some", "--corpus-cache", "off", "--sentencepiece-max-lines",
              "100000")
        text_bytes = sum((folder / f"text.{language}").stat().st_size for language in ("en", "de"))
        result = {"pairs": options.pairs, "text_mb": text_bytes // 10**6}
        if options.before:
            result["before"] = start(options.before, folder, "text")
        result["without_file"] = start(options.weft, folder, "text", "--corpus-cache", "off")
        result["first_start"] = start(options.weft, folder, "text", "--corpus-cache", folder)
        result["file_mb"] = next(folder.glob("*.corpus")).stat().st_size // 10**6
        result["second_start"] = start(options.weft, folder, "text", "--corpus-cache", folder)
    report("corpus_start", result)


if __name__ == "__main__":
    main()
