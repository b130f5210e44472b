#!/usr/bin/env python3
"""Uses every control of the page of `weft inspect` in a real browser.

    tests/web/inspect_page_test.py WEFT FOLDER [AXE]

Trains small models by the program WEFT, writes their pages and screenshots to FOLDER, and opens
them in Debian's Chromium. AXE is axe-core's axe.min.js, which looks for what keeps people from
using a page; where there is no such file that part is skipped.
"""

import pathlib
import subprocess
import sys
import unittest

import browser as browsers

HOSTILE = ["<script>document.title='no'</script>", '"', "'><img/src=x>", "\u202eabc", "x" * 10_000,
           "&lt;", "\u05e9\u05dc\u05d5\u05dd"]
ARROW_DOWN, ARROW_UP, ARROW_RIGHT, SPACE = "\ue015", "\ue013", "\ue014", " "
WIDTHS = {"wide": (1300, 1500), "narrow": (360, 800)}


def weft(*arguments, text=None):
    command = [str(WEFT), *map(str, arguments)]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout


def toy_lines(words, count):
    return [" ".join(words[(i * j + j) % len(words)] for j in range(2 + i % 5))
            for i in range(1, count + 1)]


def write(name, lines):
    path = FOLDER / name
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


SMALL = ["--dim-emb", 16, "--enc-depth", 2, "--transformer-heads", 2, "--transformer-dim-ffn", 16,
         "--quiet", "--overwrite", "--threads", 1]


def make_translator():
    words = [f"w{i}" for i in range(9)]
    lines = toy_lines(words, 60)
    source, target = write("source", lines), write("target", [line[::-1] for line in lines])
    model = FOLDER / "translator.safetensors"
    weft("train", "-t", source, target, "-v", FOLDER / "s.vocab", FOLDER / "t.vocab", "-m", model,
         "--after", "30u", "--dec-depth", 2, "--learn-rate", 0.01, *SMALL)
    weft("inspect", "-m", model, model, "--html", FOLDER / "translator.html", "--ablate", source,
         target, text="w1 w2 w3\nw4 w5\n\n")


def make_tagger():
    lines = toy_lines(["a", "b", "c"], 40)
    text = write("tags.tsv", [f"{line}\t{' '.join('X' if w == 'a' else 'Y' for w in line.split())}"
                              for line in lines])
    model = FOLDER / "tagger.safetensors"
    weft("train", "tagging", "-t", text, "-v", FOLDER / "g.vocab", "-m", model, "--after", "20u",
         *SMALL)
    weft("inspect", "-m", model, "--html", FOLDER / "tagger.html", text="a b c a\n")


def make_classifier():
    lines = toy_lines(HOSTILE, 30)
    text = write("hostile.tsv", [f"{'<b>bold</b>' if i % 2 else 'plain'}\t{line}"
                                 for i, line in enumerate(lines)])
    model = FOLDER / "classifier.safetensors"
    weft("train", "classification", "-t", text, "-v", FOLDER / "h.vocab", "-m", model,
         "--after", "5u", *SMALL)
    weft("inspect", "-m", model, "--html", FOLDER / "classifier.html",
         text=" ".join(HOSTILE) + "\n")


class InspectPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make_translator()
        make_tagger()
        make_classifier()
        cls.browser = browsers.Browser()
        cls.browser.__enter__()
        cls.addClassCleanup(cls.browser.__exit__, None, None, None)

    def open(self, name):
        self.browser.use_dark(False)
        self.browser.resize(*WIDTHS["wide"])
        self.browser.messages()
        self.browser.open(FOLDER / f"{name}.html")

    def tearDown(self):
        self.assertEqual(self.browser.messages(), [])

    def status(self):
        return self.browser.text(".status")

    def test_opens_without_a_request(self):
        self.browser.requests()
        self.open("translator")
        uri = (FOLDER / "translator.html").resolve().as_uri()
        self.assertEqual(self.browser.requests(), [uri])

    def test_shows_two_models_side_by_side(self):
        self.open("translator")
        self.assertEqual(self.browser.count("article"), 2)
        self.assertEqual(self.browser.count("article .attention"), 2)

    def test_moves_between_examples(self):
        self.open("translator")
        self.assertIn("w1 w2 w3", self.browser.text(".example .text"))
        self.browser.click("#chooser button:nth-of-type(2)")
        self.browser.wait("document.querySelector('.example .text').textContent === 'w4 w5'")
        self.browser.click("#chooser button:nth-of-type(1)")
        self.browser.wait("document.querySelector('.example .text').textContent === 'w1 w2 w3'")
        self.browser.run("const s = document.querySelector('select'); s.value = 2;"
                         "s.dispatchEvent(new Event('change'))")
        self.browser.wait("document.querySelectorAll('.attention').length === 0")  # an empty line

    def test_shows_every_kind_of_attention(self):
        self.open("translator")
        kinds = self.browser.run("return [...document.querySelectorAll('article:first-child "
                                 "fieldset:first-child label')].map(l => l.textContent.trim())")
        self.assertEqual(kinds, ["Encoder self-attention", "Decoder self-attention",
                                 "Decoder cross-attention"])
        for kind, left, right in (("Decoder self-attention", "w", "<s>"),
                                  ("Decoder cross-attention", "w", "w1"),
                                  ("Encoder self-attention", "w1", "w1")):
            self.browser.click(f"input[type=radio][value='{kind}']")
            self.browser.wait(f"document.querySelector('.status strong').textContent"
                              f".startsWith('{kind}')")
            self.assertIn(right, self.browser.text(".tokens.keys li"))
            self.assertTrue(self.browser.text(".tokens.queries li").startswith(left)
                            or left == "w")

    def test_sliders_and_heads_agree(self):
        self.open("translator")
        self.browser.run("const i = document.querySelector('[data-name=layer]'); i.focus()")
        self.browser.press(ARROW_RIGHT)
        self.browser.wait("document.querySelector('.status').textContent.includes('layer 2')")
        self.browser.run("document.querySelector('[data-name=head]').focus()")
        self.browser.press(ARROW_RIGHT)
        self.browser.wait("document.querySelector('.status').textContent.includes('head 2')")
        pressed = ".overview button[aria-pressed=true]"
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('article:first-"
                                          f"child {pressed}')].map(b => b.ariaLabel)"),
                         ["Layer 2, head 2"])
        self.browser.click(".overview button[aria-label='Layer 1, head 1']")
        self.browser.wait("document.querySelector('[data-name=layer]').value === '1'")
        head = self.browser.run("return document.querySelector('[data-name=head]').value")
        self.assertEqual(head, "1")
        for value, name in (("mean", "mean of heads"), ("rollout", "rollout")):
            self.browser.click(f"input[type=radio][value={value}]")
            self.browser.wait(f"document.querySelector('.status').textContent.includes('{name}')")
            self.assertEqual(self.browser.count(f"article:first-child {pressed}"), 0)

    def test_heat_map_has_the_pixels_of_the_probabilities(self):
        """The mean of heads over all columns is that of rows that sum to one."""
        self.open("translator")
        sums = self.browser.run(
            "const m = page.views[0].shown; const out = [];"
            "for (let r = 0; r < m.rows; ++r) {"
            "  let s = 0; for (let c = 0; c < m.columns; ++c) s += m.at(0, r, c); out.push(s); }"
            "return out")
        self.assertTrue(all(abs(s - 1) < 1e-3 for s in sums), sums)
        size = self.browser.run("const c = document.querySelector('.cells');"
                                "return [c.width, c.height]")
        self.assertEqual(size, [4, 4])  # w1 w2 w3 </s>

    def test_a_token_says_what_it_attends_to(self):
        self.open("translator")
        self.browser.move_to(".tokens.queries li:nth-child(2) button")
        self.browser.wait("document.querySelector('.status').textContent.includes('attends to')")
        self.assertIn("w2 attends to", self.status())
        self.browser.run("document.querySelector('.tokens.queries button').focus()")
        self.browser.press(ARROW_DOWN)
        self.browser.press(ARROW_DOWN)
        self.assertIn("w3 attends to", self.status())
        self.browser.press(ARROW_UP)
        self.assertIn("w2 attends to", self.status())
        self.assertIn("w2 attends to", self.browser.text("#announcement"))
        self.assertEqual(self.browser.count("article:first-child .queries .marked"), 1)
        self.browser.move_to(".cells")
        self.browser.wait("document.querySelector('.row-names .marked') !== null")

    def test_alternatives_open_and_close(self):
        self.open("translator")
        button = ".hypotheses > li:first-child .steps button:nth-child(2)"
        self.browser.click(button)
        self.assertEqual(self.browser.count(".alternatives table tbody tr"), 4)
        self.assertEqual(self.browser.run("return document.querySelector(arguments[0])"
                                          ".ariaExpanded", button), "true")
        self.browser.run("document.querySelector(arguments[0]).focus()", button)
        self.browser.press(SPACE)
        self.assertEqual(self.browser.count(".alternatives table"), 0)

    def test_beam_search_is_a_tree(self):
        self.open("translator")
        self.assertGreater(self.browser.count(".beam text.survives"), 0)
        self.assertIn("tokens kept", self.browser.run(
            "return document.querySelector('.beam svg').getAttribute('aria-label')"))

    def test_heads_have_costs(self):
        self.open("translator")
        self.browser.click(".ablation > summary")
        self.assertEqual(self.browser.count("article:first-child .cost"), 12)
        self.assertIn("while that head is silent", self.browser.run(
            "return document.querySelector('.ablation').innerText"))

    def test_the_model_and_its_options_open(self):
        self.open("translator")
        self.browser.click(".summary:not(.ablation) > summary")
        self.browser.click(".summary details > summary")
        self.assertIn("enc-depth", self.browser.run(
            "return document.querySelector('.summary details').innerText"))

    def test_labels_show_the_evidence_of_words(self):
        self.open("tagger")
        self.assertEqual(self.browser.count(".explained button"), 4)
        self.browser.click(".explained button:nth-child(3)")
        self.assertEqual(self.browser.count(".evidence .word"), 8)
        self.assertEqual(self.browser.count(".explained [aria-pressed=true]"), 1)
        self.assertIn("their sum is", self.browser.text(".evidence h4"))

    def test_text_of_a_model_is_never_markup(self):
        self.open("classifier")
        self.assertEqual(self.browser.count("img, b, script[src]"), 0)
        self.assertEqual(self.browser.run("return document.title"), "Inside a Weft model")
        shown = self.browser.text(".tokens.queries")
        self.assertIn("<script>document.title='no'</script>"[:40], shown)
        self.assertIn("U+202Eabc", shown)
        self.assertNotIn("\u202e", self.browser.text("body"))
        self.assertLess(len(shown), 1000)  # the token of 10,000 characters is shortened
        self.assertIn("<b>bold</b>", self.browser.text(".explained"))

    def test_looks_right_in_every_view(self):
        for name in ("translator", "tagger", "classifier"):
            for view, size in WIDTHS.items():
                for scheme in ("light", "dark"):
                    with self.subTest(name=name, view=view, scheme=scheme):
                        self.check_view(name, view, size, scheme)

    def check_view(self, name, view, size, scheme):
        self.open(name)
        self.browser.resize(*size)
        self.browser.use_dark(scheme == "dark")
        self.browser.run("return new Promise(requestAnimationFrame)")
        self.browser.screenshot(FOLDER / f"{name}-{view}-{scheme}.png")
        width = self.browser.run("return document.documentElement.scrollWidth")
        self.assertLessEqual(width, size[0])  # the page does not scroll sideways
        back = self.browser.run("return getComputedStyle(document.body).backgroundColor")
        self.assertEqual(back, "rgb(13, 17, 23)" if scheme == "dark" else "rgb(255, 255, 255)")
        self.check_access()

    def check_access(self):
        if AXE is None:
            self.skipTest("without axe-core")
        self.browser.run(AXE.read_text(encoding="utf-8") + "; window.axe = axe")
        found = self.browser.run("return axe.run().then(r => r.violations.map("
                                 "v => [v.impact, v.id, v.nodes.map(n => n.html).slice(0, 3)]))")
        self.assertEqual([v for v in found if v[0] in ("serious", "critical")], [])


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    WEFT, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    AXE = next((path for path in map(pathlib.Path, sys.argv[3:]) if path.is_file()), None)
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
