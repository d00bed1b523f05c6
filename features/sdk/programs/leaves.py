import svc_sdk as svc

made = []


def leave(error):
    made.append(svc.attempt())
    raise error


for error in (SystemExit(3), KeyboardInterrupt()):
    try:
        svc.step("leaves", lambda: leave(error), retry=3)
    except BaseException as caught:
        print(type(caught).__name__, made)
print(svc.step("next", lambda: "on"))
