import asyncio
import json

from svc_sdk import aio


def ran():
    with open("{folder}/commands", "a") as commands:
        commands.write("ran\n")


async def build():
    await asyncio.sleep(0)
    ran()
    return "built"


async def main():
    print("a pass begins")
    built = await aio.step("build", build, label="Build it")
    for n in (1, 2):
        await aio.step("round", ["sh", "-c", "echo ran >> {folder}/commands; echo 'round %d of %s'" % (n, built)])
    fragile = await aio.exec("fragile", ["sh", "-c", "echo ran >> {folder}/commands; exit 7"])
    await aio.sleep("50ms")
    approval = json.dumps(await aio.wait_signal("approval"), separators=(",", ":"))
    await aio.state.set("approval", approval)
    await aio.step("use", ["printf", "%s after %s", approval, str(fragile.exit_code)])
    await aio.output.set(built=built, code=fragile.exit_code)
    await aio.annotate("# Built")


asyncio.run(main())
