#!/usr/bin/env python3
"""Draws some canvases with their boxes beside each other, twice as large.

    (cd canvases; ls test/*.png | weft detect -m ../clothes.safetensors > found.jsonl)
    python3 benchmarks/tasks/detection/sheet.py canvases/found.jsonl 4 > sheet.png

The lines are what `weft detect` printed in their folder, or those of canvases.py. Boxes have a
colour for each label.
"""

import json
import pathlib
import struct
import sys
import zlib

from canvases import LABELS, chunk

COLOURS = [(230, 25, 75), (60, 180, 75), (255, 225, 25), (0, 130, 200), (245, 130, 48),
           (145, 30, 180), (70, 240, 240), (240, 50, 230), (210, 245, 60), (250, 190, 212)]
SCALE, GAP = 2, 8


def read_grey(path):
    """The rows of a PNG file as canvases.py writes it."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    length = struct.unpack(">I", data[33:37])[0]
    pixels = zlib.decompress(data[41:41 + length])
    return [pixels[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height)]


def drawn(path, boxes):
    """Rows of red, green and blue, larger, with the outlines of boxes."""
    rows = [bytearray(b"".join(bytes([value] * 3 * SCALE) for value in row))
            for row in read_grey(path) for _ in range(SCALE)]
    for one in boxes:
        colour = bytes(COLOURS[LABELS.index(one["label"])])
        left, top, width, height = [round(side * SCALE) for side in one["box"]]
        right, bottom = left + width - 1, top + height - 1
        for y in range(top, bottom + 1):
            for x in range(left, right + 1) if y in (top, bottom) else (left, right):
                rows[y][3 * x:3 * x + 3] = colour
    return rows


def main():
    lines = pathlib.Path(sys.argv[1])
    pictures = [json.loads(line) for line in lines.read_text().splitlines()[:int(sys.argv[2])]]
    sheets = [drawn(lines.parent / one["image"], one["boxes"]) for one in pictures]
    rows = [bytes([255] * 3 * GAP).join(bytes(sheet[y]) for sheet in sheets)
            for y in range(len(sheets[0]))]
    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data)
                            + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
