"""The programs of the documentation run."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]


def blocks(document: str) -> list[str]:
    """The indented programs of a document."""
    text = (ROOT / document).read_text()
    found = re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)
    return [re.sub(r"^    ", "", block, flags=re.MULTILINE).strip() for block in found]


def test_the_first_program_of_the_page(tmp_path: pathlib.Path) -> None:
    code = blocks("docs/python.md")[0]
    assert code.startswith("import weft") and len(code.splitlines()) <= 10
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "good morning" in done.stdout


def test_three_lines(tmp_path: pathlib.Path) -> None:
    """Those of the package; what README.md shows first is run by tests/package."""
    [code] = [one for one in blocks("bindings/python/README.md") if one.startswith("import weft")]
    assert len(code.splitlines()) == 3
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_estimator_of_the_page() -> None:
    pytest.importorskip("sklearn")
    code = next(block for block in blocks("docs/python.md") if "WeftClassifier" in block)
    texts = [f"{word} {number}" for number in range(10) for word in ("good", "bad")]
    given = {"texts": texts, "labels": ["yes", "no"] * 10, "weights": [1.0] * 20}
    exec(code, {**given, "valid_texts": texts, "valid_labels": given["labels"]})
