"""The profile of virtual workers: one table entry for each number of them, and the figure of their errors."""

import numpy as np
import pandas as pd
import pytest

from dgpexp.config import Settings
from dgpexp.figures.deep import virtual_workers
from dgpexp.plan.machines import StepCost
from dgpexp.report import tables
from dgpexp.report.tables import workers
from tests.report import sample


def _run(method: str, count: int, seed: int, **more: object) -> dict[str, object]:
    settings = Settings(updates="async", shards=count, seed=seed, batch_size=50)
    values = {"accuracy": 0.9 - 0.01 * seed, "ll": -0.3}
    labels = {"profile": "async", "experiment": "classification", **more}
    return sample.row("mnist", method, 2, 0, settings, values, **labels)


ROWS = [_run(method, count, seed) for method in ("rff", "vi") for count in (1, 10) for seed in (0, 1, 2)]


def test_seeds_are_averaged_and_numbers_of_workers_stand_apart() -> None:
    found = sample.material([*ROWS, _run("vi", 10, 3, status="FAILED")], "async")
    accuracy, ll = tables.all_grids(found)  # no table of classification, which would average over workers
    assert accuracy.rows == ("VI", "RFF") and [c.label for c in accuracy.columns] == ["1", "10"]
    assert {c.n for c in accuracy.cells.values()} == {3}
    assert accuracy.cells[0, 1].mean == pytest.approx(0.89) and accuracy.cells[0, 1].stderr == pytest.approx(
        0.01 / 3**0.5
    )
    assert ll.cells[1, 0].mean == pytest.approx(-0.3)


def test_other_profiles_have_no_such_table() -> None:
    assert workers.grids(sample.material(ROWS, "thesis")) == []


def test_the_figure_shows_means_and_ranges_against_updates_and_modelled_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 ms and 0.1 ms a row of 50: 6 ms alone; at 10 workers (6 + 0.9 + 3.302) / 10 = 1.02, and 1.651 to receive."""
    monkeypatch.setattr(virtual_workers, "_costs", lambda: {"vi": StepCost(1.0, 0.1, 1_000_000)})
    runs = virtual_workers.gather(sample.frame(ROWS))
    at = {run_id: i % 3 for i, run_id in enumerate(runs["run_id"])}

    def curve(run_id: str) -> pd.DataFrame:
        return pd.DataFrame({"step": [100, 200], "accuracy": [0.5, 0.9 - 0.01 * at[run_id]]})

    figure = virtual_workers.drawn(runs, curve)
    left, right, rff, hidden = figure.axes
    assert left.get_title("left") == "VI" and "modelled" in right.get_title("left") and "modelled" in right.get_xlabel()
    assert [line.get_label() for line in left.lines] == ["1", "10"]
    np.testing.assert_allclose(left.lines[0].get_xydata(), [[100, 50.0], [200, 11.0]])
    band = left.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(10.0)
    np.testing.assert_allclose(right.lines[0].get_xdata(), [0.6, 1.2])
    np.testing.assert_allclose(right.lines[1].get_xdata(), [0.1651, 0.3302], rtol=1e-3)
    assert rff.get_title("left") == "RFF" and not hidden.get_visible()  # what its step takes is not known
