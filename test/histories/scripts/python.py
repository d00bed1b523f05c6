# The verb client from another language.
import json
import subprocess


def svc(*words, **more):
    return subprocess.run(["svc", *words], stdout=subprocess.PIPE, **more)


said = [svc("step", "work", "--", "echo", str(n)).stdout.decode() for n in range(3)]
said.append(svc("step", "fails", "--", "sh", "-c", "exit 9").returncode)
svc("state", "set", "from-stdin", "-", input=b"given\n")
said.append(svc("state", "get", "from-stdin").stdout.decode())
svc("sleep", "20ms", check=True)
said.append(json.loads(svc("wait-signal", "go").stdout))
svc("wait-signal", "end")
svc("output", "set", "said:=" + json.dumps(said), check=True)
