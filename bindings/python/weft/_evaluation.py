"""Scores of texts beside references."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _options, _weft
from .results import TextMetric


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
