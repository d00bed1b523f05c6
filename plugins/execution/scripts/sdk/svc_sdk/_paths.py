"""What a run was given, and places in it: `order.items[0].name`. The same rules as in paths.mjs."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Optional, Union

Step = Union[str, int]

_STEP = re.compile(r'\.?\[(?:(-?[0-9]{1,9})|("(?:[^"\\]|\\.)*"))\]|(\.?)([^.\[\]"\s]+)')
_TICK = "schedule.tick"


def data_of(envelope: Dict[str, Any]) -> Any:
    """What a job is given comes first, then the inputs that its workflow declares. A schedule has a payload that nobody wrote, so its own input comes before that."""
    if "with" in envelope:
        return envelope["with"]
    if "inputs" in envelope:
        return envelope["inputs"]
    if "payload" not in envelope or (envelope.get("type") == _TICK and "input" in envelope):
        return envelope.get("input")
    return envelope["payload"]


def steps_of(path: str) -> Optional[List[Step]]:
    """Texts, and numbers for places in a list. `.` is the whole. None for what is not a path."""
    if path == ".":
        return []
    steps: List[Step] = []
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None or (found[4] is not None and found[3] == "" and at > 0):
            return None
        at = found.end()
        if found[1] is not None:
            steps.append(int(found[1]))
        elif found[4] is not None:
            steps.append(found[4])
        else:
            try:
                steps.append(json.loads(found[2]))
            except ValueError:
                return None
    return steps or None


def value_at(whole: Any, steps: List[Step]) -> Any:
    """None where nothing is."""
    for step in steps:
        if isinstance(step, int):
            if not isinstance(whole, list) or not -len(whole) <= step < len(whole):
                return None
        elif not isinstance(whole, dict) or step not in whole:
            return None
        whole = whole[step]
    return whole
