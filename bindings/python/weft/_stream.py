"""Text piece by piece, while it is made."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Result = TypeVar("Result")


class _Shared(Generic[Result]):
    """What the thread that makes the text and its reader both know."""

    def __init__(self) -> None:
        self.pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # None: the end
        self.is_wanted = True
        self.result: Result | None = None
        self.error: BaseException | None = None

    def take(self, piece: str) -> bool:
        if piece:
            self.pieces.put(piece)
        return self.is_wanted


def _run(shared: _Shared[Result], work: Callable[[Callable[[str], bool]], Result]) -> None:
    try:
        shared.result = work(shared.take)
    except BaseException as error:  # raised again where it is read
        shared.error = error
    shared.pieces.put(None)


class Stream(Iterator[str], Generic[Result]):
    """An iterator over pieces of text, made by a thread of its own.

    `result` is the whole of it, once the iterator has ended. To leave a stream before its end, call
    `close()`, or drop it.
    """

    def __init__(self, work: Callable[[Callable[[str], bool]], Result]) -> None:
        self._shared: _Shared[Result] = _Shared()
        self._thread = threading.Thread(target=_run, args=(self._shared, work), daemon=True)
        self._has_ended = False
        self._thread.start()

    def __next__(self) -> str:
        if self._has_ended:
            raise StopIteration
        try:
            piece = self._shared.pieces.get()
        except BaseException:  # Ctrl-C
            self._shared.is_wanted = False
            raise
        if piece is not None:
            return piece
        self._end()
        raise StopIteration

    @property
    def result(self) -> Result:
        """What was made; reads the rest of the stream. Raises what its making raised."""
        for _ in self:
            pass
        self._raise()
        assert self._shared.result is not None
        return self._shared.result

    def close(self) -> None:
        """Ends the making of text, after the piece at hand."""
        self._shared.is_wanted = False
        self._thread.join()
        self._has_ended = True

    def _end(self) -> None:
        self._has_ended = True
        self._thread.join()
        self._raise()

    def _raise(self) -> None:
        if self._shared.error is not None:
            raise self._shared.error

    def __enter__(self) -> Stream[Result]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_shared"):
            self._shared.is_wanted = False
