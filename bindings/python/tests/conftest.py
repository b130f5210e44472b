"""Tiny models of every kind, trained once through weft.train, and the command line beside them."""

from __future__ import annotations

import json
import os
import pathlib
import random
import struct
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft

SMALL = {
    "enc_depth": 1,
    "dim_emb": 16,
    "transformer_heads": 2,
    "transformer_dim_ffn": 16,
    "preset": "none",
    "precision": "float32",
    "lr_warmup": 4,
    "learn_rate": 0.01,
    "progress": False,
}
DECODER = {name.replace("enc_depth", "dec_depth"): value for name, value in SMALL.items()}

Texts = list[str]


def words(seed: int, count: int) -> list[list[str]]:
    """Texts of 2 to 7 words out of twelve."""
    chance = random.Random(seed)
    return [
        [f"w{chance.randrange(12)}" for _ in range(2 + chance.randrange(6))] for _ in range(count)
    ]


def texts(seed: int, count: int) -> Texts:
    return [" ".join(one) for one in words(seed, count)]


def labelled(seed: int, count: int) -> list[tuple[str, str]]:
    """Texts with a label by their first word."""
    return [(one, f"class {int(one.split()[0][1:]) % 3}") for one in texts(seed, count)]


def pictures(seed: int, count: int) -> Any:
    """Pictures [N, 8, 8] of bytes."""
    return np.random.default_rng(seed).integers(0, 256, (count, 8, 8), dtype=np.uint8)


def sound(seed: int) -> tuple[Any, int]:
    """A tone of half a second."""
    times = np.arange(4000) / 8000
    return (0.3 * np.sin(2 * np.pi * (200 + 100 * seed) * times)).astype(np.float32), 8000


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    weft.set_threads(1)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    """Where the models are, and the working directory of the tests."""
    path = tmp_path_factory.mktemp("models")
    before = os.getcwd()
    os.chdir(path)
    yield path
    os.chdir(before)


@pytest.fixture(scope="session")
def program(folder: pathlib.Path) -> Callable[..., str]:
    """program("translate", "-m", ..., input=...) -> what the command prints."""
    path = os.environ.get("WEFT_PROGRAM")
    if path is None:
        pytest.skip("WEFT_PROGRAM names no program")

    def run(*arguments: str, input: str = "", status: int = 0) -> str:
        done = subprocess.run(
            [path, *arguments, "--threads", "1"],
            input=input.encode(),
            capture_output=True,
            cwd=folder,
        )
        assert done.returncode == status, done.stderr.decode()
        return done.stdout.decode() if status == 0 else done.stderr.decode()

    return run


def _model(name: str, task: str, data: Callable[[], Any], **options: Any) -> Any:
    @pytest.fixture(scope="session", name=name)
    def fixture(folder: pathlib.Path) -> weft.Model:
        path = folder / f"{name}.safetensors"
        weft.train(task, data(), model=path, **options)
        return weft.load(path)

    return fixture


translator = _model(
    "translator",
    "translation",
    lambda: [(" ".join(one), " ".join(reversed(one))) for one in words(1, 300)],
    **SMALL, dec_depth=1, vocab_type="word", after="40u",
)
classifier = _model(
    "classifier", "classification", lambda: labelled(1, 300), **SMALL, after="40u"
)
pair_classifier = _model(
    "pair_classifier",
    "classification",
    lambda: [(a, b, "same" if a[:2] == b[:2] else "other")
             for a, b in zip(texts(1, 200), texts(2, 200))],
    **SMALL, after="10u",
)
tagger = _model(
    "tagger",
    "tagging",
    lambda: [(one, [word.upper() for word in one]) for one in words(1, 300)],
    **SMALL, after="40u",
)
language_model = _model(
    "language_model", "language-model", lambda: texts(1, 300),
    **DECODER, vocab_type="word", after="40u",
)
CHAT_TEMPLATE = (
    "{% for m in messages %}{{ m.role }} {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant {% endif %}"
)


@pytest.fixture(scope="session")
def chat_model(folder: pathlib.Path) -> weft.Model:
    """A language model whose file has a chat template, too."""
    path = folder / "chat_model.safetensors"
    weft.train(
        "language-model", texts(1, 300), model=path, **DECODER, vocab_type="bpe", after="20u"
    )
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8 : 8 + size]), content[8 + size :]
    templates = json.dumps({"default": CHAT_TEMPLATE}).encode()
    header["chat.templates"] = {
        "dtype": "U8",
        "shape": [len(templates)],
        "data_offsets": [len(data), len(data) + len(templates)],
    }
    header["__metadata__"].pop("weft.checksum")
    options = header["__metadata__"]["weft.options"]
    header["__metadata__"]["weft.options"] = options.replace(
        '"format-version":2', '"format-version":1'
    )
    written = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(written)) + written + data + templates)
    return weft.load(path)


masked_lm = _model(
    "masked_lm", "masked-lm", lambda: texts(1, 300), **SMALL, vocab_type="word", after="20u"
)
embedder = _model(
    "embedder", "embedding", lambda: list(zip(texts(1, 100), texts(2, 100))), **SMALL, after="5u"
)
transcriber = _model(
    "transcriber", "transcription", lambda: [(sound(i), "ab" if i % 2 else "ba") for i in range(8)],
    **SMALL, decoder="ctc", sample_rate=8000, mel_bins=4, after="5u",
)
picture_classifier = _model(
    "picture_classifier", "classification",
    lambda: (pictures(1, 40), [i % 3 for i in range(40)]),
    **SMALL, patch_size=4, after="5u",
)
vector_classifier = _model(
    "vector_classifier", "classification",
    lambda: [(np.full((3 + i % 2, 2), i % 3, np.float64), ["a", "b", "c"][i % 3])
             for i in range(30)],
    **SMALL, after="5u",
)
detector = _model(
    "detector", "detection",
    lambda: [(one, [("thing", 1, 1, 4, 5)]) for one in pictures(1, 20)],
    **SMALL, dec_depth=1, patch_size=4, query_count=3, after="5u",
)
