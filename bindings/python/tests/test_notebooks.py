"""The notebooks run from top to bottom, with small models in place of those that are fetched,
unless WEFT_ENCODER and WEFT_LANGUAGE_MODEL name models."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest

import weft

FOLDER = pathlib.Path(__file__).parents[3] / "examples/notebooks"


def executed(name: str, folder: pathlib.Path) -> Any:
    """The cells of a notebook with their outputs. Raises CellExecutionError where one fails."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: Any, kind: str = "text/plain") -> str:
    """What a cell displays at its end."""
    return "".join(
        output["data"].get(kind, "") for output in cell.outputs if "data" in output
    )


def test_tune_an_encoder(
    masked_lm: weft.Model, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_ENCODER", os.environ.get("WEFT_ENCODER", str(masked_lm.path)))
    cells = executed("tune_an_encoder", tmp_path)
    assert "array" in shown(cells[2])
    assert "<" in shown(cells[-1], "text/html")
    assert (tmp_path / "tuned/tickets.safetensors").exists()


def test_tune_a_language_model(
    language_model: weft.Model, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = os.environ.get("WEFT_LANGUAGE_MODEL", str(language_model.path))
    monkeypatch.setenv("WEFT_LANGUAGE_MODEL", base)
    cells = executed("tune_a_language_model", tmp_path)
    assert "updates=12" in shown(cells[3])
    before, after = (
        float(line) for output in cells[-1].outputs for line in output.get("text", "").split()
    )
    assert after > before


def test_look_at_attention(tmp_path: pathlib.Path) -> None:
    cells = executed("look_at_attention", tmp_path)
    assert "battello vecchio" in shown(cells[0])
    assert "cross" in shown(cells[1])
    assert "<iframe" in shown(cells[-1], "text/html")
