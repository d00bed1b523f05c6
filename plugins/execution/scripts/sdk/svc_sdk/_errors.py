"""What the SDK raises."""

from __future__ import annotations

import json


class SvcError(Exception):
    """Whatever the service or the SDK refuses. `code` is stable; `next` explains what to do."""

    def __init__(self, code: str, message: str, next: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.next = next


class StepError(SvcError):
    """A recorded call that failed: a step, a command under a lock, a child activity. The same on every pass.

    `exit_code` is 1 to 255, `reason` why it failed (may be empty), `stdout` what a command printed, as bytes. On the
    first pass `__cause__` is the exception that the function raised.
    """

    def __init__(self, what: str, exit_code: int, reason: str = "", stdout: bytes = b"") -> None:
        super().__init__("step_failed", f"{what} failed" + (f": {reason}" if reason else f" with exit code {exit_code}"))
        self.exit_code = exit_code
        self.reason = reason
        self.stdout = stdout


class WaitTimeoutError(SvcError, TimeoutError):
    """The time of a wait is over. Recorded, so a later pass meets it again."""

    def __init__(self, what: str, timeout: str) -> None:
        super().__init__("wait_timed_out", f"{what} did not end within {timeout}")


class RunStopped(BaseException):
    """Ends what is left of a run of a worker once this pass of it is over: it waits, was cancelled, or goes on elsewhere.

    Durable calls of a plain function raise it, so that its thread ends. `except Exception` does not catch it, `finally`
    blocks run, and durable calls in them raise it again. Nothing that such blocks return or raise reaches the run.
    """


def quoted(name: object) -> str:
    return json.dumps(name, ensure_ascii=False) if isinstance(name, str) else repr(name)


def not_in_a_script(variable: str) -> SvcError:
    return SvcError(
        "not_in_a_script_run",
        f"{variable} is not set: this call works only in a script that an agent runs",
        "Submit the script with `svc submit`, or run it here with `svc run`.",
    )


def not_in_a_run(what: str) -> SvcError:
    return SvcError(
        "not_in_a_run",
        f"{what} was called in a worker, but in none of its runs",
        "Call it in the function of a workflow, and in threads that have its context; not in a forked process.",
    )


def inside_a_step(what: str, step: str) -> SvcError:
    return SvcError(
        "step_in_progress",
        f"{what} was called inside the step {quoted(step)}, where nothing can be recorded",
        "Call it before or after the step, and return values as the step's result.",
    )


def too_old(what: str, protocol: int, needed: int) -> SvcError:
    return SvcError(
        "protocol_unsupported",
        f"{what} with {'retry or timeout' if needed > 2 else 'a timeout'} needs protocol {needed} of the agent socket, "
        f"but this agent speaks protocol {protocol}",
        "Run the script on a newer agent, or leave these options out.",
    )


def agent_lost(path: str, why: str) -> SvcError:
    return SvcError(
        "agent_lost",
        f"the agent is no longer running (SVC_AGENT_SOCKET {path}: {why})",
        "Nothing is lost: the run continues when an agent claims it again, and recorded calls are not repeated.",
    )


def unreadable(why: str) -> SvcError:
    return SvcError(
        "agent_answer_invalid",
        f"the agent's answer cannot be read: {why}",
        "Use the same SDK version as the agent; if you do not install an SDK, scripts get the agent's version automatically.",
    )


def misused(message: str) -> SvcError:
    return SvcError("usage", message)
