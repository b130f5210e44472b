"""Records from the plain values of the module."""

from __future__ import annotations

from typing import Any

from . import results

Row = Any  # a tuple


def fault(row: Row) -> results.Fault | None:
    return None if row is None else results.Fault(*row)


def translation(row: Row) -> results.Translation:
    text, hypotheses, found = row
    return results.Translation(text, [results.Hypothesis(*one) for one in hypotheses], fault(found))


def classification(row: Row) -> results.Classification:
    labels, probabilities, found = row
    return results.Classification(labels, probabilities, fault(found))


def tagged_text(row: Row) -> results.TaggedText:
    words, columns, found = row
    return results.TaggedText(words, [results.TagColumn(*one) for one in columns], fault(found))


def filled_text(row: Row) -> results.FilledText:
    text, masks, found = row
    candidates = [[results.MaskCandidate(*one) for one in mask] for mask in masks]
    return results.FilledText(text, candidates, fault(found))


def generated_text(row: Row) -> results.GeneratedText:
    text, log_probability, tokens, ended, scores, top = row
    others = [[results.TokenProbability(*one) for one in place] for place in top]
    return results.GeneratedText(text, log_probability, tokens, ended, scores, others)


def generation(row: Row) -> results.Generation:
    texts, prompt_tokens, found = row
    return results.Generation([generated_text(one) for one in texts], prompt_tokens, fault(found))


def transcript(row: Row) -> results.Transcript:
    text, words, seconds, found = row
    times = [results.TimedWord(*one) for one in words]
    return results.Transcript(text, times, seconds, fault(found))


def detection(row: Row) -> results.Detection:
    objects, found = row
    return results.Detection([results.DetectedObject(*one) for one in objects], fault(found))


def completed_view(row: Row) -> results.CompletedView:
    completed, masked, error, found = row
    return results.CompletedView(completed, masked, error, fault(found))


def view_motion(row: Row) -> results.ViewMotion:
    numbers, found = row
    return results.ViewMotion(numbers, fault(found))


def scored_text(row: Row) -> results.ScoredText:
    scores, found = row
    return results.ScoredText([results.Score(*one) for one in scores], fault(found))


def attention_map(row: Row) -> results.AttentionMap:
    return results.AttentionMap(*row)
