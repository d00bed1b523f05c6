import svc_sdk as svc

try:
    svc.wait_signal("late", timeout=0.05)
except TimeoutError as error:
    print(type(error).__name__ + ":", error)
svc.wait_signal("meanwhile")
svc.output.set(late=svc.wait_signal("late"))
