#!/usr/bin/env python3
"""Tests of scripts/fetch-corpus, fetch-labels and make-toy-corpus; no network is used."""

import collections
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS.parent / "tools"))
import debian_text  # noqa: E402


def script(name):
    """A script without a suffix, as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


fetch = script("fetch-corpus")
labels = script("fetch-labels")
toy = script("make-toy-corpus")

ENGLISH = """\
Package: weave
Description-md5: 11
Description-en: small weaving tool
 It weaves cloth, e.g. Linen. It is fast
 and well-
 tested.
 .
 What it can do:
  * weave plain cloth;
  - weave patterns of
    many colours.
"""
ITALIAN = """\
Package: weave
Description-md5: 11
Description-it: piccolo strumento di tessitura
 Tesse stoffe, ad es. Lino. È veloce
 e ben provato.
 .
 Che cosa sa fare:
  * tessere stoffe semplici;
  - tessere motivi di molti colori
"""


def description(text, language):
    return next(iter(debian_text.stanzas(text, language)))[2]


class Alignment(unittest.TestCase):
    def test_pairs_synopsis_sentences_and_list_items(self):
        pairs = list(fetch.aligned(description(ENGLISH, "en"), description(ITALIAN, "it")))
        self.assertEqual([
            ("small weaving tool", "piccolo strumento di tessitura"),
            ("It weaves cloth, e.g. Linen.", "Tesse stoffe, ad es. Lino."),
            ("It is fast and well-tested.", "È veloce e ben provato."),
            ("What it can do:", "Che cosa sa fare:"),
            ("weave plain cloth", "tessere stoffe semplici"),
            ("weave patterns of many colours.", "tessere motivi di molti colori"),
        ], pairs)

    def test_keeps_a_paragraph_whole_where_sentences_do_not_match(self):
        pairs = list(fetch.aligned(["a b c", " One. Two. Three."], ["x y z", " Uno, due. Tre."]))
        self.assertEqual(("One. Two. Three.", "Uno, due. Tre."), pairs[1])

    def test_keeps_only_the_synopsis_where_paragraphs_do_not_match(self):
        pairs = list(fetch.aligned(["a b c", " One.", " .", " Two."], ["x y z", " Uno. Due."]))
        self.assertEqual([("a b c", "x y z")], pairs)

    def test_drops_short_long_equal_and_lopsided_pairs(self):
        self.assertTrue(fetch.is_usable("one two three", "uno due tre"))
        for a, b in (("one two", "uno due"), ("same words here", "same words here"),
                     ("w " * 81, "p " * 81), ("one two three", "una frase lunga " * 4)):
            self.assertFalse(fetch.is_usable(a, b), a)


class Split(unittest.TestCase):
    def setUp(self):
        names = [f"package{i}" for i in range(1000)]
        self.sources = {part: next(n for n in names if debian_text.part_of(n) == part)
                        for part in debian_text.PARTS}

    def test_goes_by_the_checksum_of_the_source(self):
        self.assertEqual("train", debian_text.part_of("gcc-12"))
        self.assertEqual("test", debian_text.part_of(self.sources["test"]))

    def test_drops_from_train_what_stands_in_test_but_for_digits(self):
        train, test = self.sources["train"], self.sources["test"]
        parts = debian_text.split([
            (train, ("Library 12 of it", "la libreria 12")),
            (train, ("quite another thing", "tutta un'altra cosa")),
            (train, ("quite another thing", "tutta un'altra cosa")),
            (test, ("library 3 of it", "libreria numero 3"))])
        self.assertEqual([("quite another thing", "tutta un'altra cosa")], parts["train"])
        self.assertEqual([("library 3 of it", "libreria numero 3")], parts["test"])


    def test_compares_the_texts_alone_where_labels_stand_beside_them(self):
        train, test = self.sources["train"], self.sources["test"]
        parts = debian_text.split([(train, ("games", "one thing")), (train, ("math", "other")),
                                   (test, ("admin", "One thing"))], texts=lambda f: f[1:])
        self.assertEqual([("math", "other")], parts["train"])

    def test_holds_out_as_much_as_asked(self):
        names = [f"package{i}" for i in range(2000)]
        counts = collections.Counter(debian_text.part_of(name, 5) for name in names)
        self.assertTrue(70 < counts["test"] < 130 and 70 < counts["valid"] < 130, counts)


class Labels(unittest.TestCase):
    def test_case_and_marks_are_taken_off_words(self):
        self.assertEqual(("gnu grep finds text in files fast", "upper lower lower title "
                          "lower mixed lower", "none , none none none : ."),
                         labels.case_and_marks("GNU grep, finds Text in fiLes: fast."))
        self.assertEqual("title", labels.case_of("A"))
        self.assertIsNone(labels.case_and_marks("marks ... alone"))

    def test_a_synopsis_sums_up_the_paragraphs_behind_it(self):
        fields = labels.described(description(ENGLISH, "en"))
        self.assertEqual("small weaving tool", fields[1])
        self.assertTrue(fields[0].startswith("It weaves cloth, e.g. Linen. It is fast"))
        self.assertEqual({"prompt": f"{fields[0]}\n\nSynopsis:",
                          "completion": " small weaving tool"},
                         json.loads(labels.summary_line(fields)))
        self.assertIsNone(labels.described(["small weaving tool", " It weaves cloth."]))
        long = labels.described(["small weaving tool", " " + "word " * 500])
        self.assertEqual(120, len(long[0].split()))

    def test_a_description_is_one_line(self):
        self.assertEqual("small weaving tool It weaves cloth, e.g. Linen. It is fast and "
                         "well-tested. What it can do: weave plain cloth; weave patterns of many "
                         "colours.", labels.whole_text(description(ENGLISH, "en")))


class Programs(unittest.TestCase):
    def run_script(self, *arguments, **environment):
        return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True,
                              text=True, env={**os.environ, **environment})

    def test_fetching_without_apt_says_so_and_ends_with_3(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_script(SCRIPTS / "fetch-corpus", folder, PATH="")
            self.assertEqual((3, True), (run.returncode, "no corpus: " in run.stderr), run.stderr)
            run = self.run_script(SCRIPTS / "fetch-labels", "case", folder, PATH="")
            self.assertEqual((3, True), (run.returncode, "no corpus: " in run.stderr), run.stderr)

    def test_fetching_again_uses_what_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            for part in debian_text.PARTS:
                for language in ("en", "it"):
                    (pathlib.Path(folder) / f"{part}.{language}").write_text("x\n")
            run = self.run_script(SCRIPTS / "fetch-corpus", folder, PATH="")
            self.assertEqual((0, True), (run.returncode, "there already" in run.stderr))

    def test_the_toy_corpus_is_the_same_each_time_and_disjoint(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            for folder in (one, two):
                run = self.run_script(SCRIPTS / "make-toy-corpus", folder, "2000")
                self.assertEqual(0, run.returncode, run.stderr)
            texts = {path.name: path.read_text() for path in pathlib.Path(one).iterdir()}
            self.assertEqual(texts, {p.name: p.read_text() for p in pathlib.Path(two).iterdir()})
            lines = sum((texts[f"{part}.en"].splitlines() for part in debian_text.PARTS), [])
            self.assertEqual((3000, 3000), (len(lines), len(set(lines))))


class Numbers(unittest.TestCase):
    def test_are_spelled_as_the_languages_do(self):
        for number, english, italian in (
                (8, "eight", "otto"), (21, "twenty-one", "ventuno"),
                (28, "twenty-eight", "ventotto"),
                (33, "thirty-three", "trentatré"), (100, "one hundred", "cento"),
                (342, "three hundred and forty-two", "trecentoquarantadue"),
                (1000, "one thousand", "mille"),
                (2015, "two thousand and fifteen", "duemilaquindici"),
                (9999, "nine thousand nine hundred and ninety-nine",
                 "novemilanovecentonovantanove")):
            self.assertEqual((english, italian), (toy.english(number), toy.italian(number)))


if __name__ == "__main__":
    unittest.main()
