"""Weft trains, runs and looks inside Transformer models.

    import weft
    model = weft.load("model.safetensors")
    model.translate("Guten Morgen")

Options are those of the command line, by keyword: `beam_size=4` is `--beam-size 4`. A name that is
a word of Python gets an underscore: `from_="encoder"`. `None` leaves an option at its default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _weft
from .errors import Error, FileError, FormatError, NumericError, OptionError, ShapeError

if TYPE_CHECKING:
    from ._chat import Chat
    from ._evaluation import Evaluation, evaluate
    from ._files import average, convert, quantize
    from ._inspection import Inspection
    from ._model import Model, load
    from ._stream import Stream
    from ._training import train
    from .results import (
        AttentionMap,
        Classification,
        CompletedView,
        DetectedObject,
        Detection,
        Fault,
        FilledText,
        GeneratedText,
        Generation,
        Hypothesis,
        MaskCandidate,
        Score,
        ScoredText,
        TagColumn,
        TaggedText,
        TextMetric,
        TimedWord,
        TokenProbability,
        TrainingProgress,
        TrainingResult,
        TrainingValidation,
        Transcript,
        Translation,
        ViewMotion,
    )
    from .sklearn import WeftClassifier, WeftEmbedder, WeftRegressor, WeftTagger

__version__ = _weft.version()

__all__ = [
    "AttentionMap",
    "Chat",
    "Classification",
    "CompletedView",
    "DetectedObject",
    "Detection",
    "Error",
    "Evaluation",
    "Fault",
    "FileError",
    "FilledText",
    "FormatError",
    "GeneratedText",
    "Generation",
    "Hypothesis",
    "Inspection",
    "MaskCandidate",
    "Model",
    "NumericError",
    "OptionError",
    "Score",
    "ScoredText",
    "ShapeError",
    "Stream",
    "TagColumn",
    "TaggedText",
    "TextMetric",
    "TimedWord",
    "TokenProbability",
    "TrainingProgress",
    "TrainingResult",
    "TrainingValidation",
    "Transcript",
    "Translation",
    "ViewMotion",
    "WeftClassifier",
    "WeftEmbedder",
    "WeftRegressor",
    "WeftTagger",
    "average",
    "convert",
    "evaluate",
    "load",
    "quantize",
    "set_threads",
    "train",
    "version",
]

# Where the names are that are imported when they are first used, so that `import weft` is fast and
# scikit-learn is optional; all others are in weft.results.
_HOMES = {
    "Chat": "_chat",
    "Evaluation": "_evaluation",
    "Inspection": "_inspection",
    "Model": "_model",
    "Stream": "_stream",
    "WeftClassifier": "sklearn",
    "WeftEmbedder": "sklearn",
    "WeftRegressor": "sklearn",
    "WeftTagger": "sklearn",
    "average": "_files",
    "convert": "_files",
    "evaluate": "_evaluation",
    "load": "_model",
    "quantize": "_files",
    "train": "_training",
}


def version() -> str:
    """The version of the library."""
    return _weft.version()


def set_threads(threads: int) -> None:
    """Sets the number of threads that compute, at first that of the cores of this process.

    Raises OptionError unless 1 <= threads <= 1024.
    """
    _weft.set_threads(threads)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"weft.{_HOMES.get(name, 'results')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
