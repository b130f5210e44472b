#!/usr/bin/env python3
"""Text with typing errors to text without.

    python3 recipes/spelling.py
    python3 recipes/spelling.py text.txt

The set descriptions has the English sentences of Debian's package descriptions, which
scripts/fetch-corpus fetches through apt. Errors are made by a fixed seed: letters that are left
out, doubled, swapped, taken for their neighbours on the keyboard or for others that sound alike,
and spaces that are left out or too many.
"""

import pathlib
import random
import subprocess

import recipe

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
SOUNDS = {"c": "ks", "k": "c", "s": "cz", "z": "s", "f": "v", "v": "f", "i": "ey", "y": "i",
          "e": "ai", "a": "e", "o": "u", "u": "o", "d": "t", "t": "d", "g": "j", "j": "g"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WRONG_WORDS = 0.15  # the share of words with an error
SHORTEST, LONGEST = 20, 120  # characters of a sentence
ROUNDS = 2  # how often training has each sentence, with other errors


def neighbours(letter):
    """The letters beside one on the keyboard."""
    for row in ROWS:
        place = row.find(letter)
        if place >= 0:
            return row[max(0, place - 1):place] + row[place + 1:place + 2]
    return LETTERS


def misspelled(word, chance):
    """The word with one error."""
    place = chance.randrange(len(word))
    before, letter, after = word[:place], word[place], word[place + 1:]
    kind = chance.randrange(7)
    if kind == 0 and len(word) > 1:
        return before + after
    if kind == 1:
        return before + letter * 2 + after
    if kind == 2 and after:
        return before + after[0] + letter + after[1:]
    if kind == 3 and before:
        return before + " " + letter + after
    if kind == 4:
        return before + chance.choice(LETTERS) + letter + after
    choices = (SOUNDS if kind == 5 else {}).get(letter.lower()) or neighbours(letter.lower())
    other = chance.choice(choices)
    return before + (other.upper() if letter.isupper() else other) + after


def noisy(sentence, chance):
    """The sentence with errors in some words, and a few spaces left out."""
    words = [misspelled(word, chance) if chance.random() < WRONG_WORDS else word
             for word in sentence.split()]
    text = words[0]
    for word in words[1:]:
        text += ("" if chance.random() < WRONG_WORDS / 10 else " ") + word
    return text


def distance(first, second):
    """The least insertions, deletions and substitutions of words between two lists of words."""
    row = list(range(len(second) + 1))
    for number, word in enumerate(first, 1):
        diagonal, row[0] = row[0], number
        for place, other in enumerate(second, 1):
            diagonal, row[place] = row[place], min(
                row[place] + 1, row[place - 1] + 1, diagonal + (word != other))
    return row[-1]


def word_error(texts, targets):
    """Word edits to the targets, for each of their words."""
    edits = sum(distance(text.split(), target.split()) for text, target in zip(texts, targets))
    return edits / sum(len(target.split()) for target in targets)


class Spelling(recipe.Recipe):
    """Spelling correction."""

    name = "spelling"
    sets = {"descriptions": "English sentences of Debian's package descriptions"}
    file_help = "text without errors, a sentence a line"

    def fetch(self, chosen, data, folder):
        corpus = data or folder.parent / "descriptions"
        if not (corpus / "train.en").is_file():
            script = pathlib.Path(__file__).resolve().parents[1] / "scripts/fetch-corpus"
            apt = folder.parent / "apt"
            if subprocess.run([script, corpus, "--apt", apt], check=False).returncode:
                raise recipe.Missing("apt brought no text; expected a file of sentences instead")
        return {part: with_errors(recipe.read_lines(corpus / f"{part}.en"), part)
                for part in recipe.PARTS}

    def read(self, path):
        return with_errors(recipe.read_lines(path), path.name)

    def training(self, examples):
        """The examples, and again with other errors."""
        chance = random.Random("training")
        return examples + [(noisy(clean, chance), clean)
                           for _ in range(ROUNDS - 1) for _, clean in examples]

    def figures(self, examples, results):
        given, targets = zip(*examples)
        return {"word error before": word_error(given, targets),
                "word error": word_error(results, targets),
                "sentences right before": recipe.exact(given, targets),
                "sentences right": recipe.exact(results, targets)}


def with_errors(sentences, seed):
    """[(text with errors, text)] of each sentence that is neither short nor long, once."""
    chance = random.Random(seed)
    usable = dict.fromkeys(" ".join(text.split()) for text in sentences)
    return [(noisy(text, chance), text) for text in usable if SHORTEST <= len(text) <= LONGEST]


if __name__ == "__main__":
    recipe.main(Spelling())
