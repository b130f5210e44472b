"""Options as the library takes them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

Value = Any  # bool | int | float | str | os.PathLike | a list of them | None
Key = tuple[tuple[str, Any], ...]


def plain(options: Mapping[str, Value]) -> dict[str, Value]:
    """Options without those that are None, in plain types: numpy's numbers as Python's."""
    return {
        name.removesuffix("_"): _plain_value(name, value)
        for name, value in options.items()
        if value is not None
    }


def key(options: Mapping[str, Value]) -> Key:
    """Plain options as a key of a dict."""
    return tuple(
        (name, (type(value).__name__, tuple(value) if isinstance(value, list) else value))
        for name, value in sorted(options.items())
    )


def _plain_value(name: str, value: Value) -> Value:
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain_value(name, one) for one in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(
        f"{name}: expected a number, a str, a bool or a list of them, "
        f"got {type(value).__name__}"
    )
