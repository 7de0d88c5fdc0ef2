"""Tables of classes: beside the numbers of others, and never in a column with regression."""

import json
from pathlib import Path

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.drawing.canvas import new_figure
from dgpexp.predictive.tally import BINS, Tally
from dgpexp.report import comparable, tables
from dgpexp.report.cells import group
from dgpexp.report.plots import class_counts
from tests.report import sample
from tests.report.conftest import build_report

METRICS = {"crps": np.nan, "coverage50": np.nan, "coverage90": np.nan, "coverage95": np.nan, "rmse": np.nan}


def _runs(dataset: str, experiment: str, splits: int = 5, **more: object) -> list[dict[str, object]]:
    values = {**METRICS, "accuracy": 0.94, "brier": 0.1, "ece": 0.02, "auc": 0.98}
    return [
        sample.row(dataset, "aep", 2, k, Settings(), {**values, "ll": -0.15 - 0.01 * k}, experiment=experiment, **more)
        for k in range(splits)
    ]


def _grids(rows: list[dict[str, object]]) -> dict[str, tables.Grid]:
    return {g.id: g for g in tables.all_grids(sample.material(rows))}


def test_a_set_of_classes_has_tables_of_its_own_with_the_numbers_of_others() -> None:
    grids = _grids(_runs("spambase", "classification") + sample.uci(2, datasets=("boston",), depths=(2,)))
    assert "spambase" not in grids["5.1.2"].rows and "boston" not in grids["classification-ll"].rows
    (ours,) = (c for c in grids["classification-ll"].cells.values() if c.n)
    assert (ours.dataset, ours.method, ours.n, ours.expected) == ("spambase", "aep", 5, 5)
    assert ours.published is not None and ours.published.mean == -0.137
    assert ours.verdict == "not comparable" and "printed by others" in ours.note
    assert {"classification-accuracy", "classification-brier", "classification-ece"} <= set(grids)


def _tally(labels: tuple[str, ...], right: int, wrong: int) -> str:
    """So many points of the first class, all of them 0.9 sure."""
    confusion = np.zeros((len(labels), len(labels)), int)
    confusion[0, :2] = right, wrong
    bins = np.zeros((BINS, 3))
    bins[int(0.9 * BINS)] = right + wrong, right, 0.9 * (right + wrong)
    return json.dumps(Tally(labels, confusion, bins).as_dict())


def test_a_cell_is_drawn_from_the_counts_of_its_splits() -> None:
    rows = [r | {"tally": _tally(("ham", "spam"), 8 + r["split"] % 2, 2)} for r in _runs("spambase", "classification")]
    rows += _runs("eeg", "classification")  # recorded none
    found = class_counts.tallies(group(sample.frame(rows)).values())
    assert list(found) == ["spambase"]
    np.testing.assert_array_equal(found["spambase"]["aep", 2].confusion, [[42, 10], [0, 0]])
    (ax,) = class_counts.reliability(found["spambase"]).axes
    (confidence,), (accuracy,) = ax.lines[0].get_data()
    np.testing.assert_allclose([confidence, accuracy], [0.9, 42 / 52])
    assert ax.get_title(loc="left") == "AEP 2"


def test_the_page_of_a_clone_has_diagrams_and_of_many_classes_a_confusion_matrix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dgpexp.report.plots.charts.dots", lambda grid: new_figure(1, 1))  # not what is tested here
    rows = [r | {"tally": _tally(("ham", "spam"), 8, 2)} for r in _runs("spambase", "classification")]
    rows += [r | {"tally": _tally(tuple("0123456789"), 98, 2)} for r in _runs("mnist", "classification", splits=1)]
    (tmp_path / "measured/thesis").mkdir(parents=True)
    sample.frame(rows).to_csv(tmp_path / "measured/thesis/runs.csv", index=False)
    folder = build_report(tmp_path, "thesis")
    drawn = {p.stem for p in (folder / "figures").glob("figure-*.svg")}
    assert {"figure-reliability-mnist", "figure-reliability-spambase", "figure-confusion-mnist"} <= drawn
    assert "figure-confusion-spambase" not in drawn
    page = (folder / "index.html").read_text()
    assert "Confusion on mnist" in page and "No reliability diagram" not in page


def test_without_runs_on_classes_there_is_no_such_table() -> None:
    assert not [name for name in _grids(sample.uci(1, datasets=("boston",))) if name.startswith("classification")]


def test_tables_of_ones_own_are_told_apart_by_their_task() -> None:
    numbers = [r | {"experiment": "csv", "dataset": "prices-1"} for r in sample.uci(2, ("boston",), ("vi",), (2,))]
    grids = _grids(_runs("flowers-1", "csv") + numbers)
    assert [c.label for c in grids["own"].columns][:2] == ["RMSE", "test log-likelihood"]
    assert [c.label for c in grids["own-classification"].columns] == [
        "test log-likelihood", "accuracy (%)", "Brier score", "expected calibration error"
    ]  # fmt: skip
    for grid in (grids["own"], grids["own-classification"]):
        assert len(grid.rows) == 1 and all(c.n for c in grid.cells.values())


def test_mnist_has_one_split_and_the_others_five() -> None:
    assert [comparable.splits("classification", d) for d in ("mnist", "eeg")] == [1, 5]
