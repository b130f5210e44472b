#!/usr/bin/env python3
"""Uses every control of the page of `weft inspect` in a real browser.

    tests/web/inspect_page_test.py WEFT FOLDER [AXE]

Trains small models by the program WEFT, writes their pages and screenshots to FOLDER, and opens
them in Debian's Chromium. AXE is axe-core's axe.min.js, which looks for what keeps people from
using a page; where there is no such file that part is skipped.
"""

import json
import math
import pathlib
import re
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import browser as browsers  # noqa: E402
import inspected_pages as pages  # noqa: E402

ARROW_DOWN, ARROW_UP, ARROW_RIGHT, SPACE = "\ue015", "\ue013", "\ue014", " "
WIDTHS = {"wide": (1300, 1500), "narrow": (360, 800)}


class InspectPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pages.make_all()
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
        first = self.browser.run("return page.models[0].examples[0].axes[2].tokens[0]")
        for kind, left, right in (("Decoder self-attention", first, "<s>"),
                                  ("Decoder cross-attention", first, "w1"),
                                  ("Encoder self-attention", "w1", "w1")):
            self.browser.click(f"input[type=radio][value='{kind}']")
            self.browser.wait(f"document.querySelector('.status strong').textContent"
                              f".startsWith('{kind}')")
            self.assertEqual(self.browser.text(".tokens.keys li"), right)
            self.assertEqual(self.browser.text(".tokens.queries li"), left)

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

    def pixel(self, x, y):
        """Red, green and blue of a cell of the enlarged heat map."""
        return self.browser.run(
            "const copy = document.createElement('canvas');"
            "const context = copy.getContext('2d', {willReadFrequently: true});"
            "context.drawImage(document.querySelector('.cells'), 0, 0);"
            "return [...context.getImageData(arguments[0], arguments[1], 1, 1).data.slice(0, 3)]",
            x, y)

    def test_heat_map_has_the_colours_of_the_probabilities(self):
        self.open("translator")
        values = self.browser.run("const m = page.views[0].shown; return [...m.values]")
        self.assertEqual(len(values), 16)  # w1 w2 w3 </s>
        for row in range(4):
            self.assertAlmostEqual(sum(values[4 * row:4 * row + 4]), 1, delta=1e-3)
        for i, value in enumerate(values):
            share = math.sqrt(value / max(values))
            expected = [255 + share * (full - 255) for full in (8, 48, 107)]
            for got, wanted in zip(self.pixel(i % 4, i // 4), expected):
                self.assertAlmostEqual(got, wanted, delta=2)

    def test_rollout_follows_attention_through_the_layers(self):
        self.open("translator")
        layers = self.browser.run(
            "const v = page.views[0]; return Promise.all(v.layers().map(a => v.read(a))).then("
            "all => all.map(m => ({count: m.count, values: [...m.values]})))")
        size, expected = 4, None
        for layer in layers:
            count, values = layer["count"], layer["values"]
            step = [[(sum(values[(h * size + i) * size + j] for h in range(count)) / count +
                      (i == j)) / 2 for j in range(size)] for i in range(size)]
            expected = step if expected is None else [
                [sum(step[i][k] * expected[k][j] for k in range(size)) for j in range(size)]
                for i in range(size)]
        self.browser.run("const v = page.views[0]; v.layer = 1; v.show = 'rollout'; v.update()")
        self.browser.wait("document.querySelector('.status').textContent.includes("
                          "'layer 2, rollout')")
        shown = self.browser.run("return [...page.views[0].shown.values]")
        for got, wanted in zip(shown, sum(expected, [])):
            self.assertAlmostEqual(got, wanted, places=5)
        self.assertEqual(len(shown), size * size)

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
        self.assertIn("with that head masked", self.browser.run(
            "return document.querySelector('.ablation').innerText"))

    def test_the_model_and_its_options_open(self):
        self.open("translator")
        self.browser.click(".summary:not(.ablation):not(.positions) > summary")
        self.browser.click(".summary details > summary")
        self.assertIn("enc-depth", self.browser.run(
            "return document.querySelector('.summary details').innerText"))

    def test_positions_are_pictures(self):
        self.open("translator")
        self.browser.click(".positions > summary")
        self.browser.wait("document.querySelectorAll('article:first-child .positions canvas')"
                          ".length === 4")
        size = self.browser.run("const c = document.querySelector('.positions canvas');"
                                "return [c.width, c.height]")
        self.assertEqual(size, [16, 64])  # features, positions

    def test_labels_are_not_cut_off(self):
        self.open("tagger")
        for width in (1300, 360):
            self.browser.resize(width, 900)
            self.browser.run("const example = page.models[0].examples[0];"
                             "example.axes[1].tokens[0] = 'Donaudampfschiffahrtsgesellschaft';"
                             "example.attributions.labels[0].label = 'B-ORGANISATION-OF-SHIPS';"
                             "return page.open(0)")
            button, label = self.browser.run(
                "const b = document.querySelector('.explained button');"
                "const sides = (box) => [box.left, box.right, box.top, box.bottom];"
                "const range = document.createRange(); range.selectNodeContents(b);"
                "return [b, range].map(x => sides(x.getBoundingClientRect()))")
            self.assertLessEqual(button[0], label[0])
            self.assertGreaterEqual(button[1], label[1])
            self.assertLessEqual(button[2], label[2])
            self.assertGreaterEqual(button[3], label[3])

    def test_labels_show_the_evidence_of_words(self):
        self.open("tagger")
        self.assertEqual(self.browser.count(".explained button"), 4)
        self.browser.click(".explained button:nth-child(3)")
        self.assertEqual(self.browser.count(".attributions .word"), 8)
        self.assertEqual(self.browser.count(".explained [aria-pressed=true]"), 1)
        self.assertIn("their sum is", self.browser.text(".attributions h4"))

    def test_a_prompt_goes_on_token_by_token(self):
        self.open("language")
        self.assertEqual(self.browser.text(".example .text"), "ab <b>")
        kinds = self.browser.run("return [...document.querySelectorAll('fieldset:first-child "
                                 "label')].map(l => l.textContent.trim())")
        self.assertEqual(kinds, ["Decoder self-attention"])
        tokens = self.browser.run("return page.models[0].examples[0].axes[0].tokens")
        self.assertEqual("".join(tokens[:7]), "<s>ab <b>")
        self.browser.click(".hypotheses > li:first-child .steps button:nth-child(1)")
        self.assertEqual(self.browser.count(".alternatives table tbody tr"), 4)
        self.assertEqual(self.browser.count(".explained button"), 3)  # the next tokens
        self.browser.click(".explained button:nth-child(2)")
        self.assertEqual(self.browser.count(".attributions .word"), 4)
        self.browser.click("#chooser button:nth-of-type(2)")
        self.browser.wait("document.querySelectorAll('.attention').length === 0")

    def test_says_where_gradients_do_not_sum_to_the_score(self):
        self.open("tagger")
        self.assertNotIn("The two differ", self.browser.text(".attributions h4"))
        self.browser.run("page.models[0].examples[0].attributions.labels[0].incomplete = true;"
                         "return page.open(0)")
        self.assertIn("The two differ", self.browser.text(".attributions h4"))

    def choose(self, kind):
        self.browser.click(f"input[type=radio][value=\"{kind}\"]")
        self.browser.wait("document.querySelector('.status strong').textContent.startsWith("
                          f"{json.dumps(kind)})")

    def strongest(self, pane):
        """The indices of a pane's shapes with the strongest colour."""
        return self.browser.run(
            "return [...document.querySelectorAll(arguments[0] + ' rect')].filter("
            "r => r.style.getPropertyValue('--weight') === '1.000').map(r => r.dataset.index)",
            pane)

    def test_patches_of_a_picture_are_chosen_by_pointer_and_keys(self):
        self.open("pictures")
        self.assertEqual(self.browser.count(".labels tr"), 2)
        self.assertEqual(self.browser.count(".pane:first-child rect"), 16)
        self.browser.move_to(".pane:first-child .surface")  # the middle: row 3, column 3
        self.browser.wait("document.querySelector('.pane rect.marked') !== null")
        row = int(re.search(r"row (\d), column 3 attends to", self.status())[1])
        self.assertIn(row, (2, 3))
        self.browser.run("document.querySelector('.pane .surface').focus()")
        self.browser.press(ARROW_DOWN)
        self.assertIn(f"row {row + 1}, column 3 attends to", self.status())
        self.browser.press(ARROW_RIGHT)
        self.assertIn(f"row {row + 1}, column 4 attends to", self.status())
        best = self.browser.run("return page.views[0].shown.sortedRow(arguments[0])"
                                ".find(cell => cell.index > 0).index", 4 * row + 4)
        shares = self.browser.run("return [...document.querySelectorAll('.pane:nth-child(2) rect')]"
                                  ".map(r => [Number(r.style.getPropertyValue('--weight')),"
                                  "           Number(r.dataset.index)])")
        self.assertEqual(max(shares)[1], best)
        self.browser.run("document.querySelector('.pane button').focus()")
        self.assertIn("class token attends to", self.status())

    def test_a_picture_that_is_missing_says_so(self):
        self.open("pictures")
        self.browser.click("#chooser button:nth-of-type(2)")
        self.browser.wait("document.querySelector('.example .note') !== null")
        self.assertIn("missing.png: cannot be opened", self.browser.text(".example .note"))

    def test_queries_of_a_detector_look_at_patches(self):
        self.open("detector")
        self.choose("Decoder cross-attention")
        self.assertEqual(self.browser.count(".pane:first-child .steps button"), 4)
        self.browser.run("document.querySelector('.pane .steps button').focus()")
        self.assertIn("square attends to", self.status())
        self.assertEqual(self.browser.count(".pane rect.box.marked"), 1)
        self.choose("Decoder self-attention")
        self.assertEqual(self.browser.count(".pane rect.box"), 8)

    def test_boxes_of_a_detector_are_there_at_first_sight(self):
        self.open("detector")
        self.browser.run("for (const box of page.models[0].examples[0].axes[1].boxes)"
                         "  box.probability = 0.1;"
                         "Object.assign(page.models[0].examples[0].axes[1].boxes[2],"
                         "              {probability: 0.9, box: [0.5, 0.25, 0.25, 0.5]});"
                         "return page.open(0)")
        self.assertEqual(self.browser.text(".found-boxes .box-name"), "square 90 %")
        self.assertEqual(self.browser.count(".found-boxes rect.box.sure"), 1)
        rect, name, picture = self.browser.run(
            "return ['rect.sure', '.box-name', 'img'].map(s => {"
            "  const b = document.querySelector('.found-boxes ' + s).getBoundingClientRect();"
            "  return [b.left, b.top, b.width, b.height]; })")
        self.assertGreater(rect[3], 10)
        self.assertAlmostEqual(name[0], picture[0] + picture[2] / 2, delta=3)
        self.assertAlmostEqual(name[1], picture[1] + picture[3] / 4, delta=3)
        self.assertIn("1 object", self.browser.text(".found-boxes figcaption"))

    def test_one_view_looks_at_the_other(self):
        self.open("views")
        self.assertEqual(self.browser.count(".pictures img"), 4)
        self.choose("Decoder cross-attention")
        self.assertEqual(self.browser.text(".pane:nth-child(2) .note"),
                         "What is attended to: second view")
        self.choose("First view's encoder self-attention")
        self.assertEqual(self.browser.count(".pane:first-child rect"), 8)  # half are masked

    def test_sound_is_a_spectrogram(self):
        self.open("sounds")
        self.choose("Decoder cross-attention")
        self.assertGreater(self.browser.count(".surface.frames rect"), 10)
        self.browser.run("document.querySelector('.pane .tokens button').focus()")
        self.assertIn(" s ", self.status())
        self.assertEqual(len(self.strongest(".surface.frames")), 1)

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
        for name in ("translator", "tagger", "classifier", "language", "pictures", "detector",
                     "views", "sounds"):
            for view, size in WIDTHS.items():
                for scheme in ("light", "dark"):
                    with self.subTest(name=name, view=view, scheme=scheme):
                        self.check_view(name, view, size, scheme)

    def test_prints_on_white(self):
        future = 2, 1  # a column after its row: probability 0
        self.open("translator")
        self.choose("Decoder self-attention")
        self.assertEqual(self.pixel(*future), [255, 255, 255])
        self.browser.use_dark(True)
        self.expect_soon(lambda: self.pixel(*future), [13, 17, 23])
        self.browser.use_dark(True, "print")
        self.expect_soon(lambda: self.pixel(*future), [255, 255, 255])

    def expect_soon(self, get, expected, seconds=20):
        """The page hears of other colours before it draws its next frame."""
        end = time.monotonic() + seconds
        while get() != expected and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(get(), expected)

    def test_focus_stays_on_a_choice(self):
        self.open("translator")
        self.browser.run("document.querySelector('fieldset input').focus()")
        self.browser.press(ARROW_RIGHT)
        self.browser.wait("document.querySelector('.status strong').textContent"
                          ".startsWith('Decoder self')")
        self.assertEqual(self.browser.run("return document.activeElement.value"),
                         "Decoder self-attention")

    def test_a_patch_at_an_edge_stays(self):
        self.open("pictures")
        self.browser.run("document.querySelector('.pane .surface').focus();"
                         "page.views[0].select(1, null)")
        self.browser.press(ARROW_UP)
        self.assertIn("row 1, column 1 attends to", self.status())
        self.browser.press("\ue010")  # End
        self.assertIn("row 4, column 4 attends to", self.status())

    def test_the_last_choice_is_shown(self):
        """However long the matrices of those before take to read."""
        self.open("translator")
        self.browser.run(
            "const view = page.views[0], read = view.read.bind(view);"
            "view.read = async (a) => { const out = await read(a);"
            "  if (a.layer === 1) await new Promise(r => setTimeout(r, 200)); return out; };"
            "view.layer = 1; view.refresh(); view.layer = 0; view.refresh();")
        self.browser.run("return new Promise(r => setTimeout(r, 400))")
        self.assertTrue(self.browser.run(
            "const v = page.views[0]; return v.read(v.layers()[0]).then("
            "h => h.only(0).values.every((x, i) => x === v.shown.values[i]))"))

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
    pages.WEFT, pages.FOLDER = WEFT, FOLDER
    unittest.main(argv=sys.argv[:1], verbosity=2)
