"""Starts runs from any program, over the API of the server. `submit` imports it when it is first used."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import time
import uuid
from typing import Any, Dict, Generic, Mapping, NamedTuple, Optional, TypeVar
from urllib.parse import quote, urlsplit

from ._errors import SvcError, WaitTimeoutError, misused
from ._server import Server, find_server, given_server
from ._values import duration_text, seconds_of

T = TypeVar("T")

ENDED = ("succeeded", "failed", "cancelled")
# The server may be silent for longer than it holds a request that waits.
SILENCE_S = 70.0
# The time that one request waits for the end of a run. Proxies close requests that are silent for a minute.
WAIT_S = 50.0
# The time for which `result` endures a server that does not answer, such as during a restart.
OUTAGE_S = 60.0
MIN_PAUSE_S = 0.1
MAX_PAUSE_S = 5.0
OVERLOADED = (429, 502, 503, 504)


class _Transient(Exception):
    """The same request can succeed later."""

    def __init__(self, error: SvcError) -> None:
        super().__init__(str(error))
        self.error = error


def submit_run(name: str, input: Any, options: Dict[str, Any], server: Optional[Mapping[str, str]]) -> "RunHandle[Any]":
    body: Dict[str, Any] = {"function": name}
    if input is not ...:
        body["input"] = input
    for option, value in options.items():
        if value is not None:
            body[option] = duration_text(value, "timeout") if option == "timeout" else value
    # With a key, a request whose answer was lost can be sent again without a second run.
    body.setdefault("idempotency_key", str(uuid.uuid4()))
    found = _server_of(server)
    answer = _send(found, "POST", "/runs", _json(body, "the input of a submission"))
    return RunHandle(found, answer["run_id"], bool(answer.get("duplicate")))


def open_handle(run_id: str, server: Optional[Mapping[str, str]]) -> "RunHandle[Any]":
    return RunHandle(_server_of(server), run_id, False)


def _server_of(given: Optional[Mapping[str, str]]) -> Server:
    return find_server() if given is None else given_server(given)


class RunHandle(Generic[T]):
    """A run, from outside. Its methods block."""

    def __init__(self, server: Server, run_id: str, duplicate: bool) -> None:
        self._server = server
        self._path = f"/runs/{quote(run_id, safe='')}"
        self.run_id = run_id
        self.duplicate = duplicate
        """The run existed before: its idempotency key was used."""

    def __repr__(self) -> str:
        return f"RunHandle({self.run_id!r})"

    def status(self) -> str:
        """queued, running, waiting, succeeded, failed or cancelled."""
        status: str = _once(self._server, "GET", self._path)["status"]
        return status

    def result(self, timeout: Any = None) -> T:
        """Waits for the end of the run, through restarts of the server, and returns its output. Raises SvcError with the
        code of the run's error, or WaitTimeoutError."""
        until = None if timeout is None else time.monotonic() + seconds_of(timeout, "timeout")
        run = self._ended(until)
        if run is None:
            raise WaitTimeoutError(f"the wait for the run {self.run_id}", duration_text(timeout, "timeout"))
        if run["status"] != "succeeded":
            raise _failure(run)
        output: T = run.get("output")
        return output

    def signal(self, name: str, payload: Any = None) -> None:
        """Sends a signal."""
        if not isinstance(name, str) or name == "":
            raise misused("a signal name must be a non-empty string")
        text = _json(payload, "the payload of a signal")
        headers = {"idempotency-key": str(uuid.uuid4())}
        _send(self._server, "POST", f"{self._path}/signals/{quote(name, safe='')}", text, headers)

    def cancel(self, reason: Optional[str] = None) -> None:
        """Cancels the run."""
        _once(self._server, "POST", f"{self._path}/cancel", json.dumps({} if reason is None else {"reason": reason}).encode())

    def _ended(self, until: Optional[float]) -> Optional[Dict[str, Any]]:
        """The run when it has ended; None when the time is over."""
        pause = MIN_PAUSE_S
        answered_at = time.monotonic()
        while True:
            wait = WAIT_S if until is None else min(until - time.monotonic(), WAIT_S)
            try:
                run = _exchange(self._server, "GET", f"{self._path}?wait={max(0, int(wait * 1000))}ms")
                if run["status"] in ENDED:
                    found: Dict[str, Any] = run
                    return found
                if wait <= 0:
                    return None
                answered_at, pause = time.monotonic(), MIN_PAUSE_S
            except _Transient as failure:
                now = time.monotonic()
                if now - answered_at > OUTAGE_S or (until is not None and now >= until):
                    raise failure.error from None
                time.sleep(pause if until is None else max(0.0, min(pause, until - now)))
                pause = min(pause * 2, MAX_PAUSE_S)


class AsyncRunHandle(Generic[T]):
    """A run, from outside, for asyncio."""

    def __init__(self, handle: "RunHandle[T]") -> None:
        self._handle = handle
        self.run_id = handle.run_id
        self.duplicate = handle.duplicate

    def __repr__(self) -> str:
        return f"AsyncRunHandle({self.run_id!r})"

    async def status(self) -> str:
        return await asyncio.to_thread(self._handle.status)

    async def result(self, timeout: Any = None) -> T:
        return await asyncio.to_thread(self._handle.result, timeout)

    async def signal(self, name: str, payload: Any = None) -> None:
        await asyncio.to_thread(self._handle.signal, name, payload)

    async def cancel(self, reason: Optional[str] = None) -> None:
        await asyncio.to_thread(self._handle.cancel, reason)


def _json(value: Any, what: str) -> bytes:
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise misused(f"{what} must be JSON") from None


def _failure(run: Dict[str, Any]) -> SvcError:
    run_id = run["run_id"]
    if run["status"] == "cancelled":
        reason = run.get("reason") or ""
        return SvcError("run_cancelled", f"the run {run_id} was cancelled" + (f": {reason}" if reason else ""))
    error = run.get("error") or {}
    return SvcError(
        error.get("code", "run_failed"),
        f"the run {run_id} failed: {error.get('message', 'it failed')}",
        f"`svc explain {run_id}` shows why; `svc rerun {run_id}` repeats it.",
    )


def _send(server: Server, method: str, path: str, body: bytes, headers: Mapping[str, str] = {}) -> Any:
    """A request with a key is sent once more when the connection is lost."""
    try:
        return _exchange(server, method, path, body, headers)
    except _Transient as failure:
        if failure.error.code != "unreachable":
            raise failure.error from None
    return _once(server, method, path, body, headers)


def _once(server: Server, method: str, path: str, body: Optional[bytes] = None, headers: Mapping[str, str] = {}) -> Any:
    try:
        return _exchange(server, method, path, body, headers)
    except _Transient as failure:
        raise failure.error from None


class _Response(NamedTuple):
    status: int
    text: bytes


def _exchange(server: Server, method: str, path: str, body: Optional[bytes] = None, headers: Mapping[str, str] = {}) -> Any:
    """Sends a request below the project of the server and returns its JSON."""
    status, text = _request(server, method, path, body, headers)
    if 200 <= status < 300:
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise SvcError("not_svc", f"the server at {server.url} is not an svc server", "Correct the address.") from None
    # The token is only for this address.
    if 300 <= status < 400:
        raise SvcError("redirected", f"{server.url} redirects to another address, and the token is not sent there")
    error = _problem(server, status, text)
    raise _Transient(error) if status in OVERLOADED else error


def _request(server: Server, method: str, path: str, body: Optional[bytes], headers: Mapping[str, str]) -> _Response:
    connection, base = _connection(server)
    scope = f"/api/v1/orgs/{quote(server.org, safe='')}/projects/{quote(server.project, safe='')}"
    sent = {
        "accept": "application/json, application/problem+json",
        "authorization": f"Bearer {server.token}",
        **({} if body is None else {"content-type": "application/json"}),
        **headers,
    }
    try:
        connection.request(method, f"{base}{scope}{path}", body=body, headers=sent)
        response = connection.getresponse()
        return _Response(response.status, response.read())
    except (OSError, http.client.HTTPException) as error:
        refused = isinstance(error, ConnectionRefusedError)
        reason = "no server is listening at this address" if refused else str(error) or type(error).__name__
        raise _Transient(
            SvcError(
                "unreachable",
                f"cannot reach {server.url}: {reason}",
                "Start it (`svc dev` here, or `svc serve`), or correct the address.",
            )
        ) from None
    finally:
        connection.close()


def _connection(server: Server) -> Any:
    if server.socket_path is not None:
        return _SocketConnection(server.socket_path), ""
    parts = urlsplit(server.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=SILENCE_S), parts.path


class _SocketConnection(http.client.HTTPConnection):
    """To a server that listens on a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=SILENCE_S)
        self._socket_path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(SILENCE_S)
        self.sock.connect(self._socket_path)


def _problem(server: Server, status: int, text: bytes) -> SvcError:
    try:
        body: Any = json.loads(text)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        # The answer comes from a proxy and not from svc: only its status means something.
        body = {}
    errors = body.get("errors") or []
    faults = "; ".join(f"{one.get('pointer') or '/'}: {one.get('message')}" for one in errors if isinstance(one, dict))
    source = f" (the token comes from {server.origin})" if status == 401 else ""
    message = f"{body.get('detail') or body.get('title') or f'the server answered {status}'}{source}"
    return SvcError(str(body.get("code", f"http_{status}")), message + (f": {faults}" if faults else ""), str(body.get("next", "")))
