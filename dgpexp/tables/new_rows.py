"""Rows that somebody wants predictions for: a file whose columns are matched to the model's inputs by name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dgpexp.datasets import DataChoice
from dgpexp.datasets.kept import DATE_PARTS, Levels, source_columns
from dgpexp.errors import UserError
from dgpexp.predictive.seen import Seen
from dgpexp.store.stored_run import StoredRun
from dgpexp.tables import columns
from dgpexp.tables.file import Sheet, read_sheet
from dgpexp.tables.missing import DROP, locate, rows_of, sentence
from dgpexp.tables.reading import DATE, NUMBER, PLAIN, WORDS, Reading, Readings, Rules, decide

Stored = Mapping[str, Mapping[str, str]]  # column -> how it is written; see Reading.stored


def rows_to_predict(
    run: StoredRun,
    path: Path,
    missing: str | None,
    decimal: Sequence[str],
    thousands: Sequence[str],
    date_format: Sequence[str],
) -> tuple[np.ndarray, Sheet, list[str]]:
    """The inputs [n, D] that a run's model takes, from a file; its sheet, and what a person should know.

    The run knows the levels of words and how its training rows were written. A missing number is NaN, to be filled in
    by whoever has the model, if `missing` says so.
    """
    features, levels = tuple(run.info.get("features") or ()), run.info.get("levels") or {}
    return read_inputs(path, features, levels, missing, run.info.get("reading"), Rules(decimal, thousands, date_format))


def read_inputs(
    path: Path,
    features: tuple[str, ...],
    levels: Levels,
    missing: str | None = None,
    stored: Stored | None = None,
    rules: Rules = PLAIN,
) -> tuple[np.ndarray, Sheet, list[str]]:
    """`rows_to_predict` from what the run knows."""
    sheet = read_sheet(path)
    rules.refuse_unknown(sheet)
    dated = _dated(features, sheet) if stored is None else [name for name, kept in stored.items() if "date" in kept]
    wanted = columns.needed(features, levels, dated)
    if lacking := [name for name in wanted if name not in sheet.columns]:
        raise UserError(
            f"{path} lacks the columns {', '.join(lacking)}; the model needs a header line with "
            f"{', '.join(wanted)} and found {', '.join(sheet.columns)}."
        )
    if not len(sheet):
        raise UserError(f"{path} has a header line and no rows to predict.")
    notes = []
    if unused := [name for name in sheet.columns if name not in wanted]:
        notes.append(f"Not used by the model: {', '.join(unused)}.")
    found = locate(sheet, wanted)
    if found and missing is None:
        raise UserError(sentence(sheet, found))
    if missing == DROP and found:
        gone = rows_of(found)
        sheet = sheet.without(gone)
        notes.append(f"{len(gone)} rows with missing cells are left out.")
        if not len(sheet):
            raise UserError(f"{path} has no row without missing cells.")
    if stored is None:
        readings = _on_their_own(sheet, wanted, levels, dated, rules)
        notes.append("The model is of an older version, which did not keep how its rows were written.")
    else:
        readings = {name: _as_said(name, Reading.of_stored(stored.get(name, {})), rules) for name in wanted}
    stated = columns.marks_stated(sheet, {name: r for name, r in readings.items() if name not in levels})
    return columns.encode(sheet, features, levels, readings), sheet, [*notes, *stated]


def seen_by(run: StoredRun) -> Seen | None:
    """What the model of a run has learnt from; None where its data are not here, or too many."""
    try:
        split = DataChoice.of(run.spec).load() if run.spec else None
    except UserError:
        return None
    known = split is not None and isinstance(split.x_train, np.ndarray)
    return Seen.of(split.x_scaler.inverse(split.x_train)) if split is not None and known else None


def cells_of(x: np.ndarray, features: Sequence[str], levels: Levels) -> dict[str, np.ndarray]:
    """Inputs [n, D] in their own units as the columns of their table, but that dates stay parts."""
    found: dict[str, np.ndarray] = {}
    for name, places in source_columns(features, levels).items():
        if name in levels:
            which = x[:, places].argmax(1) if len(places) > 1 else x[:, places[0]].astype(int)
            found[name] = np.array(levels[name])[which]
        else:
            found |= {features[j]: x[:, j] for j in places}
    return found


def _as_said(name: str, reading: Reading, rules: Rules) -> Reading:
    """The reading of the training rows, but for what was said of these."""
    if reading.kind == DATE:
        return replace(reading, date_format=rules.said("date_format", name) or reading.date_format)
    decimal, thousands = rules.said("decimal", name), rules.said("thousands", name)
    if decimal is None and thousands is None:
        return reading
    other = {".": ",", ",": "."}
    decimal = decimal or (other[thousands] if thousands == reading.decimal else reading.decimal)
    thousands = thousands or ("" if decimal == reading.thousands else reading.thousands)
    return Reading(NUMBER, decimal, thousands)


def _dated(features: tuple[str, ...], sheet: Sheet) -> list[str]:
    """The columns of a file that a model knows by their parts."""
    pairs = [feature.rpartition(".") for feature in features if feature not in sheet.columns]
    return list(dict.fromkeys(stem for stem, _, part in pairs if part in DATE_PARTS and stem in sheet.columns))


def _on_their_own(sheet: Sheet, wanted: list[str], levels: Levels, dated: list[str], rules: Rules) -> Readings:
    """Readings of rows for a model that did not keep any: what they themselves leave no doubt of."""
    readings, refused = decide(sheet, [n for n in wanted if n not in levels], replace(rules, dates=True))
    columns.refuse(refused)
    for name, reading in readings.items():
        if reading.kind == WORDS or (reading.kind == DATE) != (name in dated):
            readings[name] = Reading(NUMBER)  # says which cell is no number
    return readings
