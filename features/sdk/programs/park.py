import svc_sdk as svc

try:
    print(svc.wait_signal("go")["by"])
except BaseException:
    print("swallowed")
finally:
    print("finally")
