import json
import os
import subprocess

import svc_sdk as svc


def show(*values):
    print(*(json.dumps(value, ensure_ascii=False, separators=(",", ":")) if not isinstance(value, str) else value for value in values))


def own():
    return sorted(name for name in os.environ if name.startswith("SVC_"))


def environment():
    key = svc.idempotency_key()
    child = subprocess.run(["svc", "state", "get", "x"], stderr=subprocess.PIPE, text=True)
    return {
        "site": "environment#0",
        "own": own(),
        "keys": key == os.environ["SVC_IDEMPOTENCY_KEY"] and len(key),
        "refused": "SVC_AGENT_SOCKET" in child.stderr and child.returncode,
    }


show("pass")
before = len(own())
seen = svc.step("environment", environment)
show(seen, before == len(own()))
script = "env | grep ^SVC_ | cut -c 1-23; pwd; echo $MORE; cat"
show(
    svc.step(
        "command",
        ["sh", "-c", script],
        label="A command",
        cwd="/usr",
        env={"MORE": "more", "SVC_FORGED": "x"},
        input="given",
    )
)
svc.exec("echoed", ["echo", "shown once"], echo=True)
show(svc.wait_signal("go"))
try:
    svc.wait_signal("late", timeout="2h")
except TimeoutError as error:
    show(isinstance(error, svc.WaitTimeoutError), "WaitTimeoutError: %s" % error)
svc.state.set("text", "5")
svc.state.set("json", {"list": [1, "ü"]})
svc.state.set("shared", "x", entity="repo")
show(svc.state.get("text"), svc.state.get("json"), svc.state.get_json("json"))
show([svc.state.get("none"), svc.state.get("shared", entity="repo")])
svc.state.delete("text")
show(svc.state.list())
try:
    svc.sleep("2h")
    show("slept")
finally:
    show("finally")
svc.output.set({"odd:": 1}, text="x", number=5, list=[True, None])
svc.annotate("# A note")
given = svc.input()
show(given["type"], given["input"])
try:
    svc.verb("no-such-verb", ["x"])
except svc.SvcError as error:
    show(error.code, "no-such-verb" in str(error))
usage = svc.verb("sleep", ["--help"])
show(usage.exit_code, usage.text.split("\n")[0])
