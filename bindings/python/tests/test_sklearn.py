"""The estimators in scikit-learn's own tools."""

from __future__ import annotations

import pathlib
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import SMALL, labelled, texts, words
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

import weft
from weft.sklearn import WeftClassifier, WeftEmbedder, WeftTagger

SETTINGS: dict[str, Any] = {
    name: value for name, value in SMALL.items() if name != "progress"
} | {"after": "60u"}

ROWS = labelled(1, 200)
X, Y = [text for text, _ in ROWS], [label for _, label in ROWS]


@pytest.fixture(scope="module")
def fitted() -> WeftClassifier:
    return WeftClassifier(**SETTINGS).fit(X, Y)


def test_it_learns(fitted: WeftClassifier) -> None:
    assert list(fitted.classes_) == ["class 0", "class 1", "class 2"]
    found = fitted.predict(X)
    assert fitted.score(X, Y) == accuracy_score(Y, found) > 0.8
    probabilities = fitted.predict_proba(X[:5])
    assert probabilities.shape == (5, 3) and probabilities.sum(axis=1) == pytest.approx(np.ones(5))
    assert list(fitted.classes_[probabilities.argmax(axis=1)]) == list(found[:5])
    assert fitted.n_updates_ == 60
    assert fitted.predict_proba([]).shape == (0, 3)


def test_it_is_the_training_of_weft(fitted: WeftClassifier, tmp_path: pathlib.Path) -> None:
    weft.train("classification", ROWS, model=tmp_path / "m", **SETTINGS, progress=False)
    assert (tmp_path / "m").read_bytes() == fitted.model_file_
    fitted.save(tmp_path / "saved")
    assert weft.load(tmp_path / "saved").labels == fitted.model_.labels


def test_parameters_and_clones(fitted: WeftClassifier) -> None:
    parameters = fitted.get_params()
    assert parameters["after"] == "60u" and parameters["pretrained"] is None
    twin = clone(fitted)
    assert twin.get_params() == parameters and not hasattr(twin, "model_file_")
    assert twin.set_params(after="10u", label_smoothing=0.1) is twin
    assert twin.get_params()["label_smoothing"] == 0.1
    assert "label_smoothing" in repr(twin)
    with pytest.raises(ValueError, match="Invalid parameter 'fit'"):
        twin.set_params(fit=3)
    with pytest.raises(weft.OptionError, match="label-smooting: unknown.*label-smoothing"):
        clone(twin).set_params(label_smooting=0.1).fit(X, Y)
    assert fitted.fit(X, Y).model_file_ == clone(fitted).fit(X, Y).model_file_


def test_pickles_have_the_model(fitted: WeftClassifier) -> None:
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict_proba(X) == fitted.predict_proba(X)).all()


def test_labels_of_any_type() -> None:
    numbers = np.array([int(label[-1]) - 1 for label in Y])
    found = WeftClassifier(**SETTINGS).fit(np.array(X), numbers).predict(X)
    assert found.dtype == numbers.dtype and set(found) <= {-1, 0, 1}
    odd = [label.replace(" ", "\n") for label in Y]
    frame = pd.DataFrame({"text": X, "label": odd})
    classifier = WeftClassifier(**SETTINGS).fit(frame["text"], frame["label"])
    assert set(classifier.predict(frame["text"])) <= set(odd)
    assert classifier.predict(frame[["text"]]).shape == (200,)


def test_pairs_and_pictures() -> None:
    pairs = list(zip(X, texts(5, 200)))
    assert WeftClassifier(**SETTINGS).fit(pairs, Y).predict(pairs).shape == (200,)
    pixels = np.random.default_rng(1).integers(0, 256, (30, 8, 8), dtype=np.uint8)
    settings = {**SETTINGS, "patch_size": 4, "after": "3u"}
    found = WeftClassifier(**settings).fit(pixels, [i % 2 for i in range(30)]).predict(pixels)
    assert found.shape == (30,)


def test_weights_and_validation() -> None:
    kept = WeftClassifier(**SETTINGS).fit(X, Y, sample_weight=np.ones(200))
    assert (kept.predict_proba(X) == WeftClassifier(**SETTINGS).fit(X, Y).predict_proba(X)).all()
    weights = [0.0 if label == "class 1" else 1.0 for label in Y]
    ignored = WeftClassifier(**SETTINGS).fit(X, Y, sample_weight=weights)
    assert "class 1" not in set(ignored.predict(X))
    stopped = WeftClassifier(**{**SETTINGS, "after": "200e"}, early_stopping=2)
    stopped.fit(X, Y, eval_set=(X[:50], Y[:50]))
    assert stopped.n_updates_ < 1000 and stopped.best_score_ > 0.5
    with pytest.raises(ValueError, match="labels that y does not have"):
        stopped.fit(X, Y, eval_set=(["w1"], ["class 9"]))


def test_selection_and_pipelines() -> None:
    scores = cross_val_score(WeftClassifier(**SETTINGS), X, Y, cv=2)
    assert scores.shape == (2,) and scores.min() > 0.5
    lower = FunctionTransformer(lambda some: [one.lower() for one in some])
    search = GridSearchCV(
        make_pipeline(lower, WeftClassifier(**SETTINGS)),
        {"weftclassifier__after": ["1u", "60u"]},
        cv=2,
    )
    search.fit([text.upper() for text in X], Y)
    assert search.best_params_ == {"weftclassifier__after": "60u"}
    assert search.predict(X[:3]).shape == (3,)


def test_bad_input() -> None:
    classifier = WeftClassifier(**SETTINGS)
    with pytest.raises(ValueError, match="got one text"):
        classifier.fit("a text", ["a"])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        classifier.fit(X, Y[:-1])
    with pytest.raises(ValueError, match="at least 2 classes"):
        classifier.fit(X, ["a"] * len(X))
    with pytest.raises(ValueError, match="expected texts"):
        classifier.fit([[1, 2]][0], ["a", "b"])
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        WeftClassifier().predict(["a"])


def test_random_states() -> None:
    one = [WeftClassifier(**SETTINGS, random_state=5).fit(X, Y) for _ in range(2)]
    other = WeftClassifier(**SETTINGS, random_state=6).fit(X, Y)
    assert one[0].model_file_ == one[1].model_file_ != other.model_file_


def test_taggers() -> None:
    some = words(1, 200)
    tags = [[word.upper() for word in one] for one in some]
    tagger = WeftTagger(**SETTINGS).fit(some, tags, eval_set=(some[:20], tags[:20]))
    found = tagger.predict(some)
    assert [len(one) for one in found] == [len(one) for one in some]
    assert tagger.score(some, tags) > 0.5
    assert pickle.loads(pickle.dumps(tagger)).predict(some) == found
    assert clone(tagger).get_params() == tagger.get_params()


def test_embedders(embedder: weft.Model) -> None:
    vectors = WeftEmbedder(embedder.path, normalise=True).fit_transform(X)
    assert vectors.shape == (200, 16)
    assert (vectors == embedder.embed(X, normalise=True)).all()
    pipeline = make_pipeline(WeftEmbedder(embedder.path), LogisticRegression(max_iter=200))
    assert pipeline.fit(X, Y).score(X, Y) > 0.3
    assert (pickle.loads(pickle.dumps(pipeline)).predict(X) == pipeline.predict(X)).all()
    with pytest.raises(ValueError, match="pretrained: none"):
        WeftEmbedder().fit(X)


def test_a_pretrained_encoder(embedder: weft.Model) -> None:
    classifier = WeftClassifier(embedder.path, after="3u", preset="none", learn_rate=0.001)
    assert classifier.fit(X, Y).predict(X[:2]).shape == (2,)


# check_estimator() skips all others for estimators of texts: those fit tables of numbers.
CHECKS = [
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("kind", [WeftClassifier, WeftTagger, WeftEmbedder])
def test_what_scikit_learn_checks_of_estimators_of_texts(check: str, kind: Any) -> None:
    getattr(estimator_checks, check)(kind.__name__, kind())


@pytest.mark.parametrize("kind", [WeftClassifier, WeftTagger, WeftEmbedder])
def test_check_estimator_finds_nothing(kind: Any) -> None:
    results = estimator_checks.check_estimator(kind(), on_fail=None, on_skip=None)
    assert [one["check_name"] for one in results if one["status"] == "failed"] == []
