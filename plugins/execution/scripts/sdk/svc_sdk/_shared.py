"""What both flavours share: which step is being run where, and what the agent gave this process."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, TypeVar, overload

from ._errors import SvcError, inside_a_step, misused, not_in_a_run, not_in_a_script, quoted
from ._paths import data_of, steps_of, value_at
from ._values import ReadOnly

if TYPE_CHECKING:
    from ._policy import Retry
    from ._run import Run

Made = TypeVar("Made")
SOCKET = os.environ.get("SVC_AGENT_SOCKET", "")
INPUT_FILE = os.environ.get("SVC_INPUT_FILE", "")
# Every `SVC_*` that this process was started with.
VARIABLES = {name: value for name, value in os.environ.items() if name.startswith("SVC_")}


class Step:
    def __init__(self, name: str, key: str, asked: Dict[str, Any] = {}) -> None:
        """`asked` says more where it is tried again, or has a time."""
        self.name = name
        self.key = key
        self.attempt: Optional[int] = asked.get("attempt")
        timeout_ms = asked.get("timeout_ms")
        self.timeout_s: Optional[float] = None if timeout_ms is None else timeout_ms / 1000
        # Words that stand before a command.
        self.under: List[str] = asked.get("under") or []
        self.over = False


_present: ContextVar[Optional[Step]] = ContextVar("svc_sdk_step", default=None)

# The run that a call belongs to, where one process has many. None in a script, whose process has one.
RUN: "ContextVar[Optional[Run]]" = ContextVar("svc_sdk_run", default=None)


class Process:
    """What a process says of itself."""

    # It serves workflows: a call that belongs to no run has nowhere to go.
    is_worker = False
    # The retry policy of the workflow that a script runs.
    retry: "Optional[Retry]" = None
    # It has called `serve`.
    is_served = False
    # It has made a durable call.
    has_called = False


def present_run() -> "Optional[Run]":
    return RUN.get()


def present_retry() -> "Optional[Retry]":
    """The policy of the workflow, for its steps that have none."""
    run = present_run()
    return Process.retry if run is None else run.retry


def present_variables() -> Mapping[str, str]:
    """The variables of the run: those of its process in a script."""
    run = present_run()
    return os.environ if run is None else run.env


def present_step() -> Optional[Step]:
    step = _present.get()
    return None if step is None or step.over else step


def make_ready(what: str) -> None:
    """Raises unless a durable call is possible here. What was printed is handed over first: a call that suspends the
    run ends this process, and what is still in its buffers with it."""
    step = present_step()
    if step is not None:
        raise inside_a_step(what, step.name)
    run = present_run()
    if run is not None:
        run.make_ready(what)
        return
    if Process.is_worker:
        raise not_in_a_run(what)
    if SOCKET == "":
        raise not_in_a_script("SVC_AGENT_SOCKET")
    Process.has_called = True
    for stream in (sys.stdout, sys.stderr):
        # A program may run without one, or have closed it.
        if stream is not None and not stream.closed:
            stream.flush()


def idempotency_key() -> str:
    """64 hex digits for whatever a step talks to: the same whenever this step of this run is run again, another one in
    every other run. Raises SvcError (`usage`) outside of a step's function."""
    step = present_step()
    if step is None:
        raise misused("an idempotency key exists only inside a step's function")
    return step.key


def traceparent_of(key: str) -> Optional[str]:
    """The span of a step, which has the beginning of its key for an id; None when the server does not trace."""
    run = present_run()
    trace = VARIABLES.get("SVC_TRACE", "") if run is None else run.trace
    trace_id, _, flags = trace.partition("-")
    return f"00-{trace_id}-{key[:16]}-{flags}" if flags else None


def traceparent() -> Optional[str]:
    """The step's span, as a `traceparent` of W3C Trace Context, to send as a header or to make it the parent of your own
    spans. None when the server exports no traces. Raises SvcError (`usage`) outside of a step's function."""
    step = present_step()
    if step is None:
        raise misused("a span exists only inside a step's function")
    return traceparent_of(step.key)


def attempt() -> int:
    """Which attempt of a step this is, from 1. Raises SvcError (`usage`) outside of a step's function."""
    step = present_step()
    if step is None:
        raise misused("attempts exist only inside a step's function")
    return step.attempt or 1


def input() -> Dict[str, Any]:
    """What the run was started with, as in the file of SVC_INPUT_FILE: `{"type": …, "input"?: …, "payload"?: …, …}`.
    `input` is what a submit passed. Raises SvcError (`not_in_a_script_run`) outside of a run."""
    run = present_run()
    if run is not None:
        own: Dict[str, Any] = json.loads(run.envelope)
        return own
    if INPUT_FILE == "":
        raise not_in_a_script("SVC_INPUT_FILE")
    with open(INPUT_FILE, encoding="utf-8") as file:
        given: Dict[str, Any] = json.load(file)
    return given


@overload
def data(path: Optional[str] = None, default: Any = None) -> Any: ...
@overload
def data(path: Optional[str] = None, default: Any = None, *, into: Callable[..., Made]) -> Optional[Made]: ...
def data(path: Optional[str] = None, default: Any = None, *, into: Optional[Callable[..., Any]] = None) -> Any:
    """What a submit passed, or the payload of the event that started the run: the part of `input()` that most scripts
    want. A path names a place in it: `order.items[0].id`, `["a name"]`, `items[-1]`. Answers `default` where nothing or null
    is. With `into`, a class such as a dataclass, an object becomes an instance of it: its members are the keyword arguments.
    Raises as `input` does, and SvcError (`usage`) for a text that is not a path."""
    whole = data_of(input())
    if path is not None:
        steps = steps_of(path) if isinstance(path, str) else None
        if steps is None:
            raise misused(f'{quoted(path)} is not a path: write a.b, a[0] or a["any name"]')
        whole = value_at(whole, steps)
    if whole is None:
        return default
    return into(**whole) if into is not None and isinstance(whole, dict) else whole


# The variables of a script's run, by the file that they come from.
_script_vars: Dict[str, ReadOnly] = {}


def vars() -> Mapping[str, str]:
    """The variables of the project and its org (`svc var`), by name: `vars()["REGION"]`, `vars().get("TIER", "free")`. They are
    read-only texts, and a run keeps those of its start. Where both have one of the same name, it is that of the project. A
    secret, `env` or a credential of the same name overrides a variable in the environment, but not here. Empty in a run that
    has none, such as an untrusted one, and on a server or an agent that is too old to send them. Raises SvcError
    (`not_in_a_script_run`) outside of a run."""
    run = present_run()
    if run is not None:
        return run.vars
    if INPUT_FILE == "":
        raise not_in_a_script("SVC_INPUT_FILE")
    path = os.path.join(os.path.dirname(INPUT_FILE), "vars.json")
    found = _script_vars.get(path)
    if found is None:
        found = _script_vars[path] = ReadOnly(_read_vars(path))
    return found


def _read_vars(path: str) -> Dict[str, str]:
    """A run without variables has no such file, and neither has one on an older agent."""
    try:
        with open(path, encoding="utf-8") as file:
            values: Dict[str, str] = json.load(file)
    except FileNotFoundError:
        return {}
    return values


def secret(name: str) -> str:
    """A variable of the run: a secret, a credential, or what the submit has set. The same in a script and in a worker, whose
    environment has no variables of runs. Raises SvcError (`secret_missing`) when the run has none of that name."""
    if not isinstance(name, str) or name == "":
        raise misused("the name of a secret must be a non-empty string")
    value = present_variables().get(name)
    if value is None:
        raise SvcError(
            "secret_missing",
            f"this run has no variable {quoted(name)}",
            "Store it with `svc secret set`, or name a credential with `svc submit --credential`.",
        )
    return value


def run_id() -> str:
    """The ID of the run. Raises SvcError (`not_in_a_script_run`) outside of one."""
    run = present_run()
    if run is not None:
        return run.run_id
    own = VARIABLES.get("SVC_WORKFLOW_ID")
    if own is None:
        raise not_in_a_script("SVC_WORKFLOW_ID")
    return own


@contextmanager
def as_step(step: Step) -> Iterator[None]:
    """The time of a step's function: no process that it starts can reach the agent; of the variables of the service it
    sees the key alone, and which attempt it is where it is tried again. Where other runs share the process, its
    environment is nobody's and stays as it is."""
    with _as_present(step):
        if present_run() is not None:
            yield
        else:
            with _in_environment(step):
                yield


@contextmanager
def _as_present(step: Step) -> Iterator[None]:
    token = _present.set(step)
    try:
        yield
    finally:
        step.over = True
        _present.reset(token)


@contextmanager
def _in_environment(step: Step) -> Iterator[None]:
    for name in VARIABLES:
        os.environ.pop(name, None)
    os.environ["SVC_IDEMPOTENCY_KEY"] = step.key
    before = os.environ.get("ATTEMPT")
    if step.attempt is not None:
        os.environ["ATTEMPT"] = str(step.attempt)
    own = os.environ.get("TRACEPARENT")
    span = traceparent_of(step.key)
    if span is not None:
        os.environ["TRACEPARENT"] = span
    try:
        yield
    finally:
        os.environ.pop("SVC_IDEMPOTENCY_KEY", None)
        if before is not None:
            os.environ["ATTEMPT"] = before
        elif step.attempt is not None:
            os.environ.pop("ATTEMPT", None)
        if own is not None:
            os.environ["TRACEPARENT"] = own
        elif span is not None:
            os.environ.pop("TRACEPARENT", None)
        os.environ.update(VARIABLES)
