"""The steps that may begin without an answer of the agent: while it lends us the next places of the journal, and when we
know which place a step has. `plugins/execution/scripts/socket/step-lease.ts` says why that is safe."""

from __future__ import annotations

import re
from time import monotonic  # taken now, so that no program with a clock of its own stretches a lease
from typing import Any, Callable, Dict, Optional

# What the agent takes as the name of a step, so that it need not be asked. It says itself what is wrong with others.
PLAIN_NAME = re.compile(r"(?!.*#[0-9]+\Z)[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,200}\Z")
NO_TEXT = re.compile("[\x00\ud800-\udfff]")


def _sha256() -> Callable[[bytes], Any]:
    """Without `hashlib`, which takes longer to load than many steps to run."""
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256
    made: Callable[[bytes], Any] = sha256
    return made


class Ahead:
    def __init__(self) -> None:
        self._run: Optional[Dict[str, Any]] = None
        self._until = 0.0
        # How often each name has been a step.
        self._made: Dict[str, int] = {}
        self._digest: Optional[Callable[[bytes], Any]] = None

    def begin(self, run: Optional[Dict[str, Any]]) -> None:
        """What the hello says: which run this is."""
        self._run = run

    def learn(self, offer: Dict[str, Any], sent_at: float) -> None:
        """What an answer says of further places, to a request sent at `sent_at`."""
        for name, ordinal in offer.get("steps", ()):
            self.made(name, ordinal)
        self._until = sent_at + offer["ms"] / 1000

    def made(self, name: str, ordinal: int) -> None:
        """A step has that place."""
        if ordinal >= self._made.get(name, 0):
            self._made[name] = ordinal + 1

    @property
    def lent(self) -> bool:
        """Asked again after the request is written: what was written later is not begun under the lease."""
        return monotonic() < self._until

    def place(self, name: str, label: Optional[str]) -> Optional[Dict[str, Any]]:
        """The place of the next step; None when the agent has to be asked for it."""
        run = self._run
        if run is None or not self.lent or PLAIN_NAME.match(name) is None:
            return None
        if label is not None and (not isinstance(label, str) or NO_TEXT.search(label)):
            return None
        ordinal = self._made.get(name, 0)
        parts = ("svc/step/v1", run["run"], run["activity"], "step", name, str(ordinal))
        text = b"".join(b"%d:%b" % (len(part), part) for part in map(str.encode, parts))
        if self._digest is None:
            self._digest = _sha256()
        key = self._digest(text).hexdigest()
        return {"run": True, "key": key, "ordinal": ordinal, "limit": run["limit"]}


def ordinal_of(begun: Dict[str, Any]) -> int:
    """Which step of its name the agent, or we, say that it is."""
    if "ordinal" in begun:
        return int(begun["ordinal"])
    if "record" in begun:
        return int(begun["record"]["ordinal"])
    return int(begun["site"].rpartition("#")[2])
