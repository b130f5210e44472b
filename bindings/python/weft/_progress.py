"""A bar of tqdm for a training."""

from __future__ import annotations

import sys
from typing import Any

from .results import TrainingProgress


class Progress:
    """Shows updates, the loss and the time left, as a context."""

    def __init__(self, is_wanted: bool | None) -> None:
        self._bar: Any = None
        if is_wanted is False or (is_wanted is None and not _has_viewer()):
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            if is_wanted:
                raise
            return
        self._bar = tqdm(unit=" updates", dynamic_ncols=True)

    @property
    def is_shown(self) -> bool:
        return self._bar is not None

    def show(self, now: TrainingProgress) -> None:
        if self._bar is None:
            return
        if self._bar.n == 0:  # of a training that goes on
            self._bar.initial = now.update - 1
            self._bar.n = now.update - 1
        if now.is_due:
            self._bar.set_postfix_str(
                f"epoch {now.epoch + 1}, loss {now.loss:.4f}, {now.seconds_left:.0f} s left",
                refresh=False,
            )
        self._bar.update(1)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _has_viewer() -> bool:
    return "ipykernel" in sys.modules or sys.stderr.isatty()
