#!/usr/bin/env python3
"""Measures drafts from the prompt, on answers that copy and on free prose.

    python3 benchmarks/tasks/generation/drafts.py --model SmolLM2-135M-Instruct.Q4_1.gguf

Ten prompts of each sort are continued one at a time and greedily, with and without drafts in turns;
the time of loading, that of a run without prompts, is taken off. The bytes have to be the same.
Prints one JSON object with medians over --rounds, which is also written to benchmarks/results, and
one line per goal. About ten minutes on two cores.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, report  # noqa: E402

# Plain over drafted seconds.
GOALS = {"copies": 1.8, "prose": 0.98}

EDITS = [
    ("The quick brown foxes were jumping over two lazy dogs near the old stone bridge, while the "
     "farmer was counting his sheep and his daughter was painting the wooden gate.", "past tense",
     "present tense"),
    ("Our meeting begins at nine in the morning and ends at noon; please bring the signed forms, "
     "the printed agenda and a list of questions for the two visitors from Hamburg.", "first draft",
     "final draft"),
    ("The museum is open from Tuesday to Sunday, and tickets can be bought at the entrance or on "
     "the web site of the city; children under twelve and students do not pay.", "British spelling",
     "American spelling"),
    ("def average(values):     total = 0     for value in values:         total += value     "
     "return total / len(values)", "Python function without types", "Python function with types"),
]
RECORDS = [
    '{"name": "Maria Keller", "age": 34, "city": "Zurich", "email": "maria.keller@example.org", '
    '"languages": ["German", "French", "Italian"], "active": true}',
    '{"order": 48213, "customer": "Northwind Traders", "items": [{"sku": "A-113", "count": 2, '
    '"price": 19.95}, {"sku": "B-207", "count": 1, "price": 149.0}], "paid": false}',
    '{"station": "Lisboa Oriente", "lines": ["Sintra", "Azambuja", "Sul"], "platforms": 8, '
    '"opened": 1998, "architect": "Santiago Calatrava", "coordinates": [38.767, -9.099]}',
]
QUOTES = [
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, "
    "must be in want of a wife. However little known the feelings or views of such a man may be",
    "Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in "
    "my purse, and nothing particular to interest me on shore, I thought I would sail about",
    "When in the course of human events, it becomes necessary for one people to dissolve the "
    "political bands which have connected them with another, a decent respect requires",
]
COPIES = ([f'The {a}: "{text}" The {b}, with the same words: "' for text, a, b in EDITS] +
          [f"The record: {text} The record again, with one more field at its end: "
           + text.split(":")[0] + ":" for text in RECORDS] +
          [f'The passage is: "{text}." He read the passage aloud, word for word: "'
           for text in QUOTES])
PROSE = [
    "The old lighthouse keeper climbed the stairs one last time and",
    "A short history of bread begins with",
    "To grow tomatoes on a balcony, you first need",
    "The main reason why the sky looks blue during the day is that",
    "My grandmother used to say that the best journeys",
    "Once upon a time, in a village between two rivers, there lived",
    "The difference between weather and climate is",
    "When the orchestra stopped playing, the conductor turned around and",
    "Good software is easy to change because",
    "In the winter of that year the harbour froze, and",
]
SORTS = {"copies": COPIES, "prose": PROSE}


class Weft:
    def __init__(self, options):
        self.command = [options.weft, "generate", "-m", options.model, "--temperature", "0",
                        "--max-length", str(options.max_length), "--threads", str(options.threads),
                        "--mini-batch", "1"]

    def run(self, prompts, *more):
        """Seconds, output and log of a run."""
        begin = time.perf_counter()
        done = subprocess.run([*self.command, *more], text=True, capture_output=True, check=False,
                              input="".join(f"{prompt}\n" for prompt in prompts))
        if done.returncode != 0:
            sys.exit(done.stderr[-2000:])
        return time.perf_counter() - begin, done.stdout, done.stderr


def measure(weft, prompts, rounds):
    """Seconds of each round, plain and drafted, and what was drafted."""
    seconds = {"plain": [], "drafted": []}
    for _ in range(rounds):
        for draft, more in {"plain": [], "drafted": ["--draft", "prompt"]}.items():
            loading, _, _ = weft.run([])
            whole, text, log = weft.run(prompts, *more)
            seconds[draft].append(round(whole - loading, 3))
            if draft == "plain":
                expected = text
            elif text != expected:
                sys.exit("the text with drafts differs from that without")
    counts = re.search(r"(\d+) of (\d+) drafted tokens? (?:was|were) right", log)
    right, drafted = map(int, counts.groups()) if counts else (0, 0)
    ratio = statistics.median(seconds["plain"]) / statistics.median(seconds["drafted"])
    return {"seconds": seconds, "ratio": round(ratio, 3), "drafted_tokens": drafted,
            "right_tokens": right}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--max-length", type=int, default=96)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    weft = Weft(options)
    sorts = {name: measure(weft, prompts, options.rounds) for name, prompts in SORTS.items()}
    report("generation_drafts",
           {"model": pathlib.Path(options.model).name, "max_length": options.max_length,
            "threads": options.threads, "sorts": sorts},
           [(f"{name}, plain over drafted", sorts[name]["ratio"], goal)
            for name, goal in GOALS.items()])


if __name__ == "__main__":
    main()
