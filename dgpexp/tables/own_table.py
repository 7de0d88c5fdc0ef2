"""A table of the user's own as a data set: checked, encoded, named after its numbers, kept in the data folder.

The name is the file's and a digest of what was read, e.g. `prices-1f2e3d4c`: a file that changed is another data set,
with runs of its own. What the runs read is the copy in the data folder, NAME.npy with NAME.json beside it, so that a
file may be edited or moved while they go on.
"""

import difflib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow.parquet import ParquetFile

from dgpexp.datasets.catalog import Dataset
from dgpexp.datasets.kept import description_path, digest, own_dataset, write_description
from dgpexp.datasets.sources.folder import cache_path, data_dir, read_cache, write_cache
from dgpexp.datasets.table import fingerprint
from dgpexp.errors import UserError
from dgpexp.tables import columns
from dgpexp.tables import target as targets
from dgpexp.tables.file import Sheet, read_sheet, typed_sheet
from dgpexp.tables.large import Parts, large_file, read_parts
from dgpexp.tables.missing import Found, locate, resolve, sentence
from dgpexp.tables.reading import PLAIN, UNKNOWN, WORDS, Readings, Rules, decide, is_number

FEWEST_ROWS = 20


@dataclass(frozen=True)
class OwnTable:
    """The data set that a file is, its array [N, D+1], and what a person should know about how it was read."""

    dataset: Dataset
    values: np.ndarray | Parts
    notes: tuple[str, ...]

    def keep(self) -> None:
        """Put it into the data folder, where the processes of the runs find it."""
        name = self.dataset.name
        kept = read_cache(name)
        if kept is None or fingerprint(kept) != self.dataset.fingerprint:
            if isinstance(self.values, Parts):
                self.values.write(name)
            else:
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
    rules: Rules = PLAIN,
) -> OwnTable:
    """The table in a file, with the rows of `test` below its own; without `task`, the target says which it is.

    `missing` says what becomes of missing cells (missing.py), `dates` whether dates are expanded, `rules` how columns
    are written that may be read in two ways (columns.py).
    """
    if (large := large_file(file)) is not None:
        return _large(file, large, target, drop, test, task)
    raw, rules = read_sheet(file), replace(rules, dates=dates or rules.dates)
    target = _known(raw, target, "--target")
    dropped = {_known(raw, name, "--drop") for name in drop}
    if target in dropped:
        raise UserError(f"'{target}' cannot be the target and be dropped.")
    rules.refuse_unknown(raw)
    used = [name for name in raw.columns if name != target and name not in dropped]
    readings, refused = decide(raw, [*used, target], rules, target, task)
    found = locate(raw, [*used, target])
    if (found and missing is None) or refused:
        good = [
            name
            for name in used
            if readings[name].kind == WORDS or (readings[name].kind != UNKNOWN and name not in found)
        ]
        raise _all_at_once(raw, found if missing is None else {}, refused, good, readings)
    sheet, notes = resolve(raw, found, target, missing, readings)
    notes += columns.dates_stated(sheet, {name: readings[name] for name in used})
    if len(sheet) < FEWEST_ROWS:
        raise UserError(f"{file} has {len(sheet)} rows: at least {FEWEST_ROWS} are needed to train and test a model.")
    goal = targets.learn(sheet, target, task, readings[target])
    learnt = columns.learn(sheet, used, readings)
    if not learnt.features:
        raise UserError(f"{file} has no column left to predict '{target}' from.")
    values = np.column_stack([learnt.x, goal.values])
    test_rows = 0
    if test is not None:
        more = _test_rows(test, target, learnt, goal.classes, missing, readings)
        values, test_rows = np.concatenate([values, more]), len(more)
    about = (fingerprint(values), learnt.features, target, learnt.levels, test_rows, goal.classes)
    name = f"{_slug(file)}-{digest(*about)}"
    stored = {column: kept for column in [*used, target] if (kept := readings[column].stored())}
    dataset = own_dataset(
        name, len(values), learnt.features, target, about[0], learnt.levels, test_rows, goal.classes, stored
    )
    return OwnTable(dataset, values, (*raw.notes, *notes, *learnt.notes, *goal.notes))


def _large(
    file: Path, parquet: ParquetFile, target: str | None, drop: Sequence[str], test: Path | None, task: str | None
) -> OwnTable:
    """The table in a Parquet file of very many rows (large.py), a tenth of which are the test."""
    if test is not None:
        raise UserError(f"{file} has {parquet.metadata.num_rows:,} rows; a tenth of them are tested: leave --test out.")
    names = typed_sheet(file, {field.name: pa.array([], field.type) for field in parquet.schema_arrow}, 0)
    target = _known(names, target, "--target")
    dropped = {_known(names, name, "--drop") for name in drop}
    if target in dropped:
        raise UserError(f"'{target}' cannot be the target and be dropped.")
    used = [name for name in names.columns if name != target and name not in dropped]
    parts, notes = read_parts(parquet, file, target, used, task)
    name = f"{_slug(file)}-{digest(parts.fingerprint, parts.features, target, {}, 0, parts.classes)}"
    dataset = own_dataset(name, parts.rows, parts.features, target, parts.fingerprint, {}, 0, parts.classes, {})
    return OwnTable(dataset, parts, notes)


def _all_at_once(raw: Sheet, found: Found, refused: list[str], good: Sequence[str], readings: Readings) -> UserError:
    """Everything that is wrong with a file, so that a person need not come back for each."""
    sentences = [sentence(raw, found)] if found else []
    if len(raw) >= FEWEST_ROWS:
        try:
            columns.learn(raw, good, readings)
        except UserError as error:
            refused = [*refused, str(error)]
    return UserError("\n".join(dict.fromkeys([*sentences, *refused])))


def _test_rows(
    test: Path,
    target: str,
    learnt: columns.Learnt,
    classes: tuple[str, ...],
    missing: str | None,
    readings: Readings,
) -> np.ndarray:
    """Inputs and target [n, D+1] of a test file, read as the training file was."""
    sheet = read_sheet(test)
    wanted = columns.needed(learnt.features, learnt.levels, columns.dated(readings))
    lacking = [name for name in [*wanted, target] if name not in sheet.columns]
    if lacking:
        raise UserError(f"{test} lacks the columns {', '.join(lacking)}: it needs the columns of the training file.")
    found = locate(sheet, [*wanted, target])
    if found and missing is None:
        raise UserError(sentence(sheet, found))
    sheet, _ = resolve(sheet, found, target, missing, readings)
    if not len(sheet):
        raise UserError(f"{test} has a header line and no rows to test on.")
    y = targets.read(sheet, target, classes, readings[target])
    return np.column_stack([columns.encode(sheet, learnt.features, learnt.levels, readings), y])


def _known(sheet: Sheet, name: str | None, option: str) -> str:
    names = ", ".join(sheet.columns)
    if name is None:
        raise UserError(f"say with --target which column to predict; the columns of {sheet.path} are: {names}.")
    if all(map(is_number, sheet.columns)):
        raise UserError(f"{sheet.path} begins with numbers ({names}): it needs a header line with names.")
    if name.strip() in sheet.columns:
        return name.strip()
    lower = {c.lower(): c for c in sheet.columns}
    near = difflib.get_close_matches(name.strip().lower(), lower, n=1)
    hint = f" (did you mean '{lower[near[0]]}'?)" if near else ""
    raise UserError(f"{option} {name}: {sheet.path} has no such column{hint}; its columns are: {names}.")


def _slug(file: Path) -> str:
    """The file's name without its endings, in letters that a folder and a shell can bear."""
    stem = unicodedata.normalize("NFKD", file.name.split(".")[0]).encode("ascii", "ignore").decode()  # ä becomes a
    return re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")[:40] or "table"
