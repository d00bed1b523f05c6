"""The same calls for asyncio: `from svc_sdk import aio`, then `await aio.step("build", build)`.

A step's function may be a coroutine function; one that is not blocks the event loop while it runs. Calls made at the
same time are served one after the other, in the order in which they were made. When a call is cancelled while its step
runs, the step is cancelled too and recorded as failed. A wait that has parked the run cannot be cancelled: the script
ends there.

In a worker, all runs of `async def` workflows share one event loop. When a run waits or is cancelled, its coroutines are
closed: `finally` blocks run, durable calls in them raise RunStopped, and nothing else can be awaited there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Awaitable, Callable, Coroutine, Mapping, Optional, Sequence, TypeVar, Union, overload

from . import _calls, _workflow
from ._async import awaitable, drive, is_busy_here
from ._calls import Text
from ._policy import Retry
from ._shared import attempt, data, idempotency_key, input, run_id, secret, traceparent, vars
from ._values import Duration
from ._workflow import workflow

if TYPE_CHECKING:
    from ._client import AsyncRunHandle

__all__ = [
    "activity", "activity_collect", "activity_submit", "activity_wait_all", "annotate", "answer", "artifact_put", "call",
    "call_graph", "call_node", "data", "emit",
    "attempt", "id_token", "idempotency_key", "lock", "output", "run_handle", "run_id", "secret", "serve", "sleep", "spawn", "state", "step",
    "submit", "traceparent", "vars", "verb", "wait_any", "wait_ask", "wait_event", "wait_signal", "workflow",
]

T = TypeVar("T")


@overload
async def step(
    name: str, work: Callable[[], Union[Awaitable[T], T]], *, label: Optional[str] = None,
    retry: Optional[Retry] = None, timeout: Optional[Duration] = None,
) -> T: ...
@overload
async def step(
    name: str, work: Sequence[str], *, label: Optional[str] = None,
    retry: Optional[Retry] = None, timeout: Optional[Duration] = None, cwd: Optional[str] = None,
    env: Mapping[str, str] = {}, input: Text = None, echo: bool = False,
) -> str: ...
async def step(name: str, work: Any, *, label: Optional[str] = None, **options: Any) -> Any:
    return await drive("step", _calls.step(name, work, label=label, **options))


@overload
async def lock(group: str, *, limit: int = 1, timeout: Optional[Duration] = None) -> int: ...
@overload
async def lock(
    group: str, work: Callable[[], Union[Awaitable[T], T]], *, limit: int = 1, timeout: Optional[Duration] = None
) -> T: ...
@overload
async def lock(
    group: str, work: Sequence[str], *, limit: int = 1, timeout: Optional[Duration] = None, cwd: Optional[str] = None,
    env: Mapping[str, str] = {}, input: Text = None, echo: bool = False,
) -> str: ...
async def lock(group: str, work: Any = None, *, limit: int = 1, timeout: Optional[Duration] = None, **options: Any) -> Any:
    return await drive("lock", _calls.lock(group, work, limit=limit, timeout=timeout, **options))


@overload
async def call(target: Callable[..., Coroutine[Any, Any, T]], input: Any = ...) -> T: ...
@overload
async def call(target: Callable[..., T], input: Any = ...) -> T: ...
@overload
async def call(target: str, input: Any = ...) -> Any: ...
async def call(target: Any, input: Any = ...) -> Any:
    return await drive("call", _workflow.call(target, input))


@overload
async def submit(
    target: Callable[..., Coroutine[Any, Any, T]], input: Any = ..., *, idempotency_key: Optional[str] = None,
    tags: Optional[Sequence[str]] = None, subject: Optional[str] = None, timeout: Optional[Duration] = None,
    env: Optional[Mapping[str, str]] = None, credentials: Optional[Mapping[str, str]] = None,
    requires: Optional[Sequence[str]] = None, priority: Optional[int] = None,
    concurrency: Optional[Mapping[str, Any]] = None, server: Optional[Mapping[str, str]] = None,
) -> "AsyncRunHandle[T]": ...
@overload
async def submit(
    target: Callable[..., T], input: Any = ..., *, idempotency_key: Optional[str] = None,
    tags: Optional[Sequence[str]] = None, subject: Optional[str] = None, timeout: Optional[Duration] = None,
    env: Optional[Mapping[str, str]] = None, credentials: Optional[Mapping[str, str]] = None,
    requires: Optional[Sequence[str]] = None, priority: Optional[int] = None,
    concurrency: Optional[Mapping[str, Any]] = None, server: Optional[Mapping[str, str]] = None,
) -> "AsyncRunHandle[T]": ...
@overload
async def submit(
    target: str, input: Any = ..., *, idempotency_key: Optional[str] = None,
    tags: Optional[Sequence[str]] = None, subject: Optional[str] = None, timeout: Optional[Duration] = None,
    env: Optional[Mapping[str, str]] = None, credentials: Optional[Mapping[str, str]] = None,
    requires: Optional[Sequence[str]] = None, priority: Optional[int] = None,
    concurrency: Optional[Mapping[str, Any]] = None, server: Optional[Mapping[str, str]] = None,
) -> "AsyncRunHandle[Any]": ...
async def submit(
    target: Any, input: Any = ..., *, idempotency_key: Optional[str] = None,
    tags: Optional[Sequence[str]] = None, subject: Optional[str] = None, timeout: Optional[Duration] = None,
    env: Optional[Mapping[str, str]] = None, credentials: Optional[Mapping[str, str]] = None,
    requires: Optional[Sequence[str]] = None, priority: Optional[int] = None,
    concurrency: Optional[Mapping[str, Any]] = None, server: Optional[Mapping[str, str]] = None,
) -> Any:
    """As `svc_sdk.submit`. The event loop stays free."""
    options = {
        "idempotency_key": idempotency_key, "tags": tags, "subject": subject, "timeout": timeout, "env": env,
        "credentials": credentials, "requires": requires, "priority": priority, "concurrency": concurrency,
    }
    import asyncio

    from ._client import AsyncRunHandle

    checked = _workflow.check_submit(options)
    return AsyncRunHandle(await asyncio.to_thread(_workflow.submitted, target, input, server, checked))


async def run_handle(run_id: str, *, server: Optional[Mapping[str, str]] = None) -> "AsyncRunHandle[Any]":
    """As `svc_sdk.run_handle`."""
    import asyncio

    from ._client import AsyncRunHandle

    return AsyncRunHandle(await asyncio.to_thread(_workflow.handle_of, run_id, server))


async def serve(
    name: Optional[str] = None, *, slots: Optional[int] = None, version: Optional[str] = None,
    agent_name: Optional[str] = None, svc: Optional[str] = None,
) -> None:
    """As `svc_sdk.serve`, on the event loop of a program that also does other work."""
    from ._serve import serve_on_loop

    await serve_on_loop(name, {"slots": slots, "version": version, "agent_name": agent_name, "svc": svc})


step.__doc__ = _calls.step.__doc__
lock.__doc__ = _calls.lock.__doc__
call.__doc__ = _workflow.call.__doc__
exec = awaitable(_calls.exec)
sleep = awaitable(_calls.sleep)
wait_signal = awaitable(_calls.wait_signal)
wait_event = awaitable(_calls.wait_event)
wait_any = awaitable(_calls.wait_any)
wait_ask = awaitable(_calls.wait_ask)
answer = awaitable(_calls.answer)
activity = awaitable(_calls.activity)
activity_submit = awaitable(_calls.activity_submit)
activity_collect = awaitable(_calls.activity_collect)
activity_wait_all = awaitable(_calls.activity_wait_all)
spawn = awaitable(_calls.spawn)
call_node = awaitable(_calls.call_node)
call_graph = awaitable(_calls.call_graph)
artifact_put = awaitable(_calls.artifact_put)
emit = awaitable(_calls.emit)
annotate = awaitable(_calls.annotate)
id_token = awaitable(_calls.id_token)
verb = awaitable(_calls.verb)


class _State:
    __doc__ = _calls.State.__doc__
    get = awaitable(_calls.State.get)
    get_json = awaitable(_calls.State.get_json)
    set = awaitable(_calls.State.set)
    delete = awaitable(_calls.State.delete)
    list = awaitable(_calls.State.list)


class _Output:
    set = awaitable(_calls.Output.set)


state = _State()
output = _Output()
