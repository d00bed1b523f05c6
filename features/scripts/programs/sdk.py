import json

import svc_sdk as svc


class Fragile(Exception):
    exit_code = 7


def ran():
    with open("{folder}/commands", "a") as commands:
        commands.write("ran\n")


def build():
    ran()
    return "built"


def round_of(n, what):
    ran()
    return "round %d of %s" % (n, what)


def fail():
    ran()
    raise Fragile("it breaks")


print("a pass begins")
built = svc.step("build", build, label="Build it")
for n in (1, 2):
    svc.step("round", lambda: round_of(n, built))
code = 0
try:
    svc.step("fragile", fail)
except svc.StepError as error:
    code = error.exit_code
svc.sleep(0.05)
approval = json.dumps(svc.wait_signal("approval"), separators=(",", ":"))
svc.state.set("approval", approval)
svc.step("use", ["printf", "%s after %s", approval, str(code)])
svc.output.set(built=built, code=code)
svc.annotate("# Built")
