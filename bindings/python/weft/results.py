"""What predictions return: immutable records, one for each input.

A record with a `fault` has nothing else: the fault says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _display

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "AttentionMap",
    "Classification",
    "CompletedView",
    "Detection",
    "DetectedObject",
    "Fault",
    "FilledText",
    "GeneratedText",
    "Generation",
    "Hypothesis",
    "MaskCandidate",
    "Score",
    "ScoredText",
    "TagColumn",
    "TaggedText",
    "TextMetric",
    "TimedWord",
    "TokenProbability",
    "TrainingProgress",
    "TrainingResult",
    "Transcript",
    "Translation",
    "ViewMotion",
]


@dataclass(frozen=True)
class Fault:
    """Why an input has no result."""

    kind: str  # "empty", "too-long", "not-utf-8", "unreadable", "over-context", "no-mask", ...
    reason: str

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True)
class Hypothesis:
    """One of the translations of a text."""

    text: str
    log_probability: float
    score: float  # with the length penalty
    token_scores: list[float]  # log p of each token, with `word_scores=True`
    alignments: list[NDArray[np.float32]]  # of each piece of the source [target, source]


@dataclass(frozen=True)
class Translation:
    """The translation of a text, which `str()` returns."""

    text: str
    hypotheses: list[Hypothesis]  # the best first
    fault: Fault | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Classification:
    """The labels of a text, a picture or a sequence of vectors."""

    labels: list[str]  # those predicted, the most probable first
    probabilities: NDArray[np.float32]  # of each of Model.labels; of a regression, the numbers
    fault: Fault | None = None

    @property
    def label(self) -> str | None:
        """The first label, if there is one."""
        return self.labels[0] if self.labels else None


@dataclass(frozen=True)
class TagColumn:
    """A kind of label: parts of speech, entities, or one label of the text as a whole."""

    labels: list[str]  # of each word, or the one of the text
    probabilities: list[float]  # with `scores=True`


@dataclass(frozen=True)
class TaggedText:
    """The words of a text and their labels."""

    words: list[str]
    columns: list[TagColumn]
    fault: Fault | None = None

    @property
    def labels(self) -> list[str]:
        """Those of the first column; none with a fault."""
        return self.columns[0].labels if self.columns else []


@dataclass(frozen=True)
class MaskCandidate:
    """A token for a mask."""

    token: str
    probability: float


@dataclass(frozen=True)
class FilledText:
    """A text whose masks are filled by the most probable tokens."""

    text: str
    masks: list[list[MaskCandidate]]  # of each mask by itself, the most probable first
    fault: Fault | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class TokenProbability:
    """A token in the place of another."""

    token: str
    log_probability: float


@dataclass(frozen=True)
class GeneratedText:
    """What is added to a prompt, without what ended it."""

    text: str
    log_probability: float
    tokens: int  # the end symbol included
    ended: bool  # False: cut off at `max_length`, or by the reader of a stream
    token_scores: list[float]  # log p of each token, with `word_scores=True`
    top_tokens: list[list[TokenProbability]]  # in the place of each, with `top_logprobs=N`

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Generation:
    """The continuation of a prompt, or several with `samples=N`."""

    texts: list[GeneratedText]
    prompt_tokens: int
    fault: Fault | None = None

    @property
    def text(self) -> str:
        """The first continuation; empty with a fault."""
        return self.texts[0].text if self.texts else ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class TimedWord:
    """A word and when it is spoken, in seconds from the beginning of the sound."""

    text: str
    begin: float
    end: float


@dataclass(frozen=True)
class Transcript:
    """What is spoken in a sound."""

    text: str
    words: list[TimedWord]
    seconds: float  # of the sound
    fault: Fault | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class DetectedObject:
    """An object in a picture, its box in pixels from the left upper corner."""

    label: str
    score: float  # probability
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Detection:
    """The objects in a picture, the highest score first."""

    objects: list[DetectedObject]
    fault: Fault | None = None


@dataclass(frozen=True, eq=False)
class CompletedView:
    """The first view of a pair with what a model of two views predicts in its masked patches."""

    completed: NDArray[np.uint8]  # [H, W, C]
    masked: NDArray[np.uint8]  # with grey in their place
    error: float  # mean squared, of the masked patches
    fault: Fault | None = None


@dataclass(frozen=True, eq=False)
class ViewMotion:
    """The numbers by which two views differ."""

    numbers: NDArray[np.float32]  # [K], those that the model was trained on
    fault: Fault | None = None


@dataclass(frozen=True)
class Score:
    """The log-probability of a text or a translation, in nats."""

    log_probability: float  # of all tokens
    tokens: int  # that are scored
    bytes: int  # of their text

    @property
    def perplexity(self) -> float:
        """For each token."""
        from math import exp

        return exp(-self.log_probability / self.tokens) if self.tokens else 1.0


@dataclass(frozen=True)
class ScoredText:
    """The score of a text or a translation, or of each continuation of a prompt."""

    scores: list[Score]
    fault: Fault | None = None

    @property
    def log_probability(self) -> float:
        """Of the text or translation, or of the first continuation; NaN with a fault."""
        return self.scores[0].log_probability if self.scores else float("nan")


@dataclass(frozen=True)
class TextMetric:
    """The score of all texts together."""

    name: str  # "BLEU"
    score: float
    signature: str  # sacreBLEU's, of BLEU and chrF
    text: str  # "BLEU = 35.12 ..."

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """The attention of a layer. Shows itself in a notebook."""

    stack: str  # "encoder", "decoder"
    role: str  # "self", "cross"
    layer: int
    queries: list[str]  # tokens; empty of pictures and sounds
    keys: list[str]
    weights: NDArray[np.float32]  # [heads, queries, keys] probabilities

    def _repr_html_(self) -> str:
        return _display.heat_map(self)


@dataclass(frozen=True)
class TrainingProgress:
    """A training after an update."""

    epoch: int  # complete ones
    update: int  # so far, of all runs of this training
    loss: float  # mean for each target since the last due report
    learn_rate: float
    gradient_norm: float  # before clipping
    targets_per_second: float
    seconds_left: float
    is_due: bool  # by the option `disp_freq`


@dataclass(frozen=True)
class TrainingValidation:
    """How good a model in training is on the validation sets."""

    update: int
    metrics: dict[str, float]  # by `valid_metrics`, in their order


@dataclass(frozen=True)
class TrainingResult:
    """How a training ended."""

    end: str  # "finished", "stopped-early", "stopped", "was-finished", "had-stopped-early"
    updates: int
    best: float | None  # of the first validation metric; the file has those weights
    best_update: int
    model: str  # the file
