import json

import svc_sdk as svc

MIB = 1024 * 1024


def attempt(work):
    """Prints the error of a call: its kind, code, exit code and text."""
    try:
        print(json.dumps(work()))
    except svc.SvcError as error:
        print(json.dumps([error.code, getattr(error, "exit_code", None), str(error)]))


class Coded(Exception):
    exit_code = 7


def fail(error):
    def work():
        raise error

    return work


def bytes_of_command():
    done = svc.exec("bytes", ["printf", "a\\0\\377b"])
    return [done.stdout.hex(), done.text]


print("pass")
attempt(lambda: svc.step("plain", fail(Exception("it broke"))))
attempt(lambda: svc.step("coded", fail(Coded("seven"))))
attempt(lambda: svc.step("unclean", fail(Exception("nul \0 here"))))
attempt(lambda: svc.step("no-json", lambda: {1, 2}))
attempt(lambda: svc.step("nested", lambda: svc.state.get("x")))
attempt(lambda: len(svc.step("exact", lambda: "x" * (2 * MIB - 1))))
attempt(lambda: svc.step("over", lambda: "x" * (2 * MIB)))
attempt(lambda: svc.step("command", ["sh", "-c", "echo some; exit 9"]))
attempt(lambda: svc.step("unknown", ["no-such-program"]))
attempt(lambda: svc.step("unreachable", ["/no/such/program"]))
attempt(lambda: svc.step("forbidden", ["/etc/passwd"]))
attempt(lambda: svc.step("signalled", ["sh", "-c", "kill -TERM $$"]))
attempt(lambda: svc.step("flood", ["head", "-c", str(2 * MIB + 10), "/dev/zero"]))
attempt(lambda: len(svc.step("brim", ["head", "-c", str(2 * MIB), "/dev/zero"])))
attempt(bytes_of_command)
attempt(lambda: svc.step("", lambda: 1))
attempt(lambda: svc.step("x#1", lambda: 1))
attempt(lambda: svc.step("half \ud800", lambda: 1))
attempt(lambda: svc.step("two\nlines", lambda: 1))
attempt(lambda: svc.sleep("soon"))
attempt(lambda: svc.idempotency_key())
attempt(lambda: svc.state.get("absent"))
attempt(lambda: svc.state.get("refused"))
attempt(lambda: svc.state.list(entity="refused"))
svc.sleep("1s")
