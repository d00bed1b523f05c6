import asyncio
import contextvars
import logging
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import svc_sdk as svc
from svc_sdk import aio, workflow

# Its handler keeps the stream that it finds here.
logging.basicConfig(format="%(message)s")

POOL = ThreadPoolExecutor(2)
FINALLY = []


def note(file, text):
    with open(os.path.join(os.environ["WORKER_FOLDER"], file), "a") as out:
        out.write(text + "\n")


def killed_once():
    note("charge", svc.idempotency_key())
    if not os.path.exists(os.path.join(os.environ["WORKER_FOLDER"], "killed")):
        note("killed", "")
        os.kill(os.getpid(), signal.SIGKILL)
    return "charged"


@workflow("plain-order")
def plain_order(input):
    reserved = svc.step("reserve", lambda: note("reserved", input["sku"]) or input["sku"])
    charged = svc.step("charge", killed_once)
    svc.sleep("10ms")
    by = svc.wait_signal("approved", timeout="1h")["by"]
    return {"reserved": reserved, "charged": charged, "by": by, "doubled": svc.call(double, 21)}


@workflow("aio-order")
async def aio_order(input):
    reserved = await aio.step("reserve", lambda: note("reserved", input["sku"]) or input["sku"])
    charged = await aio.step("charge", killed_once)
    await aio.sleep("10ms")
    by = (await aio.wait_signal("approved", timeout="1h"))["by"]
    return {"reserved": reserved, "charged": charged, "by": by, "doubled": await aio.call("double", 21)}


@workflow
def double(number):
    return number * 2


# All runs of a crowd are under way at once before any of them goes on.
CROWD = 50
PLAIN_MEETING = threading.Barrier(CROWD)
AIO_HERE = []


@workflow("plain-crowd")
def plain_crowd(me):
    PLAIN_MEETING.wait(60)
    made = [svc.step(f"step {me}", lambda nth=nth: [me, nth, svc.secret("WHO")]) for nth in range(3)]
    threads = []
    found = []
    for work in (lambda: found.append(svc.run_id()), lambda: print("thread of", me)):
        thread = threading.Thread(target=work)
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()
    pooled = POOL.submit(svc.run_id).result()
    print("plain", me)
    logging.warning("logged %s", me)
    command = svc.step("who", ["sh", "-c", "echo $WHO; echo complains $WHO >&2"])
    return {"made": made, "mine": [found[0], pooled] == [svc.run_id()] * 2, "input": svc.data(), "command": command}


@workflow("aio-crowd")
async def aio_crowd(me):
    mine = asyncio.get_running_loop().create_future()
    AIO_HERE.append(mine)
    if len(AIO_HERE) == CROWD:
        for one in AIO_HERE:
            one.set_result(None)
    await mine

    async def one(nth):
        await asyncio.sleep(0)
        made = await aio.step(f"step {nth}", lambda: [me, nth, aio.secret("WHO")])
        print("task of", me)
        return made

    made = await asyncio.gather(*[one(nth) for nth in range(3)])
    elsewhere = await asyncio.to_thread(svc.step, "thread", lambda: svc.secret("WHO"))
    print("aio", me)
    logging.warning("logged %s", me)
    command = await aio.step("who", ["sh", "-c", "echo $WHO; echo complains $WHO >&2"])
    mine = [await asyncio.to_thread(svc.run_id), elsewhere] == [svc.run_id(), f"name {me}"]
    return {"made": made, "mine": mine, "input": aio.data(), "command": command}


def deep():
    raise KeyError("no such thing")


@workflow
def fails(input):
    print("before")
    sys.stderr.write("half a line")
    try:
        deep()
    except KeyError as error:
        raise RuntimeError("it went wrong") from error


@workflow
def final(input):
    raise svc.NonRetryableError("never again")


@workflow
def exits(input):
    sys.exit(7)


@workflow
def fails_in_step(input):
    svc.step("deep", deep)


@workflow
def not_json(input):
    return {1, 2}


@workflow
async def leaves_error(input):
    async def boom():
        raise ValueError("left behind")

    asyncio.get_running_loop().create_task(boom())
    await asyncio.sleep(0)
    await asyncio.Event().wait()


@workflow
def outside(input):
    contextvars.Context().run(svc.step, "outside", lambda: 1)


@workflow
def forks(input):
    child = os.fork()
    if child == 0:
        try:
            print("printed by the child")
            svc.step("forked", lambda: note("forked", "step"))
        except svc.SvcError as error:
            note("forked", error.code)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    return svc.step("after", lambda: "after")


@workflow
async def hangs(input):
    note("program", str(os.getpid()))
    await asyncio.to_thread(time.sleep, 10_000)


@workflow
async def late(input):
    def spin():
        while True:
            pass

    try:
        await aio.step("spin", spin, timeout=0.1)
    except svc.StepError as error:
        return error.exit_code


@workflow
async def blocks(input):
    svc.step("sync", lambda: 1)


@workflow("plain-waits")
def plain_waits(input):
    try:
        svc.wait_signal("go")
    except Exception:
        note("compensated", "except")
    finally:
        try:
            svc.step("release", lambda: note("released", "plain"))
        except svc.RunStopped:
            FINALLY.append("plain")
            raise
    return "went"


@workflow("aio-waits")
async def aio_waits(input):
    async def aside():
        try:
            await asyncio.sleep(10_000)
        finally:
            FINALLY.append("aside")
            await asyncio.sleep(10_000)
            note("compensated", "aside")

    task = asyncio.create_task(aside())
    await asyncio.sleep(0)
    try:
        await aio.wait_signal("go")
    except Exception:
        note("compensated", "except")
    finally:
        try:
            await aio.step("release", lambda: note("released", "aio"))
        except svc.RunStopped:
            FINALLY.append("aio")
            raise
    task.cancel()
    return "went"


@workflow
async def census():
    return {
        "threads": sum(thread.name.startswith("svc run_") for thread in threading.enumerate()),
        "tasks": len(asyncio.all_tasks()),
        "finally": sorted(FINALLY),
    }


@workflow("checked", input={"type": "object", "required": ["sku"]}, retry={"attempts": 3, "backoff": "1ms"}, timeout="1h")
def checked(input):
    def flaky():
        if svc.attempt() < 3:
            raise ConnectionError("closed")
        return svc.attempt()

    return {"sku": input["sku"], "attempt": svc.step("flaky", flaky)}


@workflow("turn", concurrency={"key": "has(input.payload) ? input.payload.who : input.who", "limit": 1, "per_worker": 5})
def turn(input):
    return svc.wait_signal("go", timeout="1h")


def stuck_command(form):
    path = os.path.join(os.environ["WORKER_FOLDER"], form)
    return ["sh", "-c", f"echo $$ > {path}; exec sleep 10000"]


@workflow("plain-stuck")
def plain_stuck(form):
    svc.step("stuck", stuck_command(form))


@workflow("aio-stuck")
async def aio_stuck(form):
    await aio.step("stuck", stuck_command(form))


class Named:
    """A model class of another library with the two methods of pydantic."""

    def __init__(self, name):
        self.name = name

    @staticmethod
    def model_json_schema():
        return {"type": "object", "required": ["name"]}

    @classmethod
    def model_validate(cls, value):
        if value["name"] == "nobody":
            raise ValueError("nobody is no name")
        return cls(value["name"])


@workflow(input=Named)
def named(input):
    return f"{type(input).__name__} {input.name}"
