# Stands in for an agent from before timeouts, and asks the SDK for one.
import json
import os
import socket
import threading

old = socket.socket(socket.AF_UNIX)
old.bind("{folder}/old")
old.listen()
heard = []


def serve():
    client, _ = old.accept()
    for line in client.makefile():
        heard.append(json.loads(line)["op"])
        client.sendall(b'{"id":0,"ok":true,"protocol":1}\n')


threading.Thread(target=serve, daemon=True).start()
os.environ["SVC_AGENT_SOCKET"] = "{folder}/old"
import svc_sdk as svc  # noqa: E402

try:
    svc.wait_signal("go", timeout="1h")
except svc.SvcError as error:
    print(error.code, error)
print("heard", ",".join(heard))
