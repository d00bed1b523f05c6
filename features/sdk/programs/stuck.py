import os

import svc_sdk as svc


def note(file, text):
    with open("{folder}/" + file, "a") as out:
        out.write(text + "\n")


before = svc.step("before", lambda: "kept")
note("passes", os.environ["SVC_AGENT_PID"])
with open("{folder}/passes") as passes:
    first = len(passes.readlines()) == 1


def work():
    note("keys", svc.idempotency_key())
    if first:
        open("{folder}/open").read()
    return "done"


try:
    stuck = svc.step("stuck", work)
    svc.output.set(before=before, stuck=stuck)
except Exception as error:
    print("swallowed", error)
