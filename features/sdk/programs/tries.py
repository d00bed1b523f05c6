import os
import time

import svc_sdk as svc


def outcome(name, work, **options):
    try:
        return svc.step(name, work, **options)
    except svc.StepError as error:
        return f"{error.exit_code} {error.reason}"


def tried():
    if svc.attempt() != int(os.environ["ATTEMPT"]) or svc.attempt() < 3:
        raise ValueError("not yet")
    return svc.attempt()


def never():
    raise svc.NonRetryableError("it is over")


print("tried:", svc.step("tried", tried, retry={"attempts": 5, "backoff": "10ms", "max_backoff": 0.02}))
command = ["sh", "-c", 'echo "try $ATTEMPT"; test "$ATTEMPT" = 2']
print("command:", svc.step("command", command, retry=2))
print("never:", outcome("never", never, retry=50))
print("late:", outcome("late", lambda: time.sleep(600), timeout="200ms"))
