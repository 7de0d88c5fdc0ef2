"""Shapes that are checked while the tests run: `@shapes(a="n M", returns="n D")` on a function of arrays.

A word names a length, which must be the same wherever it stands in one call; a number is that length, `...` stands for
any axes before the others, and `|` parts alternatives. Lengths that a graph does not know yet fit everything. Checking
is off unless DGPEXP_CHECK_SHAPES is set, as the tests set it: a decorated function is then the function itself.
"""

import inspect
import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def shapes(returns: str | tuple[str, ...] = "", **arguments: str) -> Callable[[F], F]:
    """Check the shapes of the named arguments and of what is returned, an array or a tuple of them."""

    def decorate(function: F) -> F:
        if not os.environ.get("DGPEXP_CHECK_SHAPES"):
            return function
        signature = inspect.signature(function)

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            lengths: dict[str, int] = {}
            given = signature.bind(*args, **kwargs).arguments
            for name, pattern in arguments.items():
                if given.get(name) is not None:
                    _match(f"{function.__qualname__}: {name}", given[name], pattern, lengths)
            result = function(*args, **kwargs)
            patterns, results = (returns, result) if isinstance(returns, tuple) else ((returns,), (result,))
            for pattern, value in zip(patterns, results, strict=True):
                if pattern:
                    _match(f"{function.__qualname__}: the result", value, pattern, lengths)
            return result

        return checked  # type: ignore[return-value]

    return decorate


def _match(what: str, array: Any, pattern: str, lengths: dict[str, int]) -> None:
    """Compare the shape of an array with `pattern`, and learn the lengths it names."""
    shape = getattr(array, "shape", None)
    if shape is None or getattr(shape, "rank", 0) is None:
        return
    found = tuple(shape)
    for words in (alternative.split() for alternative in pattern.split("|")):
        inner = words[1:] if words[:1] == ["..."] else words
        if len(found) < len(inner) or (inner is words and len(found) != len(words)):
            continue
        learned = dict(lengths)
        pairs = zip(inner, found[len(found) - len(inner) :], strict=True)
        if all(n is None or n == (int(w) if w.isdigit() else learned.setdefault(w, n)) for w, n in pairs):
            lengths.update(learned)
            return
    raise ValueError(f"{what} has the shape {found}, not [{pattern}], where {lengths}")
