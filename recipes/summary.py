#!/usr/bin/env python3
"""Descriptions of packages to the line that sums each up, by tuning SmolLM2.

    python3 recipes/summary.py
    python3 recipes/summary.py texts.tsv

The set descriptions has Debian's package descriptions, each with its synopsis, which
scripts/fetch-labels fetches through apt; packages of one source are in one part. A tenth of those
for training is learnt.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from recipe import HERE, PARTS, Missing, main, read_lines, sentences
from tuned import TunedRecipe

SUMMED = "\n\nSynopsis:"
LEARNT = 10  # one in 10 examples for training is learnt


def rouge_l(weft, texts, references):
    """The mean ROUGE-L of texts, from 0 to 1, by weft evaluate."""
    with tempfile.NamedTemporaryFile("w", encoding="utf8", suffix=".txt") as file:
        file.write("".join(f"{line}\n" for line in references))
        file.flush()
        run = subprocess.run([weft, "evaluate", "--metrics", "rougeL", "--json", "--quiet", "-r",
                              file.name], input="".join(f"{text}\n" for text in texts), text=True,
                             stdout=subprocess.PIPE, check=True, encoding="utf8")
    return json.loads(run.stdout)[0]["score"]


class Summary(TunedRecipe):
    name = "summary"
    sets = {"descriptions": "Debian's package descriptions and their synopses, fetched by apt"}
    file_help = "text TAB summary, a pair a line"
    longest = 32
    weft = "build/release/weft"

    def fetch(self, chosen, data, folder):
        text = pathlib.Path("quickstart/synopsis")
        fetched = subprocess.run([sys.executable, HERE.parent / "scripts/fetch-labels", "synopsis",
                                  text, "--apt", "quickstart/apt"], check=False)
        if fetched.returncode != 0:
            raise Missing("no descriptions; expected a file, text TAB summary")
        lines = {part: map(json.loads, read_lines(text / f"{part}.jsonl"))
                 for part in PARTS}
        return {part: [(line["prompt"].removesuffix(SUMMED), line["completion"].strip())
                       for line in found] for part, found in lines.items()}

    def training(self, examples):
        return examples[::LEARNT] if len(examples) > 20000 else examples

    def source(self, line):
        return line + SUMMED

    def results(self, lines, options):
        self.weft = options.weft
        return super().results(lines, options)

    def figures(self, examples, results):
        references = [target for _, target in examples]
        first = [sentences(line)[0] for line, _ in examples]
        return {"ROUGE-L": rouge_l(self.weft, results, references),
                "ROUGE-L of the first sentence": rouge_l(self.weft, first, references)}


if __name__ == "__main__":
    main(Summary())
