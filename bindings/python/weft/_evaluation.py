"""How good texts are beside references, and models on examples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from . import _options, _weft
from .results import TextMetric


class Evaluation(Mapping[str, Any]):
    """What `Model.evaluate` finds: the numbers by name, as `--evaluate --json` writes them."""

    def __init__(self, text: str, numbers: str, predictions: list[str]) -> None:
        self.text = text
        """The results as the command prints them."""
        self.predictions: list[dict[str, Any]] = [json.loads(line) for line in predictions]
        """What was predicted for each example beside what was expected, if that was wanted."""
        self._numbers: dict[str, Any] = json.loads(numbers)

    def __getitem__(self, name: str) -> Any:
        return self._numbers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return self.text


def evaluate(
    hypotheses: Iterable[str],
    references: Iterable[str] | Iterable[Iterable[str]],
    **options: Any,
) -> list[TextMetric]:
    """Scores texts against references: one for each text, or several lists of them.

    Options are those of `weft evaluate`: `metrics` ("bleu", "chrf", "exact-match",
    "word-error-rate", "character-error-rate", "rouge1", "rouge2", "rougeL", and "aer" of word
    alignments; BLEU and chrF unless given), `tokenize`, `lowercase`, `chrf_word_order`, `undo_bpe`.

        [bleu] = weft.evaluate(translations, references, metrics="bleu")

    Raises OptionError, and FormatError for no text and for another number of references.
    """
    lists: list[Any] = list(references)
    is_one = all(isinstance(one, (str, bytes)) for one in lists)
    given = [lists] if is_one else [list(one) for one in lists]
    rows = _weft.evaluate(list(hypotheses), given, _options.plain(options))
    return [TextMetric(*row) for row in rows]
