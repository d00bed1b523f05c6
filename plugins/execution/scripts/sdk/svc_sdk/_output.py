"""What runs of a worker print goes to their logs, and their threads belong to them."""

from __future__ import annotations

import io
import sys
import threading
from contextvars import copy_context
from typing import Any, Callable, Dict, Iterable, List, Optional

from ._command import decoder
from ._shared import present_run

# A text without a line end is kept until it has so many characters, or until the next durable call.
MAX_KEPT_LENGTH = 65536


class RunLog:
    """What a run prints on one of its streams, sent line by line."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._kept = ""
        self._decode = decoder()
        # A garbage collection in the middle of a write may print in the same thread.
        self._turn = threading.RLock()

    def write(self, text: str) -> None:
        with self._turn:
            self._kept += text
            end = len(self._kept) if len(self._kept) > MAX_KEPT_LENGTH else self._kept.rfind("\n") + 1
            self._pass_on(end)

    def write_bytes(self, data: bytes) -> None:
        with self._turn:
            self.write(self._decode(data, False))

    def flush(self) -> None:
        with self._turn:
            self._pass_on(len(self._kept))

    def _pass_on(self, end: int) -> None:
        text, self._kept = self._kept[:end], self._kept[end:]
        # A message must fit into a line of the connection.
        for start in range(0, len(text), MAX_KEPT_LENGTH):
            self._send(text[start : start + MAX_KEPT_LENGTH])


class _Bytes(io.RawIOBase):
    """`sys.stdout.buffer` of whoever writes."""

    def __init__(self, stream: "RunStream") -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        log = self._stream.log()
        if log is None:
            written: int = self._stream.original.buffer.write(data)
            return written
        log.write_bytes(bytes(data))
        return len(data)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()


class RunStream(io.TextIOBase):
    """Stands for a stream of the process. Writes to the log of the run that prints, and to the stream where none does."""

    def __init__(self, original: Any, name: str) -> None:
        self.original = original
        self._name = name
        self._bytes = _Bytes(self)

    def log(self) -> Optional[RunLog]:
        run = present_run()
        if run is None or run.is_over:
            return None
        log: RunLog = run.logs[self._name == "stderr"]
        return log

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        log = self.log()
        if log is None:
            self.original.write(text)
        else:
            log.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:  # type: ignore[override]
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        log = self.log()
        if log is None:
            self.original.flush()
        else:
            log.flush()

    @property
    def buffer(self) -> Any:
        return self._bytes

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return str(self.original.encoding)

    @property
    def errors(self) -> Optional[str]:  # type: ignore[override]
        errors: Optional[str] = self.original.errors
        return errors

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self.log() is None and bool(self.original.isatty())

    def fileno(self) -> int:
        return int(self.original.fileno())

    def close(self) -> None:
        # Closed by a run it would be closed for all of them.
        self.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


def watch_output() -> Callable[[], None]:
    """Puts streams that know of runs in place of those of the process. Answers how it is undone."""
    streams = {name: RunStream(getattr(sys, name), name) for name in ("stdout", "stderr") if getattr(sys, name) is not None}
    for name, stream in streams.items():
        setattr(sys, name, stream)
    to_stream = {id(stream.original): stream for stream in streams.values()}
    _move_handlers(to_stream)

    def restore() -> None:
        for name, stream in streams.items():
            if getattr(sys, name) is stream:
                setattr(sys, name, stream.original)
        _move_handlers({id(stream): stream.original for stream in streams.values()})

    return restore


def _move_handlers(streams: Dict[int, Any]) -> None:
    """Handlers of `logging` keep the stream that they were made with."""
    logging: Any = sys.modules.get("logging")
    if logging is None:
        return
    loggers: List[Any] = [logging.root, *logging.root.manager.loggerDict.values()]
    for logger in loggers:
        for handler in getattr(logger, "handlers", ()):
            stream = streams.get(id(getattr(handler, "stream", None)))
            if stream is not None:
                handler.setStream(stream)


def carry_runs() -> Callable[[], None]:
    """Gives the threads and the work of pools the context of who starts them, so that they belong to its run. Answers how it
    is undone."""
    from concurrent.futures import ThreadPoolExecutor, thread

    start, submit = threading.Thread.start, ThreadPoolExecutor.submit

    def start_in_context(self: threading.Thread) -> None:
        # The threads of a pool work for many runs; each piece of work has a context of its own.
        if present_run() is not None and getattr(self, "_target", None) is not getattr(thread, "_worker", self):
            context, run = copy_context(), self.run
            self.run = lambda: context.run(run)  # type: ignore[method-assign]
        start(self)

    def submit_in_context(self: Any, call: Any, /, *args: Any, **named: Any) -> Any:
        if present_run() is None:
            return submit(self, call, *args, **named)
        return submit(self, copy_context().run, call, *args, **named)

    threading.Thread.start = start_in_context  # type: ignore[method-assign]
    ThreadPoolExecutor.submit = submit_in_context  # type: ignore[method-assign]

    def restore() -> None:
        if threading.Thread.start is start_in_context:
            threading.Thread.start = start  # type: ignore[method-assign]
        if ThreadPoolExecutor.submit is submit_in_context:
            ThreadPoolExecutor.submit = submit  # type: ignore[method-assign]

    return restore
