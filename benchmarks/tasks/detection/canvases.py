#!/usr/bin/env python3
"""Makes pictures with boxes: Fashion-MNIST's clothes, 1 to 8 of them on a black canvas.

    python3 benchmarks/tasks/detection/canvases.py FOLDER [--train 20000] [--test 2000]

Writes FOLDER/train.jsonl and FOLDER/test.jsonl, lines of JSON as `weft train detection` reads them,
and their pictures. Those of train.jsonl show items of Fashion-MNIST's training set, those of
test.jsonl items of its test set. --fashion DIR holds the files of Debian's package
dataset-fashion-mnist. A box is the smallest around an item's pixels; two boxes of a canvas share at
most a quarter of the smaller one, where the brighter pixel of the two is seen.
"""

import argparse
import gzip
import json
import pathlib
import random
import struct
import zlib

LABELS = ["T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag",
          "boot"]
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
SIDE = 28  # of an item


class Items:
    """The items of a set: their labels, and the rows of pixels inside their boxes."""

    def __init__(self, folder, name):
        pixels = gzip.decompress((folder / f"{name}-images-idx3-ubyte.gz").read_bytes())[16:]
        labels = gzip.decompress((folder / f"{name}-labels-idx1-ubyte.gz").read_bytes())[8:]
        self.items = [self.cropped(pixels[i * SIDE * SIDE:(i + 1) * SIDE * SIDE], label)
                      for i, label in enumerate(labels)]

    @staticmethod
    def cropped(pixels, label):
        rows = [pixels[y * SIDE:(y + 1) * SIDE] for y in range(SIDE)]
        used = [y for y, row in enumerate(rows) if any(row)]
        columns = [x for x in range(SIDE) if any(row[x] for row in rows)]
        left, right = columns[0], columns[-1] + 1
        return LABELS[label], [row[left:right] for row in rows[used[0]:used[-1] + 1]]


def shared(a, b):
    """The share of the smaller box that the other covers."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(0, width) * max(0, height) / min(a[2] * a[3], b[2] * b[3])


def canvas(items, size, most, draw):
    """A picture, as rows of bytes, and its boxes."""
    rows = [bytearray(size) for _ in range(size)]
    boxes = []
    for _ in range(draw.randint(1, most)):
        label, item = draw.choice(items)
        width, height = len(item[0]), len(item)
        for _ in range(50):
            box = [draw.randint(0, size - width), draw.randint(0, size - height), width, height]
            if all(shared(box, other["box"]) <= 0.25 for other in boxes):
                break
        else:
            continue
        x, y = box[:2]
        for row, pixels in zip(rows[y:y + height], item):
            row[x:x + width] = bytes(map(max, row[x:x + width], pixels))
        boxes.append({"label": label, "box": box})
    return rows, boxes


def chunk(name, data):
    """A part of a PNG file."""
    body = name + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(rows):
    """The bytes of a grey PNG file."""
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data)
            + chunk(b"IEND", b""))


def write(folder, name, items, count, options):
    """COUNT canvases, and the file that lists them."""
    draw = random.Random(f"{options.seed} {name}")
    (folder / name).mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.jsonl", "w", encoding="utf-8") as lines:
        for number in range(count):
            rows, boxes = canvas(items, options.size, options.most, draw)
            path = f"{name}/{number}.png"
            (folder / path).write_bytes(png(rows))
            lines.write(json.dumps({"image": path, "boxes": boxes}) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--train", type=int, default=20000, help="pictures to train on")
    parser.add_argument("--test", type=int, default=2000, help="pictures to test on")
    parser.add_argument("--size", type=int, default=96, help="height and width of a picture")
    parser.add_argument("--most", type=int, default=8, help="items of a picture, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fashion", type=pathlib.Path, default=FASHION)
    return parser.parse_args()


def make(options):
    for name, files, count in [("train", "train", options.train), ("test", "t10k", options.test)]:
        write(options.folder, name, Items(options.fashion, files).items, count, options)


if __name__ == "__main__":
    make(arguments())
