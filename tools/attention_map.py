#!/usr/bin/env python3
"""Draws where a translator attends as an SVG: the words of the source along the top, those of its
translation down the side; the more attention the word of a row gives to that of a column, the
darker is their cell.

    weft translate -m MODEL --alignment soft < LINE | python3 tools/attention_map.py SOURCE

SOURCE is the line that was translated; the tokens of the model are words (--vocab-type word). "end"
is the end symbol. docs/attention.svg is made by these commands, in about a minute:

    toy=quickstart/toy line="twenty-one red cats see three old houses today"
    scripts/make-toy-corpus $toy
    build/release/weft train -t $toy/train.en $toy/train.it -v $toy/en.vocab $toy/it.vocab \\
        --dim-vocabs 1000 -m $toy/attention.safetensors --enc-depth 1 --dec-depth 1 --dim-emb 128 \\
        --transformer-heads 1 --transformer-dim-ffn 256 --transformer-norm pre \\
        --label-smoothing 0.1 --learn-rate 0.003 --lr-warmup 200 --mini-batch-words 2048 \\
        --after 500u
    echo "$line" | build/release/weft translate -m $toy/attention.safetensors --alignment soft |
        python3 tools/attention_map.py "$line" > docs/attention.svg
"""

import argparse
import html
import sys

CELL, FONT = 30, 15  # pixels
STYLE = f"""\
text{{font:{FONT}px system-ui,sans-serif;fill:#1f2328}}.card{{fill:#fff;stroke:#d0d7de}}
.grid{{stroke:#d8dee4}}.cells{{fill:#0969da}}
@media (prefers-color-scheme:dark){{text{{fill:#e6edf3}}.card{{fill:#0d1117;stroke:#30363d}}
.grid{{stroke:#30363d}}.cells{{fill:#58a6ff}}}}"""
LEAST = 0.02  # attention that can be seen


def read(line):
    """(translation, weights of each of its words and its end over source words and their end)"""
    text, separator, weights = line.rstrip("\n").partition(" ||| ")
    if not separator:
        raise ValueError("no weights; expected a line of weft translate --alignment soft")
    return text.split(), [[float(w) for w in row.split(",")] for row in weights.split()]


def text_at(x, y, word, rest):
    return f'<text x="{x}" y="{y}"{rest}>{html.escape(word)}</text>'


def svg(source, target, weights):
    """The picture; ValueError where weights are of other numbers of words."""
    source, target = source + ["end"], target + ["end"]
    if len(weights) != len(target) or any(len(row) != len(source) for row in weights):
        raise ValueError(f"weights of {len(weights)} by {len(weights[0])} tokens; expected "
                         f"{len(target)} by {len(source)}, words and end symbol")
    left = 26 + int(0.55 * FONT * max(map(len, target)))
    top = 26 + int(0.4 * FONT * max(map(len, source)))
    right, bottom = left + CELL * len(source), top + CELL * len(target)
    overhang = max(int(0.45 * FONT * len(word)) - CELL * i for i, word in enumerate(source[::-1]))
    width, height = right + max(overhang, 16), bottom + 16
    rules = "".join(f"M{left + CELL * i} {top}V{bottom}" for i in range(len(source) + 1))
    rules += "".join(f"M{left} {top + CELL * i}H{right}" for i in range(len(target) + 1))
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}">',
             f"<style>{STYLE}</style>",
             f'<rect class="card" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>',
             f'<path class="grid" d="{rules}"/>']
    for i, word in enumerate(source):
        x, y = left + CELL * i + CELL // 2 + 2, top - 8
        lines.append(text_at(x, y, word, f' transform="rotate(-40 {x} {y})"'))
    for t, (word, row) in enumerate(zip(target, weights)):
        y, side = top + CELL * t, CELL - 2
        lines.append(text_at(left - 10, y + CELL // 2 + 5, word, ' text-anchor="end"'))
        lines += [f'<path class="cells" opacity="{min(weight, 1):.2f}" '
                  f'd="M{left + CELL * s + 1} {y + 1}h{side}v{side}h-{side}z"/>'
                  for s, weight in enumerate(row) if weight >= LEAST]
    return "\n".join(lines + ["</svg>"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="the line that was translated")
    options = parser.parse_args()
    try:
        print(svg(options.source.split(), *read(sys.stdin.readline())))
    except ValueError as problem:
        print(f"attention_map: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
