"""Commands of steps, run as `svc step` runs them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._errors import misused
from ._shared import present_run, present_variables, traceparent_of

if TYPE_CHECKING:
    import subprocess

CHUNK = 65536


class Outcome:
    """What came of a function or a command. `stdout` is cut at the limit, `size` is its true length."""

    def __init__(
        self,
        exit: int = 0,
        stdout: bytes = b"",
        size: int = 0,
        error: Optional[str] = None,
        cause: Optional[BaseException] = None,
        final: bool = False,
    ) -> None:
        self.exit = exit
        self.stdout = stdout
        self.size = size
        self.error = error
        self.cause = cause
        # Another attempt would fail in the same way.
        self.final = final


class Command:
    """A command and how it is run. `env` is added to the script's environment."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        input: Union[str, bytes, None] = None,
        echo: bool = False,
    ) -> None:
        self.argv = words(argv)
        self.cwd = cwd
        self.env = env or {}
        self.input = input
        self.echo = echo

    def options(self, key: str) -> Dict[str, Any]:
        """The environment is this process's, less every `SVC_*`, plus the key."""
        shared = present_run() is not None
        merged = {**os.environ, **present_variables(), **self.env}
        env = {name: value for name, value in merged.items() if not name.startswith("SVC_")}
        # subprocess.PIPE and DEVNULL, without loading the module before it is needed.
        pipe, nothing = -1, -3
        stdin = pipe if self.input is not None else nothing if shared else None
        # Of many runs in a process, so that what it prints reaches the log of its own.
        stderr = pipe if shared else None
        span = traceparent_of(key)
        own = {"SVC_IDEMPOTENCY_KEY": key, **({} if span is None else {"TRACEPARENT": span})}
        return {"cwd": self.cwd, "env": {**env, **own}, "stdin": stdin, "stdout": pipe, "stderr": stderr}

    def given(self) -> bytes:
        return self.input.encode() if isinstance(self.input, str) else self.input or b""


def end_with_run(child: Any) -> None:
    """Has a command of a run among others killed when the run is stopped. That of a script dies with its process."""
    run = present_run()
    if run is not None:
        run.adopt(child)


def decoder() -> Callable[[bytes, bool], str]:
    """Turns pieces of UTF-8 into text, however they are cut. The last one says so."""
    import codecs

    return codecs.getincrementaldecoder("utf-8")("replace").decode


def words(argv: Sequence[str]) -> List[str]:
    """The words of a command, checked."""
    if isinstance(argv, (str, bytes)) or not argv:
        raise misused("a step is a function or a command: a list of strings")
    for word in argv:
        if not isinstance(word, str) or "\0" in word:
            raise misused("a command is a list of strings without NUL, starting with the program")
    if argv[0] == "":
        raise misused("the command's program is empty")
    return list(argv)


def not_started(command: Command, error: OSError) -> Outcome:
    """As a shell tells of a program that it cannot start."""
    program = command.argv[0]
    if command.cwd is not None and not os.path.isdir(command.cwd):
        return Outcome(126, error=f"{command.cwd}: {os.strerror(2)}")
    missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
    unknown = isinstance(error, FileNotFoundError) and "/" not in program
    why = "command not found" if unknown else error.strerror or str(error)
    return Outcome(127 if missing else 126, error=f"{program}: {why}")


class Capture:
    """Keeps stdout up to a limit and counts the rest."""

    def __init__(self, limit: int, echo: bool) -> None:
        self.limit = limit
        self.echo = echo
        self.chunks: List[bytes] = []
        self.size = 0

    def add(self, data: bytes) -> None:
        room = self.limit - self.size
        if room > 0:
            self.chunks.append(data[:room])
        self.size += len(data)
        if self.echo:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def outcome(self, returncode: int) -> Outcome:
        exit_code = returncode if returncode >= 0 else 128 - returncode
        return Outcome(exit_code, b"".join(self.chunks), self.size)


def run(command: Command, key: str, limit: int, under: Sequence[str] = ()) -> Outcome:
    """Runs a command until it has ended and its stdout is closed. Raises nothing of its own."""
    import subprocess

    try:
        child = subprocess.Popen([*under, *command.argv], bufsize=0, **command.options(key))
    except OSError as error:
        return not_started(command, error)
    capture = Capture(limit, command.echo)
    end_with_run(child)
    try:
        feeder = _feed(child, command.given())
        complainer = _pass_on_stderr(child)
        assert child.stdout is not None
        while True:
            data = child.stdout.read(CHUNK)
            if not data:
                break
            capture.add(data)
        child.wait()
        for thread in (feeder, complainer):
            if thread is not None:
                thread.join()
    except BaseException:
        child.kill()
        child.wait()
        raise
    finally:
        for stream in (child.stdout, child.stderr):
            if stream is not None:
                stream.close()
    return capture.outcome(child.returncode)


def _feed(child: subprocess.Popen[bytes], data: bytes) -> Any:
    """Writes the input from a thread of its own: a command may print before it reads."""
    if child.stdin is None:
        return None
    import threading

    def write() -> None:
        assert child.stdin is not None
        try:
            view = memoryview(data)
            while view:
                view = view[child.stdin.write(view) :]
            child.stdin.close()
        except BrokenPipeError:
            pass  # A command that does not read its input to the end is no fault of it.

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def _pass_on_stderr(child: subprocess.Popen[bytes]) -> Any:
    """Writes what a command of a run among others complains of where the run writes it itself."""
    if child.stderr is None:
        return None
    import threading
    from contextvars import copy_context

    def read(stream: Any) -> None:
        decode = decoder()
        while True:
            data = stream.read(CHUNK)
            sys.stderr.write(decode(data, not data))
            if not data:
                return

    thread = threading.Thread(target=copy_context().run, args=(read, child.stderr), daemon=True)
    thread.start()
    return thread
