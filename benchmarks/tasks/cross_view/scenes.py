#!/usr/bin/env python3
"""Makes scenes for pairs of views: collages of Fashion-MNIST, as a file of the MNIST form.

    python3 benchmarks/tasks/cross_view/scenes.py OUTPUT [--count 4000] [--seed 1] [--held-out]

A scene is a grey picture of 64 by 64 pixels with 12 articles at places that the seed decides; where
they overlap the brighter pixel counts. --held-out takes the articles of the test set. --fashion DIR
holds the files of Debian's package dataset-fashion-mnist, and is where that package puts them.
"""

import argparse
import gzip
import pathlib
import random
import struct

SIDE, ARTICLE, ARTICLES = 64, 28, 12


def articles_of(path):
    """The pictures of an IDX file, each a list of rows of bytes."""
    data = gzip.decompress(path.read_bytes())[16:]
    rows = [data[i:i + ARTICLE] for i in range(0, len(data), ARTICLE)]
    return [rows[i:i + ARTICLE] for i in range(0, len(rows), ARTICLE)]


def scene(articles, draw):
    """The bytes of a scene, [SIDE, SIDE]."""
    canvas = [bytes(SIDE) for _ in range(SIDE)]
    for _ in range(ARTICLES):
        rows = articles[draw.randrange(len(articles))]
        top, left = (draw.randint(-ARTICLE // 2, SIDE - ARTICLE // 2) for _ in range(2))
        begin, end = max(left, 0), min(left + ARTICLE, SIDE)
        for y in range(max(top, 0), min(top + ARTICLE, SIDE)):
            row, article = canvas[y], rows[y - top][begin - left:end - left]
            canvas[y] = row[:begin] + bytes(map(max, row[begin:end], article)) + row[end:]
    return b"".join(canvas)


def write_scenes(output, fashion, count, seed, held_out=False):
    """Writes `count` scenes, which the seed decides."""
    name = "t10k" if held_out else "train"
    articles = articles_of(fashion / f"{name}-images-idx3-ubyte.gz")
    draw = random.Random(seed)
    with open(output, "wb") as file:
        file.write(bytes([0, 0, 8, 3]) + struct.pack(">3I", count, SIDE, SIDE))
        for _ in range(count):
            file.write(scene(articles, draw))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--fashion", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"))
    options = parser.parse_args()
    write_scenes(options.output, options.fashion, options.count, options.seed, options.held_out)


if __name__ == "__main__":
    main()
