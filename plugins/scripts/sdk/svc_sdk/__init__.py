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

import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar, Union, overload

from . import _operations
from ._errors import StepError, SvcError, WaitTimeoutError
from ._operations import CommandResult
from ._shared import idempotency_key, input
from ._sync import drive
from ._values import Duration

__all__ = [
    "CommandResult",
    "StepError",
    "SvcError",
    "WaitTimeoutError",
    "activity",
    "activity_collect",
    "activity_submit",
    "activity_wait_all",
    "annotate",
    "emit",
    "idempotency_key",
    "lock",
    "output",
    "sleep",
    "spawn",
    "state",
    "step",
    "verb",
    "wait_event",
    "wait_signal",
]

T = TypeVar("T")


@overload
def step(name: str, work: Callable[[], T], *, label: Optional[str] = None) -> T: ...
@overload
def step(
    name: str,
    work: Sequence[str],
    *,
    label: Optional[str] = None,
    cwd: Optional[str] = None,
    env: Mapping[str, str] = {},
    input: Union[str, bytes, None] = None,
    echo: bool = False,
) -> str: ...
def step(name: str, work: Any, *, label: Optional[str] = None, **options: Any) -> Any:
    """Runs a function, or a command, once, however often the script is run; every later pass is given the record.

    A function's result must be JSON; it is answered as the record says it (tuples are lists then). A str is recorded
    as `echo` prints it. The record holds 2 MiB. A command runs with the script's environment less every `SVC_*`, plus
    `SVC_IDEMPOTENCY_KEY`; what it prints is the result, without its last line end. `cwd`, `env` (added), `input` (its
    stdin) and `echo` (into the log too, once) are for commands.

    Raises StepError when it failed, on this pass and on every later one; the `exit_code` of an exception becomes the
    recorded one. Names have 1 to 200 characters."""
    return drive("step", _operations.step(name, work, label, **options))


def exec(
    name: str,
    command: Sequence[str],
    *,
    label: Optional[str] = None,
    cwd: Optional[str] = None,
    env: Mapping[str, str] = {},
    input: Union[str, bytes, None] = None,
    echo: bool = False,
) -> CommandResult:
    """As the step of a command, for commands whose failure is an answer: raises nothing when it exits with another
    code than 0."""
    options = {"cwd": cwd, "env": env, "input": input, "echo": echo}
    return drive("exec", _operations.exec(name, command, label, **options))


def sleep(duration: Duration) -> None:
    """Suspends the run for `"500ms"`, `"5s"`, `"1h30m"`, `"30d"`, a number of seconds or a timedelta. No process lives
    meanwhile; the script then starts again from the top."""
    drive("sleep", _operations.sleep(duration))


def wait_signal(name: str, *, timeout: Optional[Duration] = None) -> Any:
    """Suspends the run until the next signal of that name and answers its payload.

    Raises WaitTimeoutError, a TimeoutError, when `timeout` is over; SvcError (`protocol_unsupported`) at once when the
    agent is too old for timeouts."""
    return drive("wait_signal", _operations.wait("wait-signal", name, "the name of the signal", timeout))


def wait_event(type: str, *, timeout: Optional[Duration] = None) -> Dict[str, Any]:
    """Suspends the run until the next event of that type and answers its envelope: `{"type", "event", "payload", …}`.
    An event from before the call does not count. Raises as `wait_signal` does."""
    return drive("wait_event", _operations.wait("wait-event", type, "the type of the event", timeout))


@overload
def lock(group: str, *, timeout: Optional[Duration] = None) -> int: ...
@overload
def lock(group: str, work: Callable[[], T], *, timeout: Optional[Duration] = None) -> T: ...
@overload
def lock(
    group: str,
    work: Sequence[str],
    *,
    timeout: Optional[Duration] = None,
    cwd: Optional[str] = None,
    env: Mapping[str, str] = {},
    input: Union[str, bytes, None] = None,
    echo: bool = False,
) -> str: ...
def lock(group: str, work: Any = None, *, timeout: Optional[Duration] = None, **options: Any) -> Any:
    """Takes a lease of the project, first come, first served; the run is suspended while another has it.

    With a function or a command it is held only meanwhile, and answers as `step` does. Without, it is held until the
    run has ended, and the number of the grant is the answer, which only ever rises. Raises StepError, and as `wait_signal` does."""
    return drive("lock", _operations.lock(group, work, timeout, **options))


def activity(name: str, command: Sequence[str], *, requires: Union[str, Sequence[str]] = ()) -> str:
    """Runs a command on an agent that has all of `requires`, and answers its stdout without the last line end.
    Raises StepError with the command's exit code. Names are used once in a run."""
    return drive("activity", _operations.activity("activity", name, command, requires))


def activity_submit(name: str, command: Sequence[str], *, requires: Union[str, Sequence[str]] = ()) -> None:
    """As `activity`, without waiting: `activity_collect` waits for it."""
    drive("activity_submit", _operations.activity("activity-submit", name, command, requires))


def activity_collect(name: str) -> str:
    """Waits for a submitted activity and answers its stdout. Raises StepError with its exit code."""
    return drive("activity_collect", _operations.activity_collect(name))


def activity_wait_all() -> int:
    """Waits for all activities that are not collected and answers how many of them failed."""
    return drive("activity_wait_all", _operations.activity_wait_all())


def spawn(
    file: Optional[str] = None,
    *,
    source: Optional[str] = None,
    as_: Optional[str] = None,
    tags: Sequence[str] = (),
) -> str:
    """Submits an independent run of a file, or of a source, and answers its id. `as_` is `"script"` or `"pipeline"`."""
    return drive("spawn", _operations.spawn(file, source, as_, tags))


def emit(type: str, *, key: Optional[str] = None, payload: Any = None) -> str:
    """Emits an event and answers its id. Recorded by position: a replay emits nothing. `payload` is any JSON; the request
    takes 2 MiB. `key` is the subject."""
    return drive("emit", _operations.emit(type, key, payload))


class _State:
    """Durable cells: the run's own, or with `entity` the project's. The same bytes as `svc state` writes and reads."""

    def get(self, key: str, default: Optional[str] = None, *, entity: Optional[str] = None) -> Optional[str]:
        """The text of a cell, or `default`."""
        return drive("state.get", _operations.state_get(key, entity, default, str))

    def get_json(self, key: str, default: Any = None, *, entity: Optional[str] = None) -> Any:
        """The JSON of a cell, parsed, or `default`. Raises ValueError when the text is not JSON."""
        return drive("state.get_json", _operations.state_get(key, entity, default, json.loads))

    def set(self, key: str, value: Any, *, entity: Optional[str] = None) -> None:
        """Stores a str as it is, and everything else as JSON; at most 256 KiB of UTF-8."""
        drive("state.set", _operations.state_set(key, value, entity))

    def delete(self, key: str, *, entity: Optional[str] = None) -> None:
        """Removes a cell; one that is not there is removed already."""
        drive("state.delete", _operations.state_delete(key, entity))

    def list(self, *, entity: Optional[str] = None) -> List[str]:
        """The keys, in the order of their bytes."""
        return drive("state.list", _operations.state_list(entity))


class _Output:
    def set(self, values: Optional[Dict[str, Any]] = None, **more: Any) -> None:
        """Keys of the run's output, kept only if the script exits with 0. Values are JSON. Not durable: every pass
        sets them again."""
        drive("output.set", _operations.output_set({**(values or {}), **more}))


state = _State()
output = _Output()


def annotate(markdown: str) -> None:
    """A note on the run, at most 64 KiB. Not durable: the n-th note of a pass takes the place of the n-th before."""
    drive("annotate", _operations.annotate(markdown))


def verb(name: str, args: Sequence[str] = (), *, stdin: Union[str, bytes, None] = None) -> CommandResult:
    """Calls any verb of the agent, as those that plugins bring, with its arguments as on a command line."""
    return drive("verb", _operations.verb(name, args, stdin))
