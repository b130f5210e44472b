"""Conversations with language models."""

from __future__ import annotations

import threading
from collections.abc import Callable

from . import _rows, _weft
from ._stream import Stream
from .results import Generation


class Chat:
    """A conversation with a language model. Made by `Model.chat`.

    `say` and `stream` raise TypeError for what is not a str. What the chat template or the model
    refuses is a fault of the result.
    """

    def __init__(self, chat: _weft.Chat) -> None:
        self._chat = chat
        self._lock = threading.Lock()
        self._forgotten = 0

    def say(self, text: str) -> Generation:
        """The assistant's answer. With a fault the conversation is as before."""
        return self._say(text, lambda _: True)

    def stream(self, text: str) -> Stream[Generation]:
        """An iterator over the answer, piece by piece. What was said until it was closed stays part
        of the conversation."""
        return Stream(lambda take: self._say(text, take))

    def clear(self) -> None:
        """Forgets all but what the system said."""
        with self._lock:
            self._chat.clear()
            self._forgotten = 0

    @property
    def forgotten(self) -> int:
        """The number of exchanges of a user and the assistant that the option `context_shift` has
        removed since `clear`. It removes the oldest ones where the context has no space for all
        and an answer.
        """
        return self._forgotten

    def _say(self, text: str, take: Callable[[str], bool]) -> Generation:
        with self._lock:
            answer = self._chat.say(text, take)
            self._forgotten = self._chat.forgotten()
            return _rows.generation(answer)
