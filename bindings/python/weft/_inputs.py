"""Texts, pictures and sounds as users have them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, Union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Picture = NDArray[Any]
else:
    Picture = Any

Element = TypeVar("Element")
Many = Union[Element, Iterable[Element]]
Sound = tuple[Any, float]
Pair = tuple[str, str]  # a source and its translation


def is_conversation(values: list[Any]) -> bool:
    """Whether these are messages, not conversations."""
    return bool(values) and isinstance(values[0], Mapping)


def conversation(messages: Iterable[Mapping[str, str]]) -> list[tuple[str, str]]:
    """Roles and contents. Raises ValueError for a message without them."""
    out = []
    for message in messages:
        if not isinstance(message, Mapping) or not {"role", "content"} <= set(message):
            raise ValueError(f'message: expected {{"role", "content"}}, got {message!r}')
        out.append((message["role"], message["content"]))
    return out


def is_pair(value: Any) -> bool:
    """Whether it is one pair of texts, not several."""
    return isinstance(value, (list, tuple)) and [type(one) for one in value] == [str, str]


def pair(value: Any) -> Any:
    """Two texts. Raises TypeError for anything else."""
    if not is_pair(value):
        raise TypeError(f"pair: expected two texts, two str, got {value!r}")
    return value


def is_sound(value: Any) -> bool:
    """Whether it is a pair of samples and a rate, not a path or several of them."""
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and not isinstance(value[0], (str, bytes, os.PathLike, tuple))
    )


def sound(value: Sound) -> tuple[NDArray[np.float32], float]:
    """Samples of one channel [samples], from -1 to 1. Raises ValueError for another shape."""
    import numpy as np

    samples = np.asarray(value[0])
    if samples.ndim not in (1, 2):
        raise ValueError(f"sound: expected [samples] or [samples, channels], got {samples.shape}")
    if samples.dtype.kind == "i":
        samples = samples / np.float32(np.iinfo(samples.dtype).max + 1)
    elif samples.dtype.kind != "f":
        raise TypeError(f"sound: expected floats or signed integers, got {samples.dtype}")
    if samples.ndim == 2:
        samples = samples.mean(axis=1)
    return np.ascontiguousarray(samples, dtype=np.float32), float(value[1])


def picture(value: Any) -> NDArray[np.uint8]:
    """Pixels [H, W] or [H, W, C], contiguous. Raises TypeError for other numbers than bytes."""
    import numpy as np

    pixels = np.asarray(value)
    if pixels.dtype != np.uint8:
        raise TypeError(f"picture: expected an array of uint8, got {pixels.dtype}")
    if pixels.ndim not in (2, 3):
        raise ValueError(f"picture: expected [H, W] or [H, W, C], got {pixels.shape}")
    return np.ascontiguousarray(pixels)


def view_pairs(value: Any) -> list[list[NDArray[np.uint8]]]:
    """The pixels of pairs of views, each a path or an array. Raises TypeError for what is no pair,
    and FileError and FormatError for a file that cannot be read."""
    out = []
    for one in value:
        if not isinstance(one, (list, tuple)) or len(one) != 2:
            raise TypeError(f"pair: expected two pictures, got {one!r}")
        out.append([_view(view) for view in one])
    return out


def _view(value: Any) -> NDArray[np.uint8]:
    from . import _weft

    is_path = isinstance(value, (str, bytes, os.PathLike))
    return _weft.read_picture(value) if is_path else picture(value)


def is_vectors(value: Any) -> bool:
    """Whether it is a sequence of vectors, [T] or [T, channels] of floats."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind == "f" and value.ndim in (1, 2)


def vectors_file(value: Any, folder: str, number: int) -> str:
    """The path of a file of vectors, which is written unless it is one."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    import numpy as np

    path = os.path.join(folder, f"{number:08d}.npy")
    np.save(path, np.ascontiguousarray(value, dtype=np.float32))
    return path


def is_picture(value: Any) -> bool:
    """Whether it is one picture, [H, W] or [H, W, C], not several, [N, H, W] or [N, H, W, C]."""
    if getattr(getattr(value, "dtype", None), "name", "") != "uint8":
        return False
    return value.ndim == 2 or (value.ndim == 3 and value.shape[2] in (1, 3))


def has_vectors(value: Any) -> bool:
    """Whether it is a sequence of vectors, or a list with one."""
    return is_vectors(value) or (isinstance(value, (list, tuple)) and any(map(is_vectors, value)))
