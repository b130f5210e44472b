#!/usr/bin/env python3
"""Checks that two builds of Weft train models of the same weights and predict the same bytes.

    python3 tools/same_bytes.py --before PROGRAM --now PROGRAM [--kinds PATTERN] [--threads 1]

Both programs train each kind for a few updates on small made-up data with the same options and
seed. The kinds are 37 translators, which cover the options of the architecture, and each other
task. Weights and predictions are compared, and what the program of before trained is predicted
with by both. Prints a line for each kind that differs, and exits with 1 if there is one. Options
whose defaults changed are given; those that the program of before does not know are left out.
"""

import argparse
import functools
import hashlib
import json
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import wave
import zlib

WORDS = [a + b for a in ("ka", "lo", "mi", "su", "te") for b in ("n", "ra", "vo", "s", "pi")]
SMALL = ["--dim-emb", "16", "--transformer-heads", "4", "--transformer-dim-ffn", "32",
         "--enc-depth", "2"]
TRAIN = ["--seed", "3", "--after", "6u", "--lr-warmup", "2", "--learn-rate", "0.01"]
# Earlier defaults, of the commands that have them.
EARLIER = {"--preset": "none", "--frame-norm": "global"}
DECAY = ["--optimizer", "adamw", "--weight-decay", "0.05"]
DECODER = ["--dec-depth", "2", "--transformer-dropout", "0.1"]

TRANSLATORS = {
    "plain": [],
    "pre-norm": ["--transformer-norm", "pre"],
    "rms": ["--norm-kind", "rms", "--transformer-norm", "pre"],
    "batch norm": ["--norm-kind", "batch"],
    "deepnorm": ["--residual-scale", "deepnorm"],
    "drop path": ["--drop-path", "0.2"],
    "tied layers": ["--tied-layers", "1", "1"],
    "tied": ["--tied-embeddings"],
    "tied all": ["--tied-embeddings-all"],
    "gated": ["--transformer-ffn-gated", "--transformer-ffn-activation", "silu"],
    "no biases": ["--attention-bias", "false", "--output-bias", "false"],
    "key size": ["--transformer-dim-key", "6", "--transformer-dim-value", "10"],
    "groups": ["--transformer-key-heads", "2"],
    "index": ["--position", "index"],
    "learned": ["--position", "learned"],
    "rotary": ["--position", "rotary"],
    "relative": ["--position", "relative"],
    "alibi": ["--position", "alibi"],
    "local": ["--attention", "local", "--attention-window", "2"],
    "block-sparse": ["--attention", "block-sparse", "--attention-block", "2"],
    "linear": ["--attention", "linear"],
    "average": ["--attention", "average", "--attention-in", "decoder"],
    "linformer": ["--attention", "linformer", "--attention-in", "encoder", "--attention-keys", "4"],
    "synthesizer": ["--attention", "synthesizer-dense"],
    "clustered": ["--attention", "clustered", "--attention-clusters", "2"],
    "sinkhorn": ["--attention", "sinkhorn", "--attention-in", "encoder", "--attention-block", "2"],
    "norm of queries": ["--attention-qk-norm", "rms"],
    "entmax": ["--attention-activation", "entmax15"],
    "prior": ["--attention-prior", "diagonal"],
    "mask-predict": ["--generation", "mask-predict"],
    "ctc": ["--generation", "ctc", "--label-smoothing", "0"],
    "bfloat16": ["--precision", "bfloat16"],
    "recomputed": ["--gradient-checkpointing", "true"],
    "accumulated": ["--optimizer-delay", "2", "--exponential-smoothing", "0.01"],
    "rnn": ["--type", "rnn"],
    "rnn attention": ["--type", "rnn-attention"],
    "cnn": ["--type", "cnn"],
}


def png(rows):
    """A grey picture of rows of bytes."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) +
            chunk(b"IEND", b""))


def write_texts(folder, draw):
    def sentence():
        return " ".join(draw.choices(WORDS, k=draw.randint(1, 9)))
    source = [sentence() for _ in range(120)]
    (folder / "train.a").write_text("".join(f"{line}\n" for line in source))
    (folder / "train.b").write_text("".join(f"{' '.join(reversed(line.split()))}\n"
                                            for line in source))
    (folder / "lines").write_text("".join(f"{sentence()}\n" for _ in range(12)))
    (folder / "labels.tsv").write_text("".join(
        f"{line.split()[0][:2]}\t{line}\n" for line in source))
    (folder / "tags.tsv").write_text("".join(
        f"{line}\t{' '.join('B-x' if word[0] in 'kl' else 'O' for word in line.split())}\n"
        for line in source))


def write_pictures(folder, draw):
    lines, boxes, paths = [], [], []
    for number in range(24):
        path = folder / f"{number}.png"
        path.write_bytes(png([draw.randbytes(16) for _ in range(16)]))
        lines.append(f"{'even' if number % 2 == 0 else 'odd'}\t{path.name}\n")
        boxes.append(json.dumps({"image": path.name, "boxes": [
            {"label": "ab"[number % 2], "box": [1, 2, 5 + number % 4, 6]}]}) + "\n")
        paths.append(f"{path}\n")
    (folder / "pictures.tsv").write_text("".join(lines))
    (folder / "boxes.jsonl").write_text("".join(boxes))
    (folder / "paths").write_text("".join(paths[:8]))


def write_sounds(folder, draw):
    lines, paths = [], []
    for number in range(8):
        path = folder / f"{number}.wav"
        with wave.open(str(path), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(8000)
            tone = 300 + 150 * (number % 3)
            out.writeframes(b"".join(struct.pack("<h", int(
                6000 * math.sin(2 * math.pi * tone * t / 8000) + draw.gauss(0, 200)))
                for t in range(4000)))
        lines.append(f"{path.name}\t{' '.join('abc'[(number + i) % 3] for i in range(3))}\n")
        paths.append(f"{path}\n")
    (folder / "sounds.tsv").write_text("".join(lines))
    (folder / "sound-paths").write_text("".join(paths))


def kinds(folder):
    """{name: (arguments of train, arguments of prediction)}"""
    pair = ["-t", folder / "train.a", folder / "train.b", "-v", folder / "words",
            folder / "words", "--vocab-type", "word"]
    out = {}
    for name, more in TRANSLATORS.items():
        is_transformer = "--type" not in more
        shape = SMALL + DECODER if is_transformer else [
            "--dim-emb", "16", "--enc-depth", "2", "--dec-depth", "2"]
        out[f"translation, {name}"] = (
            ["translation", *pair, *shape, *more],
            ["translate", *([] if "--generation" in more else ["--beam-size", "3"]), "-i",
             folder / "lines"])
    text = ["-v", folder / "words", "--vocab-type", "word"]
    out["classification, text"] = (
        ["classification", "-t", folder / "labels.tsv", *text, *SMALL],
        ["classify", "--scores", "-i", folder / "lines"])
    out["tagging"] = (
        ["tagging", "-t", folder / "tags.tsv", *text, *SMALL, "--crf", "all", "--text-field", "0",
         "--word-labels", "1"],
        ["tag", "-i", folder / "lines"])
    out["classification, pictures"] = (
        ["classification", "--input", "image", "--image-size", "16", "--patch-size", "4", "-t",
         folder / "pictures.tsv", *SMALL, *DECAY, "--position", "learned", "--pooling",
         "first"],
        ["classify", "--scores", "-i", folder / "paths"])
    out["detection"] = (
        ["detection", "--image-size", "16", "--patch-size", "4", "-t", folder / "boxes.jsonl",
         *SMALL, "--dec-depth", "2", "--query-count", "5", "--position", "sinusoidal-2d"],
        ["detect", "--threshold", "0", "-i", folder / "paths"])
    out["cross-view"] = (
        ["cross-view", "--views", "crops", "--image-size", "16", "--patch-size", "4", "-t",
         folder / "scenes", *SMALL, "--dec-depth", "2"],
        ["complete", "--views", "crops", "-i", folder / "scenes", "--evaluate"])
    out["transcription"] = (
        ["transcription", "-t", folder / "sounds.tsv", "-v", folder / "letters", "--vocab-type",
         "character", "--sample-rate", "8000", *SMALL, "--dec-depth", "1"],
        ["transcribe", "-i", folder / "sound-paths"])
    return out


@functools.cache
def help_of(program, command):
    done = subprocess.run([program, *command.split(), "--help"], text=True, capture_output=True)
    return done.stdout


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True)
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr.decode()[-300:]}".encode()
    return done.stdout


def weights_of(path):
    """A checksum of the tensors of a file, by name; assets and metadata are left out."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    hashed = hashlib.sha256()
    for name, tensor in sorted(header.items()):
        if name == "__metadata__" or tensor["dtype"] == "U8":
            continue
        begin, end = (8 + size + offset for offset in tensor["data_offsets"])
        hashed.update(f"{name} {tensor['dtype']} {tensor['shape']}".encode() + data[begin:end])
    return hashed.hexdigest()


def check(options, name, training, prediction, folder):
    """What differs."""
    models, found = {}, []
    for side, program in (("before", options.before), ("now", options.now)):
        models[side] = folder / f"{side}.safetensors"
        earlier = EARLIER | ({"--weight-decay-on": "all"} if "adamw" in training else {})
        fixed = [part for flag, value in earlier.items()
                 if flag in help_of(program, f"train {training[0]}") for part in (flag, value)]
        run([program, "train", training[0], *fixed, *TRAIN, *training[1:], "-m", models[side],
             "--overwrite", "--threads", options.threads])
        if not models[side].exists():
            error = run([program, "train", training[0], *fixed, *TRAIN, *training[1:], "-m",
                         models[side], "--threads", options.threads])
            return [f"{side} does not train: {error.decode()}"]
    if weights_of(models["before"]) != weights_of(models["now"]):
        found.append("weights")
    outputs = {side: run([program, prediction[0], "-m", models["before"], *prediction[1:],
                          "--threads", options.threads])
               for side, program in (("before", options.before), ("now", options.now))}
    if outputs["before"] != outputs["now"]:
        found.append(f"predictions ({outputs['before'][:80]} and {outputs['now'][:80]})")
    if outputs["now"].startswith(b"status") or not outputs["now"]:
        found.append(f"no predictions: {outputs['now'].decode()}")
    for path in folder.glob("*.safetensors*"):
        path.unlink()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", required=True)
    parser.add_argument("--now", required=True)
    parser.add_argument("--kinds", default="", help="a regular expression")
    parser.add_argument("--threads", default="1")
    options = parser.parse_args()
    draw, differing, checked = random.Random(1), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_texts(folder, draw)
        write_pictures(folder, draw)
        write_sounds(folder, draw)
        (folder / "scenes").write_bytes(bytes([0, 0, 8, 3]) + struct.pack(">3I", 32, 24, 24) +
                                        draw.randbytes(32 * 24 * 24))
        for kind, (training, prediction) in kinds(folder).items():
            if not re.search(options.kinds, kind):
                continue
            checked += 1
            for what in check(options, kind, training, prediction, folder):
                differing += 1
                print(f"{kind}: {what}", flush=True)
    print(f"{checked} kinds, {differing} differences")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
