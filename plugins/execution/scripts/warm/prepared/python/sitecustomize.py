"""Run by a python3 that was started before its script is known: this folder is its PYTHONPATH. Imports the SDK, waits for
the folder and the environment of a pass, leaves no trace of itself and returns: Python then runs its main file as if it
had just been started. Until the last byte written here, nothing of the script has run."""

import os
import posix
import sys

# The socket to the agent: GIVEN_DESCRIPTOR of the spawner.
AGENT = 100
READY = b"r"
TAKEN = b"t"
HOOK = b"PYTHONPATH"
HERE = os.path.dirname(__file__)


def read(length):
    """Exactly so many bytes. Without a pass this process ends: the agent has no use for it."""
    data = b""
    while len(data) < length:
        got = os.read(AGENT, length - len(data))
        if not got:
            os._exit(0)
        data += got
    return data


def pairs(texts):
    return dict(text.split(b"=", 1) for text in texts)


def environment_of(given, wanted):
    """The environment of the pass, changed as that of the preparation was by the wrapper of an interpreter and by the
    interpreter itself."""
    present = dict(os.environb)
    if present.pop(HOOK, None) != given.pop(HOOK):
        raise RuntimeError("something else sets PYTHONPATH")
    env = dict(wanted)
    for name, value in present.items():
        before = given.get(name)
        if value == before:
            continue
        if before is not None and name in env and value.endswith(before):
            env[name] = value[: len(value) - len(before)] + env[name]
        else:
            env[name] = value
    for name in given:
        if name not in present:
            env.pop(name, None)
    return env


def replace_environment(env):
    os.environ.clear()
    os.environb.update(env)
    posix.environ.clear()
    posix.environ.update(env)


def become_the_pass():
    known = set(sys.modules)
    import _stash

    # Where the script will lie, as Python puts it on the path. Before 3.7 that is not known here.
    stash = _stash.load(os.path.realpath(os.path.dirname(sys.argv[0])), known)
    os.write(AGENT, READY)
    cwd, count, *texts = read(int.from_bytes(read(4), "little")).split(b"\0")
    env = environment_of(pairs(texts[: int(count)]), pairs(texts[int(count) :]))
    os.chdir(cwd)
    replace_environment(env)
    sys.path.remove(HERE)
    sys.path_importer_cache.pop(HERE, None)
    stash.hide()
    del sys.modules["_stash"]
    del sys.modules["sitecustomize"]
    os.write(AGENT, TAKEN)
    os.close(AGENT)


try:
    become_the_pass()
except BaseException:
    # Python would go on with the script.
    sys.excepthook(*sys.exc_info())
    os._exit(1)
# The machine's own, if it has one: this folder came before it.
import sitecustomize  # noqa: E402,F401
