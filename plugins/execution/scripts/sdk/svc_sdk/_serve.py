"""Serves the workflows of a process: under `svc worker`, with an agent of its own, or inside a run of the same file as a
script."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
import threading
from contextvars import copy_context
from typing import Any, Callable, Dict, List, NoReturn, Optional

from . import _calls, _shared
from ._async import drive as drive_async
from ._errors import RunStopped, SvcError, misused
from ._link import Link
from ._output import RunLog, carry_runs, watch_output
from ._policy import NonRetryableError
from ._run import Run
from ._sync import drive
from ._values import MAX_REASON_LENGTH, exit_code_of, reason_of
from ._workflow import Workflow, output_of, registered

PROTOCOL = 1
# The descriptor of the connection to the agent, in a program that `svc worker` has started.
AGENT_FD = "SVC_WORKER_FD"
# Where the agent of a program of one's own finds the connection.
ATTACHED_FD = 3
# The agent closes the connection of all runs after a line of 16 MiB.
MAX_OUTPUT_BYTES = 2 * 1024 * 1024
SDK_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Importing:
    """Whether `svc worker` imports the files now. It serves them together once they are all here."""

    now = False


def serve_blocking(name: Optional[str], options: Dict[str, Any]) -> None:
    _shared.Process.is_served = True
    if Importing.now:
        return
    if _shared.SOCKET != "":
        _run_as_script(_chosen(name))
        return
    asyncio.run(serve_on_loop(name, options))


async def serve_on_loop(name: Optional[str], options: Dict[str, Any]) -> None:
    _shared.Process.is_served = True
    if Importing.now:
        return
    if _shared.SOCKET != "":
        await _run_as_async_script(_chosen(name))
        return
    if not registered():
        raise misused("serve found no workflow: decorate a function with @workflow before it")
    if _shared.Process.is_worker:
        raise misused("this process serves its workflows already")
    given = os.environ.pop(AGENT_FD, None)
    if given is not None:
        connection = socket.socket(fileno=int(given))
        connection.set_inheritable(False)
        await _Host(connection).serve(options.get("version"))
        _leave()
    await _serve_with_agent(options)


def _leave() -> NoReturn:
    """Ends a program whose agent is gone. A thread of a run that waits for something else would hold it up for ever."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(0)


def _chosen(name: Optional[str]) -> Workflow:
    every = registered()
    if name is None and len(every) == 1:
        return every[0]
    for one in every:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in every) or "no workflow"
    raise misused(f'this script defines {names}: choose one with serve("name")')


def _run_as_script(chosen: Workflow) -> None:
    if chosen.is_async:
        asyncio.run(_run_as_async_script(chosen))
        return
    _shared.Process.retry = chosen.retry
    values = _script_output(chosen.start(_shared.data()))
    if values is not None:
        drive("output.set", _calls.Output().set(values))


async def _run_as_async_script(chosen: Workflow) -> None:
    _shared.Process.retry = chosen.retry
    given = _shared.data()
    result = await (chosen.start(given) if chosen.is_async else asyncio.to_thread(chosen.start, given))
    values = _script_output(result)
    if values is not None:
        await drive_async("output.set", _calls.Output().set(values))


def _script_output(result: Any) -> Optional[Dict[str, Any]]:
    """The output of a script has keys, so that anything else gets one."""
    if result is None or isinstance(result, dict):
        return result
    return {"result": result}


async def _serve_with_agent(options: Dict[str, Any]) -> None:
    """Starts `svc worker` beside this program, and serves until it ends. It ends with this program."""
    command = options.get("svc") or os.environ.get("SVC_COMMAND") or "svc"
    words: List[str] = [command, "worker", "--attach", "--version-of", os.path.abspath(sys.argv[0])]
    for flag, value in (("--slots", options.get("slots")), ("--name", options.get("agent_name"))):
        if value is not None:
            words += [flag, str(value)]
    own, other = socket.socketpair()
    try:
        actions = [(os.POSIX_SPAWN_DUP2, other.fileno(), ATTACHED_FD)]
        process = os.posix_spawnp(command, words, os.environ, file_actions=actions)
    except OSError as error:
        own.close()
        raise SvcError(
            "worker_not_started",
            f"the program {command} could not be started ({error.strerror or error})",
            'Install svc, or name its command: serve(svc="/path/to/svc").',
        ) from None
    finally:
        other.close()
    try:
        await _Host(own).serve(options.get("version"))
    finally:
        own.close()
        await asyncio.get_running_loop().run_in_executor(None, os.waitpid, process, 0)


class _RunTask(asyncio.Task):  # type: ignore[type-arg]
    """A task of a run. What it leaves behind is found when nothing but the task itself is left."""

    svc_run: Run


class _Host:
    """The runs of this process, as its agent starts and stops them."""

    def __init__(self, connection: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        self._runs: Dict[int, Run] = {}
        self._ready: "asyncio.Future[None]" = self._loop.create_future()
        self._closed: "asyncio.Future[None]" = self._loop.create_future()
        self._link = Link(connection, on_message=self._receive, on_line=self._feed, on_close=self._lose)

    async def serve(self, version: Optional[str]) -> None:
        """Returns when the agent has ended. Raises when it does not take the workflows."""
        with contextlib.ExitStack() as undo:
            undo.callback(setattr, _shared.Process, "is_worker", False)
            _shared.Process.is_worker = True
            for watch in (watch_output, carry_runs, self._watch_tasks):
                undo.callback(watch())
            undo.callback(self._link.close)
            functions = [one.registration() for one in registered()]
            told = {"protocol": PROTOCOL, "pid": os.getpid(), "functions": functions}
            self._link.tell({"register": told if version is None else {**told, "version": version}})
            await self._ready
            await self._closed

    def _receive(self, message: Dict[str, Any]) -> None:
        if "start" in message:
            self._start(message["start"])
        elif "stop" in message:
            self._stop(message["stop"]["pass"])
        elif "ping" in message:
            self._link.tell({"pong": message["ping"]})
        elif "registered" in message:
            _settle(self._ready)
        elif "refused" in message and not self._ready.done():
            refusal = message["refused"]
            self._ready.set_exception(SvcError(refusal["code"], refusal["message"], refusal.get("next", "")))

    def _feed(self, number: int, line: bytes) -> None:
        run = self._runs.get(number)
        if run is not None:
            run.feed(line)

    def _start(self, start: Dict[str, Any]) -> None:
        found = next(one for one in registered() if one.name == start["name"])
        run = Run(
            start["pass"],
            run_id=start["run_id"],
            envelope=start["envelope"],
            env=start["env"],
            vars=start.get("vars") or {},
            trace=start.get("trace") or "",
            retry=found.retry,
            write=self._link.write,
            loop=self._loop,
        )
        run.logs = [RunLog(self._log(run, name)) for name in ("stdout", "stderr")]
        self._runs[run.number] = run
        run.context = copy_context()
        run.context.run(_shared.RUN.set, run)
        try:
            if found.is_async:
                run.context.run(self._loop.create_task, self._await(run, found))
            else:
                # So that the thread begins in the context of the run, and no further copy of it is made.
                threading.Thread(
                    target=run.context.copy().run, args=(self._call, run, found), daemon=True, name=f"svc {run.run_id}"
                ).start()
        except RuntimeError as error:
            self._end(run, {"error": describe_error(error)})

    def _call(self, run: Run, found: Workflow) -> None:
        """Runs a plain function, in its thread."""
        try:
            outcome = _succeeded(found.start(_shared.data()))
        except BaseException as error:
            # Mostly `RunStopped`, of which nobody wants to hear.
            if run.is_over:
                return
            outcome = _failed(error)
        self._end(run, outcome)

    async def _await(self, run: Run, found: Workflow) -> None:
        try:
            outcome = _succeeded(await found.start(_shared.data()))
        except GeneratorExit:
            raise
        except BaseException as error:
            if run.is_over:
                return
            outcome = _failed(error)
        self._end(run, outcome)

    def _end(self, run: Run, outcome: Dict[str, Any]) -> None:
        if run.is_over:
            return
        for log in run.logs:
            log.flush()
        run.has_ended = True
        self._link.tell({"end": run.number, **outcome})

    def _stop(self, number: int) -> None:
        run = self._runs.pop(number, None)
        if run is not None:
            run.stop()

    def _log(self, run: Run, stream: str) -> Callable[[str], None]:
        return lambda text: self._link.tell({"log": run.number, "stream": stream, "text": text})

    def _lose(self) -> None:
        for number in list(self._runs):
            self._stop(number)
        if not self._ready.done():
            self._ready.set_exception(
                SvcError("worker_lost", "this program's agent has ended", "Its output explains why. Call serve() again.")
            )
        _settle(self._closed)

    def _watch_tasks(self) -> Callable[[], None]:
        """Has tasks belong to the run that makes them, and what they leave unhandled too. Answers how it is undone."""
        loop = self._loop
        make, handle = loop.get_task_factory(), loop.get_exception_handler()

        def make_task(of: asyncio.AbstractEventLoop, coroutine: Any, **named: Any) -> Any:
            context = named.get("context")
            run = _shared.present_run() if context is None else context.get(_shared.RUN)
            if run is None:
                return asyncio.Task(coroutine, loop=of, **named) if make is None else make(of, coroutine, **named)
            if run.stopped:
                coroutine.close()
                run.raise_if_stopped()
            task = _RunTask(coroutine, loop=of, **named)
            task.svc_run = run
            run.add_task(task)
            return task

        def handle_left(of: asyncio.AbstractEventLoop, context: Dict[str, Any]) -> None:
            run = _run_of(context)
            error = context.get("exception")
            if run is None or error is None or run.has_ended:
                of.default_exception_handler(context) if handle is None else handle(of, context)
            else:
                self._end(run, {"error": describe_error(error)})

        loop.set_task_factory(make_task)
        loop.set_exception_handler(handle_left)

        def restore() -> None:
            loop.set_task_factory(make)
            loop.set_exception_handler(handle)

        return restore


def _settle(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def _run_of(context: Dict[str, Any]) -> Optional[Run]:
    """The run whose task or callback it is that asyncio tells of."""
    task = context.get("task") or context.get("future")
    of_handle = getattr(context.get("handle"), "_context", None)
    run: Optional[Run] = getattr(task, "svc_run", None)
    if run is None and of_handle is not None:
        run = of_handle.get(_shared.RUN)
    return run or _shared.present_run()


def _succeeded(value: Any) -> Dict[str, Any]:
    output = output_of(value)
    if output is None:
        return {}
    excess = len(output.encode("utf-8", "surrogatepass")) - MAX_OUTPUT_BYTES
    if excess <= 0:
        return {"output": output}
    text = (
        f"the function returned {excess} bytes more than the {MAX_OUTPUT_BYTES} allowed for an output; store large data"
        " elsewhere, for example as an artifact, and return its name"
    )
    return {"error": {"text": text}}


def _failed(error: BaseException) -> Dict[str, Any]:
    # As a script that ends itself with 0.
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return {}
    try:
        return {"error": describe_error(error)}
    except Exception:
        return {"error": {"text": "the function raised an error that cannot be read"}}


def describe_error(error: BaseException) -> Dict[str, Any]:
    """What the run fails with: the error, then where it comes from."""
    code = getattr(error, "code", None)
    exit_code = code if isinstance(error, SystemExit) and isinstance(code, int) else exit_code_of(error)
    described = {
        "code": code if isinstance(code, str) and isinstance(error, SvcError) else None,
        "exit_code": exit_code if 0 < exit_code < 256 and exit_code != 1 else None,
        "final": True if isinstance(error, NonRetryableError) else None,
        "text": _text_of(error)[:MAX_REASON_LENGTH],
    }
    return {name: value for name, value in described.items() if value is not None}


def _text_of(error: BaseException) -> str:
    """The message, and the traceback without the lines of the SDK, with what caused it."""
    import traceback

    try:
        summary = traceback.TracebackException.from_exception(error)
        _drop_sdk_frames(summary, set())
        lines = "".join(summary.format()).rstrip("\n")
    except Exception:
        # An error whose text or source cannot be had.
        lines = ""
    reason = reason_of(error)
    text = f"{reason}\n{lines}" if lines else reason
    return text.encode("utf-8", "replace").decode()


def _drop_sdk_frames(summary: Any, seen: "set[int]") -> None:
    if summary is None or id(summary) in seen:
        return
    seen.add(id(summary))
    summary.stack[:] = [frame for frame in summary.stack if not frame.filename.startswith(SDK_FOLDER)]
    for one in (summary.__cause__, summary.__context__, *(getattr(summary, "exceptions", None) or ())):
        _drop_sdk_frames(one, seen)
