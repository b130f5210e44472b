"""Training from data in memory, beside training from files by the command line."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import SMALL, labelled, texts, words

import weft

Program = Callable[..., str]
TRAINED: dict[str, Any] = {**SMALL, "after": "6u"}


def same_model(a: pathlib.Path, b: pathlib.Path) -> bool:
    return a.read_bytes() == b.read_bytes()


def flags() -> list[str]:
    out = []
    for name, value in TRAINED.items():
        if name != "progress":
            out += ["--" + name.replace("_", "-"), str(value)]
    return out


def test_translation_equals_the_command_line(tmp_path: pathlib.Path, program: Program) -> None:
    pairs = [(" ".join(one), " ".join(reversed(one))) for one in words(1, 100)]
    files = [tmp_path / "source", tmp_path / "target"]
    for number, file in enumerate(files):
        file.write_text("".join(pair[number] + "\n" for pair in pairs))
    program(
        "train", "translation", "-t", *map(str, files), "-v", str(tmp_path / "vocab"),
        str(tmp_path / "vocab"), "-m", str(tmp_path / "a.safetensors"), "--dec-depth", "1",
        *flags(),
    )
    result = weft.train(
        "translation", iter(pairs), model=tmp_path / "b.safetensors", dec_depth=1,
        vocab_type="word", **TRAINED,
    )
    assert (result.end, result.updates) == ("finished", 6)
    assert same_model(tmp_path / "a.safetensors", tmp_path / "b.safetensors")
    weft.train(
        "translation", train_sets=files, model=tmp_path / "c.safetensors", dec_depth=1,
        vocabs=[tmp_path / "vocab"] * 2, **TRAINED,
    )
    assert same_model(tmp_path / "a.safetensors", tmp_path / "c.safetensors")


def test_all_forms_of_data_are_one(tmp_path: pathlib.Path) -> None:
    rows = labelled(1, 60)
    inputs, labels = [text for text, _ in rows], [label for _, label in rows]
    forms: list[Any] = [
        rows,
        (row for row in rows),
        [{"text": text, "label": label} for text, label in rows],
        {"text": inputs, "label": labels},
        pd.DataFrame({"id": range(60), "label": labels, "text": inputs}),
        (np.array(inputs), np.array(labels)),
        [list(row) for row in rows],
    ]
    models = []
    for number, data in enumerate(forms):
        path = tmp_path / f"{number}.safetensors"
        weft.train("classification", data, model=path, **TRAINED)
        models.append(path.read_bytes())
    assert all(model == models[0] for model in models)


def test_texts_keep_tabs_and_line_breaks(tmp_path: pathlib.Path) -> None:
    rows = [(text.replace(" ", "\n", 1).replace(" ", "\t", 1), label) for text, label in
            labelled(1, 60)]
    weft.train("classification", rows, model=tmp_path / "a.safetensors", **TRAINED)
    weft.train("classification", labelled(1, 60), model=tmp_path / "b.safetensors", **TRAINED)
    models = [weft.load(tmp_path / name) for name in ("a.safetensors", "b.safetensors")]
    found = [model.classify("w1 w2").probabilities for model in models]
    assert (found[0] == found[1]).all()


def test_weights(tmp_path: pathlib.Path) -> None:
    rows = labelled(1, 60)
    columns = {"text": [text for text, _ in rows], "label": [label for _, label in rows]}
    found = []
    some = [0.0 if "0" in label else 1.0 for _, label in rows]
    for number, weights in enumerate([None, [1.0] * 60, some]):
        data = columns if weights is None else {**columns, "weight": weights}
        path = tmp_path / f"{number}.safetensors"
        weft.train("classification", data, model=path, valid_data=rows[:20], **TRAINED)
        found.append(weft.load(path).classify("w1 w2 w3").probabilities)
    assert (found[0] == found[1]).all() and not (found[0] == found[2]).all()
    with pytest.raises(weft.FormatError, match="a weight '-1.0'"):
        weft.train(
            "classification", {**columns, "weight": [-1] * 60}, model=tmp_path / "w", **TRAINED
        )


def test_several_labels_and_numbers(tmp_path: pathlib.Path) -> None:
    rows = [(text, ["a b"] * (i % 2) + ["c"]) for i, text in enumerate(texts(1, 60))]
    weft.train("classification", rows, model=tmp_path / "s", labels="several", **TRAINED)
    assert set(weft.load(tmp_path / "s").labels) == {"a b", "c"}
    numbers = [(text, float(i)) for i, text in enumerate(texts(1, 60))]
    weft.train("classification", numbers, model=tmp_path / "n", labels="numbers", **TRAINED)
    assert weft.load(tmp_path / "n").classify("w1").probabilities.shape == (1,)
    points = [(text, [float(i), -i]) for i, text in enumerate(texts(1, 60))]
    weft.train("classification", points, model=tmp_path / "p", labels="numbers", **TRAINED)
    assert weft.load(tmp_path / "p").classify("w1").probabilities.shape == (2,)


def test_language_models_read_all_forms(tmp_path: pathlib.Path) -> None:
    given = {name.replace("enc_", "dec_"): value for name, value in TRAINED.items()}
    for number, data in enumerate([
        ["a text\nof two lines"] * 5,
        [("a prompt", "a completion")] * 5,
        [{"prompt": "a prompt", "completion": "a completion"}] * 5,
        pd.DataFrame({"text": ["a text"] * 5}),
    ]):
        weft.train(
            "language-model", data, model=tmp_path / f"{number}", vocab_type="character", **given
        )


def test_translators_start_from_plain_text(tmp_path: pathlib.Path) -> None:
    spans = tmp_path / "spans.safetensors"
    weft.train(
        "span-corruption", texts(1, 100), model=spans, **SMALL, dec_depth=1, vocab_type="word",
        after="5u",
    )
    pairs = [(text, text.upper()) for text in texts(2, 50)]
    path = tmp_path / "m.safetensors"
    weft.train("translation", pairs, model=path, from_=spans, after="1u", learn_rate=1e-30)
    lines = texts(3, 10)
    assert weft.load(path).translate(lines) == weft.load(spans).translate(lines)


def test_validation_and_early_stopping(tmp_path: pathlib.Path) -> None:
    seen = []
    result = weft.train(
        "classification", labelled(1, 100), valid_data=labelled(2, 30),
        model=tmp_path / "m", on_update=seen.append, **{**SMALL, "after": "200e"},
        early_stopping=3, valid_freq="2u",
    )
    assert result.end == "stopped-early" and result.best is not None
    assert result.updates == seen[-1].update == len(seen) > result.best_update
    again = weft.train(
        "classification", labelled(1, 100), valid_data=labelled(2, 30),
        model=tmp_path / "m", **{**SMALL, "after": "200e"}, early_stopping=3, valid_freq="2u",
    )
    assert again.end == "had-stopped-early"


def test_callbacks_hear_of_validations(tmp_path: pathlib.Path) -> None:
    found: list[weft.TrainingValidation] = []

    def training(name: str, on_validation: Callable[[weft.TrainingValidation], Any]) -> str:
        return weft.train(
            "classification", labelled(1, 100), valid_data=labelled(2, 30), model=tmp_path / name,
            **TRAINED, valid_freq="2u", valid_metrics=["accuracy", "cross-entropy"],
            on_validation=on_validation,
        ).end

    assert training("a", found.append) == "finished"
    assert [one.update for one in found] == [1, 2, 4, 6]  # 1: the first epoch
    assert list(found[0].metrics) == ["accuracy", "cross-entropy"]
    assert training("b", lambda one: one.update < 4) == "stopped"

    def fail(_: weft.TrainingValidation) -> None:
        raise RuntimeError("too good")

    with pytest.raises(RuntimeError, match="too good"):
        training("c", fail)


def test_a_callback_stops_and_the_same_call_goes_on(tmp_path: pathlib.Path) -> None:
    def training(name: str, **options: Any) -> weft.TrainingResult:
        return weft.train(
            "classification", labelled(1, 100), valid_data=labelled(2, 10),
            model=tmp_path / name, **TRAINED, **options,
        )

    stopped = training("a", on_update=lambda now: now.update < 3)
    assert (stopped.end, stopped.updates) == ("stopped", 3)

    def fail(now: weft.TrainingProgress) -> None:
        if now.update == 5:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        training("a", on_update=fail)
    assert training("a").end == "finished"
    assert training("b").updates == 6
    assert same_model(tmp_path / "a", tmp_path / "b")
    assert training("a").end == "was-finished"


INTERRUPTED = """
import sys
sys.path.insert(0, {tests!r})
from conftest import SMALL, labelled
import weft
seen = []
def show(now):
    seen.append(now.update)
    if now.update == 2:
        print("running", flush=True)
def training(after):
    return weft.train("classification", labelled(1, 100), model={model!r},
                      on_update=show, **{{**SMALL, "after": after}})
weft.set_threads(1)
try:
    training("1000000u")
except KeyboardInterrupt:
    print("interrupted", flush=True)
    last = len(seen)
    print(training(f"{{last + 5}}u").updates, *seen[last - 1 : last + 1])
"""


def test_ctrl_c_saves_the_state_and_the_training_goes_on(tmp_path: pathlib.Path) -> None:
    model = str(tmp_path / "m.safetensors")
    code = INTERRUPTED.format(tests=os.path.dirname(__file__), model=model)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "running\n"
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    updates, before, after = map(int, child.stdout.readline().split())
    assert child.wait(60) == 0
    assert (tmp_path / "m.training.safetensors").exists()
    assert before < after < updates  # it did not begin again
    whole = tmp_path / "whole.safetensors"
    weft.train("classification", labelled(1, 100), model=whole, **SMALL, after=f"{updates}u")
    assert same_model(tmp_path / "m.safetensors", whole)


def test_signals_end_the_reading_of_data(tmp_path: pathlib.Path) -> None:
    class Enough(Exception):
        pass

    def end(number: int, frame: object) -> None:
        raise Enough

    is_over = threading.Event()

    def feed() -> None:  # and wait, so that the reader does
        with open(tmp_path / "lines", "w") as lines:
            lines.write("x\tw1 w2\n")
            lines.flush()
            is_over.wait(60)

    os.mkfifo(tmp_path / "lines")
    threading.Thread(target=feed, daemon=True).start()
    (tmp_path / "words").write_text("w1\nw2\n")
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(Enough):
            weft.train(
                "classification", data=tmp_path / "lines", model=tmp_path / "m.safetensors",
                vocabs=tmp_path / "words", preset="none",
            )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        is_over.set()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["lines", "words"]


def test_examples_are_refused_by_number(tmp_path: pathlib.Path) -> None:
    def message(error: type[Exception], task: str, data: Any, **options: Any) -> str:
        with pytest.raises(error) as found:
            weft.train(task, data, model=tmp_path / "m", **options)
        assert not list(tmp_path.iterdir())
        return str(found.value)

    pair = ("a", "b")
    assert message(weft.FormatError, "translation", [pair, ("a\nb", "c")]) == (
        "data, example 1: a line break in the source, which is read from lines; expected none in "
        "'a\\nb'"
    )
    assert "data, example 1: expected (source, target), got 'ab'" in message(
        TypeError, "translation", [pair, "ab"]
    )
    assert "example 0: expected a str as text, got 3" in message(
        TypeError, "classification", [(3, "x")], input="text"
    )
    assert "a tab in the text" in message(weft.FormatError, "embedding", [("a\tb", "c")])
    assert "2 labels for 1 words" in message(weft.FormatError, "tagging", [(["a"], ["x", "y"])])
    assert "no examples" in message(weft.FormatError, "span-corruption", [])
    assert "did you mean" in message(weft.OptionError, "classification", labelled(1, 9), dim_em=3)
    assert "unknown task 'summarise'" in message(weft.OptionError, "summarise", [pair])
    assert "or text, label" in message(TypeError, "classification", [{"txt": "a"}])
    assert "columns of [1, 2] examples" in message(
        ValueError, "translation", {"source": ["a"], "target": ["b", "c"]}
    )
    assert "train-sets" in message(weft.OptionError, "translation", None)


def test_model_files(classifier: weft.Model, tmp_path: pathlib.Path, program: Program) -> None:
    weft.quantize(classifier.path, tmp_path / "a", precision="int8")
    program("quantize", "-m", classifier.path, "-o", str(tmp_path / "b"), "--precision", "int8")
    assert same_model(tmp_path / "a", tmp_path / "b")
    weft.average([classifier.path, classifier.path], tmp_path / "c")
    assert weft.load(tmp_path / "c").classify("w1").label == classifier.classify("w1").label
    with pytest.raises(weft.OptionError, match="to-hf|from-hf|expected"):
        weft.convert(model=classifier.path)


def test_conversions(tmp_path: pathlib.Path, program: Program) -> None:
    path, again = tmp_path / "m.safetensors", tmp_path / "again.safetensors"
    pairs = [(" ".join(one), " ".join(reversed(one))) for one in words(1, 100)]
    weft.train(
        "translation", pairs, model=path, dec_depth=1, vocab_type="word", transformer_norm="post",
        **TRAINED,
    )
    assert weft.convert(model=path, to_hf=tmp_path / "a") == ""
    program("convert", "-m", str(path), "--to-hf", str(tmp_path / "b"))
    names = sorted(one.name for one in (tmp_path / "a").iterdir())
    assert "config.json" in names
    assert names == sorted(one.name for one in (tmp_path / "b").iterdir())
    assert all(same_model(tmp_path / "a" / name, tmp_path / "b" / name) for name in names)
    weft.convert(from_hf=tmp_path / "a", output=again)
    assert same_model(path, again)
    with pytest.raises(weft.OptionError, match="again.safetensors exists"):
        weft.convert(from_hf=tmp_path / "a", output=again)


def test_progress_needs_tqdm_only_where_it_is_asked_for(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {**TRAINED, "progress": True}
    weft.train("classification", labelled(1, 60), model=tmp_path / "m", **given)
    assert "updates" in capsys.readouterr().err
