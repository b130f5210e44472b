"""What models and pages look like in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._model import Model


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


def frame(page: str, height: int = 640) -> str:
    """A page inside another, without access to it."""
    from html import escape

    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" '
        f'srcdoc="{escape(page, quote=True)}"></iframe>'
    )
