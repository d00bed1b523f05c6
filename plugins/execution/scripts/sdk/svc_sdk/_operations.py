"""What calls are made of, for both flavours: generators that yield what is to be done and are sent what came of it.

`Begin`: begin a step, be sent its record or its key. `Ask`: send a request, be sent the agent's answer. `Work`: run a function or a command as a step, be sent its `Outcome`.
`Protocol`: be sent the protocol that the agent speaks. An operation ends with its result or an exception.
"""

from __future__ import annotations

import os
from binascii import a2b_base64, b2a_base64
from typing import Any, Callable, Dict, Generator, NamedTuple, Optional, Sequence, TypeVar, Union

from ._command import Command, Outcome
from ._errors import StepError, SvcError, too_old
from ._shared import Step
from ._values import without_line_end

T = TypeVar("T")


class Begin:
    def __init__(self, name: str, label: Optional[str]) -> None:
        self.name = name
        self.label = label
        self.request: Dict[str, Any] = {"op": "begin", "kind": "step", "name": name, "label": label}


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


Operation = Generator[Union[Begin, Ask, Work, Protocol], Any, T]


class Called(NamedTuple):
    exit: int
    stdout: bytes
    kind: str
    message: str
    replayed: bool
    cause: Optional[BaseException]


def name_of(call: Callable[..., Any]) -> str:
    """As a script writes it: `sleep`, `state.get`."""
    return call.__qualname__.lower()


def b64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode()


def call(
    verb: str,
    args: Sequence[str],
    stdin: Optional[bytes] = None,
    work: Any = None,
    name: str = "",
    needs: int = 1,
) -> Operation[Called]:
    """Calls a verb and answers what came of it, whatever the exit code. Raises when the call was refused, so that
    nothing is recorded. `work` is done when the verb asks for a command to be run in the caller's place. `needs` is the
    protocol that the options need."""
    if needs > 1:
        protocol = yield Protocol()
        if protocol < needs:
            raise too_old(verb, protocol, needs)
    request: Dict[str, Any] = {"op": "call", "verb": verb, "args": list(args), "cwd": _cwd(), "exec": work is not None}
    if stdin is not None:
        request["stdin"] = b64(stdin)
    answer = yield Ask(request)
    ran = None
    # Once for each attempt.
    while "exec" in answer and work is not None:
        limit = int(answer["limit"])
        ran = yield Work(work, Step(name, answer["key"], answer), limit)
        result = {"final": ran.final, "op": "result", "exit": ran.exit, "stdout": b64(ran.stdout), "size": ran.size, "error": ran.error}
        answer = yield Ask(result)
        if ran.size > limit:
            ran.stdout = b""
    return _called(answer, ran)


def _cwd() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _called(answer: Dict[str, Any], ran: Optional[Outcome]) -> Called:
    if not isinstance(answer.get("exit"), int):
        raise SvcError("agent_answer_invalid", "the agent sent an unknown request")
    if answer.get("code") is not None:
        raise _refusal(str(answer["code"]), str(answer.get("stderr", "")))
    stdout = answer.get("stdout")
    own = ran.stdout if ran is not None else b""
    data = own if stdout is None else a2b_base64(stdout)
    cause = ran.cause if ran is not None else None
    message = answer.get("message") or ""
    return Called(answer["exit"], data, answer.get("kind") or "", message, bool(answer.get("replayed")), cause)


def _refusal(code: str, stderr: str) -> SvcError:
    """What the verb says of a call that it did not take. Its last line is what to do."""
    text = stderr.strip()
    lines = (text.partition(": ")[2] if text.startswith("svc ") else text).split("\n")
    next_ = lines.pop() if len(lines) > 1 else ""
    return SvcError(code, "\n".join(lines), next_)


def _unrecorded(what: str, called: Called) -> SvcError:
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
