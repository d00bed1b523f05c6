"""How often a step is tried, and how long."""

from __future__ import annotations

import ctypes
import signal
import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Union

from ._errors import misused
from ._shared import present_run
from ._values import Duration, duration_text

# From this version on of the agent socket a step may be tried several times, and has a time.
ATTEMPTS_PROTOCOL = 4
TIMED_OUT = 124
# The first one is included.
MAX_ATTEMPTS = 100
NAMES = {"attempts", "backoff", "max_backoff"}

Retry = Union[int, Mapping[str, Any]]
"""Of all attempts, the first one included: `3`; or `{"attempts": 5, "backoff": "1s", "max_backoff": "1m"}`."""


class NonRetryableError(Exception):
    """Raised in the function of a step: another attempt would fail in the same way, so none is made."""


class TimeOver(BaseException):
    """Ends the function of a step whose time is over. No `except Exception` keeps it from that."""


def policy_options(retry: Optional[Retry], timeout: Optional[Duration]) -> List[str]:
    """The options of the verb; none without `retry` and `timeout`."""
    time = [] if timeout is None else [f"--timeout={duration_text(timeout, 'timeout')}"]
    if retry is None:
        return time
    given: Dict[str, Any] = dict(retry) if isinstance(retry, Mapping) else {"attempts": retry}
    for name in given:
        if name not in NAMES:
            raise misused(f"unknown retry option {name!r}; use attempts, backoff and max_backoff")
    attempts = given.get("attempts")
    if not isinstance(attempts, int) or isinstance(attempts, bool):
        raise misused("retry must be a number of attempts, or have 'attempts'")
    if not 1 <= attempts <= MAX_ATTEMPTS:
        raise misused(f"retry needs a number of attempts from 1 to {MAX_ATTEMPTS}, including the first, not {attempts}")
    pauses = [(name, given[name]) for name in ("backoff", "max_backoff") if given.get(name) is not None]
    return [
        f"--retry={attempts}",
        *(f"--{name.replace('_', '-')}={duration_text(pause, name)}" for name, pause in pauses),
        *time,
    ]


@contextmanager
def in_time(seconds: Optional[float]) -> Iterator[None]:
    """Raises `TimeOver` in this thread when the time is over. In the main thread of a script that ends calls that block, too;
    in a worker a signal could meet the main thread while it writes for other runs."""
    if seconds is None:
        yield
    elif threading.current_thread() is threading.main_thread() and present_run() is None:
        with _by_signal(seconds):
            yield
    else:
        with _by_thread(seconds):
            yield


@contextmanager
def _until(stop: Callable[[], None]) -> Iterator[None]:
    """Calls `stop` at the end, and again where the time was over in the middle of that: nothing comes after it."""
    try:
        try:
            yield
        finally:
            stop()
    finally:
        stop()


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    def over(_number: int, _frame: Any) -> None:
        raise TimeOver

    before = signal.signal(signal.SIGALRM, over)

    def stop() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    with _until(stop):
        # Again and again, for one that something has swallowed.
        signal.setitimer(signal.ITIMER_REAL, seconds, 1)
        yield


@contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    own = ctypes.c_ulong(threading.get_ident())
    raises = ctypes.pythonapi.PyThreadState_SetAsyncExc
    turn = threading.Lock()
    working = True

    def over() -> None:
        with turn:
            if working:
                raises(own, ctypes.py_object(TimeOver))

    def stop() -> None:
        nonlocal working
        timer.cancel()
        with turn:
            working = False
        # What was raised and has not arrived yet would meet what comes after the step.
        raises(own, None)

    timer = threading.Timer(seconds, over)
    timer.daemon = True
    with _until(stop):
        timer.start()
        yield
