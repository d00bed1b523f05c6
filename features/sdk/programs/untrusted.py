import svc_sdk as svc

event = svc.wait_event("asked", untrusted=True)
svc.output.set(trusted=event["trusted"], payload=event["payload"])
