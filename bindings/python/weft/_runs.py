"""Runs of predictors on one input or several, which may be arrays and paths."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from . import _log, _rows
from ._inputs import is_picture, is_vectors, picture, vectors_file

Result = TypeVar("Result")
Record = Callable[[Any], Result]  # of the plain values of the module


class Ways(NamedTuple):
    """Two ways to predict: one for arrays, the other for paths and texts."""

    is_array: Callable[[Any], bool]
    of_arrays: Callable[[list[Any]], Any]
    of_paths: Callable[[list[Any]], Any]


def run(predict: Any, inputs: Any, record: Record[Result]) -> Any:
    """A result of one text or path, a list of results of several."""
    is_one = isinstance(inputs, (str, bytes))
    rows, news = predict([inputs] if is_one else list(inputs))
    _log.tell(news)
    results = [record(row) for row in rows]
    return results[0] if is_one else results


def run_mixed(inputs: list[Any], ways: Ways, record: Record[Result]) -> list[Result]:
    """One result for each input, in their order."""
    found: list[Any] = [None] * len(inputs)
    for predict, wanted in ((ways.of_arrays, True), (ways.of_paths, False)):
        numbers = [i for i, one in enumerate(inputs) if ways.is_array(one) is wanted]
        if numbers:
            rows, news = predict([inputs[i] for i in numbers])
            _log.tell(news)
            for i, row in zip(numbers, rows):
                found[i] = record(row)
    return found


def run_of_pictures(of_paths: Any, of_pictures: Any, inputs: Any, record: Record[Result]) -> Any:
    """As `run`, of pictures that are arrays or paths."""
    is_one = isinstance(inputs, (str, bytes, os.PathLike)) or is_picture(inputs)
    given: list[Any] = [inputs] if is_one else list(inputs)
    ways = Ways(
        lambda one: hasattr(one, "__array_interface__"),
        lambda some: of_pictures([picture(one) for one in some]),
        of_paths,
    )
    results = run_mixed(given, ways, record)
    return results[0] if is_one else results


def run_of_vectors(predictor: Any, inputs: Any) -> Any:
    """Classifications of sequences of vectors, as `run`."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        given = [inputs] if is_vectors(inputs) else list(inputs)
        paths = [vectors_file(one, folder, i) for i, one in enumerate(given)]
        results = run(predictor.classify, paths, _rows.classification)
    return results[0] if is_vectors(inputs) else results
