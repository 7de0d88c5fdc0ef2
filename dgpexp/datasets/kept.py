"""Tables of the user's own in the data folder: NAME.npy, and NAME.json which says what its columns are.

How a file becomes such a table is the business of dgpexp/tables; all that the packages below need is kept here.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dgpexp.datasets.catalog import Dataset
from dgpexp.datasets.sources.folder import data_dir, written_whole

EXPERIMENT = "csv"
DATE_PARTS = ("year", "month", "weekday", "hour")  # sold becomes sold.year, ...
Levels = Mapping[str, Sequence[str]]  # the words of each column of words
_KEPT = ("name", "rows", "features", "target", "fingerprint", "levels", "test_rows", "classes")


def own_dataset(
    name: str,
    rows: int,
    features: Sequence[str],
    target: str,
    fingerprint: str,
    levels: Levels,
    test_rows: int,
    classes: Sequence[str] = (),  # descriptions of version 0.1 lack them
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
    )


def write_description(dataset: Dataset) -> None:
    """Write NAME.json, unless it says the same already."""
    if find_kept(dataset.name) != dataset:
        about: dict[str, Any] = {key: getattr(dataset, key) for key in _KEPT}
        with written_whole(description_path(dataset.name)) as part:
            part.write_text(json.dumps(about, indent=1), encoding="utf-8")


def find_kept(name: str) -> Dataset | None:
    """The table of that name, None if there is none or its description is damaged."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        return own_dataset(**json.loads(description_path(name).read_text(encoding="utf-8")))
    return None


def kept_tables() -> list[Dataset]:
    """All tables in the data folder, by name."""
    found = (find_kept(path.stem) for path in sorted(data_dir().glob("*.json")))
    return [dataset for dataset in found if dataset is not None]


def damaged_descriptions() -> list[Path]:
    """Descriptions that cannot be read, of tables whose numbers are there."""
    return [
        p for p in sorted(data_dir().glob("*.json")) if find_kept(p.stem) is None and p.with_suffix(".npy").exists()
    ]


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
