"""What is recorded of values, and how they are read back."""

from __future__ import annotations

import json
import math
import re
from datetime import timedelta
from typing import Any, Dict, NoReturn, Tuple, Type, Union

from ._errors import misused

# More of an output is neither kept nor sent. The service refuses what is larger by how much it is over.
OUTPUT_BYTES = 2 * 1024 * 1024
MAX_REASON_LENGTH = 16_000
BEGINNINGS = frozenset('-0123456789"[{tfn')

Duration = Union[str, int, float, timedelta]
"""`"90s"`, `"1h30m"`, or seconds, or a timedelta."""


class ReadOnly(Dict[str, str]):
    """Texts that a run only reads. A dict, so that they can be written as JSON; copies of it are ordinary dicts."""

    def _reject(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("the variables of a run are read-only; dict(vars()) is a copy that you can change")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _reject  # type: ignore[assignment]
    __ior__ = _reject  # type: ignore[assignment]

    def __reduce__(self) -> Tuple[Type[Dict[str, str]], Tuple[Dict[str, str]]]:
        return dict, (dict(self),)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _parse(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def _may_be_json(text: str) -> bool:
    return text.lstrip(" \t\n\r")[:1] in BEGINNINGS


def _is_json(text: str) -> bool:
    if not _may_be_json(text):
        return False
    try:
        _parse(text)
        return True
    except RecursionError:
        return True
    except ValueError:
        return False


def to_json(value: object) -> bytes:
    """UTF-8 without blanks. Raises TypeError or ValueError for what is not JSON: NaN, bytes, objects of a class."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Halves of characters, which only an escape can hold.
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def encode_result(value: object) -> bytes:
    """The bytes that are recorded of a result: nothing for None, a text as `echo` would print it, and everything else
    as a line of JSON. A text that would be read as JSON (`5`, `true`, `{}`) is written as JSON too, in quotes."""
    if value is None:
        return b""
    if isinstance(value, str) and not _is_json(value):
        try:
            return value.encode() + b"\n"
        except UnicodeEncodeError:
            pass
    return to_json(value) + b"\n"


def decode_result(data: bytes) -> Any:
    """What `encode_result` wrote, or a command: JSON where it is, else the text without its last line end."""
    if not data:
        return None
    text = without_line_end(data)
    if not _may_be_json(text):
        return text
    try:
        return _parse(text)
    except ValueError:
        return text


def without_line_end(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return text[:-1] if text.endswith("\n") else text


def reason_of(error: BaseException) -> str:
    """`ValueError: no such thing`, as a text that can be recorded."""
    try:
        detail = str(error)
    except Exception:
        detail = ""
    text = f"{type(error).__name__}: {detail}" if detail else type(error).__name__
    return text[:MAX_REASON_LENGTH].encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def exit_code_of(error: BaseException) -> int:
    """The exit code that an exception asks for with `exit_code`, else 1."""
    code = getattr(error, "exit_code", None)
    return code if isinstance(code, int) and 0 < code < 256 else 1


def duration_text(value: Duration, what: str) -> str:
    if isinstance(value, str):
        return value
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and math.isfinite(seconds) and seconds >= 0:
        ms = math.ceil(seconds * 1000)
        return f"{ms}ms" if ms % 1000 else f"{ms // 1000}s"
    raise misused(f'{what} must be a duration such as "5s" or "1h30m", a number of seconds or a timedelta')


_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of(value: Duration, what: str) -> float:
    """The length of a duration."""
    text = duration_text(value, what)
    if re.fullmatch(r"(?:\d+(?:ms|s|m|h|d))+", text) is None:
        raise misused(f'{what} must be a duration such as "5s" or "1h30m", a number of seconds or a timedelta')
    return sum(int(number) * _UNITS_S[unit] for number, unit in re.findall(r"(\d+)(ms|s|m|h|d)", text))
