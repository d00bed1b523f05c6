"""Tests of workflows in memory: without a server, and without waiting for what takes a month.

    from svc_sdk.testing import after, fail, test_run

    run = test_run(order, {"sku": "lamp"}, signals={"approved": after("3d", {"by": "ana"})}, steps={"charge": fail("declined")})
    assert run.status == "failed"

The SDK's own code makes the calls, and after each new record the function is called again from the top, so that a workflow
that is not deterministic fails its test.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Union

from . import _shared
from ._errors import SvcError, misused
from ._test_run import Delayed, End, Failure, Options, Recorded, TestRun, call_of, error_of, shown_record
from ._values import Duration, seconds_of
from ._workflow import Workflow, registered

__all__ = ["ReplayResult", "TestResult", "after", "fail", "replay_run", "test_run"]

# pytest takes what begins with `test` for a test of its own.
__test__ = False


def fail(message: str = "it failed", *, exit_code: int = 1, non_retryable: bool = False) -> Failure:
    """A failure in place of a result. With `non_retryable`, a step with `retry` is not attempted again."""
    return Failure(message, exit_code, non_retryable)


def after(duration: Duration, payload: Any = None) -> Delayed:
    """A signal, an event or an ask that arrives this long after the beginning of the run. Without it, it has arrived before the wait."""
    return Delayed(seconds_of(duration, "the time"), payload)


class TestResult(NamedTuple):
    """What a run in memory came to."""

    status: str
    """`succeeded`, `failed`, or `waiting`: it waits for what the test does not give, without a timeout."""
    output: Any
    error: Optional[SvcError]
    """Only after a failure; what the function raised is its `__cause__`."""
    waits_for: Optional[Dict[str, Any]]
    """The call in which the run waits: `{"kind", "name", "ordinal", "site"}`."""
    journal: List[Dict[str, Any]]
    """Its records, as `svc steps --json` prints them."""
    passes: int
    """How often the function was called."""
    logs: List[str]
    """What the function printed in the last pass, line by line."""
    notes: List[str]
    emitted: List[Dict[str, Any]]
    spawned: List[Dict[str, Any]]
    elapsed: float
    """The seconds that sleeps, timeouts and pauses between attempts would have taken."""
    answers: List[Dict[str, Any]]
    """What the run has answered to `asks`, in order: `{"name", "payload", "answer"}`."""


TestResult.__test__ = False  # type: ignore[attr-defined]


class ReplayResult(NamedTuple):
    """What a replay found."""

    ok: bool
    """False when a run with this history would fail with the present code."""
    outcome: str
    """`same`: it makes all recorded calls and ends. `anew`: it makes further calls. `waits`: it continues with the call in which
    the run waits. `differs`: it makes another call. `ended`: it raises before it has made all recorded calls."""
    read: int
    recorded: int
    note: str
    """The outcome for people."""
    difference: Optional[Dict[str, Any]]
    """`{"position", "recorded", "present"}`; `present` is None when the function ends."""
    next: Optional[Dict[str, Any]]
    """The first call that has no record."""


def test_run(
    workflow: Union[str, Callable[..., Any]],
    input: Any = ...,
    *,
    signals: Mapping[str, Any] = {},
    events: Mapping[str, Any] = {},
    asks: Mapping[str, Any] = {},
    steps: Mapping[str, Any] = {},
    calls: Mapping[str, Any] = {},
    activities: Mapping[str, Any] = {},
    verbs: Mapping[str, Any] = {},
    env: Mapping[str, str] = {},
    vars: Mapping[str, str] = {},
    state: Mapping[str, Any] = {},
    entities: Mapping[str, Mapping[str, Any]] = {},
    timeout: Optional[Duration] = None,
    max_passes: int = 10_000,
    replay_every_call: bool = True,
) -> TestResult:
    """Runs a workflow in memory. Sleeps, timeouts of waits and pauses between attempts take no time; the time limits of steps are
    real.

    `signals`, `events` and `asks` are payloads by name or type; a list holds those that arrive one after the other. `steps` are
    results in place of steps, by name (`charge`) or by site (`charge#1`): a value, `fail(…)`, or a function that is called for each attempt.
    Other steps run as they are. `calls`, `activities` and `verbs` replace calls of other runs, activities and further verbs; a
    workflow of this process that is not named in `calls` runs in memory too. `env` holds variables and secrets of the run, as its
    environment has them. `vars` holds the variables of the project and its org, for `vars()`; they are in the environment too, and
    `env` overrides them there. `state` holds the cells that it begins with, and `entities` those of entities, which the runs that it calls share.

    Raises SvcError: `determinism_violation` when a pass makes other calls than the one before, `test_result_missing` when the test
    gives no result for a call or an activity, `too_many_passes`. Do not call it on a running event loop."""
    # A script that tests its workflows has done something.
    _shared.Process.has_called = True
    given = Options(signals, events, steps, calls, activities, verbs, env, state, entities, timeout, max_passes, replay_every_call, asks, vars)
    run = TestRun(_found(workflow), input, given)
    end = run.end()
    if end.kind == "thrown":
        raise end.error  # type: ignore[misc]
    if end.kind == "differs":
        raise run.violation(end.difference)
    status, error = _status(end)
    return TestResult(
        status=status,
        output=end.output if status == "succeeded" else None,
        error=error,
        waits_for=end.call if end.kind == "waits" else None,
        journal=[shown_record(record) for record in run.records],
        passes=run.passes,
        logs=run.logs,
        notes=[run.notes[nth] for nth in sorted(run.notes)],
        emitted=run.emitted,
        answers=run.answers,
        spawned=run.spawned,
        elapsed=run.now,
    )


test_run.__test__ = False  # type: ignore[attr-defined]


def replay_run(
    history: Any,
    workflow: Union[str, Callable[..., Any]],
    *,
    input: Any = ...,
    env: Mapping[str, str] = {},
    vars: Mapping[str, str] = {},
) -> ReplayResult:
    """Replays the history of a run on a workflow and says where its code makes other calls. `history` is what
    `svc steps <run> --json` prints, as a text or read, or the journal of a test. Nothing is executed: the first call without a
    record ends the replay."""
    records, open_call = _read_history(history)
    run = TestRun(_found(workflow), input, Options(env=env, vars=vars, replay_every_call=False), history=records)
    end = run.end()
    if end.kind == "thrown":
        raise end.error  # type: ignore[misc]
    recorded = len(records)

    def verdict(outcome: str, note: str, read: int, ok: bool = True, **more: Any) -> ReplayResult:
        return ReplayResult(ok, outcome, read, recorded, note, more.get("difference"), more.get("next"))

    difference = end.difference if end.kind == "differs" else None
    if difference is None and open_call is not None and end.call != call_of(open_call):
        present = end.call if end.kind == "beyond" else None
        difference = {"position": recorded, "recorded": call_of(open_call), "present": present}
    if difference is not None:
        note = str(run.violation(difference))
        return verdict("differs", note, difference["position"], ok=False, difference=difference)
    if end.kind == "failed" and end.read < recorded:
        note = f"the workflow fails after {end.read} of {recorded} recorded calls: {end.error}"
        return verdict("ended", note, end.read, ok=False)
    made = f"the workflow makes all {recorded} recorded calls"
    if end.kind == "beyond":
        call = end.call or {}
        note = f"{made}, and then {call['kind']} {call['site']}"
        return verdict("anew" if open_call is None else "waits", note, recorded, next=call)
    status, error = _status(end)
    return verdict("same", f"{made} and {'ends' if status == 'succeeded' else f'fails: {error}'}", recorded)


def _status(end: End) -> Any:
    if end.kind == "waits":
        return "waiting", None
    if end.kind == "deadline":
        return "failed", SvcError("deadline_exceeded", "the run took longer than its timeout")
    if end.kind == "failed":
        return "failed", error_of(end.error)
    return "succeeded", None


def _found(workflow: Any) -> Workflow:
    for one in registered():
        if one.name == workflow or one.body is workflow:
            return one
    raise misused("a test needs a workflow: a function with @workflow, or the name of one in this process")


def _read_history(history: Any) -> Any:
    read = json.loads(history) if isinstance(history, (str, bytes)) else history
    steps = read.get("steps") if isinstance(read, Mapping) else read
    fine = isinstance(steps, list) and all(
        isinstance(one, Mapping) and isinstance(one.get("position"), int) and isinstance(one.get("kind"), str) for one in steps
    )
    if not fine:
        raise SvcError(
            "usage", "this is not a run's history", "Give what `svc steps <run> --json` prints, or `journal` of a test."
        )
    # Activities of the run have journals of their own.
    own = [one for one in steps if one.get("activity_id") == steps[0].get("activity_id")]
    done = sorted((one for one in own if one.get("status", "recorded") == "recorded"), key=lambda one: one["position"])
    if [one["position"] for one in done] != list(range(len(done))):
        raise SvcError("usage", "the history is incomplete: positions are missing", "Read all pages of it.")
    waiting = next((one for one in own if one.get("status") in ("waiting", "retrying")), None)
    return [Recorded.read(one) for one in done], waiting
