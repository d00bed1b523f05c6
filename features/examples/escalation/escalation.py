"""Asks one person after the other to look at an alarm; whoever answers first has it. Nobody is asked twice."""

import asyncio
import os

from svc_sdk import WaitTimeoutError, aio

PATIENCE = os.environ.get("PATIENCE", "15m")


async def main():
    for person in ("ann", "bob", "eve"):
        await aio.step("page", ["sh", "-c", 'echo "$1" >> "$PAGER"', "sh", person], label=person)
        try:
            answer = await aio.wait_signal("acknowledged", timeout=PATIENCE)
            await aio.output.set(owner=answer["by"], asked=person)
            return
        except WaitTimeoutError:
            await aio.annotate(f"{person} did not answer within {PATIENCE}")
    raise SystemExit("nobody answered")


asyncio.run(main())
