"""A table of the user's own as a data set: checked, encoded, named after its numbers, kept in the data folder.

The name is the file's and a digest of what was read, e.g. `prices-1f2e3d4c`: a file that changed is another data set,
with runs of its own. What the runs read is the copy in the data folder, NAME.npy with NAME.json beside it, so that a
file may be edited or moved while they go on.
"""

import difflib
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dgpexp.datasets.catalog import Dataset
from dgpexp.datasets.kept import description_path, own_dataset, write_description
from dgpexp.datasets.sources.folder import cache_path, data_dir, read_cache, write_cache
from dgpexp.datasets.table import fingerprint
from dgpexp.errors import UserError
from dgpexp.tables import columns as encoding
from dgpexp.tables import target as targets
from dgpexp.tables.dates import date_columns, dated, expand
from dgpexp.tables.file import Cells, read_cells
from dgpexp.tables.missing import Found, resolve

FEWEST_ROWS = 20


@dataclass(frozen=True)
class OwnTable:
    """The data set that a file is, its array [N, D+1], and what a person should know about how it was read."""

    dataset: Dataset
    values: np.ndarray
    notes: tuple[str, ...]

    def keep(self) -> None:
        """Put it into the data folder, where the processes of the runs find it."""
        name = self.dataset.name
        kept = read_cache(name)
        if kept is None or fingerprint(kept) != self.dataset.fingerprint:
            write_cache(name, self.values)
        write_description(self.dataset)

    @contextmanager
    def kept(self, for_good: bool) -> Iterator[None]:
        """Keep it; where this was not for good, or the block fails, what was not there before goes again."""
        folder = data_dir()
        made = not folder.exists()
        new = [
            path for path in (cache_path(self.dataset.name), description_path(self.dataset.name)) if not path.exists()
        ]
        done = False
        try:
            self.keep()
            yield
            done = for_good
        finally:
            if not done:
                for path in new:
                    path.unlink(missing_ok=True)
                if made:
                    with suppress(OSError):  # somebody else's file is in it by now
                        folder.rmdir()


def read_own(
    file: Path,
    target: str | None,
    drop: Sequence[str] = (),
    test: Path | None = None,
    missing: str | None = None,
    dates: bool = False,
    task: str | None = None,
) -> OwnTable:
    """The table in a CSV, with the rows of `test` below its own; without `task`, the target says which it is.

    `missing` says what becomes of missing cells (see missing.py), `dates` whether those are expanded (see dates.py).
    """
    raw = read_cells(file)
    target = _known(raw, target, "--target")
    dropped = {_known(raw, name, "--drop") for name in drop}
    if target in dropped:
        raise UserError(f"'{target}' cannot be the target and be dropped.")
    with_dates = date_columns(raw, [n for n in raw.columns if n != target and n not in dropped]) if dates else []
    taught = expand(raw, with_dates)
    used = [name for name in taught.columns if name != target and name not in dropped]
    cells, absent, notes = resolve(taught, used, target, missing, taught)
    notes += [f"column '{name}' has dates: its parts are inputs, {name}.year and so on." for name in with_dates]
    if len(cells) < FEWEST_ROWS:
        raise UserError(f"{file} has {len(cells)} rows: at least {FEWEST_ROWS} are needed to train and test a model.")
    goal = targets.learn(cells, target, task)
    learnt = encoding.learn(cells, used)
    if not learnt.features:
        raise UserError(f"{file} has no column left to predict '{target}' from.")
    values = np.column_stack([_inputs(cells, learnt, absent), goal.values])
    test_rows = 0
    if test is not None:
        more = _test_rows(test, target, learnt, goal.classes, missing, taught)
        values, test_rows = np.concatenate([values, more]), len(more)
    digest = fingerprint(values)
    classes = [goal.classes] if goal.classes else []
    identity = json.dumps([digest, learnt.features, target, learnt.levels, test_rows, *classes])
    name = f"{_slug(file)}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}"
    dataset = own_dataset(name, len(values), learnt.features, target, digest, learnt.levels, test_rows, goal.classes)
    return OwnTable(dataset, values, (*cells.notes, *notes, *learnt.notes, *goal.notes))


def _test_rows(
    test: Path, target: str, learnt: encoding.Learnt, classes: tuple[str, ...], missing: str | None, taught: Cells
) -> np.ndarray:
    cells = read_cells(test)
    cells = expand(cells, dated(learnt.features, cells))
    wanted = encoding.needed(learnt.features, learnt.levels)
    lacking = [name for name in [*wanted, target] if name not in cells.columns]
    if lacking:
        raise UserError(f"{test} lacks the columns {', '.join(lacking)}: it needs the columns of the training file.")
    cells, absent, _ = resolve(cells, wanted, target, missing, taught)
    if not len(cells):
        raise UserError(f"{test} has a header line and no rows to test on.")
    y = targets.read(cells, target, classes)
    return np.column_stack([_inputs(cells, learnt, absent), y])


def _inputs(cells: Cells, learnt: encoding.Learnt, absent: Found) -> np.ndarray:
    """The inputs [n, D], NaN where a number is missing: what is taken in its place depends on the split."""
    x = encoding.encode(cells, learnt.features, learnt.levels)
    for name, rows in absent.items():
        if name in learnt.features:  # it is not where the column is constant
            x[list(rows), learnt.features.index(name)] = np.nan
    return x


def _known(cells: Cells, name: str | None, option: str) -> str:
    columns = ", ".join(cells.columns)
    if name is None:
        raise UserError(f"say with --target which column to predict; the columns of {cells.path} are: {columns}.")
    if all(map(encoding.is_number, cells.columns)):
        raise UserError(f"{cells.path} begins with numbers ({columns}): it needs a header line with names.")
    if name.strip() in cells.columns:
        return name.strip()
    lower = {c.lower(): c for c in cells.columns}
    near = difflib.get_close_matches(name.strip().lower(), lower, n=1)
    hint = f" (did you mean '{lower[near[0]]}'?)" if near else ""
    raise UserError(f"{option} {name}: {cells.path} has no such column{hint}; its columns are: {columns}.")


def _slug(file: Path) -> str:
    """The file's name without its endings, in letters that a folder and a shell can bear."""
    stem = unicodedata.normalize("NFKD", file.name.split(".")[0]).encode("ascii", "ignore").decode()  # ä becomes a
    return re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")[:40] or "table"
