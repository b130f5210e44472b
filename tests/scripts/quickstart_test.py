#!/usr/bin/env python3
"""Tests of scripts/quickstart, with stand-ins for apt, the build and weft, and of
scripts/restore-case; no network is used."""

import gzip
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
sys.dont_write_bytecode = True


def script(name):
    """A script without a suffix, as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


restore = script("restore-case")

# Writes its arguments to calls.txt, and what the quickstart wants to read. A training takes a
# second of clock.txt, which date reads, and $UPDATE_MS for each update: half of it by a medium
# recipe, a tenth by a small one.
WEFT = """\
#!/bin/sh
echo "$*" >>calls.txt
case "$1 $*" in
  "train "*--after*)
    updates=$(echo "$*" | sed 's/.*--after \\([0-9]*\\)u.*/\\1/')
    cost=$UPDATE_MS
    case "$*" in
      *-small.yml*) cost=$((UPDATE_MS / 10)) ;;
      *-medium.yml*) cost=$((UPDATE_MS / 2)) ;;
    esac
    echo $(($(cat clock.txt) + 1000 + cost * updates)) >clock.txt ;;
  "tag "*--evaluate*) echo "3 texts" ;;
  "tag "*) while read -r a b; do printf '%s %s\\ttitle upper\\tnone .\\n' "$a" "${b%% *}"; done ;;
  "classify "*--evaluate*) printf 'accuracy 0.5\\n\\ntable\\n' ;;
  "classify "*) sed 's/.*/a\\t0.5\\tb\\t0.3\\tc\\t0.1\\td\\t0.1/' ;;
  "translate "*) tr a-z A-Z ;;
  "evaluate "*) echo "BLEU" ;;
  "generate "*--lora*) sed 's/.*/TUNED/' "$5" ;;
  "generate "*--input*) sed 's/.*/UNTUNED/' "$5" ;;
  "generate "*) sed 's/.*/PARIS/' ;;
esac
"""
DATE = """\
#!/bin/sh
echo "$(cat clock.txt)000000"
"""
FETCH = """\
#!/bin/sh
echo "$0 $*" >>calls.txt
[ -z "$NO_TEXT" ] || exit 3
folder=$(for last; do case $last in quickstart/apt) ;; quickstart/*) echo "$last" ;; esac; done)
mkdir -p "$folder"
for part in train valid test; do
  for end in tsv en it; do echo "x y" >"$folder/$part.$end"; done
  yes '{"prompt": "sum up:", "completion": " a sum"}' | head -n 70 >"$folder/$part.jsonl"
done
"""
# A bare Debian: what apt-get installs is listed in installed.txt.
BARE_DEBIAN = {
    "dpkg-query": "#!/bin/sh\ncat installed.txt\n",
    "apt-get": "#!/bin/sh\nfor word; do echo \"installed $word\" >>installed.txt; done\n",
    "id": "#!/bin/sh\necho 0\n",
}
FETCH_WITH_PIP = """\
#!/bin/sh
grep -qx "installed python3-pip" installed.txt || exit 3
"""


class Quickstart(unittest.TestCase):
    """Runs a copy of scripts/quickstart in a folder whose other programs are stand-ins."""

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.root = pathlib.Path(made.name)
        for name, text in {"scripts/fetch-corpus": FETCH, "scripts/fetch-labels": FETCH,
                           "scripts/fetch-models": FETCH.replace("$NO_TEXT", ""),
                           "scripts/setup": "#!/bin/sh\n", "bin/cmake": "#!/bin/sh\n",
                           "bin/date": DATE, "clock.txt": "1\n",
                           "build/release/weft": WEFT}.items():
            self.write_program(name, text)
        for name in ("quickstart", "quickstart-experts", "restore-case", "make-toy-corpus"):
            shutil.copy(SCRIPTS / name, self.root / "scripts" / name)

    def write_program(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run_it(self, *arguments, **environment):
        return subprocess.run(
            [self.root / "scripts/quickstart", *arguments], capture_output=True, text=True,
            env={**os.environ, "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
                 "WEFT_DATA": str(self.root / "data"), "NO_TEXT": "", "UPDATE_MS": "10",
                 **environment})

    def trainings(self):
        """The calls that train on the whole text."""
        return [c for c in self.calls() if c.startswith("train") and "/probe/" not in c]

    def calls(self):
        return (self.root / "calls.txt").read_text().splitlines()

    def write_data(self, name, text):
        path = self.root / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()))

    def assert_done(self, run):
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertIn("== Done", run.stdout)

    def test_wrong_arguments_are_one_line_and_status_2(self):
        for arguments, expected in (
                (["tags"], "quickstart: unknown task 'tags'; expected translation, classification, "
                           "tagging, language, tune or expert\n"),
                (["tagging", "now"], "quickstart: unexpected argument 'now'; expected one task at "
                                     "most\n"),
                (["--fast"], "quickstart: unknown task '--fast'; expected translation, "
                             "classification, tagging, language, tune or expert\n"),
                ([""], "quickstart: unknown task ''; expected translation, classification, "
                       "tagging, language, tune or expert\n")):
            run = self.run_it(*arguments)
            self.assertEqual((2, expected, ""), (run.returncode, run.stderr, run.stdout))
        self.assertFalse((self.root / "calls.txt").exists())

    def test_help_names_every_task(self):
        run = self.run_it("--help")
        self.assertEqual((0, ""), (run.returncode, run.stderr))
        for task in ("scripts/quickstart classification", "scripts/quickstart tagging",
                     "scripts/quickstart language", "scripts/quickstart tune",
                     "scripts/quickstart expert"):
            self.assertIn(task, run.stdout)
        self.assertNotIn("set -euo", run.stdout)

    def test_every_task_trains_by_its_file_of_options(self):
        for task, folder in (("translation", "descriptions"), ("classification", "sections"),
                             ("tagging", "case")):
            self.assert_done(self.run_it(*([] if task == "translation" else [task])))
            train = self.trainings()[-1]
            self.assertIn(f"--config examples/quickstart/{task}.yml", train)
            self.assertIn(f"--model quickstart/{folder}/model.safetensors", train)
            self.assertTrue((ROOT / f"examples/quickstart/{task}.yml").is_file())

    def test_a_language_model_is_fetched_and_answers(self):
        run = self.run_it("language")
        self.assert_done(run)
        self.assertIn("Which city is the capital of France?\n    PARIS\n", run.stdout)
        calls = self.calls()
        self.assertIn("fetch-models quickstart/models smollm2", calls[0])
        self.assertIn("generate --model quickstart/models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf "
                      "--chat", calls[1])
        self.assertEqual([], self.trainings())

    def test_the_packages_that_fetch_a_model_are_installed_on_a_bare_system(self):
        for name, text in BARE_DEBIAN.items():
            self.write_program(f"bin/{name}", text)
        (self.root / "installed.txt").write_text("")
        shutil.copy(SCRIPTS / "setup", self.root / "scripts/setup")
        self.write_program("scripts/fetch-models", FETCH_WITH_PIP)
        run = self.run_it("language")
        self.assert_done(run)
        self.assertIn("PARIS", run.stdout)

    def test_a_language_model_is_tuned_and_answers_before_and_after(self):
        self.assert_tuned(self.run_it("tune"), "quickstart/synopsis")
        (self.root / "data/wikisql").mkdir(parents=True)
        for part in ("train", "valid", "test"):
            (self.root / f"data/wikisql/{part}.jsonl").write_text(
                '{"text": "table: x\\nQ: y\\nA: SELECT \\"z\\""}\n' * 70)
        self.assert_tuned(self.run_it("tune", NO_TEXT="1"), "quickstart/wikisql")
        self.assertEqual('{"prompt": "table: x\\nQ: y\\nA:", "completion": " SELECT \\"z\\""}',
                         (self.root / "quickstart/wikisql/new.jsonl").read_text().split("\n")[0])
        self.assertEqual('SELECT "z"\n' * 70,
                         (self.root / "quickstart/wikisql/test.ref").read_text())

    def assert_tuned(self, run, folder):
        self.assert_done(run)
        before, after = run.stdout.split("Training quickstart")
        self.assertIn("\nUNTUNED\n", before)
        self.assertIn("\nTUNED\n", after)
        self.assertNotIn("\nTUNED\n", before)
        train = self.trainings()[-1]
        self.assertTrue(train.startswith("train language-model --config examples/quickstart/tune"))
        self.assertIn(f"--model {folder}/model.safetensors", train)
        self.assertIn("--from quickstart/models/smollm2/SmolLM2", train)

    def test_experts_stand_beside_models_from_nothing(self):
        run = self.run_it("expert")
        self.assert_done(run)
        self.assertIn("From nothing, 16000 lines: Debian's package descriptions", run.stdout)
        self.assertIn("accuracy 0.5\naccuracy 0.5\n", run.stdout)
        for task, folder in (("classification", "sections"), ("tagging", "case")):
            nothing, expert = [c for c in self.calls() if c.startswith(f"train {task} ")
                               and "probe" not in c]
            for call in (nothing, expert):
                self.assertIn(f"--train-sets quickstart/{folder}/expert/train.tsv", call)
            self.assertIn("--vocabs", nothing)
            self.assertIn("--from quickstart/models/minilm", expert)
            self.assertNotIn("--from", nothing)
            self.assertNotIn("--vocabs", expert)
            self.assertIn(f"--config examples/quickstart/{task}-small.yml", nothing)

    def test_experts_are_measured_on_labels_that_they_know(self):
        self.run_it("expert")
        (self.root / "quickstart/sections/train.tsv").write_text("a\tone\nb\ttwo\n" * 20000)
        (self.root / "quickstart/sections/test.tsv").write_text("a\tthree\nrare\tfour\nb\tfive\n")
        (self.root / "scripts/fetch-labels").write_text("#!/bin/sh\n")
        run = self.run_it("expert")
        self.assert_done(run)
        self.assertIn("Lines of the test set with known labels (2 of 3)", run.stdout)
        self.assertEqual("a\tthree\nb\tfive\n",
                         (self.root / "quickstart/sections/expert/test.tsv").read_text())

    def test_the_processor_decides_on_the_lines_of_experts(self):
        for update_ms, lines in (("50", 16000), ("100", 8000), ("400", 2000), ("9000", 2000)):
            shutil.rmtree(self.root / "quickstart", ignore_errors=True)
            self.assertIn(f", {lines} lines:", self.run_it("expert", UPDATE_MS=update_ms).stdout)
        run = self.run_it("expert", UPDATE_MS="1")
        self.assertNotIn("Measuring", run.stdout)
        self.assertIn(", 2000 lines:", run.stdout)

    def test_the_processor_decides_on_the_recipe(self):
        largest = "the largest that trains for at most 10 minutes"
        for update_ms, recipe, said, why in (
                ("330", "translation",
                 "translation: 1800 updates take 9.9 minutes here; 40.9 BLEU\n"
                 "translation-medium: 2000 updates take less; 34.6 BLEU\n"
                 "translation-small: 2800 updates take less; 23.7 BLEU\n", largest),
                ("400", "translation-medium",
                 "translation-medium: 2000 updates take 6.6 minutes", largest),
                ("800", "translation-small", "translation-small: 2800 updates take 3.7 minutes",
                 largest),
                ("90000", "translation-small", "2800 updates take 420.0 minutes",
                 "the smallest")):
            shutil.rmtree(self.root / "quickstart", ignore_errors=True)
            run = self.run_it(UPDATE_MS=update_ms)
            self.assert_done(run)
            self.assertIn(said, run.stdout)
            self.assertIn(f"The recipe is examples/quickstart/{recipe}.yml, {why}\n", run.stdout)
            self.assertIn(f"--config examples/quickstart/{recipe}.yml", self.trainings()[-1])
            self.assertTrue((ROOT / f"examples/quickstart/{recipe}.yml").is_file())
            self.assertFalse((self.root / "quickstart/descriptions/probe").exists())
        run = self.run_it("tagging", UPDATE_MS="200")
        self.assertIn("for at most 5 minutes", run.stdout)
        self.assertIn("tagging: 2000 updates take 6.6 minutes here", run.stdout)
        self.assertIn("--config examples/quickstart/tagging-small.yml", self.trainings()[-1])

    def test_a_second_run_goes_on_by_the_recipe_of_the_first(self):
        self.run_it(UPDATE_MS="800")
        run = self.run_it(UPDATE_MS="1")
        self.assert_done(run)
        self.assertIn("--config examples/quickstart/translation-small.yml", self.trainings()[-1])
        self.assertNotIn("Measuring", run.stdout)

    def test_a_recipe_can_be_asked_for(self):
        run = self.run_it(WEFT_RECIPE="translation-small")
        self.assert_done(run)
        self.assertNotIn("Measuring", run.stdout)
        self.assertIn("--config examples/quickstart/translation-small.yml", self.trainings()[-1])

    def test_the_updates_of_a_recipe_are_those_of_its_file(self):
        recipes = re.findall(r'echo "([a-z-]+) (\d+) ', (SCRIPTS / "quickstart").read_text())
        self.assertEqual(9, len(recipes))
        for name, updates in recipes:
            options = (ROOT / f"examples/quickstart/{name}.yml").read_text()
            self.assertIn(f"\nafter: {updates}u\n", options)
            self.assertIn(f"\nlr-decay-updates: {updates}\n", options)

    def test_new_texts_stand_above_what_the_model_makes_of_them(self):
        run = self.run_it("classification")
        self.assertIn("Perl.\n    a\t0.5\tb\t0.3\tc\t0.1\n", run.stdout)
        run = self.run_it("tagging")
        self.assertIn("Given:    features include the following\n"
                      "Restored: Features INCLUDE.\n", run.stdout)

    def test_without_apt_it_uses_other_text_and_says_which(self):
        self.write_data("trec/TREC.train.all.gz", "".join(f"0 line {n}\n" for n in range(1, 41)))
        self.write_data("trec/TREC.test.all.gz", "1 test\n")
        run = self.run_it("classification", NO_TEXT="1")
        self.assert_done(run)
        self.assertIn("TREC", run.stdout)
        self.assertIn("--after 500u", self.trainings()[0])
        lines = {part: (self.root / f"quickstart/trec/{part}.tsv").read_text().splitlines()
                 for part in ("train", "valid", "test")}
        self.assertEqual({"train": 36, "valid": 4, "test": 1},
                         {part: len(of_part) for part, of_part in lines.items()})
        self.assertEqual("0 line 10", lines["valid"][0])
        for part in ("train", "dev", "test"):
            self.write_data(f"ud-english-ewt/r2.3-{part}.form-upos-xpos.tsv.gz", f"{part}\tX\tY\n")
        run = self.run_it("tagging", NO_TEXT="1")
        self.assert_done(run)
        self.assertIn("UD English-EWT", run.stdout)
        self.assertEqual("dev\tX\tY\n", (self.root / "quickstart/ewt/valid.tsv").read_text())
        self.assertIn("--format conll --word-labels 1", self.calls()[-2])

    def test_without_any_text_it_says_what_is_missing(self):
        for task, file in (("classification", "trec/TREC.train.all.gz"),
                           ("tagging", "ud-english-ewt/r2.3-train.form-upos-xpos.tsv.gz")):
            run = self.run_it(task, NO_TEXT="1")
            self.assertEqual(1, run.returncode)
            self.assertEqual(f"quickstart: no text: apt brought none, and there is no "
                             f"{self.root}/data/{file}; expected one of them\n", run.stderr)
        self.assertFalse([call for call in self.calls() if call.startswith("train")])

    def test_the_translator_makes_text_where_there_is_none(self):
        run = self.run_it(NO_TEXT="1")
        self.assert_done(run)
        self.assertIn("generated sentences", run.stdout)


class Restoring(unittest.TestCase):
    def test_gives_words_their_case_and_marks(self):
        self.assertEqual("GNU grep, finds Éa x: ß.", restore.restored(
            "gnu grep finds éa x ß\tupper lower lower title mixed lower\tnone , none none : ."))
        for line in ("", "\t", "\t\t"):
            self.assertEqual("", restore.restored(line))

    def test_takes_back_what_the_labels_took_off(self):
        sentence = "Weft tags text, e.g. With GNU tools: fast!"
        labels = script("fetch-labels").case_and_marks(sentence)
        self.assertEqual(sentence, restore.restored("\t".join(labels)))

    def test_refuses_other_lines_with_their_number(self):
        for line, expected in (
                ("a b", "expected words, cases and marks between tabs, got 1 fields"),
                ("a b\tlower\tnone none", "1 cases for 2 words; expected one for each"),
                ("a\tlower\tnone .", "2 marks for 1 words; expected one for each"),
                ("a\tbig\tnone", "unknown case 'big'; expected one of lower, upper, mixed, title")):
            run = subprocess.run([sys.executable, str(SCRIPTS / "restore-case")],
                                 input=f"a\tlower\tnone\n{line}\n", capture_output=True, text=True)
            self.assertEqual((1, "a\n", f"restore-case: line 2: {expected}\n"),
                             (run.returncode, run.stdout, run.stderr))


if __name__ == "__main__":
    unittest.main()
