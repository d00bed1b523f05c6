"""The flavour for asyncio: the connection, and how an operation is driven."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import socket
import sys
import weakref
from functools import wraps
from typing import TYPE_CHECKING, Any, Callable, Coroutine, Dict, NoReturn, Optional, Sequence, Tuple, TypeVar, Union, cast

from . import _shared
from ._command import Capture, Command, Outcome, decoder, end_with_run, not_started
from ._errors import agent_lost
from ._operations import Ask, Begin, Operation, Protocol, Work, name_of
from ._policy import TimeOver, in_time
from ._sync import failed, late, of_value
from ._wire import HELLO, PATIENCE_S, RECEIVE, Wire

CHUNK = 65536

T = TypeVar("T")
if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")


class Channel:
    """How an event loop talks to the agent. One request at a time."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    async def send(self, line: bytes) -> None:
        raise NotImplementedError

    async def receive(self) -> bytes:
        raise NotImplementedError

    async def stay(self) -> NoReturn:
        """The activity is parked, or its claim is lost: that somebody gives up waiting for it changes nothing any more."""
        while True:
            try:
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                continue

    def close(self) -> None:
        raise NotImplementedError

    async def protocol(self) -> int:
        if self.wire.protocol is None:
            await self._next()
        return self.wire.protocol or 1

    async def ask(self, body: Dict[str, Any]) -> Dict[str, Any]:
        """Never returns once the pass is over."""
        await self.send(self.wire.request(body))
        return await self._answer()

    async def _answer(self) -> Dict[str, Any]:
        answer = await self._next()
        if answer.get("gone"):
            await self.stay()
        return answer

    async def begin(self, effect: Begin) -> Dict[str, Any]:
        """Begins a step; without waiting for an answer where the agent allows that."""
        place = self.wire.ahead.place(effect.name, effect.label)
        if place is None:
            return self.wire.placed(effect.name, await self.ask(effect.request))
        await self.send(self.wire.request({**effect.request, "key": place["key"]}))
        if self.wire.ahead.lent:
            return self.wire.placed(effect.name, place)
        await self.send(self.wire.begun())
        return self.wire.placed(effect.name, await self._answer())

    async def _next(self) -> Dict[str, Any]:
        while True:
            answer = self.wire.answer()
            if answer is not None:
                return answer
            self.wire.receive(await self.receive())


class _SocketChannel(Channel):
    """One connection to the agent, of one event loop."""

    def __init__(self) -> None:
        super().__init__(Wire())
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.setblocking(False)

    async def open(self) -> None:
        try:
            await asyncio.get_running_loop().sock_connect(self._socket, _shared.SOCKET)
        except OSError as error:
            await self._lose(error.strerror or str(error))
        await self.send(HELLO)

    async def send(self, line: bytes) -> None:
        try:
            await asyncio.get_running_loop().sock_sendall(self._socket, line)
        except OSError as error:
            await self._lose(error.strerror or str(error))

    async def receive(self) -> bytes:
        data = b""
        why = "it closed the connection"
        try:
            data = await asyncio.get_running_loop().sock_recv(self._socket, RECEIVE)
        except OSError as error:
            why = error.strerror or str(error)
        if not data:
            await self._lose(why)
        return data

    def close(self) -> None:
        self._socket.close()

    async def _lose(self, why: str) -> NoReturn:
        self.wire.owing = True
        await asyncio.sleep(PATIENCE_S)
        raise agent_lost(_shared.SOCKET, why)


class Caller:
    """Who makes calls: an event loop of a process, or a run among others."""

    async def acquire(self) -> None:
        """Waits for the turn of this call."""
        raise NotImplementedError

    def release(self) -> None:
        raise NotImplementedError

    async def opened(self) -> Channel:
        raise NotImplementedError

    def drop(self) -> None:
        """Gives up a connection on which an answer is owed: its reader has turned away."""
        raise NotImplementedError


class _Loop(Caller):
    """What one event loop of one process has: its connection, and whose turn it is."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.turn = asyncio.Lock()
        self.channel: Optional[_SocketChannel] = None

    async def acquire(self) -> None:
        await self.turn.acquire()

    def release(self) -> None:
        self.turn.release()

    async def opened(self) -> Channel:
        if self.channel is None:
            self.channel = _SocketChannel()
            await self.channel.open()
        return self.channel

    def drop(self) -> None:
        if self.channel is not None and (self.channel.wire.owing or self.channel.wire.protocol is None):
            self.channel.close()
            self.channel = None


_loops: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Loop]" = weakref.WeakKeyDictionary()


def _own() -> Caller:
    loop = asyncio.get_running_loop()
    run = _shared.present_run()
    if run is not None:
        return run.loop_caller(loop)
    own = _loops.get(loop)
    if own is None or own.pid != os.getpid():
        own = _loops[loop] = _Loop()
    return own


def is_busy_here() -> bool:
    """Is a call under way on the event loop that this thread runs?"""
    loop = asyncio._get_running_loop()
    own = None if loop is None else _loops.get(loop)
    return own is not None and own.turn.locked()


async def drive(what: str, operation: Operation[T]) -> T:
    _shared.make_ready(what)
    own = _own()
    await own.acquire()
    try:
        return await _run(own, operation)
    finally:
        own.release()


def awaitable(call: Callable[P, Operation[T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """The coroutine function that runs an operation to its end."""

    @wraps(call)
    async def run(*args: P.args, **named: P.kwargs) -> T:
        return await drive(name_of(call), call(*args, **named))

    return run


async def _run(own: Caller, operation: Operation[T]) -> T:
    answer: Any = None
    cancelled: Optional[BaseException] = None
    try:
        while True:
            effect = operation.send(answer)
            channel = await own.opened()
            if isinstance(effect, (Begin, Ask)):
                answer, given_up = await _answered(channel, effect)
                cancelled = cancelled or given_up
            elif isinstance(effect, Protocol):
                answer = await channel.protocol()
            elif cancelled is not None:
                answer = _not_begun(effect, cancelled)
            else:
                answer = await _do(effect)
                cancelled = answer.cause if isinstance(answer.cause, asyncio.CancelledError) else None
    except StopIteration as end:
        if cancelled is not None:
            raise cancelled from None
        return cast(T, end.value)
    except BaseException:
        own.drop()
        if cancelled is not None:
            raise cancelled
        raise


async def _answered(channel: Channel, effect: Union[Begin, Ask]) -> Tuple[Dict[str, Any], Optional[asyncio.CancelledError]]:
    """The answer, and who gave up waiting for it. What has been sent has its place in the journal: a caller that is
    cancelled hears of that once the place is settled, however slow the agent is, so that a later pass finds it too."""
    asked = channel.begin(effect) if isinstance(effect, Begin) else channel.ask(effect.request)
    asking = asyncio.ensure_future(asked)
    given_up: Optional[asyncio.CancelledError] = None
    while not asking.done():
        try:
            await asyncio.shield(asking)
        except asyncio.CancelledError as error:
            given_up = error
    return asking.result(), given_up


def _not_begun(effect: Work, cancelled: BaseException) -> Outcome:
    return _killed(cancelled) if isinstance(effect.work, Command) else failed(cancelled)


def _killed(cancelled: BaseException) -> Outcome:
    return Outcome(137, b"", 0, "it was cancelled", cancelled, final=True)


async def _do(effect: Work) -> Outcome:
    if isinstance(effect.work, Command):
        return await run_command(effect.work, effect.step.key, effect.limit, effect.step.under)
    try:
        with _shared.as_step(effect.step):
            with in_time(effect.step.timeout_s):
                value = effect.work()
            if inspect.isawaitable(value):
                value = await _awaited(value, effect.step.timeout_s)
        return of_value(value, effect.limit)
    except TimeOver:
        return late()
    except (Exception, asyncio.CancelledError) as cause:
        return failed(cause)


async def _awaited(value: Any, timeout_s: Optional[float]) -> Any:
    """The result of a coroutine, which is cancelled when its time is over."""
    if timeout_s is None:
        return await value
    work = asyncio.ensure_future(value)
    try:
        await asyncio.wait([work], timeout=timeout_s)
        if work.done():
            return work.result()
        while not work.done():
            # Again and again, for one that it has swallowed.
            work.cancel()
            await asyncio.wait([work], timeout=1)
        # Asked for, so that asyncio does not tell of it.
        work.cancelled() or work.exception()
        raise TimeOver
    except asyncio.CancelledError:
        # As without a time: the step is over when its work is.
        work.cancel()
        await asyncio.wait([work])
        raise


async def run_command(command: Command, key: str, limit: int, under: Sequence[str] = ()) -> Outcome:
    """The same without blocking the event loop. A cancelled command is killed, which is its outcome."""
    try:
        child = await asyncio.create_subprocess_exec(*under, *command.argv, **command.options(key))
    except OSError as error:
        return not_started(command, error)
    except asyncio.CancelledError as cause:
        # asyncio has killed what it had begun.
        return _killed(cause)
    capture = Capture(limit, command.echo)
    end_with_run(child)

    async def feed() -> None:
        if child.stdin is None:
            return
        try:
            child.stdin.write(command.given())
            await child.stdin.drain()
            child.stdin.close()
        except (BrokenPipeError, ConnectionResetError):
            pass

    async def complain() -> None:
        if child.stderr is None:
            return
        decode = decoder()
        while True:
            data = await child.stderr.read(CHUNK)
            sys.stderr.write(decode(data, not data))
            if not data:
                return

    async def read() -> None:
        assert child.stdout is not None
        while True:
            data = await child.stdout.read(CHUNK)
            if not data:
                return
            capture.add(data)

    try:
        await asyncio.gather(feed(), read(), complain())
        return capture.outcome(await child.wait())
    except asyncio.CancelledError as cause:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()
        return _killed(cause)
