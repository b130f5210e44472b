#!/usr/bin/env python3
"""Sentences to their trees of constituents.

    python3 recipes/parsing.py --data FOLDER
    python3 recipes/parsing.py trees.txt

FOLDER has {train,dev,test}.trees[.gz], a tree a line: (S (NP (PRP It)) (VP (VBZ works)) (. .)).
The Penn Treebank's sample in NLTK's data (https://www.nltk.org/nltk_data, "treebank"), without
traces and function tags, is such text; its terms do not allow a copy here.

The model reads words and writes brackets and tags, `(S (NP PRP )NP (VP VBZ )VP . )S`. Of the trees
of its beam the first counts that has a tag for each word; if none has, the best one is mended.
"""

import collections
import re

import recipe
import trees
from debian_text import write_whole

KNOWN = 2  # a word that training has less often is read as its class
PHRASES = {"S", "SBAR", "NP", "VP", "PP"}  # also examples of training by themselves
PART_NAMES = {"train": "train", "valid": "dev", "test": "test"}
SUFFIX = re.compile(r"(ing|ed|ly|er|est|ion|ions|ity|al|able|ous|y|s)$")


def word_class(word):
    """What is seen of a rare word: digits, capitals, hyphens, its suffix."""
    marks = [("0", re.search(r"\d", word)), ("A", word[:1].isupper()), ("-", "-" in word)]
    suffix = SUFFIX.search(word)
    return "<" + "".join(m for m, is_there in marks if is_there) + (
        f"~{suffix[0]}" if suffix else "") + ">"


class Parsing(recipe.Recipe):
    """Constituency parsing."""

    name = "parsing"
    sets = {"treebank": "the Penn Treebank's sample, 3,501 trees for training"}
    file_help = "a tree with brackets a line"
    translate_options = ["--beam-size", 10, "--n-best"]
    mended = 0  # of the last results, those whose beams had no whole tree

    def fetch(self, chosen, data, folder):
        if not data:
            raise recipe.Missing("expected --data FOLDER with {train,dev,test}.trees, a tree a "
                                 "line; https://www.nltk.org/nltk_data has the Penn Treebank's "
                                 "sample")
        parts = {}
        for part, name in PART_NAMES.items():
            path = data / f"{name}.trees"
            parts[part] = self.read(path if path.is_file() else data / f"{name}.trees.gz")
        return parts

    def read(self, path):
        pairs = []
        for number, line in enumerate(recipe.read_lines(path), 1):
            try:
                tree = trees.parse(line)
            except ValueError as problem:
                raise recipe.Missing(f"{path}:{number}: {problem}") from problem
            pairs.append((tree.text(), str(tree)))
        return pairs

    def learn(self, examples, folder):
        counts = collections.Counter(word for text, _ in examples for word in text.split())
        write_whole(folder / "known.words",
                    sorted(word for word, count in counts.items() if count >= KNOWN))

    def load(self, folder):
        self.known = set(recipe.read_lines(folder / "known.words"))

    def source(self, line):
        return " ".join(word if word in self.known else word_class(word) for word in line.split())

    def target(self, line):
        return " ".join(trees.linear(trees.parse(line)))

    def training(self, examples):
        """All trees, and the phrases in them of two words and more, each once."""
        found = dict.fromkeys(examples)
        for _, text in examples:
            for phrase in trees.parse(text).constituents():
                if phrase.label in PHRASES and len(phrase.leaves()) > 1:
                    found[phrase.text(), str(phrase)] = None
        return list(found)

    def training_options(self, folder):
        """Where cross-attention looks when it writes a tag: to the word of that number."""
        links = []
        for line in recipe.read_lines(folder / "train.target"):
            tags = [n for n, token in enumerate(line.split()) if token[0] not in "()"]
            links.append(" ".join(f"{word}-{n}" for word, n in enumerate(tags)))
        write_whole(folder / "train.links", links)
        return ["--guided-alignment", folder / "train.links"]

    def finish(self, lines, outputs):
        """The first of each beam that is a whole tree over the line's words, or the best one,
        mended."""
        beams = [[] for _ in lines]
        for printed in outputs:
            number, tokens, *_ = printed.split(" ||| ")
            beams[int(number)].append(tokens.split())
        found = [best(beam, line.split()) for line, beam in zip(lines, beams)]
        self.mended = sum(not is_whole for _, is_whole in found)
        return [str(tree) for tree, _ in found]

    def figures(self, examples, results):
        guesses, golds = (list(map(trees.parse, texts))
                          for texts in (results, [tree for _, tree in examples]))
        return trees.scores(guesses, golds) | {"mended": self.mended / len(golds)}


def best(beam, words):
    """The first whole tree of a beam, or its first one, mended; and whether it is whole."""
    found = [trees.restored(tokens, words) for tokens in beam]
    return next((one for one in found if one[1]), found[0])


if __name__ == "__main__":
    recipe.main(Parsing())
