#!/usr/bin/env python3
"""Reads the event files of `weft train --tensorboard` back by the package tensorboard.

    tests/scripts/tensorboard_test.py WEFT

Needs Python's tensorboard; without it the test is skipped.
"""

import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError:
    EventAccumulator = None

EVERYTHING = {"scalars": 0, "images": 0, "histograms": 0, "tensors": 0}
PART = "model.encoder.layers.0"


def write_text(folder, name, lines):
    numbers = random.Random(name)
    texts = [[f"w{numbers.randrange(12)}" for _ in range(numbers.randrange(2, 8))]
             for _ in range(lines)]
    for suffix, order in (("src", 1), ("trg", -1)):
        text = "".join(" ".join(words[::order]) + "\n" for words in texts)
        (folder / f"{name}.{suffix}").write_text(text, encoding="utf8")


def train(folder, updates):
    command = ("train -t train.src train.trg -v src.vocab trg.vocab -m model.safetensors "
               "--enc-depth 1 --dec-depth 1 --dim-emb 32 --transformer-heads 2 "
               "--transformer-dim-ffn 64 --mini-batch-words 200 --threads 1 "
               "--valid-sets valid.src valid.trg --valid-metrics cross-entropy bleu "
               "--valid-freq 20u --disp-freq 10u --quiet --metrics metrics.jsonl "
               f"--valid-first 0 --lr-warmup 4 --tensorboard events --after {updates}u")
    subprocess.run([str(WEFT), *command.split()], cwd=folder, check=True)


def events_of(folder):
    events = EventAccumulator(str(folder / "events"), size_guidance=EVERYTHING)
    events.Reload()
    return events


@unittest.skipIf(EventAccumulator is None, "no package tensorboard")
class TensorboardTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        write_text(cls.folder, "train", 300)
        write_text(cls.folder, "valid", 20)
        train(cls.folder, 40)
        cls.first = events_of(cls.folder)
        train(cls.folder, 60)  # goes on in a second file
        cls.events = events_of(cls.folder)
        text = (cls.folder / "metrics.jsonl").read_text(encoding="utf8")
        cls.lines = [json.loads(line) for line in text.splitlines()]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def expected(self, kind, value):
        return [(line["update"], value(line)) for line in self.lines if line["kind"] == kind]

    def check_scalar(self, tag, kind, value):
        got = [(e.step, e.value) for e in self.events.Scalars(tag)]
        expected = [(step, struct.unpack("f", struct.pack("f", number))[0])
                    for step, number in self.expected(kind, value)]
        self.assertEqual(got, expected)

    def test_scalars_are_those_of_the_metrics(self):
        self.check_scalar("train/loss", "update", lambda line: line["loss"])
        self.check_scalar("train/learn_rate", "update", lambda line: line["learn_rate"])
        self.check_scalar("train/gradient_norm", "update", lambda line: line["gradient_norm"])
        self.check_scalar(f"train/gradient_norm/{PART}", "update",
                          lambda line: line["gradient_norms"][PART])
        self.check_scalar("valid/bleu", "validation", lambda line: line["metrics"]["bleu"])
        self.assertEqual(len(self.events.Scalars("train/loss")), 6)
        self.assertEqual(len(self.first.Scalars("train/loss")), 4)

    def test_histograms_hold_every_weight(self):
        parts = self.lines[1]["gradient_norms"]
        total = 0
        for part in parts:
            histograms = self.events.Histograms(f"weights/{part}")
            self.assertEqual([h.step for h in histograms], [20, 40, 60])
            value = histograms[-1].histogram_value
            self.assertEqual(sum(value.bucket), value.num)
            self.assertEqual(list(value.bucket_limit), sorted(value.bucket_limit))
            self.assertEqual(value.bucket_limit[-1], value.max)
            total += value.num
        self.assertEqual(total, self.lines[0]["parameters"])

    def test_samples_are_texts_and_pictures(self):
        source = (self.folder / "valid.src").read_text(encoding="utf8").splitlines()
        for number in (1, 2, 3):
            texts = self.events.Tensors(f"samples/{number}")
            self.assertEqual([t.step for t in texts], [20, 40, 60])
            text = texts[-1].tensor_proto.string_val[0].decode()
            self.assertIn(f"| source | {source[number - 1]} |", text)
            self.assertIn("| translation | ", text)
            image = self.events.Images(f"samples/{number}/cross-attention")[-1]
            self.assertEqual(image.width, 12 * (len(source[number - 1].split()) + 1))
            header = image.encoded_image_string[:24]
            self.assertEqual(header[1:4], b"PNG")
            self.assertEqual(struct.unpack(">II", header[16:24]), (image.width, image.height))
        self.assertEqual(self.events.SummaryMetadata("samples/1").plugin_data.plugin_name, "text")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    WEFT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
