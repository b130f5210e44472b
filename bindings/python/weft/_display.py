"""What models, attention and pages look like in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._model import Model
    from .results import AttentionMap

_MOST_TOKENS = 40  # queries, and keys, that a heat map shows


def model_table(model: Model) -> str:
    """The kind, path, labels and options of a model as an HTML table."""
    from html import escape

    rows = [("model", model.kind), ("path", model.path)]
    labels = model.labels
    if labels:
        shown = ", ".join(labels[:10]) + (", ..." if len(labels) > 10 else "")
        rows.append((f"{len(labels)} labels", shown))
    rows += [(name, str(value)) for name, value in model.options.items() if name != "type"]
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def heat_map(attention: AttentionMap) -> str:
    """The mean of a layer's heads as an HTML table: a row for each query, a column for each key.

    Colours show the square root of a probability, so that small ones can be seen.
    """
    heads, queries, keys = attention.weights.shape
    shown = attention.weights[:, :_MOST_TOKENS, :_MOST_TOKENS].mean(axis=0).tolist()
    caption = f"{attention.stack}, {attention.role}, layer {attention.layer}: mean of {heads} heads"
    if max(queries, keys) > _MOST_TOKENS:
        caption += f", the first of {queries} queries and {keys} keys"
    names = _token_names(attention.keys, keys)
    columns = "".join(f"<th style='writing-mode:vertical-rl'>{name}</th>" for name in names)
    rows = "".join(
        f"<tr><th>{name}</th>{''.join(map(_cell, row))}</tr>"
        for name, row in zip(_token_names(attention.queries, queries), shown)
    )
    return f"<table><caption>{caption}</caption><tr><th></th>{columns}</tr>{rows}</table>"


def _token_names(tokens: list[str], count: int) -> list[str]:
    """As HTML; of pictures and sounds numbers."""
    from html import escape

    names = tokens or [str(number) for number in range(count)]
    return [escape(name) for name in names[:_MOST_TOKENS]]


def _cell(weight: float) -> str:
    colour = f"rgba(10, 88, 202, {weight ** 0.5:.3f})"
    return f"<td title='{weight:.3f}' style='background:{colour}'></td>"


def frame(page: str, height: int = 640) -> str:
    """A page inside another, without access to it."""
    from html import escape

    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" '
        f'srcdoc="{escape(page, quote=True)}"></iframe>'
    )
