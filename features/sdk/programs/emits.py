import svc_sdk as svc

told = svc.emit("order.paid", key="shop", payload={"order": 7, "note": "ü"})
plain = svc.emit("order.closed")
svc.sleep("10ms")
try:
    reserved = svc.emit("run.started")
except svc.SvcError as error:
    reserved = error.code
svc.output.set(told=told, plain=plain, reserved=reserved)
