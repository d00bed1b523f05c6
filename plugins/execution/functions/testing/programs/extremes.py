import os

from svc_sdk import step, workflow

LARGE = "x" * 20_000_000


class Unreadable(Exception):
    @property
    def code(self):
        raise ValueError("no code")


@workflow("throws")
def throws(name):
    raise Unreadable(name)


@workflow("returns-large")
def returns_large(_):
    return LARGE


@workflow("names-large")
def names_large(_):
    return step(LARGE, lambda: 1)


@workflow("pid")
def pid(_):
    return os.getpid()
