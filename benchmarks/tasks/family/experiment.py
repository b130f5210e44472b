"""Shared by the experiments of the family of models: text, teacher, and training a kind."""

import argparse
import collections
import functools
import json
import math
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from side_by_side import RELEASE, ROOT, bleu, read_text, run, write_whole  # noqa: E402

from kinds import TEACHER, TYPES  # noqa: E402

CONFIG = pathlib.Path(__file__).parent / "config.yml"


def arguments(description, kinds):
    """An argument parser with the options that these experiments share."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(
        os.environ.get("WEFT_DATA", ROOT / "../shared/data")) / "multi30k")
    parser.add_argument("--weft", default=str(RELEASE / "weft"))
    parser.add_argument("--kinds", nargs="+", metavar="NAME", default=list(kinds),
                        choices=list(kinds))
    parser.add_argument("--threads", default="2")
    parser.add_argument("--untimed", action="store_true",
                        help="do not measure speeds (on a busy machine)")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "quickstart/family")
    return parser


class Experiment:
    """Keeps its files in a folder; each is made once, when it is first needed."""

    def __init__(self, options):
        self.program, self.threads, self.folder = options.weft, options.threads, options.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.train_text = [options.data / f"train.lc.norm.tok.{side}.gz" for side in ("en", "de")]
        self.vocab = self.folder / "vocab.spm"
        self.source, self.target = (
            self.plain(options.data / f"test_2016_flickr.lc.norm.tok.{side}.gz", f"test.{side}")
            for side in ("en", "de"))

    def plain(self, packed, name):
        """Returns the path of an uncompressed copy of a .gz file."""
        path = self.folder / name
        if not path.exists():
            write_whole(path, read_text(packed))
        return path

    def weft(self, *given):
        return run([self.program, *map(str, given), "--threads", self.threads])

    def model_of(self, name):
        folder = self.folder / name.replace(" ", "-").replace(",", "")
        folder.mkdir(exist_ok=True)
        return folder / "model.safetensors"

    @functools.cached_property
    def teacher(self):
        model = self.model_of(TEACHER)
        self.train(model, TYPES[TEACHER], TYPES[TEACHER]["updates"])
        return model

    def hard_alignments(self, model, text, name):
        """Word alignments from the model's attention."""
        out = self.folder / name
        if not out.exists():
            write_whole(out, self.weft("score", "-m", model, "-t", *text, "--alignment", "hard"))
        return out

    @functools.cached_property
    def links(self):
        return self.hard_alignments(self.teacher, self.train_text, "train.links")

    @functools.cached_property
    def weights(self):
        """Weights of target tokens, near 2 for rare and near 1 for frequent tokens (Gu et al. 2020,
        arXiv 2010.04380)."""
        out = self.folder / "train.weights"
        if not out.exists():
            pieces = run(["spm_encode", "--model", self.vocab], input=read_text(self.train_text[1]))
            lines = [line.split() for line in pieces.rstrip("\n").split("\n")]
            counts = collections.Counter(token for line in lines for token in line)
            weights = {token: f"{1 + math.exp(-n / 1000):.3f}" for token, n in counts.items()}
            write_whole(out, "".join(" ".join(weights[t] for t in line) + "\n" for line in lines))
        return out

    @functools.cached_property
    def distilled(self):
        """The teacher's translations of the training text."""
        out = self.folder / "distilled.de"
        if not out.exists():
            part = out.with_suffix(".part")
            self.weft("translate", "-m", self.teacher, "-b", "5", "--normalize", "1", "-i",
                      self.train_text[0], "-o", part)
            part.rename(out)
        return out

    def train(self, model, kind, updates, *more):
        """Trains a kind for a number of updates and returns the log."""
        made = {"{teacher}": "teacher", "{links}": "links", "{weights}": "weights"}
        given = [getattr(self, made[o]) if o in made else o for o in kind["options"]]
        target = self.distilled if kind["is_distilled"] else self.train_text[1]
        log = model.with_suffix(".log")
        self.weft("train", "--config", CONFIG, *given, "-t", self.train_text[0], target,
                  "-v", self.vocab, self.vocab, "-m", model, "--after", f"{updates}u",
                  "--log", log, *more)
        return log.read_text()

    def translate(self, model, *how):
        """Translations of test 2016, as lines."""
        return self.weft("translate", "-m", model, *how, "-i", self.source).splitlines()

    def bleu(self, hypotheses, chosen=None):
        """Tokenised BLEU on test 2016, or on a subset of its lines."""
        references = self.target.read_text().splitlines()
        numbers = range(len(references)) if chosen is None else chosen
        with tempfile.NamedTemporaryFile("w", encoding="utf8") as file:
            file.write("".join(f"{references[i]}\n" for i in numbers))
            file.flush()
            return round(bleu(self.program, [hypotheses[i] for i in numbers], file.name), 2)

    def decoding_speed(self, unit, model, batch, repeats, *how):
        """The best of `repeats` passes over test 2016, in tokens or lines per second."""
        figures = model.parent / "decoding.json"
        self.weft("bench", "decode", "-m", model, *how, "--mini-batch", batch, "--repeats", repeats,
                  "--json", figures, "-i", self.source)
        return json.loads(figures.read_text())[f"{unit}_per_s"]["best"]
