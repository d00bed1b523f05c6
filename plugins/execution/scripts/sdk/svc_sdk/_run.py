"""A run of a worker: what of it is in this process while one of its passes is under way."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import weakref
from collections import deque
from contextvars import Context
from typing import Any, Callable, Deque, Dict, List, Mapping, NoReturn, Optional, Set

from . import _async, _sync
from ._errors import RunStopped, SvcError, misused, not_in_a_run
from ._policy import Retry
from ._values import ReadOnly
from ._wire import HELLO, Wire

# A coroutine that goes on awaiting after it was closed is closed again, so many times.
MAX_CLOSES = 100

Wake = Callable[[], None]


class _Waiter:
    """A call that waits for its turn."""

    def __init__(self, wake: Wake) -> None:
        self.wake = wake
        self.has_turn = False


class Run:
    """Calls of its threads and event loops take turns, first come, first served, for its part of the connection takes one
    request at a time."""

    def __init__(
        self,
        number: int,
        *,
        run_id: str,
        envelope: str,
        env: Dict[str, str],
        vars: Mapping[str, str] = {},
        trace: str,
        retry: Optional[Retry],
        write: Callable[[int, bytes], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.number = number
        self.run_id = run_id
        self.envelope = envelope
        self.env = env
        self.vars = ReadOnly(vars)
        self.trace = trace
        self.retry = retry
        self.wire = Wire()
        # Flushed before each call, so that the log has the order of what happened.
        self.logs: List[Any] = []
        # Its function has returned, raised, or left an error behind.
        self.has_ended = False
        self.stopped = False
        # The agent answers no call any more, and stops the run next.
        self.is_gone = False
        # What its tasks and threads inherit.
        self.context: Optional[Context] = None
        self._tasks: Set["asyncio.Task[Any]"] = set()
        self._children: "weakref.WeakSet[Any]" = weakref.WeakSet()
        self._pid = os.getpid()
        self._write = write
        self._loop = loop
        self._loop_thread = threading.get_ident()
        self._lock = threading.Lock()
        self._is_greeted = False
        self._broken: Optional[SvcError] = None
        # Pieces that the agent has sent, and who waits for the next one.
        self._pieces: Deque[bytes] = deque()
        self._reader: Optional[Wake] = None
        self._busy = False
        self._busy_loop: Optional[asyncio.AbstractEventLoop] = None
        self._waiters: Deque[_Waiter] = deque()

    @property
    def is_over(self) -> bool:
        return self.has_ended or self.stopped or self.is_gone or os.getpid() != self._pid

    def make_ready(self, what: str) -> None:
        if os.getpid() != self._pid:
            # A forked child, in which nobody reads the connection.
            raise not_in_a_run(what)
        self.raise_if_stopped()
        for log in self.logs:
            log.flush()

    def raise_if_stopped(self) -> None:
        if self.stopped or self.is_gone:
            raise RunStopped("this pass of the run has ended")

    def caller(self, what: str) -> _sync.Caller:
        """Whom a thread of this run calls through."""
        if threading.get_ident() == self._loop_thread:
            raise misused(f"{what} would block the event loop of the worker: await svc_sdk.aio.{what}")
        running = asyncio._get_running_loop()
        if running is not None and running is self._busy_loop:
            raise misused(f"{what} would block the event loop that a call of svc_sdk.aio waits for: await svc_sdk.aio.{what}")
        return _ThreadCaller(self)

    def loop_caller(self, loop: asyncio.AbstractEventLoop) -> _async.Caller:
        """Whom an event loop of this run calls through."""
        return _LoopCaller(self, loop)

    def feed(self, data: bytes) -> None:
        """Takes what the agent has sent."""
        with self._lock:
            self._pieces.append(data)
            wake, self._reader = self._reader, None
        if wake is not None:
            wake()

    def send(self, line: bytes) -> None:
        self.raise_if_stopped()
        self._write(self.number, line)

    def open(self) -> None:
        """Greets the agent before the first call. Raises what keeps the run from making calls."""
        self.raise_if_stopped()
        if self._broken is not None:
            raise self._broken
        if not self._is_greeted:
            self._is_greeted = True
            self._write(self.number, HELLO)

    def read(self, wake: Wake) -> Optional[bytes]:
        """The next piece. None when there is none yet: `wake` is called then, as soon as there is something to do."""
        with self._lock:
            self.raise_if_stopped()
            if self._pieces:
                return self._pieces.popleft()
            self._reader = wake
            return None

    def enter(self, wake: Wake, loop: Optional[asyncio.AbstractEventLoop]) -> Optional[_Waiter]:
        """Takes the turn, or answers who waits for it."""
        with self._lock:
            self.raise_if_stopped()
            if self._busy:
                waiter = _Waiter(wake)
                self._waiters.append(waiter)
                return waiter
            self._busy = True
            self._busy_loop = loop
            return None

    def entered(self, waiter: _Waiter, loop: Optional[asyncio.AbstractEventLoop]) -> bool:
        """True when the turn has come to the waiter."""
        with self._lock:
            self.raise_if_stopped()
            if waiter.has_turn:
                self._busy_loop = loop
            return waiter.has_turn

    def withdraw(self, waiter: _Waiter) -> None:
        """The waiter has given up; a turn that it was given goes on to the next one."""
        with self._lock:
            if not waiter.has_turn:
                with contextlib.suppress(ValueError):
                    self._waiters.remove(waiter)
                return
        self.leave()

    def leave(self) -> None:
        with self._lock:
            self._busy_loop = None
            following = self._waiters.popleft() if self._waiters else None
            if following is None:
                self._busy = False
            else:
                following.has_turn = True
        if following is not None:
            following.wake()

    def break_off(self) -> None:
        """An answer is owed on a connection that nothing replaces: the run can make no calls any more."""
        self._broken = SvcError(
            "agent_answer_invalid",
            "an earlier call of this run has left its connection to the agent without an answer",
            "Let the error of that call end the run, and rerun it.",
        )

    def add_task(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def adopt(self, child: Any) -> None:
        """A command that is killed when the run is stopped."""
        self._children.add(child)
        if self.stopped:
            _kill(child)

    def stop(self) -> None:
        """Lets go of the run. Called on the event loop of the worker, while no task runs.

        Threads that wait for the agent raise `RunStopped`. Coroutines are closed, as Python does with those that nobody
        awaits any more: a frame that is only forgotten would stay in memory, or run its `finally` blocks at any time."""
        with self._lock:
            self.stopped = True
            waking = [waiter.wake for waiter in self._waiters]
            if self._reader is not None:
                waking.append(self._reader)
            self._waiters.clear()
            self._reader = None
            self._pieces.clear()
        for child in list(self._children):
            _kill(child)
        while self._tasks:
            tasks, self._tasks = self._tasks, set()
            for task in tasks:
                assert self.context is not None
                self.context.run(_abandon, task)
        for wake in waking:
            wake()


def _kill(child: Any) -> None:
    with contextlib.suppress(ProcessLookupError):
        child.kill()


def _abandon(task: "asyncio.Task[Any]") -> None:
    if task.done():
        return
    coroutine: Any = task.get_coro()
    for _ in range(MAX_CLOSES):
        try:
            coroutine.close()
            break
        except RuntimeError:
            # It has awaited something in a `finally` block, which is closed in turn.
            continue
        except BaseException:
            break
    # asyncio would tell of a task whose coroutine was closed.
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    task.add_done_callback(_retrieve)
    # What it alone waits for is cancelled, which ends it. Of anything else, as of a task of all runs, it is only one of those
    # who wait; it then ends with that, or when nothing knows of it any more.
    waits_for: Any = getattr(task, "_fut_waiter", None)
    if not isinstance(waits_for, asyncio.Task) and len(getattr(waits_for, "_callbacks", None) or ()) == 1:
        waits_for.cancel()


def _retrieve(task: "asyncio.Task[Any]") -> None:
    task.cancelled() or task.exception()


class _ThreadCaller(_sync.Caller):
    def __init__(self, run: Run) -> None:
        self._run = run
        self._waiter: Optional[_Waiter] = None
        self._gate = threading.Lock()

    def acquire(self, timeout: float = -1) -> bool:
        run, gate = self._run, self._gate
        if self._waiter is None:
            gate.acquire()
            self._waiter = run.enter(gate.release, None)
            if self._waiter is None:
                return True
        if not gate.acquire(timeout=timeout):
            return False
        return run.entered(self._waiter, None)

    def release(self) -> None:
        self._run.leave()

    def opened(self) -> _sync.Channel:
        self._run.open()
        return _ThreadChannel(self._run)

    def drop(self) -> None:
        if self._run.wire.owing:
            self._run.break_off()


class _ThreadChannel(_sync.Channel):
    def __init__(self, run: Run) -> None:
        super().__init__(run.wire)
        self._run = run

    def send(self, line: bytes) -> None:
        self._run.send(line)

    def receive(self) -> bytes:
        while True:
            gate = threading.Lock()
            gate.acquire()
            piece = self._run.read(gate.release)
            if piece is not None:
                return piece
            gate.acquire()

    def stay(self) -> NoReturn:
        self._run.is_gone = True
        raise RunStopped("this pass of the run has ended")

    def close(self) -> None:
        self._run.break_off()


class _LoopCaller(_async.Caller):
    def __init__(self, run: Run, loop: asyncio.AbstractEventLoop) -> None:
        self._run = run
        self._loop = loop

    async def acquire(self) -> None:
        run, loop = self._run, self._loop
        future = loop.create_future()
        waiter = run.enter(_waking(loop, future), loop)
        if waiter is None:
            return
        try:
            await future
            run.entered(waiter, loop)
        except BaseException:
            run.withdraw(waiter)
            raise

    def release(self) -> None:
        self._run.leave()

    async def opened(self) -> _async.Channel:
        self._run.open()
        return _LoopChannel(self._run, self._loop)

    def drop(self) -> None:
        if self._run.wire.owing:
            self._run.break_off()


class _LoopChannel(_async.Channel):
    def __init__(self, run: Run, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(run.wire)
        self._run = run
        self._loop = loop

    async def send(self, line: bytes) -> None:
        self._run.send(line)

    async def receive(self) -> bytes:
        while True:
            future = self._loop.create_future()
            piece = self._run.read(_waking(self._loop, future))
            if piece is not None:
                return piece
            await future

    async def stay(self) -> NoReturn:
        self._run.is_gone = True
        # An event loop that the run has started itself has a thread, which must end.
        if threading.get_ident() != self._run._loop_thread:
            raise RunStopped("this pass of the run has ended")
        await super().stay()

    def close(self) -> None:
        self._run.break_off()


def _waking(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[None]") -> Wake:
    """Wakes who awaits the future, from any thread."""
    own = threading.get_ident()

    def settle() -> None:
        if not future.done():
            future.set_result(None)

    def wake() -> None:
        if threading.get_ident() == own:
            settle()
            return
        # A loop that is closed by now has cancelled who waited.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle)

    return wake
