"""What people write (TOML files, `--set`), checked: what is not understood is refused in a sentence that names it."""

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dgpexp.errors import UserError


@dataclass(frozen=True)
class Check:
    """What a key accepts, in words and as a test."""

    accepts: str
    test: Callable[[Any], bool]


_MOST = 10**12  # of anything that is counted: sizes and costs are still exact as doubles


def setting(default: Any, about: str, accepts: str, test: Callable[[Any], bool]) -> Any:
    """A field of config.Settings: its default, one line of help, and what it accepts."""
    return field(default=default, metadata={"about": about, "check": Check(accepts, test)})


def count(default: int, about: str, least: int = 1) -> Any:
    return setting(default, about, f"a whole number of at least {least}", lambda v: least <= v <= _MOST)


def positive(default: float, about: str) -> Any:
    return setting(default, about, "a positive number", lambda v: 0 < v < float("inf"))


def share(default: float, about: str) -> Any:
    return setting(default, about, "a number from 0 to 1", lambda v: 0 <= v <= 1)


def choice(default: str, about: str, *options: str) -> Any:
    return setting(default, about, "one of " + ", ".join(options), lambda v: v in options)


def flag(default: bool, about: str) -> Any:
    return setting(default, about, "true or false", lambda v: True)


def as_table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{where} is {value!r}, but must be a table.")
    return value


def refuse_unknown(words: Iterable[str], known: Iterable[str], what: str, listed: str, suggest: bool = False) -> None:
    """Refuse the first that is not known: `unknown {what} 'epoch' (did you mean 'epochs'?); {listed} ...`."""
    known = list(known)
    for word in words:
        if word not in known:
            near = difflib.get_close_matches(word.lower(), known, n=1) if suggest else []
            hint = f" (did you mean '{near[0]}'?)" if near else ""
            raise UserError(f"unknown {what} '{word}'{hint}; {listed} {', '.join(known)}.")


def accepted(value: Any, name: str, check: Check, kind: Any = None) -> Any:
    """`value`, as a `kind` if one is asked for, or a sentence that says what the key accepts."""
    refused = UserError(f"{name} = {value!r} is not possible: it accepts {check.accepts}.")
    if kind is float and type(value) is int:
        value = float(value)  # TOML and people write 1 for 1.0
    if (kind is not None and type(value) is not kind) or not check.test(value):
        raise refused
    return value


@contextmanager
def within(where: str) -> Iterator[None]:
    """Says in which file or table of it the refused word stands."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{where}: {error}") from error
