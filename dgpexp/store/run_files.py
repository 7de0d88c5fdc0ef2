"""The JSON files of a run, read at one door: every value has the type it was written with, or the file is damaged.

Whoever reads a run gets its files from here and need not ask again whether a number is a number. A file that is
damaged reads as empty; its folder is named once, as a warning, and whoever reads goes on with the rest.
"""

import json
import logging
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from dgpexp.predictive.tally import Tally

Test = Callable[[Any], bool]
_log = logging.getLogger("dgpexp.store")
_UNPRINTABLE = re.compile("[\0\ud800-\udfff]")


class Damaged(Exception):
    """What is wrong with a file."""


def _number(value: Any) -> bool:
    return type(value) is float or _whole(value)


def _whole(value: Any) -> bool:
    return type(value) is int and abs(value) < 2**53


def _text(value: Any) -> bool:
    """Make a text that can be printed and kept: half of a surrogate pair can be neither."""
    return isinstance(value, str) and _UNPRINTABLE.search(value) is None


def _scalar(value: Any) -> bool:
    return isinstance(value, bool) or _number(value) or _text(value)


def _or_none(right: Test) -> Test:
    return lambda value: value is None or right(value)


def _list_of(right: Test) -> Test:
    return lambda value: isinstance(value, list) and all(map(right, value))


def _table_of(right: Test) -> Test:
    return lambda value: isinstance(value, dict) and all(map(_text, value)) and all(map(right, value.values()))


def _all_text(value: Any) -> bool:
    """Any JSON whose strings can be kept."""
    if isinstance(value, dict):
        return all(map(_text, value)) and all(map(_all_text, value.values()))
    if isinstance(value, list):
        return all(map(_all_text, value))
    return not isinstance(value, str) or _text(value)


def _curve(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    steps, values, times = (value.get(key) for key in ("steps", "values", "timestamps"))
    right = _list_of(_whole)(steps) and _list_of(_or_none(_number))(values) and _list_of(_text)(times)
    return right and len(steps) == len(values) == len(times)  # type: ignore[arg-type]


def _is_tally(value: Any) -> bool:
    try:
        return all(map(_text, Tally.from_dict(value).labels))
    except (ValueError, OverflowError):
        return False


def _is_meta(value: Any) -> bool:
    """What Sacred keeps beside a run; the note and the tags are ours."""
    return _all_text(value) and isinstance(value, dict) and _list_of(_text)(value.get("tags") or [])


_PAIRS = _list_of(lambda pair: isinstance(pair, list) and len(pair) == 2 and all(map(_text, pair)))
# file -> key -> what its value must be if it is there; keys that are not named may hold any JSON
_KEYS: dict[str, dict[str, Test]] = {
    "run.json": {
        "status": _text,
        "result": _or_none(_number),
        **dict.fromkeys(("start_time", "heartbeat", "stop_time", "command"), _or_none(_text)),
        "host": _or_none(lambda host: isinstance(host, dict) and _or_none(_text)(host.get("hostname"))),
        "experiment": _or_none(
            lambda value: isinstance(value, dict) and _or_none(_PAIRS)(value.get("sources")) and _all_text(value)
        ),
        "fail_trace": _or_none(_list_of(_text)),
        "meta": _or_none(_is_meta),
    },
    "config.json": {
        **dict.fromkeys(("dataset", "method"), _text),
        **dict.fromkeys(("layers", "split", "seed"), _whole),
        "settings": lambda value: _table_of(_scalar)(value) and _whole(value.get("train_samples", 0)),
    },
    "info.json": {
        "metrics": _or_none(_table_of(_or_none(_number))),
        "whole_test": _or_none(_table_of(_or_none(_number))),
        **dict.fromkeys(("steps", "total_steps", "recoveries"), _or_none(_whole)),
        **dict.fromkeys(("train_seconds", "seconds_per_step", "jitter"), _or_none(_number)),
        **dict.fromkeys(("experiment", "profile", "command", "commit", "cpu"), _or_none(_text)),
        **dict.fromkeys(("version", "tensorflow", "error", "started", "task", "target"), _or_none(_text)),
        "code": _or_none(_text),
        "modules": _or_none(_table_of(_text)),
        "tally": _or_none(_is_tally),
        "features": _or_none(_list_of(_text)),
        "levels": _or_none(_table_of(_list_of(_text))),
        "reading": _or_none(_table_of(_table_of(_text))),
    },
}


def read(path: Path) -> dict[str, Any]:
    """What a run.json, config.json, info.json or metrics.json holds; empty if it is not there or damaged."""
    try:
        return _checked(path)
    except FileNotFoundError:
        return {}
    except Damaged as error:
        report(path.parent, f"{path.name} {error}")
        return {}


def _checked(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise Damaged(f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise Damaged("is not JSON") from None
    if not isinstance(content, dict):
        raise Damaged("is not a JSON object")
    keys = _KEYS.get(path.name) or dict.fromkeys(content, _curve)  # metrics.json is a curve per key
    for key, right in keys.items():
        if key in content and not right(content[key]):
            raise Damaged(f"has an impossible value for {key!r}")
    return content


@cache
def report(folder: Path, what: str) -> None:
    """Name a damaged folder, once."""
    _log.warning("%s is damaged (%s): it is left out; the command that made it mends it.", folder, what)
