"""Small models of every kind, and their pages, for the tests of `weft inspect`.

WEFT, the program, and FOLDER, where files go, are set by the test.
"""

import json
import math
import pathlib
import struct
import subprocess
import wave
import zlib

WEFT, FOLDER = pathlib.Path(), pathlib.Path()
HOSTILE = ["<script>document.title='no'</script>", '"', "'><img/src=x>", "\u202eabc", "x" * 10_000,
           "&lt;", "\u05e9\u05dc\u05d5\u05dd"]


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


LAYERS = ["--dim-emb", 16, "--transformer-heads", 2, "--transformer-dim-ffn", 16,
          "--preset", "none", "--quiet", "--overwrite", "--threads", 1]
SMALL = ["--enc-depth", 2, *LAYERS]


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


def make_language_model():
    weft("train", "language-model", "-t", write("prose", toy_lines(["ab", "ba", "<b>"], 60)), "-v",
         FOLDER / "p.vocab", "--vocab-type", "character", "-m", FOLDER / "language.safetensors",
         "--after", "20u", "--dec-depth", 2, *LAYERS)
    inspect("language", ["ab <b>", ""])


def write_png(name, pixels):
    """A grey picture: rows of bytes."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + bytes(row) for row in pixels)
    header = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 0, 0, 0, 0)
    path = FOLDER / name
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return path


def square(left, top, size=16, side=5):
    return [[220 if left <= x < left + side and top <= y < top + side else 20
             for x in range(size)] for y in range(size)]


def inspect(name, lines, *more):
    weft("inspect", "-m", FOLDER / f"{name}.safetensors", "--html", FOLDER / f"{name}.html", *more,
         text="".join(f"{line}\n" for line in lines))


def train(name, *arguments):
    weft("train", *arguments, "-m", FOLDER / f"{name}.safetensors", "--after", "5u", *SMALL)


def make_models_of_pictures():
    paths = [write_png(f"p{i}.png", square(i, 10 - i)) for i in range(8)]
    labels = write("labels.tsv", [f"{'left' if i < 4 else 'right'}\t{p}"
                                  for i, p in enumerate(paths)])
    train("pictures", "classification", "--input", "image", "-t", labels, "--patch-size", 4,
          "--pooling", "first")
    inspect("pictures", [paths[0], FOLDER / "missing.png"])
    boxes = write("boxes.jsonl", [json.dumps({"image": str(p), "boxes": [
        {"label": "square", "box": [i, 10 - i, 5, 5]}]}) for i, p in enumerate(paths)])
    train("detector", "detection", "-t", boxes, "--patch-size", 4, "--query-count", 4,
          "--dec-depth", 1)
    inspect("detector", paths[:1])
    pairs = write("pairs.tsv", [f"{p}\t{q}" for p, q in zip(paths, paths[1:])])
    train("views", "cross-view", "-t", pairs, "--views", "pairs", "--patch-size", 4,
          "--mask-ratio", 0.5, "--dec-depth", 1)
    inspect("views", [f"{paths[0]}\t{paths[1]}"])


def make_transcriber():
    lines = []
    for i in range(4):
        path = FOLDER / f"s{i}.wav"
        with wave.open(str(path), "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(8000)
            sound.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(t * (i + 1) / 9)))
                                       for t in range(8000)))
        lines.append(f"{path}\t{'a b' if i % 2 else 'b'}")
    train("sounds", "transcription", "-t", write("sounds.tsv", lines), "-v", FOLDER / "c.vocab",
          "--sample-rate", 8000, "--dec-depth", 1)
    inspect("sounds", [FOLDER / "s0.wav"])


def make_all():
    make_translator()
    make_tagger()
    make_classifier()
    make_language_model()
    make_models_of_pictures()
    make_transcriber()
