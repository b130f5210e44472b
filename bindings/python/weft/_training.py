"""Training of models."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from . import _log, _options, _weft
from ._data import write_examples
from ._progress import Progress
from .errors import FileError
from .results import TrainingProgress, TrainingResult, TrainingValidation

OnUpdate = Callable[[TrainingProgress], Any]
OnValidation = Callable[[TrainingValidation], Any]

# The vocabulary of texts in memory, where no option says another: its file, beside the model.
_VOCABULARIES = {
    "translation": (".vocab.spm", 2),
    "classification": (".vocab", 1),
    "tagging": (".vocab", 1),
    "transcription": (".vocab", 1),
    "language-model": (".vocab.spm", 1),
    "embedding": (".vocab", 1),
    "masked-lm": (".vocab.spm", 1),
    "span-corruption": (".vocab.spm", 1),
}


def train(
    task: str,
    data: Any = None,
    *,
    model: str | os.PathLike[str],
    valid_data: Any = None,
    on_update: OnUpdate | None = None,
    on_validation: OnValidation | None = None,
    progress: bool | None = None,
    **options: Any,
) -> TrainingResult:
    """Trains a model, as `weft train TASK` does, and writes it into the file `model`.

    `data` and `valid_data` are the path of a file, a list of `os.PathLike`, or examples in memory:
    an iterable of tuples or dicts, a dict of columns, a pandas DataFrame, or a pair of arrays. An
    example of each task is

        translation     (source, target)
        classification  (text, label), (first, second, label); label: a str, a number, a list of
                        them; in place of a text a picture, uint8 [H, W] or [H, W, C], or a sequence
                        of vectors, floats [T] or [T, channels]
        tagging         (words, tags), lists of one length, or several lists of tags
        language-model  a text, (prompt, completion), {"messages": [...]}
        masked-lm       a text
        span-corruption a text
        embedding       (text, text, ...), (text, text, number) with format="scores"
        transcription   (path, text), ((samples, rate), text)
        detection       (picture or path, [(label, x, y, width, height), ...])
        cross-view      (picture or path, picture or path, number, ...)

    Without `vocabs` or `from_`, a vocabulary is made beside the model file.

    `on_update` is called with a TrainingProgress after each update, `on_validation` with a
    TrainingValidation after each validation; the training stops if either returns False. `progress`
    shows a bar of tqdm (None: where tqdm is installed and the output is a
    terminal or a notebook). Ctrl-C raises KeyboardInterrupt: while data are read, before anything
    is saved; later, after the update at hand, whose state is saved. A training that was stopped in
    any way goes on with the same call; `overwrite=True` starts over.

    Raises OptionError, FileError and FormatError without having written anything, NumericError
    where the loss stays infinite or NaN, and TypeError and ValueError for examples of another form.
    """
    _log.start()
    given = _options.plain(options)
    given["model"] = os.fspath(model)
    in_memory = {}
    for name, examples in (("train_sets", data), ("valid_sets", valid_data)):
        if examples is not None:
            files = _paths(examples)
            if files is None:
                in_memory[name] = examples
            else:
                given[name] = files
    with ExitStack() as stack:
        if in_memory:
            folder = stack.enter_context(_data_folder(given["model"] + ".data"))
            for name, examples in in_memory.items():
                part = os.path.join(folder, name)
                os.mkdir(part)
                given.update(write_examples(task, examples, part, name, given))
            _add_vocabulary(task, given)
        bar = stack.enter_context(Progress(progress))
        end = _weft.train(
            task, given, _listener(on_update, bar), _validation_listener(on_validation)
        )
    return TrainingResult(*end, model=given["model"])


@contextmanager
def _data_folder(path: str) -> Iterator[str]:
    """A folder for examples, removed in the end. Its name is the same each time: a training that
    goes on knows its validation set by it. Raises FileError where another training has it."""
    try:
        os.makedirs(path, exist_ok=True)
        folder = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise FileError(f"data: cannot make the folder {path}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileError(f"data: another training uses {path}; expected none") from None
        _remove_data(path)  # of a training that was killed
        try:
            yield path
        finally:
            _remove_data(path)
            if not os.listdir(path):
                os.rmdir(path)
    finally:
        os.close(folder)


def _remove_data(path: str) -> None:
    for name in ("train_sets", "valid_sets"):
        shutil.rmtree(os.path.join(path, name), ignore_errors=True)


def _listener(on_update: OnUpdate | None, bar: Progress) -> Callable[..., bool] | None:
    if on_update is None and not bar.is_shown:
        return None

    def listen(*fields: Any) -> bool:
        now = TrainingProgress(*fields)
        bar.show(now)
        return on_update is None or on_update(now) is not False

    return listen


def _validation_listener(on_validation: OnValidation | None) -> Callable[..., bool] | None:
    if on_validation is None:
        return None
    receive = on_validation

    def listen(update: int, metrics: list[tuple[str, float]]) -> bool:
        return receive(TrainingValidation(update, dict(metrics))) is not False

    return listen


def _paths(data: Any) -> list[str] | None:
    """Paths of files; None: examples in memory."""
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if isinstance(data, (list, tuple)) and data:
        if all(isinstance(one, os.PathLike) for one in data):
            return [os.fspath(one) for one in data]
    return None


def _add_vocabulary(task: str, given: dict[str, Any]) -> None:
    reads_text = given.get("input", "text") == "text" and task in _VOCABULARIES
    if not reads_text or "vocabs" in given or "from" in given:
        return
    suffix, count = _VOCABULARIES[task]
    if given.get("vocab_type") in ("sentencepiece", "word", "character", "bpe", "byte"):
        suffix = {"sentencepiece": ".vocab.spm", "bpe": ".tokenizer.json"}.get(
            given["vocab_type"], ".vocab"
        )
    path = given["model"].removesuffix(".safetensors") + suffix
    if given.get("overwrite") and os.path.exists(path):
        os.remove(path)
    given["vocabs"] = [path] * count
