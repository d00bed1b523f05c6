"""The SDK of svc for Python: durable calls of a script, over one connection to its agent. `svc_sdk.aio` has the same for
asyncio.

    import svc_sdk as svc

    built = svc.step("build", ["make", "-s"])
    total = svc.step("total", lambda: sum(prices))
    decision = svc.wait_signal("approval", timeout="2d")
    svc.output.set(built=built, total=total)

Recorded calls are answered without being repeated when the script is run again from its first line. A failed call
raises on every pass. Nothing can be recorded inside a step's function: calls raise SvcError (`step_in_progress`) there.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar, overload

from . import _calls
from ._errors import StepError, SvcError, WaitTimeoutError
from ._calls import CommandResult, Text
from ._policy import NonRetryableError, Retry
from ._shared import attempt, data, idempotency_key, input, traceparent
from ._sync import blocking, drive
from ._values import Duration

__all__ = [
    "CommandResult", "NonRetryableError", "StepError", "SvcError", "WaitTimeoutError",
    "activity", "activity_collect", "activity_submit", "activity_wait_all", "annotate", "artifact_put", "call_graph",
    "call_node", "data", "emit",
    "attempt", "idempotency_key", "lock", "output", "sleep", "spawn", "state", "step", "traceparent", "verb",
    "wait_event", "wait_signal",
]

T = TypeVar("T")


@overload
def step(
    name: str, work: Callable[[], T], *, label: Optional[str] = None,
    retry: Optional[Retry] = None, timeout: Optional[Duration] = None,
) -> T: ...
@overload
def step(
    name: str, work: Sequence[str], *, label: Optional[str] = None,
    retry: Optional[Retry] = None, timeout: Optional[Duration] = None, cwd: Optional[str] = None,
    env: Mapping[str, str] = {}, input: Text = None, echo: bool = False,
) -> str: ...
def step(name: str, work: Any, *, label: Optional[str] = None, **options: Any) -> Any:
    return drive("step", _calls.step(name, work, label=label, **options))


@overload
def lock(group: str, *, timeout: Optional[Duration] = None) -> int: ...
@overload
def lock(group: str, work: Callable[[], T], *, timeout: Optional[Duration] = None) -> T: ...
@overload
def lock(
    group: str, work: Sequence[str], *, timeout: Optional[Duration] = None, cwd: Optional[str] = None,
    env: Mapping[str, str] = {}, input: Text = None, echo: bool = False,
) -> str: ...
def lock(group: str, work: Any = None, *, timeout: Optional[Duration] = None, **options: Any) -> Any:
    return drive("lock", _calls.lock(group, work, timeout=timeout, **options))


step.__doc__ = _calls.step.__doc__
lock.__doc__ = _calls.lock.__doc__
exec = blocking(_calls.exec)
sleep = blocking(_calls.sleep)
wait_signal = blocking(_calls.wait_signal)
wait_event = blocking(_calls.wait_event)
activity = blocking(_calls.activity)
activity_submit = blocking(_calls.activity_submit)
activity_collect = blocking(_calls.activity_collect)
activity_wait_all = blocking(_calls.activity_wait_all)
spawn = blocking(_calls.spawn)
call_node = blocking(_calls.call_node)
call_graph = blocking(_calls.call_graph)
artifact_put = blocking(_calls.artifact_put)
emit = blocking(_calls.emit)
annotate = blocking(_calls.annotate)
verb = blocking(_calls.verb)


class _State:
    __doc__ = _calls.State.__doc__
    get = blocking(_calls.State.get)
    get_json = blocking(_calls.State.get_json)
    set = blocking(_calls.State.set)
    delete = blocking(_calls.State.delete)
    list = blocking(_calls.State.list)


class _Output:
    set = blocking(_calls.Output.set)


state = _State()
output = _Output()
