import asyncio
import json

import svc_sdk
from svc_sdk import aio


async def slowly(value):
    await asyncio.sleep(0.01)
    return value


async def endless():
    await asyncio.sleep(1000)


async def blocking():
    try:
        svc_sdk.state.get("k")
    except svc_sdk.SvcError as error:
        return error.code


async def main():
    made = [aio.step("slow", lambda: slowly("s")), aio.step("plain", lambda: "p"), aio.step("command", ["echo", "c"])]
    print(json.dumps(await asyncio.gather(*made)))
    print(await aio.step("fed", ["cat"], input="in"))
    try:
        await asyncio.wait_for(aio.step("cancelled", endless), 0.05)
    except asyncio.TimeoutError:
        print("timed out")
    except svc_sdk.StepError as error:
        print(error)
    try:
        await asyncio.wait_for(aio.exec("killed", ["sleep", "1000"]), 0.05)
    except asyncio.TimeoutError:
        print("timed out")
    except svc_sdk.StepError as error:
        print(error)
    try:
        await aio.step("nested", lambda: aio.step("inner", lambda: 1))
    except svc_sdk.StepError as error:
        print(error)
    busy = asyncio.Event()

    async def wait_for_the_other():
        busy.set()
        return await slowly("r")

    running = asyncio.ensure_future(aio.step("running", wait_for_the_other))
    await asyncio.wait([running, asyncio.ensure_future(busy.wait())], return_when=asyncio.FIRST_COMPLETED)
    # On the first pass only; later ones have the step's record at once.
    print("refused", await blocking() if not running.done() else "")
    print(await running)
    await aio.state.set("k", {"a": 1})
    print(json.dumps([await aio.state.get_json("k"), await aio.state.list()]))
    try:
        await asyncio.wait_for(aio.wait_signal("go"), 0.5)
    except BaseException:
        print("swallowed")
        raise
    finally:
        print("after the wait")
    try:
        await aio.wait_signal("late", timeout="2h")
    except TimeoutError as error:
        print(error)
    await aio.output.set(done=True)


asyncio.run(main())
