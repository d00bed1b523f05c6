import subprocess


def svc(*args, check=True):
    done = subprocess.run(["svc", *args], stdout=subprocess.PIPE, text=True, check=check)
    return done.stdout.rstrip("\n"), done.returncode


print("a pass begins", flush=True)
built, _ = svc("step", "build", "--label", "Build it", "--", "sh", "-c", "echo ran >> {folder}/commands; echo built")
for n in (1, 2):
    svc("step", "round", "--", "sh", "-c", "echo ran >> {folder}/commands; echo 'round %d of %s'" % (n, built))
_, code = svc("step", "fragile", "--", "sh", "-c", "echo ran >> {folder}/commands; exit 7", check=False)
svc("sleep", "50ms")
approval, _ = svc("wait-signal", "approval")
svc("state", "set", "approval", approval)
svc("step", "use", "--", "printf", "%s after %s", approval, str(code))
svc("output", "set", "built=" + built, "code:=" + str(code))
svc("annotate", "# Built")
