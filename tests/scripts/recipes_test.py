#!/usr/bin/env python3
"""Tests of recipes/: their data, figures and trees; with the program, short trainings too.

    tests/scripts/recipes_test.py [WEFT]
"""

import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEFT = None
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "recipes"))
import commands  # noqa: E402
import parsing  # noqa: E402
import pronunciation  # noqa: E402
import recipe  # noqa: E402
import spelling  # noqa: E402
import sql  # noqa: E402
import stories  # noqa: E402
import summary  # noqa: E402
import trees  # noqa: E402

TREES = ["(S (NP (PRP It)) (VP (VBZ works)) (. .))",
         "(S (NP (DT The) (NN cat)) (VP (VBD saw) (NP (DT a) (NN dog))) (. .))"]

SHORT = ["--", "--after", "3u", "--valid-freq", "0", "--valid-first", "0", "--enc-depth", "1",
         "--dec-depth", "1", "--dim-emb", "16", "--mini-batch-words", "200", "--quiet"]


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, name, lines):
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
        return path


class Files(Scratch):
    def test_a_line_feed_alone_ends_a_line(self):
        path = self.write("text", ["a\u2028b", "", "c\x0cd\x85"])
        self.assertEqual(["a\u2028b", "", "c\x0cd\x85"], recipe.read_lines(path))
        self.assertEqual([[], ["a"], [""]], list(map(recipe.lines_of, ("", "a", "\n"))))

    def test_columns_have_single_spaces_and_their_lines_numbers(self):
        self.assertEqual([["a b", "c"], ["d", "e"]], recipe.read_columns(
            self.write("text", ["a  b\t c", "", "d\te"]), 2))
        for line in ("a\t ", "a", "a\tb\tc"):
            with self.assertRaisesRegex(recipe.Missing, "text:3: . columns; expected 2"):
                recipe.read_columns(self.write("text", ["a\tb", "", line]), 2)

    def test_refuses_other_encodings(self):
        path = self.folder / "text"
        path.write_bytes(b"caf\xe9\n")
        with self.assertRaisesRegex(recipe.Missing, "text: not UTF-8 at byte 3"):
            recipe.read_lines(path)

    def test_parts_are_the_same_in_each_run_and_equal_sources_in_one(self):
        parts = recipe.divided([(str(n % 400), n) for n in range(800)])
        self.assertEqual(parts, recipe.divided([(str(n % 400), n) for n in range(800)]))
        sources = {part: {source for source, _ in found} for part, found in parts.items()}
        self.assertEqual(400, sum(map(len, sources.values())))
        self.assertAlmostEqual(360, len(sources["train"]), delta=20)


class Commands(unittest.TestCase):
    def test_the_language_is_that_of_scan(self):
        pairs = commands.language()
        self.assertEqual(20910, len(pairs))
        self.assertEqual(20910, len(set(pairs)))
        actions = dict(pairs)
        self.assertEqual("I_TURN_RIGHT I_WALK I_TURN_LEFT I_TURN_LEFT I_RUN",
                         actions["run opposite left after walk right"])
        self.assertEqual("I_TURN_LEFT I_TURN_LEFT I_TURN_LEFT I_TURN_LEFT I_LOOK I_LOOK I_LOOK",
                         actions["turn around left and look thrice"])

    def test_the_length_set_has_long_commands_in_its_test_alone(self):
        parts = commands.Commands().fetch("length", None, None)
        longest = {part: max(len(actions.split()) for _, actions in pairs)
                   for part, pairs in parts.items()}
        self.assertEqual((22, 48), (longest["train"], longest["test"]))
        self.assertEqual((16990, 3920), (len(parts["train"]) + len(parts["valid"]),
                                         len(parts["test"])))

    def test_the_simple_set_divides_all_commands(self):
        parts = commands.Commands().fetch("simple", None, None)
        self.assertEqual(4182, len(parts["test"]))
        self.assertEqual(set(commands.language()), {pair for part in parts.values()
                                                    for pair in part})
        self.assertEqual(20910, sum(map(len, parts.values())))


class Pronunciation(Scratch):
    def test_a_word_is_right_by_any_of_its_pronunciations(self):
        examples = [("read", "r iy d"), ("read", "r eh d"), ("cat", "k ae t")]
        figures = pronunciation.Pronunciation().figures
        self.assertEqual({"word error": 0}, figures(examples, ["r eh d", "r eh d", "k ae t"]))
        self.assertEqual({"word error": 0.5}, figures(examples, ["r ih d", "r ih d", "k ae t"]))

    def test_reads_the_dictionary_of_the_package(self):
        self.assertEqual([("a", "AH"), ("a", "EY"), ("d'or", "D AO R")], list(
            pronunciation.dictionary(["a AH0", "a(2) EY1", "d'or D AO1 R # a remark, french"])))

    def test_reads_the_published_lists(self):
        for part in ("train", "dev", "test"):
            self.write(f"fre_{part}.tsv", [f"été{part}\te t e"])
        parts = pronunciation.Pronunciation().fetch("french", self.folder, None)
        self.assertEqual([("étédev", "e t e")], parts["valid"])
        self.assertEqual("é t é", pronunciation.Pronunciation().source("été"))

    def test_says_where_lists_are(self):
        with self.assertRaisesRegex(recipe.Missing, "--data FOLDER .* https://"):
            pronunciation.Pronunciation().fetch("french", None, self.folder)


class Stories(unittest.TestCase):
    def answer(self, text):
        """Follows a story by its words alone."""
        told, question = text.split("\t")
        places, owners, left = {}, {}, {}
        for sentence in told.removesuffix(" .").split(" . "):
            who, *verb, _, last = sentence.split()
            if last in stories.PLACES:
                places[who] = last
            elif " ".join(verb) in stories.TAKE:
                owners[last] = who
            else:
                left[last] = places[owners.pop(last)]
        asked = question.split()[-2]
        if asked in places:
            return places[asked]
        return places[owners[asked]] if asked in owners else left[asked]

    def test_the_stories_say_the_answers(self):
        for kind in ("one", "two"):
            chance = random.Random(kind)
            for text, target in (stories.story(kind, chance) for _ in range(500)):
                facts, answer = target.split(" <sep> ")
                self.assertEqual(answer, self.answer(text), text)
                question = text.split("\t")[1]
                self.assertEqual(1 if kind == "one" else 2, facts.count("."))
                for fact in facts.removesuffix(" .").split(" . "):
                    self.assertIn(f"{fact} .", text)
                if kind == "one":
                    self.assertEqual(answer, self.answer(f"{facts}\t{question}"))
                else:
                    thing, move = facts.removesuffix(" .").split(" . ")
                    self.assertEqual(thing.split()[0], move.split()[0])
                    self.assertEqual(thing.split()[-1], question.split()[-2])
                    self.assertEqual(answer, move.split()[-1])

    def test_things_are_taken_where_they_were_left(self):
        chance = random.Random(2)
        for _ in range(500):
            places, left, owner = {}, {}, {}
            for sentence in stories.story("two", chance)[0].split("\t")[0].split(" . "):
                words = sentence.removesuffix(" .").split()
                who, last = words[0], words[-1]
                if last in stories.PLACES:
                    places[who] = last
                elif " ".join(words[1:-2]) in stories.TAKE:
                    self.assertNotIn(last, owner)
                    self.assertEqual(places[who], left.get(last, places[who]))
                    owner[last] = who
                else:
                    self.assertEqual(who, owner.pop(last))
                    left[last] = places[who]

    def test_the_answer_counts_apart_from_the_facts(self):
        examples = [("", "It rains . <sep> in Rome"), ("", "It snows . <sep> in Oslo")]
        self.assertEqual(
            {"answers right": 1, "facts and answers right": 0.5}, stories.Stories().figures(
                examples, ["It rains . <sep> in Rome", "It rains . <sep> in Oslo"]))
        self.assertEqual(0.5, stories.Stories().figures(
            [("", "a"), ("", "b")], ["a", "a <sep> a"])["answers right"])

    def test_the_model_reads_story_and_question_in_one_line(self):
        self.assertEqual("It rains . <sep> Where ?",
                         stories.Stories().source("It rains .\tWhere ?"))


class Trees(unittest.TestCase):
    def test_reads_writes_and_restores(self):
        for text in TREES:
            tree = trees.parse(text)
            self.assertEqual(text, str(tree))
            restored, is_whole = trees.restored(trees.linear(tree), tree.text().split())
            self.assertEqual((text, True), (str(restored), is_whole))
        self.assertEqual("(S (NP PRP )NP (VP VBZ )VP . )S",
                         " ".join(trees.linear(trees.parse(TREES[0]))))

    def test_refuses_what_is_no_tree(self):
        for text, why in (("(S (NN a)", "balanced"), ("(S (NN a)))", "none opened"),
                          ("a", "outside"), ("", "one tree"), ("(NN a)", "one tree"),
                          ("(S (NN a)) (S (NN b))", "one tree"), ("(S ())", "neither a word"),
                          ("(S (NN a b))", "neither a word"), ("(S word (NN a))", "neither")):
            with self.assertRaisesRegex(ValueError, why):
                trees.parse(text)

    def test_mends_what_a_model_writes(self):
        for tokens, expected in (
                ("", "(S (NN a) (NN b))"),
                ("DT NN", "(S (DT a) (NN b))"),
                ("(S DT", "(S (DT a) (NN b))"),
                ("(S DT NN NN )S", "(S (DT a) (NN b))"),
                ("(S (NP )NP DT NN )S", "(S (DT a) (NN b))"),
                ("(S (NP DT )VP NN )S", "(S (NP (DT a) (NN b)))"),
                ("(S DT )S (S NN )S", "(S (S (DT a)) (S (NN b)))"),
                (")S (S DT NN )S", "(S (DT a) (NN b))")):
            tree, is_whole = trees.restored(tokens.split(), ["a", "b"])
            self.assertEqual((expected, False), (str(tree), is_whole), tokens)
            self.assertEqual(expected, str(trees.parse(expected)))

    def test_any_tokens_become_a_tree_over_all_words(self):
        chance = random.Random(1)
        for _ in range(2000):
            tokens = chance.choices(["(S", "(NP", ")S", ")NP", "NN", "DT"], k=chance.randrange(9))
            words = ["a", "b", "c"][:1 + chance.randrange(3)]
            tree, _ = trees.restored(tokens, words)
            self.assertEqual(words, trees.parse(str(tree)).text().split(), tokens)

    def test_counts_brackets_as_evalb(self):
        gold = trees.parse("(S (NP (DT The) (NN cat)) (, ,) (VP (VBD sat) (PRT (RP down))) (. .))")
        self.assertEqual(collections.Counter({("S", 0, 4): 1, ("NP", 0, 2): 1, ("VP", 2, 4): 1,
                                              ("ADVP", 3, 4): 1}),
                         trees.brackets(gold, [True, True, False, True, True, False]))
        guess = trees.parse("(S (NP (DT The) (NN cat) (, ,)) (VP (VBD sat) (ADVP (RB down))) "
                            "(PP (. .)))")
        self.assertEqual({"bracket F1": 1, "precision": 1, "recall": 1, "complete": 1,
                          "tags": 5 / 6}, trees.scores([guess], [gold]))
        flat = trees.parse("(S (NP (DT The)) (NN cat) (, ,) (VBD sat) (RP down) (. .))")
        self.assertEqual({"bracket F1": 1 / 3, "precision": 1 / 2, "recall": 1 / 4, "complete": 0,
                          "tags": 1}, trees.scores([flat], [gold]))


class Parsing(Scratch):
    def setUp(self):
        super().setUp()
        self.recipe = parsing.Parsing()
        self.examples = self.recipe.read(self.write("own.trees", TREES * 2))
        self.recipe.learn(self.examples[:2] + [("works The", "")], self.folder)
        self.recipe.load(self.folder)

    def test_rare_words_are_read_as_classes(self):
        self.assertEqual("The <> works <A~ing> <0-> .",
                         self.recipe.source("The cat works Playing 3-year ."))

    def test_phrases_are_examples_too(self):
        self.assertEqual(
            [("It works .", TREES[0]), ("The cat saw a dog .", TREES[1]),
             ("The cat", "(NP (DT The) (NN cat))"),
             ("saw a dog", "(VP (VBD saw) (NP (DT a) (NN dog)))"),
             ("a dog", "(NP (DT a) (NN dog))")], self.recipe.training(self.examples))

    def test_links_are_from_words_to_tags(self):
        self.write("train.target", ["(S (NP PRP )NP (VP VBZ )VP . )S"])
        _, path = self.recipe.training_options(self.folder)
        self.assertEqual("0-2 1-5 2-7\n", path.read_text())

    def test_the_first_whole_tree_of_a_beam_counts(self):
        printed = ["0 ||| (S NN ||| F0= -1 ||| -1", "0 ||| (S NN VB )S ||| F0= -2 ||| -2",
                   "1 ||| (S NN NN )S ||| F0= -1 ||| -1", "1 ||| (S ||| F0= -2 ||| -2"]
        results = self.recipe.finish(["it works", "it"], printed)
        self.assertEqual(["(S (NN it) (VB works))", "(S (NN it))"], results)
        self.assertEqual(0.5, self.recipe.figures([("", text) for text in results],
                                                  results)["mended"])

    def test_names_the_line_that_is_no_tree(self):
        with self.assertRaisesRegex(recipe.Missing, "own.trees:2: expected one tree"):
            self.recipe.read(self.write("own.trees", [TREES[0], "(S (NN a)"]))


class Spelling(unittest.TestCase):
    def test_errors_are_the_same_in_each_run(self):
        text = ["this is a sentence that is not too short", "short"]
        pairs = spelling.with_errors(text * 2, "test")
        self.assertEqual([text[0]], [clean for _, clean in pairs])
        self.assertEqual(pairs, spelling.with_errors(text, "test"))

    def test_about_a_sixth_of_the_words_are_wrong(self):
        clean = ["one word after the other makes a sentence"] * 300
        chance = random.Random(1)
        noisy = [spelling.noisy(text, chance) for text in clean]
        self.assertAlmostEqual(0.17, spelling.word_error(noisy, clean), delta=0.03)

    def test_counts_word_edits(self):
        for first, second, expected in (("a b c", "a b c", 0), ("a b", "a b c", 1),
                                        ("a x c", "a b c", 1), ("", "a", 1), ("b c", "a b", 2)):
            self.assertEqual(expected, spelling.distance(first.split(), second.split()))
        self.assertEqual(0.25, spelling.word_error(["a b", "c x"], ["a b", "c d"]))

    def test_training_has_each_sentence_with_other_errors(self):
        examples = spelling.with_errors([f"a sentence of some words, number {n}" for n in range(9)],
                                        "test")
        made = spelling.Spelling().training(examples)
        self.assertEqual(spelling.ROUNDS * 9, len(made))
        self.assertEqual({clean for _, clean in examples}, {clean for _, clean in made[9:]})
        self.assertNotEqual(examples, made[9:18])


class Tuned(Scratch):
    """Recipes that tune a language model."""

    TEXT = "table: 1-2\\ncolumns: A, B | C\\nQ: What is  a?\\nA: SELECT A FROM 1-2"

    def test_questions_keep_their_fields(self):
        for part in ("train", "valid", "test"):
            self.write(f"{part}.jsonl", [f'{{"text": "{self.TEXT}"}}'.replace(" | ", ", ")])
        parts = sql.Sql().fetch("wikisql", self.folder, None)
        line = "1-2 | A, B, C | What is a?"
        self.assertEqual([(line, "SELECT A FROM 1-2")], parts["test"])
        self.assertEqual("table: 1-2\ncolumns: A, B, C\nQ: What is a?\nA:", sql.Sql().source(line))
        with self.assertRaisesRegex(recipe.Missing, "2 fields; expected table"):
            sql.Sql().source("1-2 | What is a?")

    def test_text_is_prompts_and_completions(self):
        summary.Summary().write("train", [("A \"word\".", "é")], self.folder)
        self.assertEqual('{"prompt": "A \\"word\\".\\n\\nSynopsis:", "completion": " é"}\n',
                         (self.folder / "train.jsonl").read_text(encoding="utf8"))

    def test_a_tenth_of_many_examples_is_learnt(self):
        many = [(str(n), "x") for n in range(30000)]
        self.assertEqual(3000, len(summary.Summary().training(many)))
        self.assertEqual(many[:20000], summary.Summary().training(many[:20000]))

    def test_a_model_is_tuned_and_applied(self):
        if not WEFT:
            self.skipTest("needs the program")
        model = self.folder / "base.safetensors"
        text = self.write("text", ["0123456789 abc Synopsis:"])
        subprocess.run([WEFT, "train", "language-model", "-t", text, "-v", self.folder / "vocab",
                        "--vocab-type", "character", "-m", model, "--preset", "none", "--dec-depth",
                        "1", "--dim-emb", "16", "--transformer-heads", "2",
                        "--transformer-dim-ffn", "16", "--max-positions", "128", "--max-length",
                        "128", "--after", "1u", "--quiet"], check=True)
        rows = self.write("own.tsv", [f"{n} abc\tbc" for n in range(200)])
        common = ["--model", model, "--folder", self.folder / "own", "--weft", WEFT]
        run = subprocess.run(
            [sys.executable, ROOT / "recipes/summary.py", rows, *common, "--", "--after", "2u",
             "--max-length", "64", "--lr-decay-updates", "0", "--lr-warmup", "0", "--quiet"],
            cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertRegex(run.stdout, r"^ROUGE-L: [\d.e-]+\nROUGE-L of the first sentence: 0\n")
        run = subprocess.run([sys.executable, ROOT / "recipes/summary.py", *common, "--apply",
                              self.write("lines", ["abc"])], cwd=self.folder, text=True,
                             capture_output=True, check=False)
        self.assertEqual((0, 1), (run.returncode, run.stdout.count("\n")), run.stderr)
        run = subprocess.run([sys.executable, ROOT / "recipes/summary.py", rows, "--model", "none"],
                             cwd=self.folder, text=True, capture_output=True, check=False)
        self.assertEqual((1, "summary: no model none\n"), (run.returncode, run.stderr))


class Own(Scratch):
    """Recipes on a file of one's own, from the command line."""

    def run_it(self, name, *arguments):
        return subprocess.run(
            [sys.executable, str(ROOT / f"recipes/{name}.py"), *map(str, arguments)],
            cwd=self.folder, capture_output=True, text=True, check=False)

    def test_refuses_other_files_in_one_line(self):
        rows = self.write("rows.tsv", ["a\tb", "a"])
        for name, arguments, expected in (
                ("commands", [rows], f"commands: {rows}:2: 1 columns; expected 2 that are not "
                                     "empty, with tabs between them\n"),
                ("stories", [self.folder / "none"], f"stories: no file {self.folder}/none\n"),
                ("commands", [self.write("one.tsv", ["a\tb"])],
                 "commands: no example for the train part; expected some hundred examples or "
                 "more\n"),
                ("parsing", [], "parsing: expected --data FOLDER with {train,dev,test}.trees, a "
                                "tree a line; https://www.nltk.org/nltk_data has the Penn "
                                "Treebank's sample\n")):
            run = self.run_it(name, *arguments)
            self.assertEqual((1, expected, ""), (run.returncode, run.stderr, run.stdout))

    def test_names_the_program_that_is_not_there(self):
        run = self.run_it("stories", self.own("stories"), "--weft", "none/weft")
        self.assertEqual(1, run.returncode)
        self.assertIn("stories: no none/weft; build the program with", run.stderr)

    def own(self, name):
        """A file of 200 small examples."""
        lines = {
            "commands": [f"add {a} {b}\t{a + b}" for a in range(10) for b in range(20)],
            "pronunciation": [f"ab{n}\t{' '.join(str(n))}" for n in range(200)],
            "stories": [f"It is {n} .\tWhat is it ?\t{n % 5}" for n in range(200)],
            "parsing": [f"(S (NP (CD {n})) (VP (VBZ works)))" for n in range(200)],
            "spelling": [f"there are {n} small examples" for n in range(200)]}
        return self.write(f"{name}.txt", lines[name])

    def test_every_recipe_trains_and_is_applied(self):
        if not WEFT:
            self.skipTest("needs the program")
        given = {"commands": "add 1 2", "pronunciation": "ab", "spelling": "small exmaples",
                 "stories": "It is 3 .\tWhat is it ?", "parsing": "Ten works"}
        for name, line in given.items():
            run = self.run_it(name, self.own(name), "--folder", name, "--weft", WEFT, *SHORT)
            self.assertEqual(0, run.returncode, run.stderr)
            self.assertRegex(run.stdout, r"^[\w ]+: [\d.e-]+\n")
            test = (self.folder / name / "test.source").read_text().splitlines()
            results = (self.folder / name / "test.results").read_text().splitlines()
            self.assertEqual(len(test), len(results))
            run = self.run_it(name, "--folder", name, "--weft", WEFT, "--apply",
                              self.write("lines", [line]))
            self.assertEqual((0, 1), (run.returncode, run.stdout.count("\n")), run.stderr)
            if name == "parsing":
                self.assertEqual(line, trees.parse(run.stdout).text())

    def test_words_may_be_cut_into_subwords(self):
        if not WEFT:
            self.skipTest("needs the program")
        arguments = [self.own("commands"), "--folder", "subwords", "--weft", WEFT]
        run = self.run_it("commands", *arguments, "--subwords", "30", *SHORT)
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertTrue((self.folder / "subwords/source.model").is_file())


class Pages(unittest.TestCase):
    def test_every_recipe_has_a_page_and_options(self):
        shared = {"recipe", "trees", "tuned"}
        scripts = {path.stem for path in (ROOT / "recipes").glob("*.py")} - shared
        index = (ROOT / "recipes/README.md").read_text()
        self.assertEqual({"commands", "parsing", "pronunciation", "spelling", "sql", "stories",
                          "summary"}, scripts)
        for name in scripts | {"dialogue", "translation"}:
            self.assertIn(f"({name}.md)", index)
            page = (ROOT / f"recipes/{name}.md").read_text()
            for config in re.findall(r"`([\w-]+\.yml)`", page):
                self.assertTrue((ROOT / "recipes" / config).is_file(), config)
            self.assertTrue(name not in scripts or f"recipes/{name}.py" in page)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        WEFT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
