"""What models do with inputs, as pages that show themselves in notebooks."""

from __future__ import annotations

import os
from typing import Any

from . import _display


class Inspection:
    """What a model does with inputs. Shows itself in a notebook."""

    def __init__(self, json_text: str, page: str) -> None:
        self.json = json_text
        self.page = page  # HTML that needs no network

    @property
    def data(self) -> dict[str, Any]:
        """The JSON, as docs/inspect.md describes it."""
        import json

        data: dict[str, Any] = json.loads(self.json)
        return data

    def save(self, path: str | bytes | os.PathLike[str]) -> None:
        """Writes the page into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)

    def _repr_html_(self) -> str:
        return _display.frame(self.page)
