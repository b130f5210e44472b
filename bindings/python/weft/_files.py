"""Model files: from and to other systems, smaller, averaged."""

from __future__ import annotations

from typing import Any

from . import _log, _options, _weft


def convert(**options: Any) -> str:
    """Converts models from and to Hugging Face Transformers, GGUF and PEFT, and compares models.

    Options are those of `weft convert`: `from_hf`, `from_gguf`, `model`, `output`, `to_hf`,
    `to_gguf`, `lora`, `check`, .... Returns what comparisons found, as lines of text. Raises
    NumericError where a comparison fails, FileError, FormatError, OptionError.
    """
    _log.start()
    return _weft.convert(_options.plain(options))


def quantize(model: Any, output: Any, precision: str = "int8", **options: Any) -> None:
    """Rounds the matrices of a model file: "int8", "int4" (language models), "bfloat16", "float32".

    Raises FileError, FormatError, OptionError.
    """
    _log.start()
    given = {"model": model, "output": output, "precision": precision, **options}
    _weft.quantize(_options.plain(given))


def average(models: Any, output: Any, **options: Any) -> None:
    """Writes the mean of the weights of several model files of one network.

    Raises FileError, FormatError, OptionError.
    """
    _log.start()
    _weft.average(_options.plain({"model": list(models), "output": output, **options}))
