"""Examples in memory as files in the format that a task reads."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Union

from . import _media_files
from .errors import FormatError, OptionError

# Between several labels in a field: the unit separator, which no label has in it.
_BETWEEN_LABELS = "\x1f"

Options = dict[str, Any]
Example = tuple[Any, ...]
Names = Union[tuple[str, ...], None]

_NOTHING = object()

# The names of columns of examples that are given as dicts, columns or DataFrames, in order.
_COLUMNS: dict[str, list[tuple[str, ...]]] = {
    "translation": [("source", "target")],
    "classification": [
        ("first", "second", "label", "weight"),
        ("text", "label", "weight"),
        ("first", "second", "label"),
        ("text", "label"),
    ],
    "tagging": [("words", "tags"), ("words", "labels")],
    "language-model": [("messages",), ("prompt", "completion"), ("text",)],
    "masked-lm": [("text",)],
    "span-corruption": [("text",)],
    "embedding": [("first", "second", "score"), ("anchor", "positive", "negative")]
    + [("anchor", "positive"), ("first", "second")],
    "transcription": [("sound", "text"), ("path", "text")],
    "detection": [("picture", "boxes"), ("image", "boxes")],
    "cross-view": [("first", "second")],
}


def write_examples(task: str, data: Any, folder: str, option: str, given: Options) -> Options:
    """Writes examples into files of a folder. Returns the options that read them.

    Raises OptionError for an unknown task, TypeError and FormatError for an example, by its number.
    """
    if task not in _WRITERS:
        from ._weft import training_tasks

        known = ", ".join(training_tasks())
        raise OptionError(f"task: unknown task '{task}'; expected {known}")
    examples = _Examples(option, folder, given)
    examples.rows, names = _rows_of(task, data)
    examples.has_weights = names is not None and names[-1] == "weight"
    options = _WRITERS[task](examples)
    if examples.count == 0:
        raise FormatError(f"{examples.what}: no examples; expected at least one")
    return options


class _Examples:
    """Examples as tuples, which are counted while they are read."""

    rows: Iterator[Any]
    has_weights = False  # the last of the fields

    def __init__(self, option: str, folder: str, given: Options) -> None:
        self.option = option
        self.what = "data" if option == "train_sets" else "valid_data"
        self.folder = folder
        self.given = given
        self.count = 0

    def __iter__(self) -> Iterator[Any]:
        for row in self.rows:
            self.count += 1
            yield row

    def tuples(self, least: int, expected: str) -> Iterator[Example]:
        for row in self:
            if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) < least:
                raise TypeError(f"{self.here}: expected {expected}, got {_shown(row)}")
            yield tuple(row)

    @property
    def here(self) -> str:
        return f"{self.what}, example {self.count - 1}"

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def text(self, value: Any, field: str) -> str:
        if not isinstance(value, str):
            raise TypeError(f"{self.here}: expected a str as {field}, got {_shown(value)}")
        return value

    def line(self, value: Any, field: str, also: str = "") -> str:
        """A text that stands in a line of a file. Raises FormatError for one that does not."""
        text = self.text(value, field)
        for symbol, name in (("\n", "line break"), ("\r", "line break"), ("\t", "tab")):
            if symbol in text and (symbol != "\t" or also == "tabs"):
                raise FormatError(
                    f"{self.here}: a {name} in the {field}, which is read from lines; expected "
                    f"none in {_shown(text)}"
                )
        return text


def _rows_of(task: str, data: Any) -> tuple[Iterator[Any], Names]:
    """Examples one by one, as they are or as tuples of their columns, and the names of these."""
    if hasattr(data, "itertuples"):  # pandas
        names = _names(task, [str(name) for name in data.columns])
        chosen = data[list(names)] if names else data
        rows = chosen.itertuples(index=False, name=None)
        return (row[0] if len(row) == 1 else row for row in rows), names
    if isinstance(data, Mapping):
        names = _names(task, list(data))
        return _columns([data[name] for name in names or data]), names
    if isinstance(data, tuple) and len(data) == 2 and _is_column(data[0]) and _is_column(data[1]):
        return _columns(list(data)), None
    rows = iter(data)
    first = next(rows, _NOTHING)
    if first is _NOTHING:
        return iter(()), None
    rows = itertools.chain([first], rows)
    if not isinstance(first, Mapping):
        return rows, None
    names = _names(task, list(first))
    if names is None:
        known = " or ".join(", ".join(names) for names in _COLUMNS.get(task, []))
        raise TypeError(f"data: examples with {', '.join(map(str, first))}; expected {known}")
    if task == "language-model":
        return rows, names
    return (_picked(row, names, i) for i, row in enumerate(rows)), names


def _picked(row: Any, names: tuple[str, ...], number: int) -> Any:
    if not isinstance(row, Mapping) or not set(names) <= set(row):
        raise TypeError(f"data, example {number}: expected {', '.join(names)}, got {_shown(row)}")
    return row[names[0]] if len(names) == 1 else tuple(row[name] for name in names)


def _names(task: str, given: list[str]) -> Names:
    for names in _COLUMNS.get(task, []):
        if set(names) <= set(given):
            return names
    return None


def _is_column(value: Any) -> bool:
    """Whether it holds a field of all examples."""
    return hasattr(value, "__array__") or isinstance(value, list)


def _columns(columns: list[Any]) -> Iterator[Any]:
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ValueError(f"data: columns of {sorted(lengths)} examples; expected equal lengths")
    return iter(columns[0]) if len(columns) == 1 else zip(*columns)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _open(path: str) -> Any:
    return open(path, "w", encoding="utf-8", errors="surrogateescape", newline="\n")


def _translation(examples: _Examples) -> Options:
    paths = [examples.path("source.txt"), examples.path("target.txt")]
    with _open(paths[0]) as sources, _open(paths[1]) as targets:
        for source, target, *_ in examples.tuples(2, "(source, target)"):
            sources.write(examples.line(source, "source") + "\n")
            targets.write(examples.line(target, "target") + "\n")
    return {examples.option: paths}


def _label(examples: _Examples, value: Any) -> str:
    """A label, or several, as a field."""
    if isinstance(value, (list, tuple, set, frozenset)) or getattr(value, "ndim", 0) == 1:
        values = sorted(value) if isinstance(value, (set, frozenset)) else list(value)
        between = " " if examples.given.get("labels") == "numbers" else _BETWEEN_LABELS
        return between.join(_one_label(examples, one) for one in values)
    return _one_label(examples, value)


def _one_label(examples: _Examples, value: Any) -> str:
    if hasattr(value, "item"):  # of numpy
        value = value.item()
    if isinstance(value, (int, float)):
        return repr(value)
    label = examples.line(value, "label", also="tabs")
    if not label.strip() or label != label.strip():
        raise FormatError(f"{examples.here}: expected a label without spaces around it, "
                          f"got {_shown(label)}")
    return label


def _classification(examples: _Examples) -> Options:
    rows = examples.tuples(2, "(text, label)")
    first = next(rows, None)
    if first is None:
        return {}
    kind = examples.given.get("input") or _media_files.kind_of(first[0])
    if kind != "text":
        options = _media_files.write_listed(examples, kind, first, rows, _label)
    else:
        options = _labelled_texts(examples, first, rows)
    if examples.given.get("labels", "one") not in ("one", "numbers"):
        options["label_separators"] = _BETWEEN_LABELS
    return options


def _labelled_texts(examples: _Examples, first: Example, rows: Iterator[Example]) -> Options:
    """Lines [label, text] or [label, first, second], with the weight last where there is one."""
    path = examples.path("examples.jsonl")
    size = len(first)
    texts = size - 2 if examples.has_weights else size - 1
    if texts not in (1, 2):
        raise TypeError(f"{examples.here}: expected (text, label) or (first, second, label)")
    with _open(path) as file:
        row: Example | None = first
        while row is not None:
            if len(row) != size:
                raise TypeError(f"{examples.here}: {len(row)} fields; expected {size}")
            fields = [_label(examples, row[texts])]
            fields += [examples.text(value, "text") for value in row[:texts]]
            fields += [repr(float(weight)) for weight in row[texts + 1 :]]
            _write_json(file, fields)
            row = next(rows, None)
    options = {examples.option: [path], "format": "jsonl", "label_field": 0, "text_field": 1}
    if texts == 2:
        options["pair_field"] = 2
    if examples.has_weights and examples.option == "train_sets":
        options["weight_field"] = texts + 1
    return options


def _tagging(examples: _Examples) -> Options:
    path = examples.path("examples.conll")
    columns = 1
    with _open(path) as file:
        for words, *tags in examples.tuples(2, "(words, tags)"):
            columns = len(tags)
            for tag_list in tags:
                if len(tag_list) != len(words):
                    raise FormatError(
                        f"{examples.here}: {len(tag_list)} labels for {len(words)} words; "
                        "expected one for each"
                    )
            for fields in zip(words, *tags):
                file.write("\t".join(_word(examples, field) for field in fields) + "\n")
            file.write("\n")
    options = {examples.option: [path], "format": "conll"}
    return {**options, "word_labels": list(range(1, columns + 1))}


def _word(examples: _Examples, value: Any) -> str:
    word = examples.line(str(value), "word or tag", also="tabs")
    if not word.strip() or word.startswith("-DOCSTART-"):
        raise FormatError(f"{examples.here}: expected a word or tag, got {_shown(word)}")
    return word


def _language_model(examples: _Examples) -> Options:
    path = examples.path("examples.jsonl")
    with _open(path) as file:
        for row in examples:
            if isinstance(row, str):
                row = {"text": row}
            elif isinstance(row, tuple) and len(row) == 2:
                row = {"prompt": row[0], "completion": row[1]}
            elif isinstance(row, list):
                row = {"messages": row}
            if not isinstance(row, Mapping):
                raise TypeError(f"{examples.here}: expected a text, (prompt, completion) or "
                                f"messages, got {_shown(row)}")
            _write_json(file, dict(row))
    return {examples.option: [path], "format": "jsonl"}


def _write_json(file: Any, value: Any) -> None:
    file.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


def _lines(examples: _Examples) -> Options:
    path = examples.path("lines.txt")
    with _open(path) as file:
        for row in examples:
            text = row[0] if isinstance(row, tuple) and len(row) == 1 else row
            file.write(examples.line(text, "text") + "\n")
    return {examples.option: [path]}


def _embedding(examples: _Examples) -> Options:
    path = examples.path("texts.tsv")
    is_scored = examples.given.get("format") == "scores"
    with _open(path) as file:
        for row in examples.tuples(2, "(text, text, ...)"):
            fields = list(row)
            number = [repr(float(fields.pop()))] if is_scored else []
            texts = [examples.line(text, "text", also="tabs") for text in fields]
            file.write("\t".join(texts + number) + "\n")
    return {examples.option: [path]}


def _transcription(examples: _Examples) -> Options:
    path = examples.path("sounds.tsv")
    with _open(path) as file:
        for sound, text in examples.tuples(2, "(path or (samples, rate), text)"):
            name = _media_files.sound_path(examples, sound)
            file.write(f"{name}\t{examples.line(text, 'text', also='tabs')}\n")
    return {examples.option: [path]}


def _detection(examples: _Examples) -> Options:
    path = examples.path("pictures.jsonl")
    with _open(path) as file:
        for picture, boxes in examples.tuples(2, "(picture or path, boxes)"):
            named = []
            for box in boxes:
                if isinstance(box, Mapping):
                    named.append(dict(box))
                    continue
                label, *corners = box
                named.append({"label": label, "box": [float(number) for number in corners]})
            name = _media_files.picture_path(examples, picture)
            _write_json(file, {"image": name, "boxes": named})
    return {examples.option: [path]}


def _cross_view(examples: _Examples) -> Options:
    path = examples.path("pairs.tsv")
    with _open(path) as file:
        for first, second, *numbers in examples.tuples(2, "(picture, picture, number, ...)"):
            names = [_media_files.picture_path(examples, one) for one in (first, second)]
            file.write("\t".join(names + [repr(float(one)) for one in numbers]) + "\n")
    return {examples.option: [path]}


_WRITERS: dict[str, Callable[[_Examples], Options]] = {
    "translation": _translation,
    "classification": _classification,
    "tagging": _tagging,
    "language-model": _language_model,
    "masked-lm": _lines,
    "span-corruption": _lines,
    "embedding": _embedding,
    "transcription": _transcription,
    "detection": _detection,
    "cross-view": _cross_view,
}
