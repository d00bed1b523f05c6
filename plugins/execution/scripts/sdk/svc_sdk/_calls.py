"""Each public call as an operation, with its signature and its docstring. `_sync.blocking` and `_async.awaitable` make of
it what scripts call: the return type is then `T` of `Operation[T]`.
"""

from __future__ import annotations

import json
from binascii import a2b_base64
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

from ._command import Command, words
from ._errors import StepError, WaitTimeoutError, misused, quoted
from ._operations import Ask, Begin, Called, Operation, Work, b64, call, demand
from ._policy import ATTEMPTS_PROTOCOL, Retry, policy_options
from ._shared import Step, present_retry
from ._values import Duration, decode_result, duration_text, to_json, without_line_end

T = TypeVar("T")
Text = Union[str, bytes, None]

TIMED_OUT = 124
# From this version on of the agent socket waits have timeouts.
TIMEOUTS_PROTOCOL = 2
# How many runs can hold a lock at once at most.
MAX_HOLDERS = 1000
# What a verb that runs commands is told in place of a command when a function is run.
FUNCTION = "function"


class CommandResult(NamedTuple):
    """What a command came to: `stdout` as bytes, `text` the same without its last line end."""

    exit_code: int
    stdout: bytes
    text: str
    reason: str
    replayed: bool


def check_name(name: object, what: str) -> str:
    if not isinstance(name, str) or name == "":
        raise misused(f"{what} must be a non-empty string")
    return name


def tried_function(name: str, work: Callable[[], Any], label: Optional[str], policy: List[str]) -> Operation[Any]:
    """As the verb has a command run, once for each attempt."""
    args = [*_option("label", label), *policy, name, "--", FUNCTION]
    called = yield from call("step", args, work=work, name=name, needs=ATTEMPTS_PROTOCOL)
    if called.exit != 0:
        raise StepError(f"step {quoted(name)}", called.exit, called.message) from called.cause
    return decode_result(called.stdout)


def step_function(name: str, work: Callable[[], Any], label: Optional[str]) -> Operation[Any]:
    begun = yield Begin(name, label)
    cause = None
    record = begun.get("record")
    if begun.get("run") is True:
        ran = yield Work(work, Step(name, begun["key"]), int(begun["limit"]))
        cause = ran.cause
        end = {"op": "end", "exit": ran.exit, "stdout": b64(ran.stdout), "size": ran.size, "error": ran.error}
        record = (yield Ask(end))["record"]
    if record["exit_code"] != 0:
        raise StepError(f"step {quoted(name)}", record["exit_code"], record.get("message") or "") from cause
    return decode_result(a2b_base64(record["output"]))


def exec(
    name: str,
    command: Sequence[str],
    *,
    label: Optional[str] = None,
    retry: Optional[Retry] = None,
    timeout: Optional[Duration] = None,
    cwd: Optional[str] = None,
    env: Mapping[str, str] = {},
    input: Text = None,
    echo: bool = False,
) -> Operation[CommandResult]:
    """As the step of a command, for commands whose failure is an answer: raises nothing when it exits with another
    code than 0."""
    runs = Command(command, cwd=cwd, env=env, input=input, echo=echo)
    policy = policy_options(present_retry() if retry is None else retry, timeout)
    args = [*_option("label", label), *policy, check_name(name, "the name of a step"), "--", *runs.argv]
    called = yield from call("step", args, work=runs, name=name, needs=_needs(policy))
    _raise_if_cancelled(called)
    text = without_line_end(called.stdout)
    return CommandResult(called.exit, called.stdout, text, called.message, called.replayed)


def _raise_if_cancelled(called: Called) -> None:
    if called.cause is not None:
        raise StepError("the command", called.exit, called.message) from called.cause


def _needs(policy: List[str]) -> int:
    return ATTEMPTS_PROTOCOL if policy else 1


def step(
    name: str,
    work: Any,
    *,
    label: Optional[str] = None,
    retry: Optional[Retry] = None,
    timeout: Optional[Duration] = None,
    **options: Any,
) -> Operation[Any]:
    """Runs a function, or a command, once, however often the script is run; every later pass is given the record.

    A function's result must be JSON; it is answered as the record says it (tuples are lists then). A str is recorded
    as `echo` prints it. The record holds 2 MiB. A command runs with the script's environment less every `SVC_*`, plus
    `SVC_IDEMPOTENCY_KEY`; what it prints is the result, without its last line end. `cwd`, `env` (added), `input` (its
    stdin) and `echo` (into the log too, once) are for commands.

    `retry` is how often it is tried: `3`, or `{"attempts": 5, "backoff": "1s", "max_backoff": "1m"}`, where each pause is
    twice the one before. NonRetryableError ends that. Without it, the policy of the workflow counts, if there is one. `timeout` is the time of each attempt; the exit code is 124 then.

    Raises StepError when it failed, on this pass and on every later one; the `exit_code` of an exception becomes the
    recorded one. Names have 1 to 200 characters."""
    check_name(name, "the name of a step")
    if callable(work):
        if options:
            raise misused(f"{', '.join(options)} is for the command of a step, not for a function")
        policy = policy_options(present_retry() if retry is None else retry, timeout)
        if policy:
            return (yield from tried_function(name, work, label, policy))
        return (yield from step_function(name, work, label))
    done = yield from exec(name, work, label=label, retry=retry, timeout=timeout, **options)
    if done.exit_code != 0:
        raise StepError(f"step {quoted(name)}", done.exit_code, done.reason, done.stdout)
    return done.text


def sleep(duration: Duration) -> Operation[None]:
    """Suspends the run for `"500ms"`, `"5s"`, `"1h30m"`, `"30d"`, a number of seconds or a timedelta. No process lives
    meanwhile; the script then starts again from the top."""
    yield from demand("sleep", "sleep", ["--", duration_text(duration, "the time to sleep")])


def wait(
    verb: str, name: str, what: str, timeout: Optional[Duration], flags: Sequence[str] = ()
) -> Operation[Any]:
    check_name(name, what)
    shown = f"the wait for {what.rpartition(' of ')[2]} {quoted(name)}"
    args = [*_timeout(timeout), *flags, "--", name]
    called = yield from call(verb, args, needs=1 if timeout is None else TIMEOUTS_PROTOCOL)
    if called.exit == TIMED_OUT and timeout is not None:
        raise WaitTimeoutError(shown, duration_text(timeout, "timeout"))
    if called.exit != 0:
        raise StepError(shown, called.exit, called.message)
    return json.loads(called.stdout)


def wait_signal(
    name: str,
    *,
    timeout: Optional[Duration] = None,
    message: Optional[str] = None,
    form: Union[str, Mapping[str, Any], None] = None,
    approvers: Union[str, Sequence[str]] = (),
    envelope: bool = False,
) -> Operation[Any]:
    """Suspends the run until the next signal of that name and answers its payload.

    With `message`, `form` or `approvers`, the wait asks a person, and signals from before it do not count. `form` has the
    fields of the answer (`"amount: number, env: test|live = test, note?: text"`, the same as a dict, or a JSON Schema).
    `approvers` are names of users and the roles member, admin and owner. With `envelope`, it answers
    `{"by", "at", "payload"}`.

    Raises StepError with the exit code 125 when somebody rejects what it asks, WaitTimeoutError, a TimeoutError, when `timeout` is over; SvcError (`protocol_unsupported`) at once when the
    agent is too old for timeouts."""
    flags = [f"--approvers={one}" for one in ([approvers] if isinstance(approvers, str) else approvers)]
    if form is not None:
        flags.append(f"--form={form if isinstance(form, str) else json.dumps(form)}")
    if message is not None:
        flags.append(f"--message={message}")
    if envelope:
        flags.append("--envelope")
    return (yield from wait("wait-signal", name, "the name of the signal", timeout, flags))


def var_flags(vars: Mapping[str, Any]) -> List[str]:
    """Values for `when`, each as an argument of its own."""
    return [f"--var={name}:={json.dumps(value)}" for name, value in vars.items()]


def wait_event(
    type: str,
    *,
    timeout: Optional[Duration] = None,
    untrusted: bool = False,
    when: Optional[str] = None,
    vars: Mapping[str, Any] = {},
) -> Operation[Dict[str, Any]]:
    """Suspends the run until the next event of that type and answers its envelope: `{"type", "event", "payload",
    "trusted", …}`. An event from before the call does not count. With `untrusted`, events that untrusted runs emit end the
    wait of a trusted run too. `when` is a CEL expression over `event`, `vars` and `run`, such as
    `"event.payload.id == vars.id"`; the wait ignores events for which it is not true. `vars` has values for it, any
    JSON. Raises as `wait_signal` does."""
    flags = ["--untrusted"] if untrusted else []
    if when is not None:
        flags.append(f"--when={when}")
    flags.extend(var_flags(vars))
    return (yield from wait("wait-event", type, "the type of the event", timeout, flags))


def wait_ask(name: str, *, timeout: Optional[Duration] = None) -> Operation[Dict[str, Any]]:
    """Suspends the run until somebody asks it this (`svc ask <run> <name>`) and answers with `{"id", "by", "payload"}`.
    `answer` replies. Raises as `wait_signal` does."""
    return (yield from wait("wait-ask", name, "the name of the ask", timeout))


def answer(ask: Union[str, Mapping[str, Any]], value: Any) -> Operation[str]:
    """Answers an ask, or its ID, with any JSON of at most 256 KiB. Returns `"answered"`, or `"timed_out"` if its time has
    ended and nobody gets the answer. Raises StepError when the run has no such ask, or it has been answered already."""
    id_ = check_name(ask if isinstance(ask, str) else ask.get("id"), "the ID of an ask")
    return (yield from demand("answer", "answer", ["--", id_, "-"], stdin=to_json(value)))


def wait_any(
    *,
    signals: Union[str, Sequence[str]] = (),
    events: Union[str, Mapping[str, str], Sequence[Union[str, Mapping[str, str]]]] = (),
    asks: Union[str, Sequence[str]] = (),
    timeout: Optional[Duration] = None,
    untrusted: bool = False,
    vars: Mapping[str, Any] = {},
) -> Operation[Dict[str, Any]]:
    """Suspends the run until the first of several signals, events and asks, or until the time is over, and answers which came
    first: `{"first": "signal", "name", "payload"}`, `{"first": "event", "name", "event"}`,
    `{"first": "ask", "name", "id", "by", "payload"}` or `{"first": "timeout"}`.

    It does not consume the others. At most 16 signals, events and asks together. With `untrusted`, events that
    untrusted runs emit count in a trusted run too. An event can be `{"type": "order.paid", "when": "event.payload.id ==
    vars.id"}`: the wait ignores events of this type for which `when` is not true. `vars` has values for it."""
    names = [f"signal:{name}" for name in ([signals] if isinstance(signals, str) else signals)]
    given = [events] if isinstance(events, (str, Mapping)) else events
    awaited = [{"type": one} if isinstance(one, str) else one for one in given]
    types = [f"event:{one['type']}" for one in awaited]
    every = [*names, *types, *(f"ask:{name}" for name in ([asks] if isinstance(asks, str) else asks))]
    if not every:
        raise misused("wait_any needs a signal, an event or an ask to wait for")
    limit = [] if timeout is None else [f"timeout:{duration_text(timeout, 'timeout')}"]
    flags = ["--untrusted"] if untrusted else []
    flags.extend(f"--when={one['type']}={one['when']}" for one in awaited if one.get("when") is not None)
    flags.extend(var_flags(vars))
    shown = f"the wait for the first of {', '.join(every)}"
    return json.loads((yield from demand(shown, "wait-any", [*flags, "--", *every, *limit])))


def lock(
    group: str, work: Any = None, *, limit: int = 1, timeout: Optional[Duration] = None, **options: Any
) -> Operation[Any]:
    """Takes a lease of the project, first come, first served; the run is suspended while another has it. With `limit`, up
    to so many runs (at most 1000) hold it at once; the lowest limit of its holders counts.

    With a function or a command it is held only meanwhile, and answers as `step` does. Without, it is held until the
    run has ended, and the number of the grant is the answer, which only ever rises. Raises StepError, and as `wait_signal` does."""
    check_name(group, "the group of a lock")
    does = work if work is None or callable(work) else Command(work, **options)
    under = ["--fence"] if does is None else ["--", *(does.argv if isinstance(does, Command) else [FUNCTION])]
    args = [*_limit(limit), *_timeout(timeout), group, *under]
    called = yield from call("lock", args, work=does, name=group, needs=1 if timeout is None else TIMEOUTS_PROTOCOL)
    what = f"the lock {quoted(group)}"
    if called.exit == TIMED_OUT and called.kind == "lock" and timeout is not None:
        raise WaitTimeoutError(what, duration_text(timeout, "timeout"))
    if called.exit != 0:
        raise StepError(what, called.exit, called.message, called.stdout) from called.cause
    if does is None:
        return int(called.stdout)
    return without_line_end(called.stdout) if isinstance(does, Command) else decode_result(called.stdout)


def activity(
    name: str,
    command: Sequence[str],
    *,
    requires: Union[str, Sequence[str]] = (),
    retry: Optional[Retry] = None,
    timeout: Optional[Duration] = None,
) -> Operation[str]:
    """Runs a command on an agent that has all of `requires`, and answers its stdout without the last line end.
    Raises StepError with the command's exit code. `retry` and `timeout` are as those of `step`. Names are
    used once in a run."""
    return (yield from _child("activity", name, command, requires, policy_options(retry, timeout)))


def activity_submit(
    name: str,
    command: Sequence[str],
    *,
    requires: Union[str, Sequence[str]] = (),
    retry: Optional[Retry] = None,
    timeout: Optional[Duration] = None,
) -> Operation[None]:
    """As `activity`, without waiting: `activity_collect` waits for it."""
    yield from _child("activity-submit", name, command, requires, policy_options(retry, timeout))


def _child(
    verb: str, name: str, command: Sequence[str], requires: Union[str, Sequence[str]], policy: List[str]
) -> Operation[str]:
    check_name(name, "the name of an activity")
    capabilities = [requires] if isinstance(requires, str) else requires
    args = [*(f"--requires={one}" for one in capabilities), *policy, name, "--", *words(command)]
    return (yield from demand(f"activity {quoted(name)}", verb, args, needs=_needs(policy)))


def activity_collect(name: str) -> Operation[str]:
    """Waits for a submitted activity and answers its stdout. Raises StepError with its exit code."""
    check_name(name, "the name of an activity")
    return (yield from demand(f"activity {quoted(name)}", "activity-collect", ["--", name]))


def activity_wait_all() -> Operation[int]:
    """Waits for all activities that are not collected and answers how many of them failed."""
    return int((yield from demand("the wait for all activities", "activity-wait-all", [])))


def spawn(
    file: Optional[str] = None, *, source: Optional[str] = None, as_: Optional[str] = None, tags: Sequence[str] = ()
) -> Operation[str]:
    """Submits an independent run of a file, or of a source, and answers its id. `as_` is `"script"` or `"pipeline"`."""
    if (file is None) == (source is None):
        raise misused("spawn takes a file or a source")
    options = [*_option("as", as_), *(f"--tag={tag}" for tag in tags)]
    stdin = None if source is None else source.encode()
    return (yield from demand("spawn", "spawn", [*options, "--", "-" if file is None else file], stdin=stdin))


def call_node(kind: str, config: Optional[Mapping[str, Any]] = None, *, input: Any = ...) -> Operation[Any]:
    """Runs a single node as a run of its own and answers its output. The run of the script is suspended meanwhile.
    Raises StepError when that run does not succeed. `input` is any JSON."""
    check_name(kind, "the kind of a node")
    args = [f"--config={to_json(config or {}).decode()}", *_input(input), "--", "node", kind]
    return json.loads((yield from demand(f"the call of node {quoted(kind)}", "call", args)))


def call_graph(name: Optional[str] = None, *, definition: Any = None, input: Any = ...) -> Operation[Any]:
    """The same for a stored graph, or for a `definition`: the document as a dict or as a str."""
    if (name is None) == (definition is None):
        raise misused("call_graph takes the name of a graph or a definition")
    if name is not None:
        check_name(name, "the name of a graph")
        args = [*_input(input), "--", "graph", name]
        return json.loads((yield from demand(f"the call of graph {quoted(name)}", "call", args)))
    stdin = definition.encode() if isinstance(definition, str) else to_json(definition)
    args = [*_input(input), "--definition=-", "--", "graph"]
    return json.loads((yield from demand("the call of a graph", "call", args, stdin=stdin)))


def artifact_put(source: str, *, as_: Optional[str] = None) -> Operation[List[str]]:
    """Stores the files of a folder, or one file, as artifacts of the run, and answers their paths. They appear together, once
    for this call: a replay uploads nothing. `as_` is what the paths begin with in place of the folder's name, `"."` for
    nothing; of one file its whole path."""
    check_name(source, "the folder or file")
    return (yield from demand("artifact put", "artifact", ["put", *_option("as", as_), "--", source])).split("\n")


def emit(type: str, *, key: Optional[str] = None, payload: Any = None) -> Operation[str]:
    """Emits an event and answers its id. Recorded by position: a replay emits nothing. `payload` is any JSON; the request
    takes 2 MiB. `key` is the subject."""
    check_name(type, "the type of an event")
    args = [*_option("key", key), "--payload=-", "--", type]
    return (yield from demand("emit", "emit", args, stdin=to_json(payload)))


def _state(op: str, entity: Optional[str], *operands: str) -> List[str]:
    return [*_option("entity", entity), "--", op, *operands]


def _cell(key: str, entity: Optional[str], default: T, parse: Callable[[str], T]) -> Operation[T]:
    called = yield from call("state", _state("get", entity, key))
    if called.exit == 1 and called.message.startswith("no state "):  # and is not refused
        return default
    if called.exit != 0:
        raise StepError("state get", called.exit, called.message)
    return parse(without_line_end(called.stdout))


class State:
    """Durable cells: the run's own, or with `entity` the project's. The same bytes as `svc state` writes and reads."""

    def get(
        self: Any, key: str, default: Optional[str] = None, *, entity: Optional[str] = None
    ) -> Operation[Optional[str]]:
        """The text of a cell, or `default`."""
        return (yield from _cell(key, entity, default, str))

    def get_json(self: Any, key: str, default: Any = None, *, entity: Optional[str] = None) -> Operation[Any]:
        """The JSON of a cell, parsed, or `default`. Raises ValueError when the text is not JSON."""
        return (yield from _cell(key, entity, default, json.loads))

    def set(self: Any, key: str, value: Any, *, entity: Optional[str] = None) -> Operation[None]:
        """Stores a str as it is, and everything else as JSON; at most 256 KiB of UTF-8."""
        data = value.encode() if isinstance(value, str) else to_json(value)
        yield from demand("state set", "state", _state("set", entity, key, "-"), stdin=data)

    def delete(self: Any, key: str, *, entity: Optional[str] = None) -> Operation[None]:
        """Removes a cell; one that is not there is removed already."""
        yield from demand("state delete", "state", _state("delete", entity, key))

    def list(self: Any, *, entity: Optional[str] = None) -> Operation[List[str]]:
        """The keys, in the order of their bytes."""
        text = yield from demand("state list", "state", _state("list", entity))
        return text.split("\n") if text else []


class Output:
    def set(self: Any, values: Optional[Dict[str, Any]] = None, **more: Any) -> Operation[None]:
        """Keys of the run's output, kept only if the script exits with 0. Values are JSON. Not durable: every pass
        sets them again."""
        pairs: List[str] = []
        for key, value in {**(values or {}), **more}.items():
            if key == "" or "=" in key:
                raise misused(f"{quoted(key)} cannot be an output key")
            pairs.append(f"{key}:={to_json(value).decode()}")
        if pairs:
            yield from demand("output set", "output", ["--", "set", *pairs])


def annotate(markdown: str) -> Operation[None]:
    """A note on the run, at most 64 KiB. Not durable: the n-th note of a pass takes the place of the n-th before."""
    yield from demand("annotate", "annotate", ["-"], stdin=markdown.encode())


def id_token(audience: str, *, lifetime: Optional[Duration] = None) -> Operation[str]:
    """An ID token (JWT) with which the run authenticates to the system that audience names. Not recorded: each pass gets
    another one, so request it just before the step that uses it. It is valid for 10 minutes, or for a lifetime of 1m to 1h."""
    options = [] if lifetime is None else [f"--lifetime={duration_text(lifetime, 'lifetime')}"]
    return (yield from demand("id-token", "id-token", [f"--audience={audience}", *options]))


def verb(name: str, args: Sequence[str] = (), *, stdin: Text = None) -> Operation[CommandResult]:
    """Calls any verb of the agent, as those that plugins bring, with its arguments as on a command line."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    called = yield from call(name, args, stdin=data)
    text = without_line_end(called.stdout)
    return CommandResult(called.exit, called.stdout, text, called.message, called.replayed)


def _option(name: str, value: Optional[str]) -> List[str]:
    return [] if value is None else [f"--{name}={value}"]


def _input(value: Any) -> List[str]:
    return [] if value is ... else [f"--input={to_json(value).decode()}"]


def _limit(limit: int) -> List[str]:
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_HOLDERS:
        raise misused(f"a lock's limit must be a whole number from 1 to {MAX_HOLDERS}")
    return [] if limit == 1 else [f"--limit={limit}"]


def _timeout(timeout: Optional[Duration]) -> List[str]:
    return [] if timeout is None else [f"--timeout={duration_text(timeout, 'timeout')}"]
