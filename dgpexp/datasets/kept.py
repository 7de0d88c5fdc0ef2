"""Tables of the user's own in the data folder: NAME.npy, and NAME.json which says what its columns are.

How a file becomes such a table is the business of dgpexp/tables; all that the packages below need is kept here.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dgpexp.datasets.catalog import Dataset
from dgpexp.datasets.sources.folder import data_dir, written_whole
from dgpexp.errors import UserError

EXPERIMENT = "csv"
DATE_PARTS = ("year", "month", "weekday", "hour")  # sold becomes sold.year, ...
Levels = Mapping[str, Sequence[str]]  # the words of each column of words
_KEPT = ("name", "rows", "features", "target", "fingerprint", "levels", "test_rows", "classes", "reading")


def own_dataset(
    name: str,
    rows: int,
    features: Sequence[str],
    target: str,
    fingerprint: str,
    levels: Levels,
    test_rows: int,
    classes: Sequence[str] = (),  # descriptions of version 0.1 lack them
    reading: Mapping[str, Mapping[str, str]] | None = None,  # neither have they this
) -> Dataset:
    """The entry of a table that no catalog has."""
    return Dataset(
        name=name,
        experiment=EXPERIMENT,
        rows=rows,
        features=tuple(features),
        target=target,
        licence="yours",
        citation="a table of your own",
        hint="`dgpexp run csv FILE --target COLUMN` with the file it was made from puts it there",
        fingerprint=fingerprint,
        levels={column: tuple(words) for column, words in levels.items()},
        test_rows=test_rows,
        classes=tuple(classes),
        reading=reading,
    )


def digest(
    fingerprint: str, features: Sequence[str], target: str, levels: Levels, test_rows: int, classes: Sequence[str] = ()
) -> str:
    """What a table's name ends in: eight letters that follow from all that was read."""
    identity = json.dumps([fingerprint, features, target, levels, test_rows, *([classes] if classes else [])])
    return hashlib.sha256(identity.encode()).hexdigest()[:8]


def table_name(name: str, target: str) -> str:
    """How a person calls a table: flats-1f2e3d4c with the target rent is flats.rent."""
    return f"{name.rpartition('-')[0] or name}.{target}"


def write_description(dataset: Dataset) -> None:
    """Write NAME.json, unless it says the same already."""
    try:
        kept = find_kept(dataset.name)
    except UserError:  # damaged: it is written again
        kept = None
    if kept != dataset or kept.reading != dataset.reading:
        about: dict[str, Any] = {key: getattr(dataset, key) for key in _KEPT}
        with written_whole(description_path(dataset.name)) as part:
            part.write_text(json.dumps(about, indent=1), encoding="utf-8")


def find_kept(name: str) -> Dataset | None:
    """The table of that name, None if there is none; a description that does not fit its name is refused."""
    path = description_path(name)
    try:
        found = own_dataset(**json.loads(path.read_text(encoding="utf-8")))
        about = (found.fingerprint, found.features, found.target, found.levels, found.test_rows, found.classes)
        if found.name == name and name.rpartition("-")[2] == digest(*about):
            return found
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, AttributeError):
        pass
    if "-" not in name:
        return None  # somebody else's file
    raise UserError(
        f"{path} is damaged, though the runs on {name} are not: `dgpexp run csv FILE --target COLUMN` with the file it "
        "was made from writes it again."
    )


def kept_tables() -> list[Dataset]:
    """All tables in the data folder, by name."""
    found = []
    for path in sorted(data_dir().glob("*.json")):
        with suppress(UserError):
            found += [dataset] if (dataset := find_kept(path.stem)) else []
    return found


def damaged_descriptions() -> list[Path]:
    """Descriptions that cannot be read, of tables whose numbers are there."""
    readable = {table.name for table in kept_tables()}
    found = sorted(data_dir().glob("*.json"))
    return [path for path in found if path.stem not in readable and path.with_suffix(".npy").exists()]


def description_path(name: str) -> Path:
    return data_dir() / f"{name}.json"


def names_of(column: str, levels: Sequence[str]) -> list[str]:
    """The inputs that a column of words becomes: one for each level, one alone for two levels."""
    return [f"{column}={level}" for level in (levels if len(levels) > 2 else levels[1:])]


def source_columns(features: Sequence[str], levels: Levels) -> dict[str, list[int]]:
    """The columns of the file, each with the places of the inputs made of it: levels of words, parts of dates.

    >>> source_columns(("area", "city=Bern", "city=Oslo", "city=Rome"), {"city": ("Bern", "Oslo", "Rome")})
    {'area': [0], 'city': [1, 2, 3]}
    """
    made = {feature: name for name, known in levels.items() for feature in names_of(name, known)}
    found: dict[str, list[int]] = {}
    for j, feature in enumerate(features):
        stem, _, part = feature.rpartition(".")
        found.setdefault(made.get(feature) or (stem if part in DATE_PARTS and stem else feature), []).append(j)
    return found
