"""Which code made a run: a digest per module of the sources that decide numbers, and runs that other code made.

Digests are taken of the syntax tree without docstrings, so comments, docstrings and formatting do not count. A run
keeps them in info.json, as `modules`; `code` is the digest of them all.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from dgpexp.runs.provenance import PACKAGE
from dgpexp.store.stored_run import StoredRun

DECIDING = ("datasets", "gp", "inference", "predictive", "training")  # not the report, nor the command line
_NAMED = 3  # modules that a sentence names


@cache
def modules(package: Path = PACKAGE) -> Mapping[str, str]:
    """The digest of every module that decides numbers, e.g. {"inference.vi": "1f2e3d4c"}."""
    paths = sorted(path for folder in DECIDING for path in (package / folder).rglob("*.py"))
    return {
        ".".join(path.relative_to(package).with_suffix("").parts): digest_of(path.read_text(encoding="utf-8"))
        for path in paths
    }


def digest_of(source: str) -> str:
    """8 digits that change with the syntax tree of a module and with nothing else."""
    return _digest(_shown(ast.parse(source)))


def overall(parts: Mapping[str, str]) -> str:
    """One digest of all modules."""
    return _digest(sorted(parts.items()))


def _digest(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:8]


def _shown(node: Any) -> Any:
    """A node as nested tuples, without docstrings; what is empty is left out, which versions of Python treat apart."""
    if isinstance(node, list):
        return tuple(_shown(part) for part in node)
    if not isinstance(node, ast.AST):
        return node
    parts = dict(ast.iter_fields(node))
    body = parts.get("body")
    if isinstance(body, list) and body and isinstance(node, _DOCUMENTED) and _is_text(body[0]):
        parts["body"] = body[1:]
    return type(node).__name__, *((k, _shown(v)) for k, v in parts.items() if v not in (None, []))


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def continued(before: Mapping[str, str] | None) -> dict[str, str]:
    """The modules of a run that goes on from a checkpoint: where code changed since, neither version made it."""
    now = modules()
    if before is None:  # begun by a version that did not keep them
        return {}
    return {
        name: here if here == there else f"{there}, then {here}"
        for name in sorted({*before, *now})
        for there, here in [(before.get(name, "absent"), now.get(name, "absent"))]
    }


@dataclass
class OtherCode:
    """Runs that other code than the present made, or code that nobody knows."""

    other: list[StoredRun] = field(default_factory=list)
    unknown: list[StoredRun] = field(default_factory=list)  # of versions that kept no digest
    differing: Counter[str] = field(default_factory=Counter)  # in how many of `other` a module differs

    def add(self, run: StoredRun) -> bool:
        """Count the run; whether it may have been made by other code than the present."""
        if not run.info.get("code"):
            self.unknown.append(run)
            return True
        if run.info["code"] == overall(modules()):
            return False
        self.other.append(run)
        there, here = run.info.get("modules") or {}, modules()
        self.differing.update(name for name in {*there, *here} if there.get(name) != here.get(name))
        return True

    @property
    def sentences(self) -> list[str]:
        """What a person should know, if anything; versions that kept no digest are mentioned briefly."""
        said = []
        if self.other:
            names = [name for name, _ in sorted(self.differing.items(), key=lambda pair: (-pair[1], pair[0]))]
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            differ = "differs" if len(names) == 1 else "differ"
            what = f" ({', '.join(names[:_NAMED])}{more} {differ})" if names else ""
            said.append(f"{_counted(self.other)} made by other code than the present{what}.")
        if self.unknown:
            said.append(f"{_counted(self.unknown)} made by a version that kept no digest of its code.")
        return said


def _counted(runs: list[StoredRun]) -> str:
    return "1 run was" if len(runs) == 1 else f"{len(runs)} runs were"


def other_code(runs: Iterable[StoredRun]) -> OtherCode:
    """The begun runs among these that other code made."""
    found = OtherCode()
    for run in runs:
        if run.begun:
            found.add(run)
    return found
