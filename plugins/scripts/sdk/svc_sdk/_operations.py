"""Each call as a generator, for both flavours: it yields what is to be done and is sent what came of it.

`Ask`: send a request, be sent the agent's answer. `Work`: run a function or a command as a step, be sent its `Outcome`.
`Protocol`: be sent the protocol that the agent speaks. An operation ends with its result or an exception.
"""

from __future__ import annotations

import json
import os
from binascii import a2b_base64, b2a_base64
from typing import Any, Callable, Dict, Generator, List, NamedTuple, Optional, Sequence, TypeVar, Union

from ._command import Command, Outcome, words
from ._errors import StepError, SvcError, WaitTimeoutError, misused, quoted, too_old
from ._shared import Step
from ._values import Duration, decode_result, duration_text, to_json, without_line_end

T = TypeVar("T")

TIMED_OUT = 124
# What a verb that runs commands is told in place of a command when a function is run.
FUNCTION = "function"


class Ask:
    def __init__(self, request: Dict[str, Any]) -> None:
        self.request = request


class Work:
    def __init__(self, work: Union[Callable[[], Any], Command], step: Step, limit: int) -> None:
        self.work = work
        self.step = step
        self.limit = limit


class Protocol:
    pass


Operation = Generator[Union[Ask, Work, Protocol], Any, T]


class CommandResult(NamedTuple):
    """What a command came to: `stdout` as bytes, `text` the same without its last line end."""

    exit_code: int
    stdout: bytes
    text: str
    reason: str
    replayed: bool


class _Called(NamedTuple):
    exit: int
    stdout: bytes
    kind: str
    message: str
    replayed: bool
    cause: Optional[BaseException]


def check_name(name: object, what: str) -> str:
    if not isinstance(name, str) or name == "":
        raise misused(f"{what} must be a text that is not empty")
    return name


def _b64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode()


def call(
    verb: str, args: Sequence[str], stdin: Optional[bytes] = None, work: Any = None, name: str = "", timed: bool = False
) -> Operation[_Called]:
    """Calls a verb and answers what came of it, whatever the exit code. Raises when the call was refused, so that
    nothing is recorded. `work` is done when the verb asks for a command to be run in the caller's place."""
    if timed:
        protocol = yield Protocol()
        if protocol < 2:
            raise too_old(verb, protocol)
    request: Dict[str, Any] = {"op": "call", "verb": verb, "args": list(args), "cwd": _cwd(), "exec": work is not None}
    if stdin is not None:
        request["stdin"] = _b64(stdin)
    answer = yield Ask(request)
    ran = None
    if "exec" in answer and work is not None:
        limit = int(answer["limit"])
        ran = yield Work(work, Step(name, answer["key"]), limit)
        result = {"op": "result", "exit": ran.exit, "stdout": _b64(ran.stdout), "size": ran.size, "error": ran.error}
        answer = yield Ask(result)
        if ran.size > limit:
            ran.stdout = b""
    return _called(answer, ran)


def _cwd() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _called(answer: Dict[str, Any], ran: Optional[Outcome]) -> _Called:
    if not isinstance(answer.get("exit"), int):
        raise SvcError("agent_answer_invalid", "the agent asked for nothing known")
    if answer.get("code") is not None:
        raise _refusal(str(answer["code"]), str(answer.get("stderr", "")))
    stdout = answer.get("stdout")
    own = ran.stdout if ran is not None else b""
    data = own if stdout is None else a2b_base64(stdout)
    cause = ran.cause if ran is not None else None
    message = answer.get("message") or ""
    return _Called(answer["exit"], data, answer.get("kind") or "", message, bool(answer.get("replayed")), cause)


def _refusal(code: str, stderr: str) -> SvcError:
    """What the verb says of a call that it did not take. Its last line is what to do."""
    text = stderr.strip()
    lines = (text.partition(": ")[2] if text.startswith("svc ") else text).split("\n")
    next_ = lines.pop() if len(lines) > 1 else ""
    return SvcError(code, "\n".join(lines), next_)


def _unrecorded(what: str, called: _Called) -> SvcError:
    """What a verb turned down by itself, so that there is no record. It may begin with a code."""
    code, colon, text = called.message.partition(": ")
    if colon and "_" in code and code.replace("_", "").isalpha() and code.islower():
        return SvcError(code, text)
    return SvcError("refused", called.message or f"{what} ended with exit code {called.exit}")


def demand(what: str, verb: str, args: Sequence[str], **more: Any) -> Operation[str]:
    """The stdout of a verb that was carried out, as text; StepError when what it recorded is a failure."""
    called = yield from call(verb, args, **more)
    if called.exit != 0 and called.kind == "":
        raise _unrecorded(what, called)
    if called.exit != 0:
        raise StepError(what, called.exit, called.message, called.stdout) from called.cause
    return without_line_end(called.stdout)


def step_function(name: str, work: Callable[[], Any], label: Optional[str]) -> Operation[Any]:
    begun = yield Ask({"op": "begin", "kind": "step", "name": name, "label": label})
    cause = None
    record = begun.get("record")
    if begun.get("run") is True:
        ran = yield Work(work, Step(name, begun["key"]), int(begun["limit"]))
        cause = ran.cause
        end = {"op": "end", "exit": ran.exit, "stdout": _b64(ran.stdout), "size": ran.size, "error": ran.error}
        record = (yield Ask(end))["record"]
    if record["exit_code"] != 0:
        raise StepError(f"step {quoted(name)}", record["exit_code"], record.get("message") or "") from cause
    return decode_result(a2b_base64(record["output"]))


def exec(name: str, argv: Sequence[str], label: Optional[str] = None, **options: Any) -> Operation[CommandResult]:
    command = Command(argv, **options)
    args = [*_option("label", label), check_name(name, "the name of a step"), "--", *command.argv]
    called = yield from call("step", args, work=command, name=name)
    _raise_if_cancelled(called)
    text = without_line_end(called.stdout)
    return CommandResult(called.exit, called.stdout, text, called.message, called.replayed)


def _raise_if_cancelled(called: _Called) -> None:
    if called.cause is not None:
        raise StepError("the command", called.exit, called.message) from called.cause


def step(name: str, work: Any, label: Optional[str] = None, **options: Any) -> Operation[Any]:
    check_name(name, "the name of a step")
    if callable(work):
        if options:
            raise misused(f"{', '.join(options)} is for the command of a step, not for a function")
        return (yield from step_function(name, work, label))
    done = yield from exec(name, work, label, **options)
    if done.exit_code != 0:
        raise StepError(f"step {quoted(name)}", done.exit_code, done.reason, done.stdout)
    return done.text


def sleep(duration: Duration) -> Operation[None]:
    yield from demand("sleep", "sleep", ["--", duration_text(duration, "the time to sleep")])


def wait(verb: str, name: str, what: str, timeout: Optional[Duration]) -> Operation[Any]:
    check_name(name, what)
    shown = f"the wait for {what.rpartition(' of ')[2]} {quoted(name)}"
    args = [*_timeout(timeout), "--", name]
    called = yield from call(verb, args, timed=timeout is not None)
    if called.exit == TIMED_OUT and timeout is not None:
        raise WaitTimeoutError(shown, duration_text(timeout, "timeout"))
    if called.exit != 0:
        raise StepError(shown, called.exit, called.message)
    return json.loads(called.stdout)


def lock(group: str, work: Any = None, timeout: Optional[Duration] = None, **options: Any) -> Operation[Any]:
    check_name(group, "the group of a lock")
    does = work if work is None or callable(work) else Command(work, **options)
    under = ["--fence"] if does is None else ["--", *(does.argv if isinstance(does, Command) else [FUNCTION])]
    args = [*_timeout(timeout), group, *under]
    called = yield from call("lock", args, work=does, name=group, timed=timeout is not None)
    what = f"the lock {quoted(group)}"
    if called.exit == TIMED_OUT and called.kind == "lock" and timeout is not None:
        raise WaitTimeoutError(what, duration_text(timeout, "timeout"))
    if called.exit != 0:
        raise StepError(what, called.exit, called.message, called.stdout) from called.cause
    if does is None:
        return int(called.stdout)
    return without_line_end(called.stdout) if isinstance(does, Command) else decode_result(called.stdout)


def activity(verb: str, name: str, argv: Sequence[str], requires: Union[str, Sequence[str]]) -> Operation[str]:
    check_name(name, "the name of an activity")
    capabilities = [requires] if isinstance(requires, str) else requires
    args = [*(f"--requires={one}" for one in capabilities), name, "--", *words(argv)]
    return (yield from demand(f"activity {quoted(name)}", verb, args))


def activity_collect(name: str) -> Operation[str]:
    check_name(name, "the name of an activity")
    return (yield from demand(f"activity {quoted(name)}", "activity-collect", ["--", name]))


def activity_wait_all() -> Operation[int]:
    return int((yield from demand("the wait for all activities", "activity-wait-all", [])))


def spawn(file: Optional[str], source: Optional[str], as_: Optional[str], tags: Sequence[str]) -> Operation[str]:
    if (file is None) == (source is None):
        raise misused("spawn takes a file or a source")
    options = [*_option("as", as_), *(f"--tag={tag}" for tag in tags)]
    stdin = None if source is None else source.encode()
    return (yield from demand("spawn", "spawn", [*options, "--", "-" if file is None else file], stdin=stdin))


def emit(type: str, key: Optional[str], payload: Any) -> Operation[str]:
    check_name(type, "the type of an event")
    args = [*_option("key", key), "--payload=-", "--", type]
    return (yield from demand("emit", "emit", args, stdin=to_json(payload)))


def _state(op: str, entity: Optional[str], *operands: str) -> List[str]:
    return [*_option("entity", entity), "--", op, *operands]


def state_get(key: str, entity: Optional[str], default: T, parse: Callable[[str], T]) -> Operation[T]:
    called = yield from call("state", _state("get", entity, key))
    if called.exit == 1 and called.message.startswith("no state "):  # and is not refused
        return default
    if called.exit != 0:
        raise StepError("state get", called.exit, called.message)
    return parse(without_line_end(called.stdout))


def state_set(key: str, value: object, entity: Optional[str]) -> Operation[None]:
    data = value.encode() if isinstance(value, str) else to_json(value)
    yield from demand("state set", "state", _state("set", entity, key, "-"), stdin=data)


def state_list(entity: Optional[str]) -> Operation[List[str]]:
    text = yield from demand("state list", "state", _state("list", entity))
    return text.split("\n") if text else []


def state_delete(key: str, entity: Optional[str]) -> Operation[None]:
    yield from demand("state delete", "state", _state("delete", entity, key))


def output_set(values: Dict[str, Any]) -> Operation[None]:
    pairs: List[str] = []
    for key, value in values.items():
        if key == "" or "=" in key:
            raise misused(f"{quoted(key)} cannot be a key of the output")
        pairs.append(f"{key}:={to_json(value).decode()}")
    if pairs:
        yield from demand("output set", "output", ["--", "set", *pairs])


def annotate(markdown: str) -> Operation[None]:
    yield from demand("annotate", "annotate", ["-"], stdin=markdown.encode())


def verb(name: str, args: Sequence[str], stdin: Union[str, bytes, None]) -> Operation[CommandResult]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    called = yield from call(name, args, stdin=data)
    text = without_line_end(called.stdout)
    return CommandResult(called.exit, called.stdout, text, called.message, called.replayed)


def _option(name: str, value: Optional[str]) -> List[str]:
    return [] if value is None else [f"--{name}={value}"]


def _timeout(timeout: Optional[Duration]) -> List[str]:
    return [] if timeout is None else [f"--timeout={duration_text(timeout, 'timeout')}"]
