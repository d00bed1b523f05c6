"""Lines of the agent socket."""

from __future__ import annotations

import json
from time import monotonic
from typing import Any, Dict, Optional

from ._ahead import Ahead, ordinal_of
from ._errors import SvcError, unreadable

HELLO = b'{"id":0,"op":"hello","protocol":4}\n'
MAX_ANSWER_LENGTH = 64 * 1024 * 1024
RECEIVE = 65536
# When the agent is gone this process is about to be killed; only one that is not hears of it.
PATIENCE_S = 5.0


class Wire:
    """Numbers requests and takes answers apart. The caller sends, receives and closes."""

    def __init__(self) -> None:
        self._id = 0
        self._rest = bytearray()
        self._looked = 0
        self._ends = False
        self.protocol: Optional[int] = None
        # An answer is owed, by the agent or by us: whoever turns away now must close the connection.
        self.owing = False
        self.ahead = Ahead()
        self._sent_at = 0.0

    def request(self, body: Dict[str, Any]) -> bytes:
        # A result goes on with the call that asked for it.
        self._id += body["op"] != "result"
        self.owing = True
        self._ends = body["op"] in ("end", "result")
        self._sent_at = monotonic()
        return json.dumps({"id": self._id, **body}, separators=(",", ":")).encode() + b"\n"

    def begun(self) -> bytes:
        """Asks for the answer to the `begin` that was just sent without waiting for one."""
        return b'{"id":%d,"op":"begun"}\n' % self._id

    def placed(self, name: str, begun: Dict[str, Any]) -> Dict[str, Any]:
        """A step of that name has its address."""
        if "run" in begun or "record" in begun:
            self.ahead.made(name, ordinal_of(begun))
        return begun

    def receive(self, data: bytes) -> None:
        self._rest += data
        if len(self._rest) > MAX_ANSWER_LENGTH:
            raise unreadable("a line of it is not terminated")

    def answer(self) -> Optional[Dict[str, Any]]:
        """The next answer, or None when more is to be received. Raises what the agent refuses with."""
        while True:
            end = self._rest.find(b"\n", self._looked)
            if end < 0:
                self._looked = len(self._rest)
                return None
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            self._looked = 0
            answer = _parse(line)
            if answer.get("gone"):
                return answer
            if "error" in answer:
                # What began nothing leaves nothing open; an error of another number is about the connection.
                self.owing = self._ends or answer.get("id") != self._id
                raise _refusal(answer["error"])
            if answer.get("id") == 0 and answer.get("ok") is True:
                self.protocol = int(answer.get("protocol", 1))
                self.ahead.begin(answer.get("ahead"))
                if self._id == 0:
                    return answer
                continue
            if answer.get("id") != self._id:
                raise unreadable("it was not requested")
            self.owing = "run" in answer or "exec" in answer
            if "ahead" in answer:
                self.ahead.learn(answer["ahead"], self._sent_at)
            return answer


def _parse(line: bytes) -> Dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise unreadable("it is not JSON") from None
    if not isinstance(answer, dict):
        raise unreadable("it is not a JSON object")
    return answer


def _refusal(error: Any) -> SvcError:
    given = error if isinstance(error, dict) else {}
    message = str(given.get("message", "the agent rejected the request"))
    return SvcError(str(given.get("code", "refused")), message, str(given.get("next", "")))
