"""The connection between a program with workflows and its agent. Each line begins with the number of a pass and has a line of
the agent socket after it; number 0 is for the two programs themselves."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from typing import Any, Callable, Dict

RECEIVE = 262144


class Link:
    """Reads on the event loop that it is made on, and writes from any thread.

    Writes block: the agent reads at all times, and a line that is interrupted halfway would spoil those of all runs."""

    def __init__(
        self,
        connection: socket.socket,
        *,
        on_message: Callable[[Dict[str, Any]], None],
        on_line: Callable[[int, bytes], None],
        on_close: Callable[[], None],
    ) -> None:
        connection.setblocking(True)
        self._socket = connection
        self._on_message = on_message
        self._on_line = on_line
        self._on_close = on_close
        self._rest = bytearray()
        self._looked = 0
        # A garbage collection in the middle of a write may print, and so write in the same thread.
        self._turn = threading.RLock()
        self._loop = asyncio.get_running_loop()
        self._is_open = True
        self._pid = os.getpid()
        self._loop.add_reader(connection.fileno(), self._read)

    def write(self, number: int, line: bytes) -> None:
        # A forked child has our descriptor, and the lock as it was.
        if os.getpid() != self._pid:
            return
        data = b"%d %b" % (number, line)
        try:
            with self._turn:
                if self._is_open:
                    self._socket.sendall(data)
        except OSError:
            # Whoever reads hears of it, too.
            pass

    def tell(self, message: Dict[str, Any]) -> None:
        self.write(0, json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def close(self) -> None:
        if not self._is_open:
            return
        self._loop.remove_reader(self._socket.fileno())
        with self._turn:
            self._is_open = False
            self._socket.close()
        self._on_close()

    def _read(self) -> None:
        try:
            data = self._socket.recv(RECEIVE, socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        self._rest += data
        while self._is_open:
            end = self._rest.find(b"\n", self._looked)
            if end < 0:
                self._looked = len(self._rest)
                return
            line = bytes(self._rest[: end + 1])
            del self._rest[: end + 1]
            self._looked = 0
            number, _, rest = line.partition(b" ")
            if number == b"0":
                self._on_message(json.loads(rest))
            else:
                self._on_line(int(number), rest)
