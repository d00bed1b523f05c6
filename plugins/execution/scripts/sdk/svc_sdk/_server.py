"""Finds the server of a program, by the rules of the command line (cli/client/profile.ts)."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from typing import Any, Dict, Mapping, NamedTuple, Optional
from urllib.parse import urlsplit

from ._errors import SvcError, quoted

GROUP_AND_OTHERS = 0o077


class Server(NamedTuple):
    url: str
    token: str
    org: str
    project: str
    # Where the token comes from, for error messages.
    origin: str
    # Of a server that listens on a Unix socket.
    socket_path: Optional[str]


def find_server(env: Optional[Mapping[str, str]] = None, folder: Optional[str] = None) -> Server:
    """A token is sent only to the server that it belongs to: a profile is never combined with an address or a token from
    elsewhere."""
    env = os.environ if env is None else env
    url, org, project = (env.get(f"SVC_{name}") or "" for name in ("URL", "ORG", "PROJECT"))
    token = _read_token(env)
    # Scripts have the first of these variables, and the functions of their steps have the second.
    is_in_job = "SVC_AGENT_SOCKET" in env or "SVC_IDEMPOTENCY_KEY" in env
    if is_in_job and not (url and token):
        raise _not_configured(
            "a job cannot use a profile: it does not have the rights of the owner of its machine",
            "Set SVC_URL and SVC_TOKEN in the job, from a credential of the project.",
        )
    # Variables that say everything need no file.
    needs_profile = not is_in_job and not (url and token and org and project)
    profile = _find_profile(env, os.getcwd() if folder is None else folder) if needs_profile else None
    is_same = profile is not None and (not url or _normal(profile.get("url", "")) == _normal(url))
    if token and not url:
        raise _not_configured("SVC_TOKEN is set, but SVC_URL is not", "Set SVC_URL to the server of the token.")
    if url and not token and not is_same:
        raise _not_configured("SVC_URL is set, but SVC_TOKEN is not", "Set SVC_TOKEN to a token of that server.")
    known = profile if is_same and profile is not None else {}
    found = Server(
        url=url or known.get("url", ""),
        token=token or known.get("token", ""),
        org=org or known.get("org", ""),
        project=project or known.get("project", ""),
        origin="SVC_TOKEN" if token else known.get("path", ""),
        socket_path=None,
    )
    if not found.url or not found.token:
        raise _not_configured(
            "no server is configured: there is no profile, and SVC_URL or SVC_TOKEN is not set",
            "Start a server here with `svc dev`, or log in to one with `svc login --url <address> --token -`.",
        )
    if not found.org or not found.project:
        raise SvcError("usage", "no org or project is selected", "Set SVC_ORG and SVC_PROJECT, or log in with both.")
    if re.fullmatch(r"[\x21-\x7e]+", found.token) is None:
        raise _not_configured(
            f"the token from {found.origin} contains invalid characters",
            "Pass only the token, without line breaks or quotes.",
        )
    return _addressed(found)


def given_server(given: Mapping[str, str]) -> Server:
    """The server that a program names itself. No profile adds what is missing."""
    unknown = next((name for name in given if name not in ("url", "token", "org", "project")), None)
    if unknown is not None:
        raise SvcError("usage", f"unknown member {quoted(unknown)} of server; use url, token, org, project")
    named = {f"SVC_{name.upper()}": given.get(name) or "" for name in ("url", "token", "org", "project")}
    return find_server({**named, "SVC_IDEMPOTENCY_KEY": ""})


def _not_configured(message: str, next: str) -> SvcError:
    return SvcError("not_authenticated", message, next)


def _read_token(env: Mapping[str, str]) -> str:
    path = env.get("SVC_TOKEN_FILE")
    if not path:
        return env.get("SVC_TOKEN") or ""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError as error:
        raise _not_configured(
            f"the token file {path} cannot be read ({errno.errorcode.get(error.errno or 0, 'unknown')})", "Correct SVC_TOKEN_FILE."
        ) from None


def _addressed(server: Server) -> Server:
    """A password in an address would be shown wherever the address is shown."""
    if server.url.startswith("unix:"):
        return server._replace(socket_path=server.url[len("unix:") :])
    try:
        parts = urlsplit(server.url)
        fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        if fine and not (parts.username or parts.password or parts.query or parts.fragment):
            return server._replace(url=server.url.rstrip("/"))
    except ValueError:
        # It is no address.
        pass
    raise SvcError(
        "usage", "the server's address is not valid; write it like http://127.0.0.1:8787", "Correct SVC_URL or the profile."
    )


def _normal(url: str) -> str:
    """The path of a socket is not normalized: with symbolic links in it, `..` does not lead where it seems to."""
    if url.startswith("unix:"):
        return url.rstrip("/")
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        return f"{parts.scheme}://{parts.hostname}:{port}{parts.path}".rstrip("/")
    except ValueError:
        return url.rstrip("/")


def _find_profile(env: Mapping[str, str], folder: str) -> Optional[Dict[str, str]]:
    """`.svc/profile.json` in this folder or above, or else the user's profile. Files of other users are ignored, because what
    somebody else has put into a folder above must not decide where tokens and inputs go."""
    name = env.get("SVC_PROFILE")
    config = os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(_home(env), ".config"), "svc")
    if name:
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}", name) is None:
            raise SvcError("usage", f"{quoted(name)} is not a valid profile name", "Correct SVC_PROFILE.")
        return _read_profile(os.path.join(config, "profiles", f"{name}.json"))
    at = folder
    while True:
        found = _read_profile(os.path.join(at, ".svc", "profile.json"))
        if found is not None:
            return found
        if os.path.dirname(at) == at:
            return _read_profile(os.path.join(config, "profile.json"))
        at = os.path.dirname(at)


def _home(env: Mapping[str, str]) -> str:
    """A user id without an account, as in containers, has no home and therefore no profile."""
    home = env.get("HOME") or os.path.expanduser("~")
    return "/nonexistent" if home == "~" else home


def _read_profile(path: str) -> Optional[Dict[str, str]]:
    text = _read_private(path)
    if text is None:
        return None
    try:
        profile: Any = json.loads(text)
    except ValueError:
        # The message may quote the file, including the token.
        profile = None
    if not isinstance(profile, dict) or not all(isinstance(value, str) for value in profile.values()):
        raise _invalid(path, "it is not an object of strings")
    return {**profile, "path": path}


def _read_private(path: str) -> Optional[str]:
    try:
        # Opening a named pipe of somebody else would otherwise block forever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        # A file that we may not even open belongs to somebody else.
        return None
    except OSError as error:
        raise _invalid(path, str(error.strerror)) from None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if about.st_uid != os.getuid():
            return None
        if not stat.S_ISREG(about.st_mode):
            raise _invalid(path, "it is not a file")
        if about.st_mode & GROUP_AND_OTHERS:
            raise SvcError(
                "profile_open",
                f"{path} contains a token, and other users can read or write it",
                f"Run `chmod 600 {path}`; if other users had access to this machine, replace the token.",
            )
        return file.read().decode("utf-8", "replace")


def _invalid(path: str, reason: str) -> SvcError:
    return SvcError("profile_invalid", f"{path} cannot be read: {reason}", "Remove it, then log in again.")
