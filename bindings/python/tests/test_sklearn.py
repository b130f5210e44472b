"""The estimators in scikit-learn's own tools."""

from __future__ import annotations

import pathlib
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import SMALL, labelled, texts, words
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

import weft
from weft.sklearn import WeftClassifier, WeftEmbedder, WeftRegressor, WeftTagger

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


def test_the_package_has_them() -> None:
    for estimator in (WeftClassifier, WeftEmbedder, WeftRegressor, WeftTagger):
        assert getattr(weft, estimator.__name__) is estimator


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


def test_taggers_are_selected() -> None:
    some = words(1, 200)
    tags = [[word.upper() for word in one] for one in some]
    assert cross_val_score(WeftTagger(**SETTINGS), some, tags, cv=2).min() > 0.5
    search = GridSearchCV(WeftTagger(**SETTINGS), {"after": ["1u", "60u"]}, cv=2).fit(some, tags)
    assert search.best_params_ == {"after": "60u"}
    assert search.best_estimator_.predict(some[:3]) == search.predict(some[:3])


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


def test_several_labels(tmp_path: pathlib.Path) -> None:
    names = ["w1", "w2", "w3"]  # a text has the label of each of these words in it
    y = np.array([[name in text.split() for name in names] for text in X], dtype=int)
    settings = SETTINGS | {"after": "150u"}
    classifier = WeftClassifier(**settings).fit(X, y, eval_set=(X[:50], y[:50]))
    assert list(classifier.classes_) == [0, 1, 2]
    found, probabilities = classifier.predict(X), classifier.predict_proba(X)
    assert found.shape == probabilities.shape == y.shape
    assert (found == y).mean() > 0.9
    assert probabilities[found == 1].min() > probabilities[found == 0].max()  # by a threshold
    assert classifier.score(X, y) == accuracy_score(y, found)
    assert classifier.predict([]).shape == (0, 3)
    sparse = clone(classifier).fit(X, csr_matrix(y), eval_set=(X[:50], csr_matrix(y[:50])))
    assert sparse.model_file_ == classifier.model_file_
    with pytest.raises(ValueError, match=r"no input has the labels \[1\]"):
        WeftClassifier(**settings).fit(X[:2], np.array([[1, 0], [1, 0]]))
    wrong = [
        ((X, y, None, (X, y[:, :2])), "eval_set: expected 3 columns, got 2"),
        ((X, y, None, (X, y[:, 0])), "eval_set: expected labels"),
        ((X, 2 * y - 1), "y: expected labels .N., or a matrix .N, C. of zeros and ones"),
        ((X, y, np.ones(len(X))), "sample_weight: expected none"),
    ]
    for arguments, message in wrong:
        with pytest.raises(ValueError, match=message):
            classifier.fit(*arguments)
    assert (classifier.predict(X) == found).all()  # as before what was refused
    same = clone(classifier).fit(X, y.tolist(), eval_set=(X[:50], y[:50].tolist()))
    assert same.model_file_ == classifier.model_file_
    with pytest.raises(NotFittedError):
        WeftClassifier().predict_proba(X)
    vectors = [np.full((3, 2), row.sum() + 1.0) for row in y]  # no text
    classifier = WeftClassifier(input="features", **SETTINGS | {"after": "3u"})
    assert classifier.fit(vectors, y).predict_proba(vectors[:2]).shape == (2, 3)


def test_numbers() -> None:
    y = np.array([10 + 2 * len(text.split()) for text in X], dtype=float)
    regressor = WeftRegressor(**SETTINGS | {"after": "200u", "pooling": "mean-sqrt"})
    found = regressor.fit(X, y, eval_set=(X[:50], y[:50])).predict(X)
    assert found.shape == y.shape and regressor.score(X, y) > 0.8
    assert pickle.loads(pickle.dumps(regressor)).predict(X[:5]) == pytest.approx(found[:5])
    assert cross_val_score(clone(regressor).set_params(after="2u"), X, y, cv=2).shape == (2,)
    both = clone(regressor).set_params(after="2u").fit(X, np.stack([y, -y], axis=1))
    assert both.predict(X[:3]).shape == (3, 2) and both.predict([]).shape == (0, 2)
    assert regressor.predict([]).shape == (0,)
    for wrong in ([*y[:-1], np.nan], [*y[:-1], 1e39], np.zeros((len(X), 1, 1))):
        with pytest.raises(ValueError, match="y: expected finite numbers"):
            WeftRegressor(**SETTINGS).fit(X, wrong)
    with pytest.raises(ValueError, match=r"eval_set: expected finite numbers \[N\], got"):
        WeftRegressor(**SETTINGS).fit(X, y, eval_set=(X, np.stack([y, y], axis=1)))


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
@pytest.mark.parametrize("kind", [WeftClassifier, WeftRegressor, WeftTagger, WeftEmbedder])
def test_what_scikit_learn_checks_of_estimators_of_texts(check: str, kind: Any) -> None:
    getattr(estimator_checks, check)(kind.__name__, kind())


@pytest.mark.parametrize("kind", [WeftClassifier, WeftRegressor, WeftTagger, WeftEmbedder])
def test_check_estimator_finds_nothing(kind: Any) -> None:
    results = estimator_checks.check_estimator(kind(), on_fail=None, on_skip=None)
    assert [one["check_name"] for one in results if one["status"] == "failed"] == []
