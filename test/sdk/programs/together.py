import json
import os
import threading

import svc_sdk as svc

results = {}


def work(name):
    results[name] = svc.step(name, lambda: name * 2)


threads = [threading.Thread(target=work, args=("t%d" % n,)) for n in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(results, sort_keys=True), flush=True)

# A forked child has a connection of its own.
child = os.fork()
if child == 0:
    print(svc.step("of the child", lambda: "child"), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(svc.step("of the parent", lambda: "parent"))


class Stop(BaseException):
    pass


def stop():
    raise Stop


# What is no Exception is no outcome: it is as if the step had been killed.
try:
    svc.step("interrupted", stop)
except Stop:
    print("stopped")
print(svc.step("goes on", lambda: "on"))
