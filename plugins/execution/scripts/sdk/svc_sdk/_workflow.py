"""Workflows that are functions of a long-running program."""

from __future__ import annotations

import atexit
import json
import os
import re
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypeVar, Union, overload

from . import _shared
from ._calls import _input, check_name
from ._errors import SvcError, misused, quoted
from ._operations import Operation, demand
from ._policy import Retry, policy_options
from ._values import Duration, duration_text, to_json

F = TypeVar("F", bound=Callable[..., Any])

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}\Z")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z")
VERSIONS = ("replay", "pinned")
MAX_WORKFLOWS = 60
CONCURRENCY = ("key", "limit", "throttle", "group", "policy", "per_worker")
POLICIES = ("queue", "cancel-pending", "cancel-running")
MAX_FAULTS = 10

InputSchema = Union[Mapping[str, Any], Type[Any]]
"""A JSON Schema as a dict, or a model class of pydantic."""


Concurrency = Union[int, Mapping[str, Any], None]
"""How many runs one worker takes at a time, or how the runs take turns."""


class Workflow:
    """A function and how it is run."""

    def __init__(self, name: str, body: Callable[..., Any], options: Dict[str, Any]) -> None:
        # Not at the top: it takes longer to load than many steps to run.
        import inspect

        self.name = name
        self.body = body
        self.is_async = inspect.iscoroutinefunction(body)
        self.input: Optional[InputSchema] = options["input"]
        self.retry: Optional[Retry] = options["retry"]
        self.timeout: Optional[str] = options["timeout"]
        self.concurrency: Concurrency = options["concurrency"]
        self.priority: Union[int, str, None] = options["priority"]
        self.versions: str = options["versions"]
        self.version: Optional[str] = options["version"]
        self._takes_input = _takes_input(name, body)

    def start(self, value: Any) -> Any:
        """Calls the function with what a run was given. Raises `input_invalid` for what it does not accept."""
        return self.body(*([self._checked(value)] if self._takes_input else []))

    def registration(self) -> Dict[str, Any]:
        """What the agent is told."""
        told = {
            "name": self.name,
            "input": self._json_schema(),
            "versions": self.versions,
            "version": self.version,
            "timeout": self.timeout,
            "concurrency": self.concurrency,
            "priority": self.priority,
        }
        return {name: value for name, value in told.items() if value is not None}

    def _json_schema(self) -> Optional[Mapping[str, Any]]:
        if not isinstance(self.input, type):
            return self.input
        try:
            schema: Mapping[str, Any] = self.input.model_json_schema()
        except Exception:
            # The model has a type that JSON Schema has no words for; the worker still checks it.
            return None
        return schema

    def _checked(self, value: Any) -> Any:
        if not isinstance(self.input, type):
            return value
        try:
            return self.input.model_validate(value)
        except Exception as error:
            raise SvcError(
                "input_invalid",
                f"the workflow {quoted(self.name)} does not accept this input: {_faults(error)}",
                "Submit it again with a valid input.",
            ) from None


def _faults(error: Exception) -> str:
    errors: Any = getattr(error, "errors", None)
    if not callable(errors):
        return str(error)
    faults = []
    for fault in errors()[:MAX_FAULTS]:
        pointer = "".join(f"/{part}" for part in fault.get("loc", ()))
        faults.append(f"{pointer or 'the input'}: {fault.get('msg')}")
    return "; ".join(faults)


def _takes_input(name: str, body: Callable[..., Any]) -> bool:
    """False for a function without parameters."""
    import inspect

    positional = 0
    for parameter in inspect.signature(body).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            return True
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            positional += 1
        needs_value = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
        if needs_value and (positional > 1 or parameter.kind is parameter.KEYWORD_ONLY):
            raise misused(f"the function of the workflow {quoted(name)} must take the input alone, or nothing")
    return positional > 0


_registered: Dict[str, Workflow] = {}


def registered() -> List[Workflow]:
    """The workflows of this process."""
    return list(_registered.values())


@overload
def workflow(name: F) -> F: ...
@overload
def workflow(
    name: Optional[str] = None, *, input: Optional[InputSchema] = None, retry: Optional[Retry] = None,
    timeout: Optional[Duration] = None, concurrency: Concurrency = None, priority: Union[int, str, None] = None,
    versions: str = "replay", version: Optional[str] = None,
) -> Callable[[F], F]: ...
def workflow(
    name: Any = None,
    *,
    input: Optional[InputSchema] = None,
    retry: Optional[Retry] = None,
    timeout: Optional[Duration] = None,
    concurrency: Concurrency = None,
    priority: Union[int, str, None] = None,
    versions: str = "replay",
    version: Optional[str] = None,
) -> Any:
    """Makes a workflow of a function, plain or `async def`: `@workflow`, or `@workflow("order", timeout="1h")`.

    The function takes the input of the run, or nothing; what it returns is the output, as JSON. It stays the function that
    it is. A plain one uses the calls of `svc_sdk` and runs on a thread of its own; an `async def` uses those of
    `svc_sdk.aio`, on one event loop with all others. A body stays the same when the file is submitted as a script that ends
    with `serve()`.

    `input` is a JSON Schema (a dict) or a model class of pydantic, whose instance the function is then given. `retry` is the
    policy of its steps that name none. `timeout` is the time of a run. `concurrency` is how many runs of it one worker runs
    at once; or how its runs take turns, such as {"key": "input.customer", "limit": 1}: `key`, `limit`, `throttle`
    ({"limit": 10, "period": "1m"}), `group`, `policy` and `per_worker`. `priority` is that of its runs, 0 to 9, or an
    expression over `input`. With `versions="pinned"`, a run continues only on a worker with the version that it began with; `version` names
    that, in place of a digest of the files.

    When a run waits or is cancelled, this pass of it ends: in a plain function the call raises `RunStopped`, an `async def`
    is closed. `finally` blocks run then, without anything that they await, and durable calls in them raise `RunStopped`. A
    plain function that computes or waits for something else goes on until its next durable call.

    Raises SvcError (`usage`) for a name that is taken, for more than 60 workflows, and for options that are invalid."""
    if callable(name):
        return workflow()(name)
    options = _checked_options(input, retry, timeout, concurrency, priority, versions, version)

    def register(body: F) -> F:
        own = getattr(body, "__name__", None) if name is None else name
        if not isinstance(own, str) or NAME.match(own) is None:
            raise misused(
                f"a workflow name must have 1 to 40 letters, digits, - and _, and start with a letter or digit, not {own!r}"
            )
        if own in _registered:
            raise misused(f"there are two workflows with the name {quoted(own)} in this process")
        if len(_registered) >= MAX_WORKFLOWS:
            raise misused(f"a process can have at most {MAX_WORKFLOWS} workflows")
        if not callable(body):
            raise misused(f"the workflow {quoted(own)} needs a function")
        _registered[own] = Workflow(own, body, options)
        if len(_registered) == 1 and _shared.SOCKET != "":
            atexit.register(_expect_serve)
        return body

    return register


def _expect_serve() -> None:
    """In a run, a script that defines workflows but neither serves one nor calls anything fails: it would succeed without
    having done anything."""
    process = _shared.Process
    if process.is_served or process.has_called or process.is_worker or getattr(sys, "last_value", None) is not None:
        return
    names = ", ".join(quoted(name) for name in _registered)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    os.write(2, (
        f"svc: this script defines {names} and runs none of them. Add serve() at its end, or serve the file with"
        " `svc worker` and submit by name: svc submit --function <name>. (workflow_not_served)\n"
    ).encode())
    # An exit function cannot change the exit code in another way.
    os._exit(1)


def _checked_options(
    input: Any, retry: Any, timeout: Any, concurrency: Any, priority: Any, versions: Any, version: Any
) -> Dict[str, Any]:
    is_model = isinstance(input, type) and hasattr(input, "model_json_schema") and hasattr(input, "model_validate")
    if input is not None and not isinstance(input, Mapping) and not is_model:
        raise misused("input must be a JSON Schema (a dict) or a pydantic model class")
    if versions not in VERSIONS:
        raise misused(f'versions must be "replay" or "pinned", not {versions!r}')
    if version is not None and (not isinstance(version, str) or VERSION.match(version) is None):
        raise misused("a workflow version must have 1 to 40 letters, digits, and . _ -")
    if priority is not None and not _is_text(priority) and not _is_whole(priority, 0, 9):
        raise misused('priority must be a whole number from 0 to 9, or an expression such as "input.urgent ? 5 : 0"')
    policy_options(retry, None)
    return {
        "input": input,
        "retry": retry,
        "timeout": None if timeout is None else duration_text(timeout, "timeout"),
        "concurrency": _checked_concurrency(concurrency),
        "priority": priority,
        "versions": versions,
        "version": version,
    }


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _checked_concurrency(concurrency: Any) -> Concurrency:
    """A number for each worker, or how the runs take turns."""
    if concurrency is None or _is_whole(concurrency, 1, sys.maxsize):
        return concurrency  # type: ignore[no-any-return]
    if not isinstance(concurrency, Mapping):
        raise misused('concurrency must be a whole number of runs, at least 1, or a dict such as {"key": …, "limit": 1}')
    _check_members("concurrency", concurrency, CONCURRENCY)
    given = {name: value for name, value in concurrency.items() if value is not None}
    for name in ("key", "group"):
        if name in given and not _is_text(given[name]):
            raise misused(f"the {name} of concurrency must be a non-empty string")
    if "limit" in given and not _is_whole(given["limit"], 1, 1000):
        raise misused("the limit of concurrency must be a whole number from 1 to 1000")
    if "per_worker" in given and not _is_whole(given["per_worker"], 1, 10_000):
        raise misused("per_worker must be a whole number from 1 to 10000")
    if given.get("policy", "queue") not in POLICIES:
        raise misused(f"the policy of concurrency must be {', '.join(POLICIES)}, not {given['policy']!r}")
    if "throttle" in given:
        given["throttle"] = _checked_throttle(given["throttle"])
    if not given:
        raise misused(f"concurrency must have one of {', '.join(CONCURRENCY)}")
    return given


def _checked_throttle(throttle: Any) -> Dict[str, Any]:
    _check_members("throttle", throttle, ("limit", "period"))
    if not _is_whole(throttle.get("limit"), 1, 1000):
        raise misused("the limit of throttle must be a whole number from 1 to 1000")
    return {"limit": throttle["limit"], "period": duration_text(throttle.get("period"), "the period of throttle")}


def _check_members(what: str, given: Any, names: Sequence[str]) -> None:
    if not isinstance(given, Mapping):
        raise misused(f"{what} must be a dict with {', '.join(names)}")
    surplus = next((name for name in given if name not in names), None)
    if surplus is not None:
        raise misused(f"unknown option {quoted(str(surplus))} of {what}; use {', '.join(names)}")


def name_of_target(target: Any, what: str = "call") -> str:
    """The name of a workflow that is given by its name or as its function."""
    if isinstance(target, str):
        return check_name(target, "the name of a workflow")
    for one in registered():
        if one.body is target:
            return one.name
    raise misused(f"{what} needs a workflow, or the name of one")


def call(target: Any, input: Any = ...) -> Operation[Any]:
    """Runs a workflow of a worker as a run of its own and answers its output. The run is suspended meanwhile. The workflow is
    its name or its function; `input` is any JSON. Raises StepError when that run does not succeed."""
    name = name_of_target(target)
    text = yield from demand(f"the call of {quoted(name)}", "call", [*_input(input), "--", "function", name])
    return json.loads(text)


def output_of(value: Any) -> Optional[str]:
    """The output of a run as JSON; None for a function that returns nothing."""
    if value is None:
        return None
    try:
        return to_json(value).decode()
    except (TypeError, ValueError) as error:
        raise misused(f"a {type(value).__name__} cannot be a workflow's output: {error}") from None


def check_submit(options: Dict[str, Any]) -> Dict[str, Any]:
    """What `submit` is called with. In a step, the key of the step is the default. Raises SvcError (`usage`)."""
    step = _shared.present_step()
    if step is None and (_shared.present_run() is not None or _shared.SOCKET != ""):
        raise misused("submit is not recorded: use call in a run, or submit inside of a step")
    if step is not None and options.get("idempotency_key") is None:
        options["idempotency_key"] = step.key
    return options


def submitted(target: Any, input: Any, server: Optional[Mapping[str, str]], options: Dict[str, Any]) -> Any:
    """Starts a run and answers its handle."""
    name = name_of_target(target, "submit")
    from ._client import submit_run

    return submit_run(name, input, options, server)


def handle_of(run_id: Any, server: Optional[Mapping[str, str]]) -> Any:
    """The handle of a run that another program has started."""
    if not isinstance(run_id, str) or run_id == "":
        raise misused("a run ID must be a non-empty string")
    from ._client import open_handle

    return open_handle(run_id, server)
