import svc_sdk as svc

seen = []


def attempt(call):
    try:
        return call()
    except svc.StepError as error:
        return [error.exit_code, error.reason or error.stdout.decode()]


def fail():
    raise RuntimeError("not under it")


seen.append(svc.lock("shared") > 0)
seen.append(svc.lock("other", lambda: {"key": len(svc.idempotency_key())}))
seen.append(svc.lock("third", ["echo", "under a lock"]))
seen.append(attempt(lambda: svc.lock("fourth", fail)))
seen.append(svc.activity("one", ["echo", "of one"]))
svc.activity_submit("two", ["sh", "-c", "echo of two"])
svc.activity_submit("three", ["sh", "-c", "exit 3"])
seen += [svc.activity_collect("two"), svc.activity_wait_all()]
seen.append(attempt(lambda: svc.activity("four", ["sh", "-c", "echo some; exit 4"])))
svc.step("last", lambda: len(seen))
svc.output.set(seen=seen)
