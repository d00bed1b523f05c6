import json

import svc_sdk as svc


def ran(result):
    with open("{folder}/ran", "a") as file:
        file.write("x\n")
    return result


def bad():
    ran(None)
    raise LookupError("no")


print("got", json.dumps(svc.step("good", lambda: ran({"n": 1})), separators=(",", ":")))
try:
    svc.step("bad", bad)
except svc.StepError as error:
    print("caught", error)
svc.wait_signal("go")
