"""What mypy --strict sees of the package."""

from __future__ import annotations

import weft
from weft.sklearn import WeftClassifier


def translated(path: str, texts: list[str]) -> list[str]:
    model = weft.load(path, precision="int8")
    one: weft.Translation = model.translate(texts[0], beam_size=1)
    if one.fault is not None:
        raise ValueError(one.fault.reason)
    return [result.text for result in model.translate(texts)]


def labelled(path: str, texts: list[str]) -> dict[str, float]:
    model = weft.load(path)
    result = model.classify(texts)[0]
    return dict(zip(model.labels, map(float, result.probabilities)))


def trained(pairs: list[tuple[str, str]]) -> float | None:
    def show(now: weft.TrainingProgress) -> bool:
        return now.loss > 0.1

    result: weft.TrainingResult = weft.train(
        "classification", pairs, model="model.safetensors", on_update=show, after="5e"
    )
    return result.best


def spoken(path: str, prompt: str) -> str:
    return "".join(weft.load(path).stream(prompt, max_length=20))


def estimated(texts: list[str], labels: list[str]) -> WeftClassifier:
    return WeftClassifier(after="2e").fit(texts, labels)


try:
    weft.load("missing", precision="float32")
except weft.FileError as error:
    print(error)
