"""The flavour that blocks."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from functools import wraps
from typing import TYPE_CHECKING, Any, Callable, Dict, NoReturn, Optional, TypeVar, cast

from . import _command, _shared
from ._errors import agent_lost, misused
from ._operations import Ask, Begin, Operation, Protocol, Work, name_of
from ._command import Command, Outcome
from ._policy import TIMED_OUT, NonRetryableError, TimeOver, in_time
from ._values import encode_result, exit_code_of, reason_of
from ._wire import HELLO, PATIENCE_S, RECEIVE, Wire

# A call that waits so long for its turn says what for.
NOTICE_S = 30.0

T = TypeVar("T")
if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")


class Channel:
    """How a thread talks to the agent. One request at a time."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    def send(self, line: bytes) -> None:
        raise NotImplementedError

    def receive(self) -> bytes:
        raise NotImplementedError

    def stay(self) -> NoReturn:
        """The activity is parked, or its claim is lost: whatever the program would do from here on would be of no pass."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def protocol(self) -> int:
        if self.wire.protocol is None:
            self._next()
        return self.wire.protocol or 1

    def ask(self, body: Dict[str, Any]) -> Dict[str, Any]:
        """Sends a request and answers its answer. Never returns once the pass is over."""
        self.send(self.wire.request(body))
        return self._answer()

    def _answer(self) -> Dict[str, Any]:
        answer = self._next()
        if answer.get("gone"):
            self.stay()
        return answer

    def begin(self, effect: Begin) -> Dict[str, Any]:
        """Begins a step; without waiting for an answer where the agent allows that."""
        place = self.wire.ahead.place(effect.name, effect.label)
        if place is None:
            return self.wire.placed(effect.name, self.ask(effect.request))
        self.send(self.wire.request({**effect.request, "key": place["key"]}))
        if self.wire.ahead.lent:
            return self.wire.placed(effect.name, place)
        self.send(self.wire.begun())
        return self.wire.placed(effect.name, self._answer())

    def _next(self) -> Dict[str, Any]:
        while True:
            answer = self.wire.answer()
            if answer is not None:
                return answer
            self.wire.receive(self.receive())


class _SocketChannel(Channel):
    """One connection to the agent."""

    def __init__(self, path: str) -> None:
        super().__init__(Wire())
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._lose(error.strerror or str(error))
        self.send(HELLO)

    def send(self, line: bytes) -> None:
        try:
            self._socket.sendall(line)
        except OSError as error:
            self._lose(error.strerror or str(error))

    def receive(self) -> bytes:
        try:
            data = self._socket.recv(RECEIVE)
        except OSError as error:
            self._lose(error.strerror or str(error))
        if not data:
            self._lose("it closed the connection")
        return data

    def stay(self) -> NoReturn:
        """The agent ends this process."""
        while True:
            time.sleep(3600)

    def close(self) -> None:
        self._socket.close()

    def _lose(self, why: str) -> NoReturn:
        self.wire.owing = True
        self.close()
        time.sleep(PATIENCE_S)
        raise agent_lost(self._path, why)


class Caller:
    """Who makes calls: a process, or a run among others."""

    def acquire(self, timeout: float = -1) -> bool:
        """Waits for the turn of this call; answers False when the time is over before."""
        raise NotImplementedError

    def release(self) -> None:
        raise NotImplementedError

    def opened(self) -> Channel:
        raise NotImplementedError

    def drop(self) -> None:
        """Gives up a connection on which an answer is owed: its reader has turned away."""
        raise NotImplementedError


class _Process(Caller):
    """The connection of this process, and whose turn it is. A forked child has one of its own."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.channel: Optional[Channel] = None
        self._turn = threading.Lock()

    def acquire(self, timeout: float = -1) -> bool:
        return self._turn.acquire(timeout=timeout)

    def release(self) -> None:
        self._turn.release()

    def opened(self) -> Channel:
        if self.channel is None:
            self.channel = _SocketChannel(_shared.SOCKET)
        return self.channel

    def drop(self) -> None:
        if self.channel is not None and self.channel.wire.owing:
            self.channel.close()
            self.channel = None


_process = _Process()


def _own(what: str) -> Caller:
    global _process
    run = _shared.present_run()
    if run is not None:
        return run.caller(what)
    _refuse_in_busy_loop(what)
    if _process.pid != os.getpid():
        # The parent's: closing our copy of its socket takes nothing from it.
        if _process.channel is not None:
            _process.channel.close()
        _process = _Process()
    return _process


def drive(what: str, operation: Operation[T]) -> T:
    """Runs an operation to its end, after those that other threads have begun."""
    _shared.make_ready(what)
    own = _own(what)
    if not own.acquire(timeout=NOTICE_S):
        sys.stderr.write(f"svc_sdk: {what} waits for a durable call of another thread to end\n")
        own.acquire()
    try:
        return _run(own, operation)
    finally:
        own.release()


def blocking(call: Callable[P, Operation[T]]) -> Callable[P, T]:
    """The call that runs an operation to its end."""

    @wraps(call)
    def run(*args: P.args, **named: P.kwargs) -> T:
        return drive(name_of(call), call(*args, **named))

    return run


def _refuse_in_busy_loop(what: str) -> None:
    aio = sys.modules.get("svc_sdk.aio")
    if aio is not None and aio.is_busy_here():
        raise misused(f"{what} would block the event loop that a call of svc_sdk.aio waits for: await svc_sdk.aio.{what}")


def _run(own: Caller, operation: Operation[T]) -> T:
    answer: Any = None
    try:
        while True:
            effect = operation.send(answer)
            if isinstance(effect, Begin):
                answer = own.opened().begin(effect)
            elif isinstance(effect, Ask):
                answer = own.opened().ask(effect.request)
            elif isinstance(effect, Protocol):
                answer = own.opened().protocol()
            else:
                answer = do(effect)
    except StopIteration as end:
        return cast(T, end.value)
    except BaseException:
        own.drop()
        raise


def do(effect: Work) -> Outcome:
    """Runs the function or the command of a step."""
    if isinstance(effect.work, Command):
        return _command.run(effect.work, effect.step.key, effect.limit, effect.step.under)
    try:
        with _shared.as_step(effect.step), in_time(effect.step.timeout_s):
            value = effect.work()
        return of_value(value, effect.limit)
    except TimeOver:
        return late()
    except Exception as cause:
        return failed(cause)


def of_value(value: object, limit: int) -> Outcome:
    data = encode_result(value)
    return Outcome(0, data[: limit + 1], len(data))


def failed(cause: BaseException) -> Outcome:
    final = isinstance(cause, NonRetryableError) or not isinstance(cause, Exception)
    return Outcome(exit_code_of(cause), b"", 0, reason_of(cause), cause, final)


def late() -> Outcome:
    """The agent says in the record how long it had."""
    return Outcome(TIMED_OUT, cause=TimeoutError("the step has timed out"))
