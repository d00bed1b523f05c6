"""The same file as a script and as a program of its own: `WORKFLOW` says which workflow a script runs."""

import asyncio
import os

import svc_sdk as svc
from svc_sdk import aio, workflow


@workflow(retry=2)
def plain(input):
    def second_time():
        if svc.attempt() < 2:
            raise ConnectionError("closed")
        return f"{svc.secret('WHO')} {svc.attempt()}"

    who = svc.step("who", second_time)
    svc.sleep("1ms")
    return {"who": who, "of": svc.run_id()[:4], "input": input}


@workflow
async def awaited(number):
    await aio.sleep("1ms")
    return await aio.step("twice", lambda: number * 2)


async def main():
    """As a server does that also works."""
    serving = asyncio.create_task(aio.serve(version="mine", slots=4, agent_name="own"))
    await asyncio.wait({serving, asyncio.create_task(asyncio.sleep(10_000))}, return_when=asyncio.FIRST_COMPLETED)
    await serving


if "SVC_AGENT_SOCKET" in os.environ:
    svc.serve(os.environ["WORKFLOW"])
elif __name__ == "__main__":
    asyncio.run(main())
else:
    svc.serve()
