"""Pictures, sounds and vectors in memory as files."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from ._inputs import picture, sound, vectors_file


def kind_of(value: Any) -> str:
    """"text", "image" or "features": what a classifier reads, by its first example."""
    if isinstance(value, (str, bytes)):
        return "text"
    if getattr(getattr(value, "dtype", None), "name", "") == "uint8":
        return "image"
    return "features" if hasattr(value, "__array__") or isinstance(value, list) else "text"


def write_listed(
    examples: Any,
    kind: str,
    first: tuple[Any, ...],
    rows: Iterator[tuple[Any, ...]],
    label: Callable[[Any, Any], str],
) -> dict[str, Any]:
    """Writes a file for each example, and the list of them."""
    write = picture_path if kind == "image" else vectors_path
    path = examples.path("examples.tsv")

    with open(path, "w", encoding="utf-8") as file:
        row: tuple[Any, ...] | None = first
        while row is not None:
            file.write(f"{label(examples, row[-1])}\t{write(examples, row[0])}\n")
            row = next(rows, None)
    return {examples.option: [path], "input": kind}


def picture_path(examples: Any, value: Any) -> str:
    """The path of a picture that is given as one, or as pixels, which are written."""
    if isinstance(value, (str, os.PathLike)):
        return _listed_path(examples, value)
    name = f"{examples.count - 1:08d}.png"
    with open(examples.path(name), "wb") as file:
        file.write(png(picture(value)))
    return name


def sound_path(examples: Any, value: Any) -> str:
    """The path of a sound that is given as one, or as (samples, rate), which are written."""
    if isinstance(value, (str, os.PathLike)):
        return _listed_path(examples, value)
    name = f"{examples.count - 1:08d}.wav"
    samples, rate = sound(value)
    with open(examples.path(name), "wb") as file:
        file.write(wav(samples, int(rate)))
    return name


def vectors_path(examples: Any, value: Any) -> str:
    """The path of a sequence of vectors that is given as one, or as numbers [T] or [T, channels],
    which are written."""
    if isinstance(value, (str, os.PathLike)):
        return _listed_path(examples, value)
    return os.path.basename(vectors_file(value, examples.folder, examples.count - 1))


def _listed_path(examples: Any, value: str | os.PathLike[str]) -> str:
    path: str = examples.line(os.path.abspath(os.fspath(value)), "path", also="tabs")
    return path


def png(pixels: Any) -> bytes:
    """A PNG of pixels [H, W] or [H, W, C] with 1 or 3 channels. Raises ValueError for others."""
    height, width = pixels.shape[:2]
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    if channels not in (1, 3):
        raise ValueError(f"picture: expected 1 or 3 channels, got {channels}")
    rows = pixels.reshape(height, width * channels)
    data = b"".join(b"\0" + row.tobytes() for row in rows)  # no filter
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(data, 1)), (b"IEND", b""))
    out = b"\x89PNG\r\n\x1a\n"
    for name, content in parts:
        check = zlib.crc32(name + content)
        out += struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)
    return out


def wav(samples: Any, rate: int) -> bytes:
    """A WAV of float32 samples of one channel."""
    data: bytes = samples.tobytes()
    form = struct.pack("<HHIIHH", 3, 1, rate, 4 * rate, 4, 32)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"fact" + struct.pack("<II", 4, len(samples))
    body += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body
