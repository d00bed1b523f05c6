"""Says its secrets in every way that a program might, cut at every byte, through everything that svc records."""
import array
import base64
import fcntl
import json
import os
import re
import subprocess
import sys
import termios
import urllib.parse

names = os.environ["CANARIES"].split(",")
cuts = int(os.environ["CUTS"])


def drained(fd):
    """The agent has read all that was written, so that the next piece is one of its own."""
    left = array.array("i", [1])
    while left[0] > 0:
        fcntl.ioctl(fd, termios.FIONREAD, left)


def say(fd, data, at):
    for piece in (data[:at], data[at:]):
        if piece:
            os.write(fd, piece)
            drained(fd)


def svc(*args):
    return subprocess.run(["svc", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def forms(value):
    raw = value.encode()
    yield raw
    yield base64.b64encode(raw)
    yield base64.urlsafe_b64encode(raw)
    yield base64.b64encode(b"x" + raw + b"yz")
    yield base64.b64encode(b"xy" + raw)
    yield base64.encodebytes(raw)
    yield urllib.parse.quote(value, safe="").encode()
    yield urllib.parse.quote_plus(value).encode()
    yield re.sub("%..", lambda byte: byte.group().lower(), urllib.parse.quote(value, safe="")).encode()
    yield json.dumps(value).encode()
    yield json.dumps(value, ensure_ascii=False).encode()


said = 0
for name in names:
    value = os.environ[name]
    for form in forms(value):
        places = range(len(form) + 1)
        step = max(1, len(form) // cuts)
        for at in places[::step]:
            for fd in (1, 2):
                say(fd, form + b"\n", at)
                said += 1
    for half in value.split(":"):
        print(half, flush=True)
    text = " ".join(form.decode() for form in forms(value))
    for at in range(0, len(value), max(1, len(value) // 4)):
        svc("annotate", "note " + value[:at] + value[at:])
    svc("annotate", text)
    svc("output", "set", name + "=" + value, "json_" + name + ":=" + json.dumps({value: [value, text]}))
    svc("state", "set", "kept-" + name, value)
    svc("state", "get", "kept-" + name)
    svc("step", "print-" + name, "--label", "about " + value, "--", "printenv", name)
    svc("step", "fail-" + name, "--", "sh", "-c", "printenv " + name + "; exit 3")
    svc("step", "missing-" + name, "--", "/nowhere/" + value)

print("said", said, flush=True)
with open(os.environ["GATE"]) as gate:
    gate.read()
svc("wait-signal", "go")
for name in names:
    print(os.environ[name], file=sys.stderr)
if os.environ["END"] == "fail":
    # Its last words are longer than a record keeps: the cut must not open what was masked.
    for name in names:
        sys.stderr.write(("x" * 500 + os.environ[name]) * 3)
    sys.exit(7)
