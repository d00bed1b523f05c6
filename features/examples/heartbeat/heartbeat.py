"""Looks at a service again and again, for ever, and says so when it has changed. Ends when it is told to."""

import os
import urllib.request

from svc_sdk import WaitTimeoutError, emit, output, state, step, wait_signal


def look():
    try:
        with urllib.request.urlopen(f"{os.environ['HEALTH_URL']}/health", timeout=10) as answer:
            return "up" if answer.status == 200 else "down"
    except OSError:
        return "down"


looks, known = 0, None
while True:
    now = step("look", look)
    looks += 1
    if now != known:
        state.set("status", now)
        emit("service.changed", payload={"from": known, "to": now})
        known = now
    try:
        by = wait_signal("stop", timeout=os.environ.get("EVERY", "5m"))
        break
    except WaitTimeoutError:
        continue

output.set(looks=looks, last=known, stopped_by=by)
