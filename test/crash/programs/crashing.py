"""The function of `crashing.ts` in Python."""

import asyncio

from svc_sdk import aio, attempt, idempotency_key, workflow


def effect(name, ledger):
    """Notes a side effect where the suite looks for it, once for each time that it happens."""

    async def work():
        with open(ledger, "a") as file:
            file.write(f"{name} {idempotency_key()}\n")
        return f"did {name}"

    return work


def expect_same(found, wanted):
    if found != wanted:
        raise AssertionError(f"the call returned {found!r} instead of {wanted!r}")


@workflow("crash-note")
async def note(given):
    return await aio.step(given["name"], effect(given["name"], given["ledger"]))


async def make(kind, name, n, ledger):
    if kind == "step":
        expect_same(await aio.step(name, effect(name, ledger)), f"did {name}")
    elif kind == "sleep":
        await aio.sleep(0.04)
    elif kind == "signal":
        expect_same((await aio.wait_signal(name))["n"], n)
    elif kind == "event":
        expect_same((await aio.wait_event(name))["payload"]["n"], n)
    elif kind == "lock":
        expect_same(await aio.lock("guarded", effect(name, ledger)), f"did {name}")
    elif kind == "emit":
        await aio.emit("crash.tick", payload={"n": n})
    elif kind == "call":
        expect_same(await aio.call(note, {"name": name, "ledger": ledger}), f"did {name}")
    else:
        await aio.step(name, flaky(name, ledger), retry={"attempts": 3, "backoff": "5ms"})


def flaky(name, ledger):
    async def work():
        await effect(name, ledger)()
        if attempt() != 3:
            raise ConnectionError("not yet")

    return work


@workflow("crash")
async def crashing(given):
    for group in given["groups"]:
        await asyncio.gather(*[make(one["kind"], one["name"], one["n"], given["ledger"]) for one in group])
    return {"calls": len(given["groups"])}
