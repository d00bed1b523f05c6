import svc_sdk as svc

try:
    missed = svc.wait_event("order.lost", timeout=0.05)
except TimeoutError as error:
    missed = type(error).__name__
event = svc.wait_event("order.paid")
svc.output.set(missed=missed, type=event["type"], payload=event["payload"])
