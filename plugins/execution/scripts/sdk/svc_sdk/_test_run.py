"""A run in memory: its journal, its clock, and one call of the workflow's function after the other, as a worker makes them."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import inspect
import json
import math
from contextvars import copy_context
from datetime import datetime, timezone
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, NoReturn, Optional, Tuple

from . import _async, _shared, _sync
from ._calls import FUNCTION
from ._errors import RunStopped, SvcError, misused, quoted
from ._output import RunLog, watch_output
from ._run import Run, _LoopCaller, _ThreadCaller
from ._values import OUTPUT_BYTES, Duration, decode_result, encode_result, exit_code_of, reason_of, seconds_of, to_json
from ._workflow import Workflow, output_of, registered

RUN_ID = "run_test"
PROTOCOL = 4
TIMED_OUT = 124
# Pauses of this length end the pass.
PARKING_PAUSE_S = 5.0
ADVICE = (
    "Take values that vary (time, random numbers, responses of other systems) from a step, which every pass answers with its"
    " record."
)


class Failure(NamedTuple):
    """A failure that a test gives in place of a result."""

    message: str
    exit_code: int = 1
    non_retryable: bool = False


class Delayed(NamedTuple):
    """A signal, an event or an ask that arrives at a time, in seconds from the beginning of the run."""

    at: float
    payload: Any


class Options(NamedTuple):
    signals: Mapping[str, Any] = {}
    events: Mapping[str, Any] = {}
    steps: Mapping[str, Any] = {}
    calls: Mapping[str, Any] = {}
    activities: Mapping[str, Any] = {}
    verbs: Mapping[str, Any] = {}
    env: Mapping[str, str] = {}
    state: Mapping[str, Any] = {}
    entities: Mapping[str, Mapping[str, Any]] = {}
    timeout: Optional[Duration] = None
    max_passes: int = 10_000
    replay_every_call: bool = True
    asks: Mapping[str, Any] = {}
    vars: Mapping[str, str] = {}


class Recorded(NamedTuple):
    """A record of the journal."""

    kind: str
    name: str
    ordinal: int
    position: int
    exit_code: int
    output: bytes
    message: Optional[str]
    label: Optional[str] = None

    @staticmethod
    def read(step: Mapping[str, Any]) -> "Recorded":
        encoded = step.get("stdout_base64")
        output = (step.get("stdout") or "").encode() if encoded is None else base64.b64decode(encoded)
        own = [step["kind"], step.get("name", ""), step.get("ordinal", 0), step["position"], step.get("exit_code", 0)]
        return Recorded(*own, output, step.get("message"), step.get("label"))


class At(NamedTuple):
    """Where a call stands."""

    kind: str
    name: str
    ordinal: int
    position: int

    @property
    def site(self) -> str:
        return f"{self.name}#{self.ordinal}"

    @property
    def key(self) -> str:
        parts = ["svc/step/v1", RUN_ID, "act_test", self.kind, self.name, str(self.ordinal)]
        return hashlib.sha256("".join(f"{len(part.encode())}:{part}" for part in parts).encode()).hexdigest()


class Outcome(NamedTuple):
    """What a call came to."""

    exit: int = 0
    stdout: bytes = b""
    message: Optional[str] = None
    final: bool = False


class End(NamedTuple):
    """How a pass ended: `succeeded`, `failed`, `again`, `waits`, `deadline`, `differs`, `beyond`, or `thrown` in the test."""

    kind: str
    output: Any = None
    error: Optional[BaseException] = None
    call: Optional[Dict[str, Any]] = None
    difference: Optional[Dict[str, Any]] = None
    read: int = 0


def call_of(call: Any) -> Dict[str, Any]:
    of = call if isinstance(call, Mapping) else call._asdict()
    return {"kind": of["kind"], "name": of["name"], "ordinal": of["ordinal"], "site": f"{of['name']}#{of['ordinal']}"}


def shown_record(record: Recorded) -> Dict[str, Any]:
    """As `svc steps --json` says it, and what the call answered."""
    return {
        **call_of(record),
        "position": record.position,
        "label": record.label,
        "status": "recorded",
        "exit_code": record.exit_code,
        "stdout": record.output.decode("utf-8", "replace"),
        "message": record.message,
        "result": decode_result(record.output) if record.exit_code == 0 else None,
    }


def error_of(error: Optional[BaseException]) -> SvcError:
    code = error.code if isinstance(error, SvcError) and error.code == "input_invalid" else "function_failed"
    found = SvcError(code, str(error) or type(error).__name__)
    found.__cause__ = error
    return found


class TestRun:
    """What survives the end of a pass."""

    def __init__(self, workflow: Workflow, input: Any, options: Options, history: Optional[List[Recorded]] = None) -> None:
        for name, value in options.vars.items():
            if not isinstance(value, str):
                raise misused(f"the variable {name} of a test must be a str, not a {type(value).__name__}")
        self.workflow = workflow
        self.options = options
        self.records = list(history or [])
        self.is_replay = history is not None
        self.passes = 0
        self.now = 0.0
        timeout = workflow.timeout if options.timeout is None else options.timeout
        self.deadline = math.inf if timeout is None else seconds_of(timeout, "timeout")
        self.envelope = to_json({"type": "manual", **({} if input is ... else {"input": input})}).decode()
        # The failed attempts of the call that has no record yet.
        self.trying: Tuple[int, int] = (-1, 0)
        # How many of the signals, events and asks of each name have been received.
        self.received: Dict[str, int] = {}
        self.emitted: List[Dict[str, Any]] = []
        # What the run was asked: `{"id", "name", "payload", "is_answered"}`.
        self.asks: List[Dict[str, Any]] = []
        self.answers: List[Dict[str, Any]] = []
        self.spawned: List[Dict[str, Any]] = []
        self.notes: Dict[int, str] = {}
        self.logs: List[str] = []
        self.cells = _cells({"": options.state})
        # Cells of entities, which the runs that it calls share.
        self.shared = _cells(options.entities)
        self.activities: Dict[str, Outcome] = {}
        self.fences: Dict[str, int] = {}

    def end(self) -> End:
        """Calls the function until it ends, or waits for what the test does not give."""
        restore = watch_output()
        try:
            while True:
                if self.passes >= self.options.max_passes:
                    raise SvcError("too_many_passes", f"the run has not ended after {self.passes} passes", "Raise max_passes.")
                self.passes += 1
                end = self._pass()
                if end.kind != "again":
                    return end
        finally:
            restore()

    def _pass(self) -> End:
        agent = _Agent(self)
        self.logs = []
        run = _MemoryRun(self, agent)
        # One for each stream, so that their lines do not mix.
        run.logs = [RunLog(self._log), RunLog(self._log)]
        context = copy_context()
        context.run(_shared.RUN.set, run)
        end = context.run(self._call, agent)
        for log in run.logs:
            log.flush()
        if agent.ended is not None:
            return agent.ended._replace(read=agent.read)
        if end.kind == "succeeded" and agent.read < len(self.records):
            missed = self.records[agent.read]
            difference = {"position": agent.read, "recorded": call_of(missed), "present": None}
            return End("differs", difference=difference, read=agent.read)
        if end.kind == "succeeded" and end.output is None:
            end = end._replace(output=agent.staged)
        return end._replace(read=agent.read)

    def _call(self, agent: "_Agent") -> End:
        try:
            value = self.workflow.start(_shared.data())
            if self.workflow.is_async:
                value = asyncio.run(value)
            text = output_of(value)
            return End("succeeded", output=None if text is None else json.loads(text))
        except RunStopped:
            # The pass has ended, and the agent says how.
            return agent.ended or End("failed", error=SvcError("run_stopped", "the function raised RunStopped"))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return End("failed", error=error)

    def _log(self, text: str) -> None:
        self.logs += text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")

    def difference(self, at: At) -> Optional[Dict[str, Any]]:
        """How a call differs from the one at its place in the journal."""
        if at.position >= len(self.records):
            return None
        recorded = self.records[at.position]
        if (recorded.kind, recorded.name, recorded.ordinal) == (at.kind, at.name, at.ordinal):
            return None
        return {"position": at.position, "recorded": call_of(recorded), "present": call_of(at)}

    def violation(self, difference: Any) -> SvcError:
        """The error of a workflow that is not deterministic: both calls, and the lines that hold their names."""
        recorded, present = difference["recorded"], difference["present"]
        name = quoted(self.workflow.name)
        first = (
            f"The workflow {name} ended before it had repeated all durable calls in its journal."
            if present is None
            else f"The workflow {name} made a different durable call from the one in its journal."
        )
        lines = [
            first,
            f"  position: {difference['position']}",
            f"  recorded: {_text_of(recorded)}",
            f"  present:  {'the end of the function' if present is None else _text_of(present)}",
            *self._line_of("recorded", recorded),
            *([] if present is None else self._line_of("present", present)),
        ]
        return SvcError("determinism_violation", "\n".join(lines), ADVICE)

    def _line_of(self, which: str, call: Dict[str, Any]) -> List[str]:
        try:
            lines = inspect.getsource(self.workflow.body).split("\n")
        except (OSError, TypeError):
            # It was not read from a file.
            return []
        texts = (f'"{call["name"]}"', f"'{call['name']}'")
        line = next((one for one in lines if call["name"] and any(text in one for text in texts)), None)
        return [] if line is None else [f"  the {which} call is in: {line.strip()}"]

    def run_child(self, workflow: Workflow, input: Any) -> Outcome:
        """Runs a workflow that the run calls, with what the test gives."""
        child = TestRun(workflow, input, self.options._replace(timeout=None, state={}))
        child.shared = self.shared
        end = child.end()
        if end.kind == "succeeded":
            return as_json(end.output)
        if end.kind in ("failed", "deadline"):
            return Outcome(1, message=str(end.error or "the run took longer than its timeout"))
        if end.kind == "differs":
            raise child.violation(end.difference)
        if end.kind == "thrown" and end.error is not None:
            raise end.error
        raise SvcError("test_result_missing", f"the run of {workflow.name} waits for {(end.call or {}).get('name')}")


def _text_of(call: Mapping[str, Any]) -> str:
    return f"{call['kind']} {call['name']}#{call['ordinal']}" if call["name"] else f"{call['kind']}#{call['ordinal']}"


def _cells(entities: Mapping[str, Mapping[str, Any]]) -> Dict[str, str]:
    return {f"{entity}/{key}": _cell_text(value) for entity, cells in entities.items() for key, value in cells.items()}


def _cell_text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value).decode()


def as_json(value: Any) -> Outcome:
    """As the service records it: JSON, a text too."""
    return Outcome(stdout=to_json(value) + b"\n")


def as_text(value: Any) -> Outcome:
    """As a command prints it."""
    return Outcome(stdout=b"" if value is None else (value if isinstance(value, str) else to_json(value).decode()).encode() + b"\n")


def as_result(value: Any) -> Outcome:
    """As a step records it."""
    return Outcome(stdout=encode_result(value))


class _MemoryRun(Run):
    """The run that the calls of a test belong to."""

    def __init__(self, of: TestRun, agent: "_Agent") -> None:
        loop: Any = None
        given = of.options
        super().__init__(
            # As in a job's environment, in which everything else overrides variables.
            1, run_id=RUN_ID, envelope=of.envelope, env={**given.vars, **given.env}, vars=given.vars, trace="",
            retry=of.workflow.retry, write=lambda number, line: None, loop=loop,
        )
        self.agent = agent

    def raise_if_stopped(self) -> None:
        if self.agent.ended is not None:
            raise RunStopped("this pass of the run has ended")

    def caller(self, what: str) -> _sync.Caller:
        return _MemoryThreadCaller(self)

    def loop_caller(self, loop: asyncio.AbstractEventLoop) -> _async.Caller:
        return _MemoryLoopCaller(self, loop)


class _MemoryThreadCaller(_ThreadCaller):
    _run: Any

    def opened(self) -> _sync.Channel:
        return _ThreadChannel(self._run)


class _ThreadChannel(_sync.Channel):
    def __init__(self, run: _MemoryRun) -> None:
        super().__init__(run.wire)
        self._agent = run.agent

    def protocol(self) -> int:
        return PROTOCOL

    def ask(self, body: Dict[str, Any]) -> Dict[str, Any]:
        return self._agent.answer(body)

    def begin(self, effect: Any) -> Dict[str, Any]:
        return self._agent.answer(effect.request)


class _MemoryLoopCaller(_LoopCaller):
    _run: Any

    async def opened(self) -> _async.Channel:
        return _LoopChannel(self._run)


class _LoopChannel(_async.Channel):
    def __init__(self, run: _MemoryRun) -> None:
        super().__init__(run.wire)
        self._agent = run.agent

    async def protocol(self) -> int:
        return PROTOCOL

    async def ask(self, body: Dict[str, Any]) -> Dict[str, Any]:
        return self._agent.answer(body)

    async def begin(self, effect: Any) -> Dict[str, Any]:
        return self._agent.answer(effect.request)


class _Attempts(NamedTuple):
    """A function or command that is under way, attempt by attempt."""

    at: At
    label: Optional[str]
    attempts: Optional[int]
    backoff: float
    max_backoff: Optional[float]
    timeout: Optional[float]
    command: List[str]


class _Agent:
    """Serves the calls of one pass."""

    def __init__(self, run: TestRun) -> None:
        self._run = run
        self.ended: Optional[End] = None
        self.staged: Optional[Dict[str, Any]] = None
        # The number of calls that have been answered.
        self.read = 0
        self._ordinals: Dict[Tuple[str, str], int] = {}
        self._notes = 0
        self._open: Optional[Tuple[At, Optional[str]]] = None
        self._attempts: Optional[_Attempts] = None

    def answer(self, request: Dict[str, Any]) -> Dict[str, Any]:
        try:
            op = request["op"]
            if op == "begin":
                return self._begin(request["name"], request.get("label"))
            if op == "end":
                return self._end(request)
            if op == "result":
                return self._result(request)
            return self._verb(request)
        except RunStopped:
            raise
        except SvcError as error:
            # What a test gives wrongly ends the test.
            self._end_pass(End("thrown", error=error))

    def _end_pass(self, end: End) -> NoReturn:
        if self.ended is None:
            self.ended = end
        raise RunStopped("this pass of the run has ended")

    # steps

    def _begin(self, name: str, label: Optional[str]) -> Dict[str, Any]:
        at = self._at("step", name)
        found = self._recorded(at)
        if found is not None:
            return _begun(found, True)
        replacement = _find(self._run.options.steps, at)
        if replacement is not _NOTHING:
            return _begun(self._record(at, _replaced(replacement, as_result), label), False)
        self._open = (at, label)
        return {"run": True, "key": at.key, "site": at.site, "limit": OUTPUT_BYTES}

    def _end(self, request: Dict[str, Any]) -> Dict[str, Any]:
        assert self._open is not None
        at, label = self._open
        self._open = None
        return _begun(self._record(at, _ran(request, at), label), False)

    def _run_attempts(self, at: At, label: Optional[str], options: Mapping[str, str], command: List[str]) -> Dict[str, Any]:
        attempts = int(options["retry"]) if "retry" in options else None
        self._attempts = _Attempts(
            at, label, attempts, _seconds(options, "backoff") or 0.0, _seconds(options, "max-backoff"), _seconds(options, "timeout"),
            command,
        )
        return self._next_attempt()

    def _next_attempt(self) -> Dict[str, Any]:
        work = self._attempts
        assert work is not None
        position, count = self._run.trying
        attempt = (count if position == work.at.position else 0) + 1
        replacement = _find(self._run.options.steps, work.at)
        if replacement is not _NOTHING:
            as_what = as_result if work.command == [FUNCTION] else as_text
            return self._attempted(_replaced(replacement, as_what, attempt), attempt)
        asked: Dict[str, Any] = {"exec": work.command, "key": work.at.key, "limit": OUTPUT_BYTES, "site": work.at.site}
        if work.attempts is not None:
            asked["attempt"] = attempt
        if work.timeout is not None:
            asked["timeout_ms"] = work.timeout * 1000
        return asked

    def _result(self, request: Dict[str, Any]) -> Dict[str, Any]:
        work = self._attempts
        assert work is not None
        position, count = self._run.trying
        attempt = (count if position == work.at.position else 0) + 1
        return self._attempted(_ran(request, work.at)._replace(final=bool(request.get("final"))), attempt)

    def _attempted(self, ran: Outcome, attempt: int) -> Dict[str, Any]:
        work = self._attempts
        assert work is not None
        if ran.exit == 0 or ran.final or attempt >= (work.attempts or 1):
            self._attempts = None
            return _called(self._record(work.at, ran, work.label), False)
        growth = 1 if work.max_backoff is None else 2 ** (attempt - 1)
        pause = min(work.backoff * growth, math.inf if work.max_backoff is None else work.max_backoff)
        self._run.trying = (work.at.position, attempt)
        self._advance(pause)
        if pause >= PARKING_PAUSE_S:
            self._end_pass(End("again"))
        return self._next_attempt()

    # calls

    def _at(self, kind: str, name: str) -> At:
        at = At(kind, name, self._ordinals.get((kind, name), 0), self.read)
        difference = self._run.difference(at)
        if difference is not None:
            self._end_pass(End("differs", difference=difference))
        return at

    def _recorded(self, at: At) -> Optional[Recorded]:
        """The record of a call. A replay ends where there is none."""
        if at.position < len(self._run.records):
            self._advance_to(at)
            return self._run.records[at.position]
        if self._run.is_replay:
            self._end_pass(End("beyond", call=call_of(at)))
        return None

    def _record(self, at: At, outcome: Outcome, label: Optional[str] = None, ends: bool = False) -> Recorded:
        self._run.trying = (-1, 0)
        record = Recorded(*at, outcome.exit, outcome.stdout, outcome.message, label)
        self._run.records.append(record)
        self._advance_to(at)
        if ends or self._run.options.replay_every_call:
            self._end_pass(End("again"))
        return record

    def _advance_to(self, at: At) -> None:
        self._ordinals[(at.kind, at.name)] = at.ordinal + 1
        self.read += 1

    def _advance(self, seconds: float) -> None:
        self._run.now = min(self._run.now + seconds, self._run.deadline)
        if self._run.now >= self._run.deadline:
            self._end_pass(End("deadline"))

    def _skip_to(self, when: Optional[float], at: At) -> None:
        """Skips to a time; None is never, where only the deadline of the run is left."""
        if when is not None or self._run.deadline != math.inf:
            self._advance((self._run.deadline if when is None else when) - self._run.now)
            return
        self._end_pass(End("waits", call=call_of(at)))

    def _once(self, kind: str, name: str, work: Callable[[At], Outcome], ends: bool = False) -> Dict[str, Any]:
        at = self._at(kind, name)
        found = self._recorded(at)
        if found is not None:
            return _called(found, True)
        return _called(self._record(at, work(at), ends=ends), False)

    # verbs

    def _verb(self, request: Dict[str, Any]) -> Dict[str, Any]:
        verb, args = request["verb"], request["args"]
        stdin = base64.b64decode(request["stdin"]).decode() if "stdin" in request else ""
        given = self._run.options.verbs.get(verb, _NOTHING)
        if given is not _NOTHING:
            name = " ".join(word for word in args if not word.startswith("-"))
            return self._once(verb, name, lambda at: _given(given, args, as_text))
        serve = getattr(self, f"_verb_{verb.replace('-', '_')}", None)
        if serve is None:
            text = f"svc {verb}: the test kit has no verb {quoted(verb)}\nGive its result: verbs={{{quoted(verb)}: …}}"
            return {"exit": 1, "stderr": text, "code": "verb_unavailable"}
        options, words, command = _parsed(args)
        answer: Dict[str, Any] = serve(options, words, command, stdin)
        return answer

    def _verb_step(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        at = self._at("step", words[0])
        found = self._recorded(at)
        return _called(found, True) if found is not None else self._run_attempts(at, options.get("label"), options, command)

    def _verb_sleep(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        seconds = seconds_of((words + command)[0], "the time to sleep")

        def work(at: At) -> Outcome:
            if seconds > 0:
                self._skip_to(self._run.now + seconds, at)
            return Outcome()

        return self._once("sleep", "", work, ends=seconds > 0)

    def _verb_wait_signal(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        def answer(payload: Any) -> Any:
            if "envelope" not in options:
                return payload
            at = datetime.fromtimestamp(self._run.now, timezone.utc).isoformat(timespec="milliseconds")
            return {"by": None, "at": at.replace("+00:00", "Z"), "payload": payload}

        return self._wait("wait-signal", "signal", self._run.options.signals, (words + command)[0], options, answer)

    def _verb_wait_event(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        type_ = (words + command)[0]

        def envelope(payload: Any) -> Dict[str, Any]:
            return {"type": type_, "event": f"evt_test_{type_}", "payload": payload, "trusted": True}

        return self._wait("wait-event", "event", self._run.options.events, type_, options, envelope)

    def _verb_wait_ask(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        name = (words + command)[0]
        return self._wait("wait-ask", "ask", self._run.options.asks, name, options, lambda payload: self._asked(name, payload))

    def _asked(self, name: str, payload: Any) -> Dict[str, Any]:
        """Notes what was asked, so that the run can answer it. A test asks as nobody in particular."""
        id_ = f"ask_test_{len(self._run.asks) + 1}"
        self._run.asks.append({"id": id_, "name": name, "payload": payload, "is_answered": False})
        return {"id": id_, "by": None, "payload": payload}

    def _verb_answer(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        written, text = (words + command)[:2]
        id_ = json.loads(written)["id"] if written.startswith("{") else written

        def work(at: At) -> Outcome:
            asked = next((one for one in self._run.asks if one["id"] == id_), None)
            if asked is None:
                return Outcome(1, message=f"there is no ask {id_} in this run")
            if asked["is_answered"]:
                return Outcome(1, message=f"the ask {id_} has been answered already")
            asked["is_answered"] = True
            given = json.loads(stdin if text == "-" else text)
            self._run.answers.append({"name": asked["name"], "payload": asked["payload"], "answer": given})
            return as_result("answered")

        return self._once("answer", id_, work)

    def _verb_wait_any(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        run = self._run
        every = [word.partition(":")[::2] for word in words + command]
        limit = next((name for what, name in every if what == "timeout"), None)
        branches = [(what, name) for what, name in every if what != "timeout"]

        def work(at: At) -> Outcome:
            until = None if limit is None else run.now + seconds_of(limit, "timeout")
            found = []
            for what, name in branches:
                tables = {"signal": run.options.signals, "event": run.options.events, "ask": run.options.asks}
                table = tables.get(what, {})
                one = _upcoming(table, run.received, f"wait-{what}/{name}", name)
                if one is not None:
                    found.append((one.at, what, name, one.payload))
            found.sort(key=lambda one: one[0])
            if not found or (until is not None and found[0][0] > until):
                self._skip_to(until, at)
                return as_json({"first": "timeout"})
            came_at, what, name, payload = found[0]
            self._skip_to(max(came_at, run.now), at)
            counted = f"wait-{what}/{name}"
            run.received[counted] = run.received.get(counted, 0) + 1
            if what == "signal":
                return as_json({"first": what, "name": name, "payload": payload})
            if what == "ask":
                return as_json({"first": what, "name": name, **self._asked(name, payload)})
            event = {"type": name, "event": f"evt_test_{name}", "payload": payload, "trusted": True}
            return as_json({"first": what, "name": name, "event": event})

        return self._once("wait-any", " ".join(f"{what}:{name}" for what, name in branches), work, ends=True)

    def _wait(
        self, kind: str, what: str, table: Mapping[str, Any], name: str, options: Dict[str, str], result_of: Callable[[Any], Any]
    ) -> Dict[str, Any]:
        run = self._run

        def work(at: At) -> Outcome:
            timeout = _seconds(options, "timeout")
            until = None if timeout is None else run.now + timeout
            counted = f"{kind}/{name}"
            count = run.received.get(counted, 0)
            given = table.get(name, [])
            every = given if isinstance(given, list) else [given]
            found = every[count] if count < len(every) else None
            if count < len(every) and not isinstance(found, Delayed):
                found = Delayed(0.0, found)
            if isinstance(found, Delayed) and (until is None or found.at <= until):
                self._skip_to(max(found.at, run.now), at)
                run.received[counted] = count + 1
                return as_json(result_of(found.payload))
            self._skip_to(until, at)
            return Outcome(TIMED_OUT, message=f"no {what} {name} arrived before the timeout")

        return self._once(kind, name, work, ends=True)

    def _verb_lock(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        name = words[0]

        def grant(at: At) -> Outcome:
            self._run.fences[name] = self._run.fences.get(name, 0) + 1
            return as_result(self._run.fences[name])

        granted = self._once("lock", name, grant, ends=True)
        if not command:
            return granted if "fence" in options else {"exit": 0, "kind": "lock"}
        at = self._at("lock-step", name)
        found = self._recorded(at)
        return _called(found, True) if found is not None else self._run_attempts(at, None, {}, command)

    def _verb_state(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        op, key, value, *_ = [*words, *command, "", ""]
        cell = f"{options.get('entity', '')}/{key}"
        place = cell if "entity" in options else key
        cells = self._run.shared if "entity" in options else self._run.cells

        def work(at: At) -> Outcome:
            if op == "get":
                return Outcome(stdout=f"{cells[cell]}\n".encode()) if cell in cells else Outcome(1, message=f"no state {place}")
            if op == "list":
                names = sorted(one[len(cell) :].encode() for one in cells if one.startswith(cell))
                return Outcome(stdout=b"".join(name + b"\n" for name in names))
            if op == "set":
                cells[cell] = stdin if value == "-" else value
            else:
                cells.pop(cell, None)
            return Outcome()

        return self._once("state", f"{op} {place}".strip(), work)

    def _verb_output(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        self.staged = self.staged or {}
        for pair in [*words, *command][1:]:
            name, _, value = pair.partition("=")
            self.staged[name[:-1] if name.endswith(":") else name] = json.loads(value) if name.endswith(":") else value
        return {"exit": 0}

    def _verb_annotate(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        self._run.notes[self._notes] = stdin
        self._notes += 1
        return {"exit": 0}

    def _verb_id_token(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        # Nobody accepts it: a run in memory has no issuer.
        return {"exit": 0, "stdout": base64.b64encode(f"test-id-token-for-{options['audience']}\n".encode()).decode()}

    def _verb_emit(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        type_ = (words + command)[0]

        def work(at: At) -> Outcome:
            payload = options.get("payload")
            read = None if payload is None else json.loads(stdin if payload == "-" else payload)
            self._run.emitted.append({"type": type_, "key": options.get("key"), "payload": read})
            return as_result(f"evt_test_emitted_{len(self._run.emitted)}")

        return self._once("emit", type_, work)

    def _verb_spawn(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        file = (words + command)[0]

        def work(at: At) -> Outcome:
            given = {"source": stdin} if file == "-" else {"file": file}
            self._run.spawned.append({**given, "as": options.get("as")})
            return as_result(f"run_test_{len(self._run.spawned)}")

        return self._once("spawn", "", work)

    def _verb_call(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        what, target, *_ = [*words, *command, ""]
        name = f"{what} {target}".strip()

        def work(at: At) -> Outcome:
            short = target if what == "function" else name
            replacement = _find(self._run.options.calls, at._replace(name=short))
            input_ = json.loads(options["input"]) if "input" in options else ...
            if replacement is not _NOTHING:
                return _given(replacement, None if input_ is ... else input_, as_json)
            found = next((one for one in registered() if what == "function" and one.name == target), None)
            if found is None:
                raise _missing("call of", "calls", short)
            return _apart(lambda: self._run.run_child(found, input_))

        return self._once("call", name, work, ends=True)

    def _activity(self, at: At) -> Outcome:
        given = _find(self._run.options.activities, at)
        if given is _NOTHING:
            raise _missing("activity", "activities", at.name)
        return _given(given, None, as_text)

    def _verb_activity(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        return self._once("activity", words[0], self._activity, ends=True)

    def _verb_activity_submit(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        def work(at: At) -> Outcome:
            self._run.activities[at.name] = self._activity(at)
            return Outcome()

        return self._once("activity-submit", words[0], work)

    def _verb_activity_collect(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        name = (words + command)[0]
        absent = Outcome(1, message=f"no activity {name} was submitted")
        return self._once("activity-collect", name, lambda at: self._run.activities.pop(name, absent), ends=True)

    def _verb_activity_wait_all(self, options: Dict[str, str], words: List[str], command: List[str], stdin: str) -> Dict[str, Any]:
        def work(at: At) -> Outcome:
            return as_result(sum(1 for one in self._run.activities.values() if one.exit != 0))

        return self._once("activity-wait-all", "", work, ends=True)


_NOTHING: Any = object()


def _find(table: Mapping[str, Any], at: At) -> Any:
    """What a test gives for a call: by its site (`charge#1`), else by its name."""
    return table[at.site] if at.site in table else table.get(at.name, _NOTHING)


def _missing(what: str, table: str, name: str) -> SvcError:
    return SvcError(
        "test_result_missing", f"the test provides no result for the {what} {quoted(name)}", f"Provide one: {table}={{{quoted(name)}: …}}."
    )


def _given(value: Any, argument: Any, as_what: Callable[[Any], Outcome]) -> Outcome:
    result = value(argument) if callable(value) else value
    return _failed(result) if isinstance(result, Failure) else as_what(result)


def _replaced(value: Any, as_what: Callable[[Any], Outcome], attempt: int = 1) -> Outcome:
    """What a test gives in place of a step. A function is called with the number of the attempt, or with nothing."""
    if not callable(value):
        return _failed(value) if isinstance(value, Failure) else as_what(value)
    try:
        result = value(attempt) if inspect.signature(value).parameters else value()
        if inspect.isawaitable(result):
            awaited: Any = result
            result = _apart(lambda: asyncio.run(awaited))
    except Exception as error:
        final = type(error).__name__ == "NonRetryableError"
        return Outcome(exit_code_of(error), message=reason_of(error), final=final)
    return _failed(result) if isinstance(result, Failure) else as_what(result)


def _apart(work: Callable[[], Any]) -> Any:
    """On a thread of its own, because an event loop may run in this one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def _failed(failure: Failure) -> Outcome:
    return Outcome(failure.exit_code, message=failure.message or None, final=failure.non_retryable)


def _ran(request: Dict[str, Any], at: At) -> Outcome:
    excess = request["size"] - OUTPUT_BYTES
    if excess > 0:
        return Outcome(1, message=f"the output of step {at.site} is {excess} bytes over the limit of 2 MiB")
    return Outcome(request["exit"], base64.b64decode(request["stdout"]), request.get("error"))


def _begun(record: Recorded, replayed: bool) -> Dict[str, Any]:
    wire = {**call_of(record), "exit_code": record.exit_code, "message": record.message}
    return {"record": {**wire, "output": base64.b64encode(record.output).decode()}, "replayed": replayed}


def _called(record: Recorded, replayed: bool) -> Dict[str, Any]:
    stdout = base64.b64encode(record.output).decode()
    said = {"exit": record.exit_code, "stdout": stdout, "stderr": record.message or "", "kind": record.kind}
    return {**said, "message": record.message, "replayed": replayed}


def _upcoming(
    table: Mapping[str, Any], received: Mapping[str, int], counted: str, name: str
) -> Optional[Delayed]:
    """The next of what a test gives under a name."""
    given = table.get(name, [])
    every = given if isinstance(given, list) else [given]
    count = received.get(counted, 0)
    if count >= len(every):
        return None
    return every[count] if isinstance(every[count], Delayed) else Delayed(0.0, every[count])


def _parsed(args: List[str]) -> Tuple[Dict[str, str], List[str], List[str]]:
    """The options of a verb, its words, and what stands behind `--`."""
    at = args.index("--") if "--" in args else len(args)
    options: Dict[str, str] = {}
    words: List[str] = []
    for word in args[:at]:
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            options[name] = value
        else:
            words.append(word)
    return options, words, args[at + 1 :]


def _seconds(options: Mapping[str, str], name: str) -> Optional[float]:
    return seconds_of(options[name], name) if name in options else None
