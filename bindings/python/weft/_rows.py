"""Records from the plain values of the module."""

from __future__ import annotations

from typing import Any

from .results import (
    AttentionMap,
    Classification,
    DetectedObject,
    Detection,
    Fault,
    FilledText,
    GeneratedText,
    Generation,
    Hypothesis,
    MaskCandidate,
    Score,
    ScoredText,
    TagColumn,
    TaggedText,
    TimedWord,
    TokenProbability,
    Transcript,
    Translation,
)

Row = Any  # a tuple


def fault(row: Row) -> Fault | None:
    return None if row is None else Fault(*row)


def translation(row: Row) -> Translation:
    text, hypotheses, found = row
    return Translation(text, [Hypothesis(*one) for one in hypotheses], fault(found))


def classification(row: Row) -> Classification:
    labels, probabilities, found = row
    return Classification(labels, probabilities, fault(found))


def tagged_text(row: Row) -> TaggedText:
    words, columns, found = row
    return TaggedText(words, [TagColumn(*one) for one in columns], fault(found))


def filled_text(row: Row) -> FilledText:
    text, masks, found = row
    return FilledText(text, [[MaskCandidate(*one) for one in mask] for mask in masks], fault(found))


def generated_text(row: Row) -> GeneratedText:
    text, log_probability, tokens, ended, scores, top = row
    others = [[TokenProbability(*one) for one in place] for place in top]
    return GeneratedText(text, log_probability, tokens, ended, scores, others)


def generation(row: Row) -> Generation:
    texts, prompt_tokens, found = row
    return Generation([generated_text(one) for one in texts], prompt_tokens, fault(found))


def transcript(row: Row) -> Transcript:
    text, words, seconds, found = row
    return Transcript(text, [TimedWord(*one) for one in words], seconds, fault(found))


def detection(row: Row) -> Detection:
    objects, found = row
    return Detection([DetectedObject(*one) for one in objects], fault(found))


def scored_text(row: Row) -> ScoredText:
    scores, found = row
    return ScoredText([Score(*one) for one in scores], fault(found))


def attention_map(row: Row) -> AttentionMap:
    return AttentionMap(*row)
