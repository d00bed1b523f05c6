import random

from svc_sdk import aio, call, step, wait_signal, workflow


@workflow
def invoice(order):
    return step("print", lambda: f"{order['sku']}: {order['price']}")


@workflow(timeout="40d")
def order(given):
    number = step("reserve", lambda: given["sku"] + "-1")
    approved = wait_signal("approved", timeout="30d")
    paid = step("charge", lambda: given["price"], retry={"attempts": 5, "backoff": "10s"})
    command = step("tell", ["echo", "told"])
    return {"number": number, "by": approved["by"], "paid": paid, "told": command, "invoice": call(invoice, given)}


@workflow
async def naps():
    first = await aio.step("first", lambda: 1)
    await aio.sleep("10ms")
    try:
        await aio.wait_signal("never", timeout="20ms")
    except TimeoutError as error:
        return {"first": first, "error": str(error)}


@workflow
def varies():
    return step(f"draw {random.random()}", lambda: 1)


@workflow
def fails():
    step("last", lambda: 1)
    raise ValueError("no luck")
