"""A table of the user's own, from the file to its page. The functions here are the door: commands use nothing else.

file -> columns (what each column is) -> own_table (a data set, kept in the data folder) -> protocol (its runs)
-> closing, gathered, page (its results); new_rows (predictions for rows that came later).

A function imports what it needs when it is called, so that refusals come before TensorFlow and matplotlib are loaded.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from dgpexp.store.stored_run import StoredRun
    from dgpexp.tables.file import Sheet
    from dgpexp.tables.gathered import OwnReport
    from dgpexp.tables.protocol import TableRun

Say = Callable[[str], None]


def table_run(file: Path | None, *options: Any) -> "TableRun":
    """What `dgpexp run csv FILE` is to run; the file is read, and refused in a sentence where it is ambiguous."""
    from dgpexp.tables.protocol import table_run as made

    return made(file, *options)


def write_demo(path: Path) -> Path:
    """Write the table of `dgpexp demo`."""
    from dgpexp.tables.demo import write_demo as written

    return written(path)


def tables_with_runs(results: Path, profile: str | None = None) -> list[str]:
    """The tables of the user's own that have runs."""
    from dgpexp.tables.gathered import own_tables

    return own_tables(results, profile)[0]


def id_of(results: Path, name: str) -> str:
    """The id of a table that is called by its file and target, flats.rent; any other name as it is."""
    from dgpexp.tables.gathered import matching, own_tables

    found = matching(results, name, own_tables(results)[0]) if "." in name else []
    return found[0] if len(found) == 1 else name


def table_meant(results: Path, name: str | None, profile: str | None) -> str | None:
    """The table whose page is asked for by `name`, or None for the thesis's page."""
    from dgpexp.tables.gathered import table_meant as meant

    return meant(results, name, profile)


def write_page(
    results: Path, table: str, profile: str | None, output: Path | None, say: Say
) -> tuple["OwnReport", Path]:
    """Write the page of a table; returns what is on it, and where it is."""
    from dgpexp import quietly
    from dgpexp.tables.gathered import gather

    quietly.import_tensorflow()
    from dgpexp.tables.embedded import embedded
    from dgpexp.tables.page import write

    found = gather(results, table, profile, say)
    return found, write(found, output or results / "report" / table, embedded(results, table))


def summary(report: "OwnReport") -> list[str]:
    """The results of a page as lines for the terminal."""
    from dgpexp.tables.closing import summary as made

    return made(report)


def model_meant(results: Path, name: str, say: Say) -> tuple["StoredRun", Path | None]:
    """The run that predicts where `name` was said, a run or the final model of a table; the file of its mixture."""
    from dgpexp.tables.gathered import model_meant as meant

    return meant(results, name, say)


def predictor_of(run: "StoredRun", mixture: Path | None) -> Any:
    """The model of a run, or the mixture in a file, that takes the same columns."""
    from dgpexp.errors import UserError
    from dgpexp.store.stored_run import load_model
    from dgpexp.tables.combined import read_model

    features = tuple(run.info.get("features") or ())
    if mixture is None:
        return load_model(run, features=features)
    try:
        with open(mixture, "rb") as file:
            found = read_model(file)
        if found.features != features:
            raise ValueError("it takes other columns")
    except Exception as error:  # a damaged zip or foreign arrays raise whatever they trip over
        raise UserError(
            f"{mixture} is damaged ({error}): remove it, and run the same `dgpexp run csv` again."
        ) from None
    return found


def rows_to_predict(
    run: "StoredRun",
    source: Path,
    missing: str | None,
    decimal: Sequence[str] = (),
    thousands: Sequence[str] = (),
    date_format: Sequence[str] = (),
) -> tuple["np.ndarray", "Sheet", list[str]]:
    """The inputs [n, D] that a run's model takes, from a file; its sheet, and what a person should know."""
    from dgpexp.tables.new_rows import read_inputs
    from dgpexp.tables.reading import Rules

    features, levels = tuple(run.info.get("features") or ()), run.info.get("levels") or {}
    rules = Rules(decimal, thousands, date_format)
    return read_inputs(source, features, levels, missing, run.info.get("reading"), rules)
