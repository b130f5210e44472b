"""Estimators in scikit-learn's shape: classifiers, regressors, taggers and embedders of texts.

    from weft.sklearn import WeftClassifier
    classifier = WeftClassifier(after="5e").fit(texts, labels)
    classifier.predict(["a text"])

All options of `weft train` are parameters by keyword, so that `set_params`, `clone` and
`GridSearchCV` know them; `fit` raises OptionError for those that are unknown. A fitted estimator
holds its model file, in `model_file_`, and is pickled with it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._model import Model, load
from ._training import train
from .results import Classification

__all__ = ["WeftClassifier", "WeftEmbedder", "WeftRegressor", "WeftTagger"]


class _Estimator(BaseEstimator):
    """What all have: parameters that are options, and a model file inside."""

    _named: ClassVar[tuple[str, ...]] = ("pretrained", "random_state")

    def __init__(
        self, pretrained: Any = None, *, random_state: Any = None, **options: Any
    ) -> None:
        self.pretrained = pretrained
        self.random_state = random_state
        for name, value in options.items():
            self._check_name(name)
            setattr(self, name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, options included."""
        names = (*self._named, *self._option_names())
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> _Estimator:
        """Sets parameters; any name may be that of an option."""
        for name, value in params.items():
            if name not in self._named:
                self._check_name(name)
            setattr(self, name, value)
        return self

    def _option_names(self) -> list[str]:
        """The attributes that are neither named parameters nor what fit() has found."""
        return sorted(
            name for name in vars(self)
            if name not in self._named and not name.startswith("_") and not name.endswith("_")
        )

    def _check_name(self, name: str) -> None:
        if name.startswith("_") or name.endswith("_") or hasattr(type(self), name) or "__" in name:
            raise ValueError(f"Invalid parameter {name!r} for estimator {self}.")

    def _options(self) -> dict[str, Any]:
        options = {name: getattr(self, name) for name in self._option_names()}
        if self.pretrained is not None:
            options["from_"] = os.fspath(self.pretrained)
        if self.random_state is not None:
            generator = check_random_state(self.random_state)
            is_number = isinstance(self.random_state, (int, np.integer))
            options["seed"] = (
                int(self.random_state) if is_number else int(generator.randint(2**31 - 1))
            )
        return options

    def _train(
        self, task: str, data: Any, valid_data: Any, fixed: dict[str, Any] | None = None
    ) -> None:
        with tempfile.TemporaryDirectory(prefix="weft-") as folder:
            path = os.path.join(folder, "model.safetensors")
            result = train(
                task, data, model=path, valid_data=valid_data, progress=False,
                **(self._options() | (fixed or {})),
            )
            with open(path, "rb") as file:
                self._set_model(file.read())
        self.n_updates_ = result.updates
        self.best_score_ = result.best

    def _set_model(self, content: bytes) -> None:
        self.model_file_ = content
        self.__dict__.pop("_loaded", None)

    @property
    def model_(self) -> Model:
        """The fitted model."""
        check_is_fitted(self, "model_file_")
        if "_loaded" not in self.__dict__:
            with tempfile.TemporaryDirectory(prefix="weft-") as folder:
                path = os.path.join(folder, "model.safetensors")
                with open(path, "wb") as file:
                    file.write(self.model_file_)
                self._loaded = load(path)  # which maps the file
        return self._loaded

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted model as a file of Weft."""
        check_is_fitted(self, "model_file_")
        with open(path, "wb") as file:
            file.write(self.model_file_)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_loaded", None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.no_validation = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        return {"X_types": ["string"], "no_validation": True}


class _Predictor(_Estimator):
    """What classifiers and regressors share."""

    def _results(self, X: Any) -> list[Classification]:
        """What the model says of each input. Raises ValueError for one without a result."""
        results: list[Classification] = self.model_.classify([_joined(one) for one in _inputs(X)])
        for number, result in enumerate(results):
            if result.fault is not None:
                raise ValueError(f"X: input {number} has no result: {result.fault}")
        return results


class WeftClassifier(ClassifierMixin, _Predictor):
    """A classifier of texts, pairs of texts, pictures or sequences of vectors.

    `pretrained` is the file or folder of a model whose encoder it starts from. Other parameters are
    the options of `weft train classification`: `after="5e"`, `learn_rate`, `early_stopping=3` (with
    an `eval_set`), ....

    After `fit`: `classes_` [C], sorted, of an indicator matrix the numbers of its columns;
    `multilabel_`, whether it was one; `model_`, `model_file_`, `n_updates_`, and of `eval_set`
    `best_score_`.
    """

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, eval_set: tuple[Any, Any] | None = None
    ) -> WeftClassifier:
        """Trains on inputs [N] and labels [N], strings or numbers, or on an indicator matrix
        [N, C] of zeros and ones, dense or sparse: an input has each label whose column is 1, one
        input at least for each column.

        `sample_weight` [N] multiplies the losses of texts with one label each. The weights that are
        kept are the best on `eval_set`, a pair (X, y), by the first of `valid_metrics`, by default
        the accuracy.

        Raises ValueError for another form of inputs or labels, and what `weft.train` raises.
        """
        inputs = _inputs(X)
        shape = np.shape(_dense(y))
        is_multilabel = len(shape) == 2 and shape[1] > 1
        if is_multilabel:
            y = _indicator("y", y)
            classes = np.arange(y.shape[1])
            unused = np.flatnonzero(~y.any(axis=0)).tolist()
            if unused:
                raise ValueError(f"y: no input has the labels {unused}; expected one at least")
            if sample_weight is not None:
                raise ValueError("sample_weight: expected none of an indicator matrix")
        else:
            y = column_or_1d(y)
            classes = np.unique(y)
            if len(classes) < 2:
                raise ValueError(f"y: expected at least 2 classes, got {len(classes)}")
        columns = _columns(inputs, _named_labels("y", y, inputs, classes, is_multilabel))
        if sample_weight is not None:
            weights = column_or_1d(sample_weight)
            check_consistent_length(inputs, weights)
            columns["weight"] = [float(weight) for weight in weights]
        valid = None
        if eval_set is not None:
            valid_inputs = _inputs(eval_set[0])
            valid = _columns(valid_inputs, _named_labels(
                "eval_set", eval_set[1], valid_inputs, classes, is_multilabel))
        fixed = {"labels": "several"} if is_multilabel else {}
        self._train("classification", columns, valid, fixed)
        self.classes_, self.multilabel_ = classes, is_multilabel
        return self

    def predict(self, X: Any) -> Any:
        """Labels [N], or an indicator matrix [N, C] of the labels above the model's threshold.
        Raises ValueError as predict_proba() does."""
        check_is_fitted(self, "model_file_")
        if not self.multilabel_:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        found = [set(result.labels) for result in self._results(X)]
        names = _names(self.classes_)
        rows = [[int(name in labels) for name in names] for labels in found]
        return np.array(rows, dtype=int).reshape(len(rows), len(names))

    def predict_proba(self, X: Any) -> Any:
        """Probabilities [N, C], in the order of `classes_`; of an indicator matrix that of each
        label by itself. Raises ValueError for an input without a result, such as an empty text."""
        known = self.model_.labels
        order = [known.index(name) for name in _names(self.classes_)]
        return _stacked([result.probabilities for result in self._results(X)], len(order))[:, order]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class WeftRegressor(RegressorMixin, _Predictor):
    """A regressor: it learns a number, or several, of each text, pair of texts, picture or sequence
    of vectors, such as how alike two texts are. Parameters are the options of `weft train
    classification`; see WeftClassifier for `pretrained` and attributes."""

    def fit(
        self, X: Any, y: Any, eval_set: tuple[Any, Any] | None = None
    ) -> WeftRegressor:
        """Trains on inputs [N] and numbers [N], or [N, M] for M numbers of each input.

        The weights that are kept are the best on `eval_set`, a pair (X, y), by `valid_metrics`.
        Raises ValueError for another form of inputs or numbers, and what `weft.train` raises.
        """
        outputs = np.shape(y)[1] if np.ndim(y) == 2 else 1
        data = _numbered("y", X, y, outputs)
        valid = _numbered("eval_set", *eval_set, outputs) if eval_set is not None else None
        self._train("classification", data, valid, {"labels": "numbers"})
        self.n_outputs_ = outputs
        return self

    def predict(self, X: Any) -> Any:
        """Numbers [N], or [N, M] as in `fit`. Raises ValueError for an input without a
        result, such as an empty text."""
        found = [result.probabilities for result in self._results(X)]
        rows = _stacked(found, self.n_outputs_)
        return rows[:, 0] if self.n_outputs_ == 1 else rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class WeftTagger(_Estimator):
    """A tagger of the words of texts. Parameters are the options of `weft train tagging`; see
    WeftClassifier for `pretrained` and attributes."""

    def fit(self, X: Any, y: Any, eval_set: tuple[Any, Any] | None = None) -> WeftTagger:
        """Trains on texts as lists of words, and a label for each word. There is no
        `sample_weight`: the training of taggers has no weights of texts.

        The weights of the model that are kept are the best on `eval_set`, a pair (X, y), by
        `valid_metrics`. Raises ValueError for X and y of different lengths, and what `weft.train`
        raises.
        """
        rows = _tagged(X, y)
        self.classes_ = np.unique([label for _, labels in rows for label in labels])
        self._train("tagging", rows, _tagged(*eval_set) if eval_set is not None else None)
        return self

    def predict(self, X: Any) -> list[list[str]]:
        """The labels of the words of each text."""
        texts = [list(words) for words in X]
        return [result.labels for result in self.model_.tag(texts)]

    def score(self, X: Any, y: Any) -> float:
        """The share of words with the right label."""
        found = self.predict(X)
        check_consistent_length(found, y)
        pairs = [pair for a, b in zip(found, y) for pair in zip(a, b)]
        words = sum(len(labels) for labels in y)
        return sum(str(a) == str(b) for a, b in pairs) / words if words else 0.0


class WeftEmbedder(TransformerMixin, _Estimator):
    """Vectors of texts by a pretrained embedder. Other parameters are the options of `weft embed`:
    `prompt`, `dimensions`, `normalise`, ...."""

    def fit(self, X: Any = None, y: Any = None) -> WeftEmbedder:
        """Reads the model; learns nothing."""
        if self.pretrained is None:
            raise ValueError("pretrained: none; expected the file or folder of an embedder")
        self._loaded = load(self.pretrained)
        self.is_fitted_ = True
        return self

    def transform(self, X: Any) -> Any:
        """Vectors [N, E] of float32; zeros of a text without one."""
        check_is_fitted(self, "is_fitted_")
        options = {name: getattr(self, name) for name in self._option_names()}
        return self.model_.embed([_joined(one) for one in _inputs(X)], **options)

    @property
    def model_(self) -> Model:
        """The pretrained model."""
        if "_loaded" not in self.__dict__:
            self._loaded = load(self.pretrained)
        return self._loaded


def _inputs(values: Any) -> list[Any]:
    """Inputs one by one. Raises ValueError for a single text and for a table."""
    if isinstance(values, (str, bytes)):
        raise ValueError("X: expected a list of texts, got one text")
    is_table = getattr(values, "ndim", 1) == 2
    if hasattr(values, "columns") or (is_table and values.dtype.kind in "OU"):
        table = np.asarray(values)
        if table.shape[1] == 1:
            return list(table[:, 0])
        return [tuple(row) for row in table]
    found = list(values)
    for one in found[:1]:
        if isinstance(one, (int, float, np.number)):
            raise ValueError(f"X: expected texts, pictures or vectors, got {one!r}")
    return found


def _stacked(rows: list[Any], width: int) -> Any:
    """A matrix of rows of float32, [N, width] where there are none."""
    return np.stack(rows) if rows else np.empty((0, width), np.float32)


def _dense(y: Any) -> Any:
    return np.asarray(y.toarray() if hasattr(y, "toarray") else y)


def _indicator(where: str, y: Any, width: int | None = None) -> Any:
    """A matrix of zeros and ones as one of booleans."""
    found = _dense(y)
    is_matrix = found.ndim == 2 and found.dtype.kind in "biuf"
    if not is_matrix or not np.isin(found, (0, 1)).all():
        raise ValueError(f"{where}: expected labels [N], or a matrix [N, C] of zeros and ones")
    if width is not None and found.shape[1] != width:
        raise ValueError(f"{where}: expected {width} columns, got {found.shape[1]}")
    return found.astype(bool)


def _named_labels(where: str, y: Any, inputs: list[Any], classes: Any, several: bool) -> list[Any]:
    """The labels of examples as names of the model file."""
    names = _names(classes)
    if several:
        rows = _indicator(where, y, len(names))
        check_consistent_length(inputs, rows)
        return [[names[code] for code in np.flatnonzero(row)] for row in rows]
    labels = column_or_1d(y)
    check_consistent_length(inputs, labels)
    known = dict(zip(classes.tolist(), names))
    unknown = set(labels.tolist()) - set(known)
    if unknown:
        raise ValueError(f"{where}: labels that y does not have: {sorted(unknown)}")
    return [known[label] for label in labels.tolist()]


def _names(classes: Any) -> list[str]:
    """Classes as labels of a model file: themselves, or numbers where they are no names."""
    found: list[Any] = classes.tolist()
    if all(isinstance(one, str) and one.isprintable() and one == one.strip() and one
           for one in found):
        return found
    return [str(number) for number in range(len(found))]


def _numbered(where: str, X: Any, y: Any, width: int) -> dict[str, list[Any]]:
    """Inputs with finite numbers [N] or [N, width]."""
    inputs, numbers = _inputs(X), np.asarray(_dense(y), dtype=float)
    check_consistent_length(inputs, numbers)
    shape = numbers.shape[1:] or (1,)
    if shape != (width,) or not (np.abs(numbers) < np.finfo(np.float32).max).all():
        expected = "[N]" if width == 1 else f"[N, {width}]"
        raise ValueError(f"{where}: expected finite numbers {expected}, got {list(numbers.shape)}")
    return _columns(inputs, numbers.tolist())


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[0], str)


def _joined(value: Any) -> Any:
    return "\t".join(value) if _is_pair(value) else value


def _columns(inputs: list[Any], labels: list[Any]) -> dict[str, list[Any]]:
    if inputs and _is_pair(inputs[0]):
        firsts, seconds = zip(*inputs)
        return {"first": list(firsts), "second": list(seconds), "label": labels}
    return {"text": inputs, "label": labels}


def _tagged(
    texts: Iterable[Sequence[str]], labels: Iterable[Sequence[Any]]
) -> list[tuple[list[str], list[str]]]:
    words, tags = list(texts), list(labels)
    check_consistent_length(words, tags)
    return [(list(a), [str(tag) for tag in b]) for a, b in zip(words, tags)]
