#!/usr/bin/env python3
"""Draws the pictures of docs/look.md from what `weft inspect --data` writes.

    tools/look_pictures.py --translator T.json --positions P.json... --pictures V.json
        --views C.json --page PAGE.html [--out docs/pictures]
    tools/look_pictures.py --cut SCENES.idx FOLDER

T.json: lines of a translator; each picture takes the head that does most of what it shows, by the
mean over all lines, and the line LINE of them. P.json: models that differ in --position. V.json:
pictures of a Vision Transformer. C.json: pairs of a model of two views. docs/look.md has the
commands that make them. Writes look_previous, look_end, look_aligns, look_causal, look_distance,
look_patches and look_views, each an SVG, and look_page.png, a photograph of PAGE.html in Chromium.
--cut writes eight pairs of crops of pictures, shifted by 4 pixels each way, and a list of them,
FOLDER/views.tsv. Needs numpy and Pillow.
"""

import argparse
import base64
import html
import io
import json
import pathlib
import sys
import zlib

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[1]
CELL, FONT = 22, 13  # pixels
STYLE = f"""\
text{{font:{FONT}px system-ui,sans-serif;fill:#1f2328}}.card{{fill:#fff;stroke:#d0d7de}}
.grid{{fill:none;stroke:#d8dee4}}.cell{{fill:#0a58ca}}.over{{fill:#e8590c}}
.mark{{fill:none;stroke:#e8590c;stroke-width:3}}.faint{{fill:#59636e}}
.a{{stroke:#0a58ca}}.b{{stroke:#e8590c}}.c{{stroke:#2b8a3e}}.line{{fill:none;stroke-width:2}}
@media (prefers-color-scheme:dark){{text{{fill:#e6edf3}}.card{{fill:#0d1117;stroke:#30363d}}
.grid{{stroke:#30363d}}.cell{{fill:#79b8ff}}.faint{{fill:#9aa4af}}.a{{stroke:#79b8ff}}
.b{{stroke:#ffa94d}}.c{{stroke:#8ce99a}}}}"""
LEAST = 0.02  # probability that can be seen


def matrices(packed):
    halves = np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), np.uint8)
    halves = halves.reshape(2, *packed["shape"])
    return packed["low"] + packed["step"] * (halves[0] + 256.0 * halves[1])


def read(path):
    """The first model of a file."""
    data = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    if data.get("format") != "weft-inspection":
        raise SystemExit(f"{path}: expected what weft inspect --data writes")
    return data["models"][0]


def text(x, y, words, more=""):
    return f'<text x="{x:.0f}" y="{y:.0f}"{more}>{html.escape(words)}</text>'


def shown(token):
    return token.replace("\u2581", "\u00b7")


class Canvas:
    """An SVG under construction."""

    def __init__(self, width, height):
        self.size = width, height
        self.parts = []

    def add(self, *parts):
        self.parts.extend(parts)

    def write(self, path):
        width, height = map(int, self.size)
        body = "\n".join(self.parts)
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">\n<style>{STYLE}</style>\n'
            f'<rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" '
            f'rx="6"/>\n{body}\n</svg>\n', encoding="utf-8")
        print(path)


def cells(matrix, left, top, size):
    """A square for each probability that can be seen."""
    out = []
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            if value >= LEAST:
                out.append(f'<rect class="cell" x="{left + size * j:.1f}" '
                           f'y="{top + size * i:.1f}" width="{size:.1f}" height="{size:.1f}" '
                           f'opacity="{min(1, value):.2f}"/>')
    rows, columns = matrix.shape
    out.append(f'<rect class="grid" x="{left}" y="{top}" width="{size * columns:.1f}" '
               f'height="{size * rows:.1f}"/>')
    return out


def heat_map(path, matrix, rows, columns, title):
    left = 24 + 0.58 * FONT * max(len(shown(r)) for r in rows)
    top = 44 + 0.45 * FONT * max(len(shown(c)) for c in columns)
    right = left + CELL * len(columns)
    overhang = max(0.42 * FONT * len(shown(c)) - CELL * (len(columns) - 1 - j)
                   for j, c in enumerate(columns))
    width = max(right + max(16, overhang), 20 + 0.55 * FONT * len(title))
    canvas = Canvas(width, top + CELL * len(rows) + 16)
    canvas.add(text(12, 22, title, ' class="faint"'))
    canvas.add(*cells(matrix, left, top, CELL))
    for i, row in enumerate(rows):
        canvas.add(text(left - 6, top + CELL * i + 16, shown(row), ' text-anchor="end"'))
    for j, column in enumerate(columns):
        x, y = left + CELL * j + 14, top - 6
        canvas.add(text(x, y, shown(column), f' transform="rotate(-45 {x:.0f} {y:.0f})"'))
    canvas.write(path)


def all_heads(model):
    """{(stack, role, layer, head): [(matrix, rows, columns) of each line]}"""
    out = {}
    for example in model["examples"]:
        for a in example["attentions"]:
            rows, columns = (example["axes"][a[side]]["tokens"] for side in ("queries", "keys"))
            for head, matrix in enumerate(matrices(a["heads"])):
                key = a["stack"], a["role"], a["layer"], head
                out.setdefault(key, []).append((matrix, rows, columns))
    return out


def best_head(heads, stack, role, measure):
    """The head of a kind with the greatest mean of measure(matrix, rows, columns)."""
    means = {key: np.mean([measure(*line) for line in lines]) for key, lines in heads.items()
             if key[:2] == (stack, role)}
    key = max(means, key=means.get)
    return key, means[key]


def name(key):
    stack, role, layer, head = key
    return f"{stack} {role}-attention, layer {layer + 1}, head {head + 1}"


def draw_translator(path, line, out):
    heads = all_heads(read(path))

    def previous(matrix, rows, columns):
        return matrix.diagonal().mean()  # column i is the token before that of row i

    def end(matrix, rows, columns):
        return matrix[:-1, -1].mean()

    def aligned(matrix, rows, columns):
        return matrix[:-1, :-1].max(axis=1).mean()

    for file, stack, role, measure in (("previous", "decoder", "self", previous),
                                       ("end", "encoder", "self", end),
                                       ("aligns", "decoder", "cross", aligned)):
        key, mean = best_head(heads, stack, role, measure)
        matrix, rows, columns = heads[key][line]
        heat_map(out / f"look_{file}.svg", matrix, rows, columns, f"{name(key)}: {mean:.2f}")
    draw_causal(heads, line, out)


def draw_causal(heads, line, out):
    keys = sorted(key for key in heads if key[:2] == ("decoder", "self"))
    layers, count = 1 + max(key[2] for key in keys), 1 + max(key[3] for key in keys)
    side = 110
    canvas = Canvas(100 + (side + 12) * count, 44 + (side + 12) * layers)
    canvas.add(text(12, 22, "decoder self-attention: a row never sees what comes after it",
                    ' class="faint"'))
    for _, _, layer, head in keys:
        matrix = heads["decoder", "self", layer, head][line][0]
        top = 36 + (side + 12) * layer
        canvas.add(text(12, top + 16, f"layer {layer + 1}"))
        canvas.add(*cells(matrix, 84 + (side + 12) * head, top, side / len(matrix)))
    canvas.write(out / "look_causal.svg")


def draw_distance(paths, out):
    """What two positions at a distance give, by what they give at distance 0: the cosine of
    encodings, the score of rotated queries and keys, or the factor of ALiBi on the weight."""
    width, height, left, top = 620, 300, 56, 40
    canvas = Canvas(width + left + 150, height + top + 50)
    canvas.add(text(12, 22, "how near two positions are, by their distance", ' class="faint"'))
    curves = {}
    for path in paths:
        maps = next(p for p in read(path)["positions"] if p["stack"] == "encoder")
        row = matrices(maps["similarity"])[0][0]
        curves[maps["kind"]] = np.exp(row) if maps["kind"] == "alibi" else row / row[0]
    low = min(0, min(map(np.min, curves.values())))
    scale = height / (1 - low)
    for value in np.arange(np.ceil(low * 2) / 2, 1.01, 0.5):
        y = top + (1 - value) * scale
        canvas.add(f'<path class="grid" d="M{left} {y:.0f}H{left + width}"/>',
                   text(left - 8, y + 4, f"{value:g}", ' text-anchor="end"'))
    most = max(map(len, curves.values())) - 1
    for distance in range(0, most + 1, 8):
        x = left + width * distance / most
        canvas.add(text(x, top + height + 20, str(distance), ' text-anchor="middle"'))
    canvas.add(text(left + width / 2, top + height + 40, "distance", ' text-anchor="middle"'))
    ends = []
    for kind, (label, row) in zip("abc", curves.items()):
        points = " ".join(f"{left + width * i / most:.1f},{top + (1 - v) * scale:.1f}"
                          for i, v in enumerate(row))
        canvas.add(f'<polyline class="line {kind}" points="{points}"/>')
        ends.append((top + (1 - row[-1]) * scale + 4, label))
    for y, label in sorted(ends):
        canvas.add(text(left + width + 8, y, label))
    canvas.write(out / "look_distance.svg")


def picture(axis, place):
    """`place` is x, y and the side of a square."""
    x, y, side = place
    return (f'<image href="{axis["picture"]}" x="{x}" y="{y}" width="{side}" height="{side}" '
            'style="image-rendering:pixelated"/>')


def patch_shapes(axis, values, place, kind):
    """Squares over the patches of a picture, as strong as their values by the greatest."""
    out = []
    x, y, side = place
    across, down = side / axis["columns"], side / axis["rows"]
    for patch, value in zip(axis["patches"], values):
        if patch < 0 or value <= 0:
            continue
        opacity = "" if kind == "mark" else f' opacity="{0.75 * value / values.max():.2f}"'
        out.append(f'<rect class="{kind}" x="{x + across * (patch % axis["columns"]):.1f}" '
                   f'y="{y + down * (patch // axis["columns"]):.1f}" width="{across:.1f}" '
                   f'height="{down:.1f}"{opacity}/>')
    return out


def draw_patches(path, count, out):
    """Each picture, a patch of it, and what that attends to in each layer, mean of heads."""
    examples = read(path)["examples"][:count]
    layers = examples[0]["attentions"]
    side, gap = 104, 10
    canvas = Canvas(16 + (side + gap) * (1 + len(layers)), 36 + (side + gap) * len(examples))
    canvas.add(text(12, 22, "a patch", ' class="faint"'),
               text(12 + side + gap, 22, "what it attends to in layer 1, 2, ..., mean of heads",
                    ' class="faint"'))
    for i, example in enumerate(examples):
        axis, y = example["axes"][0], 32 + (side + gap) * i
        query = strongest_patch(example)
        marked = np.zeros(len(axis["patches"]))
        marked[query] = 1
        canvas.add(picture(axis, (12, y, side)), *patch_shapes(axis, marked, (12, y, side), "mark"))
        for j, a in enumerate(example["attentions"]):
            x = 12 + (side + gap) * (j + 1)
            values = matrices(a["heads"]).mean(axis=0)[query]
            place = x, y, side
            canvas.add(picture(axis, place), *patch_shapes(axis, values, place, "over"))
    canvas.write(out / "look_patches.svg")


def strongest_patch(example):
    """The patch that all others attend to most in the last layer."""
    axis = example["axes"][0]
    received = matrices(example["attentions"][-1]["heads"]).mean(axis=(0, 1))
    received[[i for i, patch in enumerate(axis["patches"]) if patch < 0]] = 0
    return int(received.argmax())


def patches_of(axis):
    """The pixels of each patch of a picture, [patches, pixels], with mean 0."""
    png = base64.b64decode(axis["picture"].split(",")[1])
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("L"), float)
    height, width = pixels.shape[0] // axis["rows"], pixels.shape[1] // axis["columns"]
    patches = pixels.reshape(axis["rows"], height, axis["columns"], width).swapaxes(1, 2)
    patches = patches.reshape(-1, height * width)
    return patches - patches.mean()


def matching_head(heads, first, second):
    """The head whose patches look most like the ones that they attend to."""
    cosines = first @ second.T / np.outer(np.linalg.norm(first, axis=1) + 1,
                                          np.linalg.norm(second, axis=1) + 1)
    return max(heads, key=lambda head: (head * cosines).sum())


def decided_patches(head, rows, columns, count=3):
    """Patches inside a picture whose attention is most decided, no two side by side."""
    out = []
    for query in np.argsort(-head.max(axis=1)):
        row, column = divmod(int(query), columns)
        is_inside = 0 < row < rows - 1 and 0 < column < columns - 1
        is_apart = all(abs(row - q // columns) + abs(column - q % columns) > 1 for q in out)
        if is_inside and is_apart:
            out.append(int(query))
    return sorted(out[:count])


def draw_views(path, out):
    """Of the first pair: three patches of one view, and where each looks in the other. The head
    is the one that finds patches alike."""
    example = read(path)["examples"][0]
    layers = [a for a in example["attentions"] if a["role"] == "cross" and a["stack"] == "decoder"]
    heads = np.concatenate([matrices(a["heads"]) for a in layers])
    first, second = (example["axes"][layers[0][side]] for side in ("queries", "keys"))
    head = matching_head(heads, patches_of(first), patches_of(second))
    side, gap = 168, 14
    queries = decided_patches(head, first["rows"], first["columns"])
    canvas = Canvas(24 + (side + gap) * 2, 36 + (side + gap) * len(queries))
    canvas.add(text(12, 22, "a patch of the first view", ' class="faint"'),
               text(12 + side + gap, 22, "where it looks in the second", ' class="faint"'))
    for i, query in enumerate(queries):
        y = 32 + (side + gap) * i
        marked = np.zeros(len(first["patches"]))
        marked[query] = 1
        place = 12, y, side
        canvas.add(picture(first, place), *patch_shapes(first, marked, place, "mark"))
        x = 12 + side + gap
        canvas.add(picture(second, (x, y, side)),
                   *patch_shapes(second, head[query], (x, y, side), "over"))
    canvas.write(out / "look_views.svg")


def photograph(page, out):
    """The upper part of a page."""
    sys.path.insert(0, str(ROOT / "tools"))
    import browser as browsers

    with browsers.Browser(1000, 900) as browser:
        browser.open(page)
        browser.resize(1000, 740)
        browser.run("[...document.querySelectorAll('input[type=radio]')].find("
                    "r => r.value === 'Decoder cross-attention').click()")
        browser.wait("document.querySelector('.status').textContent.includes('cross')")
        browser.run("page.views[0].select(4, null)")
        browser.screenshot(out / "look_page.png")
    with Image.open(out / "look_page.png") as picture:
        picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=128).save(
            out / "look_page.png", optimize=True)
    print(out / "look_page.png")


def cut_views(scenes, folder):
    count, size, left, shift = 8, 32, 14, 4  # pairs, and pixels
    data = pathlib.Path(scenes).read_bytes()
    height, width = (int.from_bytes(data[8 + 4 * i:12 + 4 * i], "big") for i in range(2))
    pictures = np.frombuffer(data, np.uint8, offset=16).reshape(-1, height, width)
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for i in range(count):
        names = [folder / f"{i}{view}.png" for view in "ab"]
        for path, start in zip(names, (left, left + shift)):
            Image.fromarray(pictures[i, start:start + size, start:start + size]).save(path)
        lines.append("\t".join(path.name for path in names) + "\n")
    (folder / "views.tsv").write_text("".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--translator")
    parser.add_argument("--line", type=int, default=0, help="of the translator's, from 0")
    parser.add_argument("--positions", nargs="+", default=[])
    parser.add_argument("--pictures")
    parser.add_argument("--count", type=int, default=3, help="pictures that are drawn")
    parser.add_argument("--views")
    parser.add_argument("--page")
    parser.add_argument("--cut", nargs=2, metavar=("SCENES", "FOLDER"))
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/pictures")
    options = parser.parse_args()
    if options.translator:
        draw_translator(options.translator, options.line, options.out)
    if options.positions:
        draw_distance(options.positions, options.out)
    if options.pictures:
        draw_patches(options.pictures, options.count, options.out)
    if options.views:
        draw_views(options.views, options.out)
    if options.page:
        photograph(options.page, options.out)
    if options.cut:
        cut_views(options.cut[0], pathlib.Path(options.cut[1]))


if __name__ == "__main__":
    main()
