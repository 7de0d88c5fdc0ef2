"""Import data sets from a folder (`dgpexp data import DIR`), whatever the files are called.

A file is recognised by its checksum; else by its name, and then its numbers must be right; else by its numbers alone.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dgpexp.datasets.catalog import CATALOG, Dataset
from dgpexp.datasets.formats import canonical
from dgpexp.datasets.formats.tabular import read_table
from dgpexp.datasets.formats.zips import is_archive, sha256_of, unpack
from dgpexp.datasets.sources.chain import keep, usable
from dgpexp.datasets.sources.folder import workshop
from dgpexp.datasets.splits import split_indices
from dgpexp.datasets.table import fingerprint
from dgpexp.errors import UserError

_TABLES = (".csv", ".txt", ".data", ".arff", ".xls", ".xlsx", ".gz")
_GUESS_BELOW = 20_000_000  # bytes: a larger table that nothing points to is not read on the off chance


@dataclass(frozen=True)
class Finding:
    """What became of a file: taken (as `dataset`), refused (damaged), or left (not a set of ours)."""

    file: str
    outcome: str
    dataset: str = ""
    detail: str = ""


def import_folder(folder: Path) -> Iterator[Finding]:
    """Go through a folder and keep every data set in it, saying file by file what was done."""
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder} to import from.")
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    for path in files:
        shown = str(path.relative_to(folder))
        if not os.access(path, os.R_OK):
            yield Finding(shown, "refused", detail="it may not be read by you.")
        elif path.name.endswith("_splits.npz"):
            yield _splits(path, shown)
        elif is_archive(path):
            yield from _archive(path, shown)
        else:
            yield _file(path, shown)


def _archive(archive: Path, shown: str) -> Iterator[Finding]:
    names = {f.name for d in CATALOG.values() for f in d.originals}
    with workshop("import") as scratch:
        try:
            members = unpack(archive, names, scratch)
        except UserError as error:
            yield Finding(shown, "refused", detail=str(error))
            return
        for path in members:
            yield _file(path, f"{shown}: {path.name}")
    if not members:
        yield Finding(shown, "left", detail="a zip without a data set of dgpexp in it")


def _file(path: Path, shown: str) -> Finding:
    dataset, why = _by_checksum(path), "by its checksum"
    if dataset is None:
        dataset, why = _by_name(path), "by its name and its numbers"
    if dataset is None:
        return _by_numbers(path, shown) or Finding(shown, "left", detail="not a data set of dgpexp")
    beside = [p for p in path.parent.iterdir() if p.name in dataset.parts] if path.name in dataset.parts else [path]
    files = usable(dataset, beside)
    if not files:
        missing = [n for n in dataset.parts if n not in {p.name for p in beside}]
        return Finding(shown, "refused", dataset.name, f"{dataset.name} also needs {', '.join(missing)} beside it.")
    if path != files[0]:
        return Finding(shown, "taken", dataset.name, f"together with {files[0].name}")
    try:
        values = canonical.read(dataset, files)
    except UserError as error:  # data.txt may be any set's
        return _by_numbers(path, shown) or Finding(shown, "refused", dataset.name, str(error))
    keep(dataset, values)
    if not dataset.fingerprint and why != "by its checksum":
        why = "by its name and its shape; whether its numbers are the published ones is not known"
    return Finding(shown, "taken", dataset.name, why)


def _by_checksum(path: Path) -> Dataset | None:
    sha256 = sha256_of(path)
    for d in CATALOG.values():
        files = [*d.originals, d.canonical] if d.canonical else [*d.originals]
        if sha256 in {f.sha256 for f in files} | {p.sha256 for p in d.packages}:
            return d
    return None


def _by_name(path: Path) -> Dataset | None:
    return next((d for d in CATALOG.values() if path.name in (*d.file_names, f"{d.name}.csv")), None)


def _by_numbers(path: Path, shown: str) -> Finding | None:
    """Find the set with this table's shape and numbers; None if there is none."""
    if not path.name.endswith(_TABLES) or path.stat().st_size > _GUESS_BELOW:
        return None
    try:
        values = read_table(path)
    except UserError:
        return None
    for d in CATALOG.values():
        if d.fingerprint and len(values) == d.rows and values.shape[1] > d.inputs:
            for candidate in (values, canonical.arrange(d, values, shown)):
                if fingerprint(candidate) == d.fingerprint:
                    keep(d, candidate)
                    return Finding(shown, "taken", d.name, "by its numbers")
    return None


def _splits(path: Path, shown: str) -> Finding:
    """Compare published row numbers with ours, which must be the same."""
    dataset = CATALOG.get(path.name.removesuffix("_splits.npz"))
    if dataset is None:
        return Finding(shown, "left", detail="splits of a set that is not in the catalog")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as z:  # numpy leaves a damaged file open
            ours = [split_indices(dataset.rows, k) for k in range(len(z["train"]))]
            same = np.array_equal(z["train"], [o[0] for o in ours]) and np.array_equal(z["test"], [o[1] for o in ours])
    except Exception as error:  # a damaged zip fails in many ways
        return Finding(shown, "refused", dataset.name, f"{path} cannot be read ({error}); get it again.")
    if not same:
        return Finding(shown, "refused", dataset.name, f"{path} has other splits than the published ones.")
    return Finding(shown, "left", dataset.name, f"equal to the {len(ours)} splits that dgpexp computes")
