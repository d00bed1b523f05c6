import resource

from svc_sdk import workflow

line = "x" * 1023


@workflow("prints-at-once")
def prints_at_once(mib):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(mib * 1024):
        print(line)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


@workflow
def other():
    return "here"
