"""The SDK of svc for Python: durable calls of a script, over one connection to its agent. `svc_sdk.aio` has the same for
asyncio.

    import svc_sdk as svc

    built = svc.step("build", ["make", "-s"])
    total = svc.step("total", lambda: sum(prices))
    decision = svc.wait_signal("approval", timeout="2d")
    svc.output.set(built=built, total=total)

Recorded calls are answered without being repeated when the script is run again from its first line. A failed call
raises on every pass. Nothing can be recorded inside a step's function: calls raise SvcError (`step_in_progress`) there.

`@workflow` makes a function one that `svc worker` serves: many runs in one process that stays, with the same calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Coroutine, Mapping, Optional, Sequence, TypeVar, overload

from . import _calls, _workflow
from ._errors import RunStopped, StepError, SvcError, WaitTimeoutError
from ._calls import CommandResult, Text
from ._policy import NonRetryableError, Retry
from ._shared import attempt, data, idempotency_key, input, run_id, secret, traceparent, vars
from ._sync import blocking, drive
from ._values import Duration
from ._workflow import workflow

if TYPE_CHECKING:
    from ._client import RunHandle

__all__ = [
    "CommandResult", "NonRetryableError", "RunStopped", "StepError", "SvcError", "WaitTimeoutError",
    "activity", "activity_collect", "activity_submit", "activity_wait_all", "annotate", "answer", "artifact_put", "call",
    "call_graph", "call_node", "data", "emit",
    "attempt", "id_token", "idempotency_key", "lock", "output", "run_handle", "run_id", "secret", "serve", "sleep", "spawn", "state", "step",
    "submit", "traceparent", "vars", "verb", "wait_any", "wait_ask", "wait_event", "wait_signal", "workflow",
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
def lock(group: str, *, limit: int = 1, timeout: Optional[Duration] = None) -> int: ...
@overload
def lock(group: str, work: Callable[[], T], *, limit: int = 1, timeout: Optional[Duration] = None) -> T: ...
@overload
def lock(
    group: str, work: Sequence[str], *, limit: int = 1, timeout: Optional[Duration] = None, cwd: Optional[str] = None,
    env: Mapping[str, str] = {}, input: Text = None, echo: bool = False,
) -> str: ...
def lock(group: str, work: Any = None, *, limit: int = 1, timeout: Optional[Duration] = None, **options: Any) -> Any:
    return drive("lock", _calls.lock(group, work, limit=limit, timeout=timeout, **options))


@overload
def call(target: Callable[..., Coroutine[Any, Any, T]], input: Any = ...) -> T: ...
@overload
def call(target: Callable[..., T], input: Any = ...) -> T: ...
@overload
def call(target: str, input: Any = ...) -> Any: ...
def call(target: Any, input: Any = ...) -> Any:
    return drive("call", _workflow.call(target, input))


@overload
def submit(
    target: Callable[..., Coroutine[Any, Any, T]], input: Any = ..., *, idempotency_key: Optional[str] = None,
    tags: Optional[Sequence[str]] = None, subject: Optional[str] = None, timeout: Optional[Duration] = None,
    env: Optional[Mapping[str, str]] = None, credentials: Optional[Mapping[str, str]] = None,
    requires: Optional[Sequence[str]] = None, priority: Optional[int] = None,
    concurrency: Optional[Mapping[str, Any]] = None, server: Optional[Mapping[str, str]] = None,
) -> "RunHandle[T]": ...
@overload
def submit(
    target: Callable[..., T], input: Any = ..., *, idempotency_key: Optional[str] = None,
    tags: Optional[Sequence[str]] = None, subject: Optional[str] = None, timeout: Optional[Duration] = None,
    env: Optional[Mapping[str, str]] = None, credentials: Optional[Mapping[str, str]] = None,
    requires: Optional[Sequence[str]] = None, priority: Optional[int] = None,
    concurrency: Optional[Mapping[str, Any]] = None, server: Optional[Mapping[str, str]] = None,
) -> "RunHandle[T]": ...
@overload
def submit(
    target: str, input: Any = ..., *, idempotency_key: Optional[str] = None,
    tags: Optional[Sequence[str]] = None, subject: Optional[str] = None, timeout: Optional[Duration] = None,
    env: Optional[Mapping[str, str]] = None, credentials: Optional[Mapping[str, str]] = None,
    requires: Optional[Sequence[str]] = None, priority: Optional[int] = None,
    concurrency: Optional[Mapping[str, Any]] = None, server: Optional[Mapping[str, str]] = None,
) -> "RunHandle[Any]": ...
def submit(
    target: Any, input: Any = ..., *, idempotency_key: Optional[str] = None,
    tags: Optional[Sequence[str]] = None, subject: Optional[str] = None, timeout: Optional[Duration] = None,
    env: Optional[Mapping[str, str]] = None, credentials: Optional[Mapping[str, str]] = None,
    requires: Optional[Sequence[str]] = None, priority: Optional[int] = None,
    concurrency: Optional[Mapping[str, Any]] = None, server: Optional[Mapping[str, str]] = None,
) -> Any:
    """Starts a run of a workflow from any program and returns its handle. The workflow is its function or its name; `input` is
    any JSON. SVC_URL, SVC_ORG, SVC_PROJECT and the token in SVC_TOKEN or SVC_TOKEN_FILE name the server, else the profile of the
    folder or of the user; `server` names it in the program: {"url": …, "token": …, "org": …, "project": …}. A second submit with the
    same `idempotency_key` returns the first run; in the function of a step, the key of the step is the default. A run with a
    higher `priority` (0 to 9) passes waiting runs of its project; `concurrency`, such as {"group": "deploy", "limit": 2}, queues
    the run until the group has room for it.

    In a workflow, use `call`, or submit inside of a step. Raises SvcError with the code of the server, or `unreachable`."""
    options = {
        "idempotency_key": idempotency_key, "tags": tags, "subject": subject, "timeout": timeout, "env": env,
        "credentials": credentials, "requires": requires, "priority": priority, "concurrency": concurrency,
    }
    return _workflow.submitted(target, input, server, _workflow.check_submit(options))


def run_handle(run_id: str, *, server: Optional[Mapping[str, str]] = None) -> "RunHandle[Any]":
    """The handle of a run that another program has started, for example in a webhook that only has the ID."""
    handle: "RunHandle[Any]" = _workflow.handle_of(run_id, server)
    return handle


def serve(
    name: Optional[str] = None, *, slots: Optional[int] = None, version: Optional[str] = None,
    agent_name: Optional[str] = None, svc: Optional[str] = None,
) -> None:
    """Serves the workflows of this process until the agent beside it ends: `svc worker --attach`, which it starts and which
    takes `slots` runs at once. SVC_URL and SVC_TOKEN, or a profile, say where to. `version` names the version of all
    workflows that name none; `agent_name` and `svc` are the name of the agent and the command that starts it.

    Under `svc worker` it returns at once: the worker serves when all of its files are imported. In a run of the same file as
    a script, it runs the workflow `name`, or the only one, with the input of the run; what that returns is the output.

    Raises SvcError: `usage`, `worker_not_started`, `worker_lost`, and what the server refuses the workflows with."""
    from ._serve import serve_blocking

    serve_blocking(name, {"slots": slots, "version": version, "agent_name": agent_name, "svc": svc})


step.__doc__ = _calls.step.__doc__
lock.__doc__ = _calls.lock.__doc__
call.__doc__ = _workflow.call.__doc__
exec = blocking(_calls.exec)
sleep = blocking(_calls.sleep)
wait_signal = blocking(_calls.wait_signal)
wait_event = blocking(_calls.wait_event)
wait_any = blocking(_calls.wait_any)
wait_ask = blocking(_calls.wait_ask)
answer = blocking(_calls.answer)
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
id_token = blocking(_calls.id_token)
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
