"""Messages of the library go to the logger "weft"."""

from __future__ import annotations

import threading

from . import _weft

_lock = threading.Lock()
_is_started = False


def start() -> None:
    """Connects the library with Python's logging, once."""
    global _is_started
    with _lock:
        if _is_started:
            return
        import atexit
        import logging

        logger = logging.getLogger("weft")

        def take(is_warning: bool, message: str) -> None:
            logger.log(logging.WARNING if is_warning else logging.INFO, "%s", message)

        _weft.send_log(take)
        atexit.register(_weft.send_log, None)
        _is_started = True


def tell(news: tuple[bool, str] | None) -> None:
    """Logs what is worth telling of inputs: a warning where some have no whole result."""
    if news is None:
        return
    import logging

    has_problems, text = news
    logging.getLogger("weft").log(logging.WARNING if has_problems else logging.INFO, "%s", text)
