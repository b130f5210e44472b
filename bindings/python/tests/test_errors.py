"""Bad input: the right exception, naming what is wrong."""

from __future__ import annotations

import logging
import pathlib

import numpy as np
import pytest

import weft


def test_classes_mirror_those_of_the_library() -> None:
    assert issubclass(weft.OptionError, (weft.Error, ValueError))
    assert issubclass(weft.FileError, OSError) and issubclass(weft.FileError, weft.Error)
    assert issubclass(weft.FormatError, ValueError) and issubclass(weft.ShapeError, ValueError)
    assert issubclass(weft.NumericError, weft.Error)
    with pytest.raises(OSError):
        weft.load("missing.safetensors")
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        weft.lode  # type: ignore[attr-defined]


def test_options_are_named(translator: weft.Model, classifier: weft.Model) -> None:
    with pytest.raises(weft.OptionError, match="beem-size: unknown.*did you mean beam-size"):
        translator.translate("w1", beem_size=3)
    with pytest.raises(weft.OptionError, match="beam-size"):
        translator.translate("w1", beam_size=0)
    with pytest.raises(weft.OptionError, match="beam-size"):
        translator.translate("w1", beam_size="many")
    with pytest.raises(TypeError, match="beam_size: expected a number"):
        translator.translate("w1", beam_size=object())
    with pytest.raises(weft.OptionError, match="is a model of type 'classifier'"):
        classifier.translate("w1")
    with pytest.raises(weft.OptionError, match="precision"):
        weft.load(translator.path, precision="float8")
    with pytest.raises(weft.OptionError, match="threads"):
        weft.set_threads(0)
    assert translator.translate("w1", beam_size=np.int64(1), n_best=None).text


def test_texts_are_checked(translator: weft.Model) -> None:
    with pytest.raises(TypeError, match="text: expected a str, got int"):
        translator.translate([1])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        translator.translate(None)  # type: ignore[call-overload]
    assert translator.translate([]) == []
    assert translator.translate(iter(["w1"])) == translator.translate(["w1"])
    assert translator.translate(("w1",)) == translator.translate(["w1"])
    broken = translator.translate("w1 \udcff w2")
    assert broken.fault is None or broken.fault.kind == "not-utf-8"
    assert translator.translate("w1 \ud800") is not None


def test_files_are_checked(folder: pathlib.Path) -> None:
    (folder / "broken.safetensors").write_bytes(b"nothing that is a model")
    with pytest.raises(weft.FormatError, match="broken.safetensors"):
        weft.load(folder / "broken.safetensors")
    with pytest.raises(weft.OptionError, match="none; expected at least one"):
        weft.load([])
    with pytest.raises(TypeError):
        weft.load(3)  # type: ignore[arg-type]


def test_faults_are_logged(translator: weft.Model, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="weft"):
        translator.translate(["w1", ""])
    assert any("1 empty" in record.getMessage() for record in caplog.records)


def test_conversations_are_checked(language_model: weft.Model) -> None:
    with pytest.raises(ValueError, match='message: expected {"role", "content"}'):
        language_model.answer([{"role": "user"}])


@pytest.mark.parametrize("model, method", [
    ("classifier", "classify"),
    ("classifier", "inspect"),
    ("tagger", "tag"),
    ("embedder", "embed"),
    ("masked_lm", "fill"),
    ("language_model", "generate"),
    ("language_model", "score"),
    ("transcriber", "transcribe"),
    ("detector", "detect"),
])
def test_inputs_of_another_type(model: str, method: str, request: pytest.FixtureRequest) -> None:
    with pytest.raises(TypeError):
        getattr(request.getfixturevalue(model), method)([3])


def test_rates_are_checked(transcriber: weft.Model) -> None:
    with pytest.raises(weft.OptionError, match="rate: expected a whole number"):
        transcriber.transcribe((np.zeros(100, np.float32), 0.5))


def test_streams_raise_where_they_are_read(language_model: weft.Model) -> None:
    stream = language_model.stream(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="prompt: expected a str, got int"):
        next(stream)


def test_what_has_no_conversation(language_model: weft.Model, chat_model: weft.Model) -> None:
    with pytest.raises(weft.OptionError, match="no chat template"):
        language_model.chat()
    with pytest.raises(weft.OptionError, match="no chat template"):
        language_model.answer([{"role": "user", "content": "w1"}])
    with pytest.raises(weft.FormatError, match="conversation"):
        chat_model.answer([[]])
