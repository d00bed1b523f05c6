import asyncio

import svc_sdk as svc
from svc_sdk import aio


async def outcome(name, work, **options):
    try:
        return await aio.step(name, work, **options)
    except svc.StepError as error:
        return f"{error.exit_code} {error.reason}"


async def tried():
    if aio.attempt() < 3:
        raise ValueError("not yet")
    return aio.attempt()


async def never():
    raise svc.NonRetryableError("it is over")


async def main():
    print("tried:", await aio.step("tried", tried, retry={"attempts": 5, "backoff": "10ms", "max_backoff": 0.02}))
    command = ["sh", "-c", 'echo "try $ATTEMPT"; test "$ATTEMPT" = 2']
    print("command:", await aio.step("command", command, retry=2))
    print("never:", await outcome("never", never, retry=50))
    print("late:", await outcome("late", lambda: asyncio.sleep(600), timeout="200ms"))


asyncio.run(main())
