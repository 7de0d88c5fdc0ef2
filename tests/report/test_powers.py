"""Power EP against α: which runs are compared, and with what."""

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.report.page.render import to_markdown
from dgpexp.report.tables import powers
from tests.report import sample


def _run(alpha: float, split: int, ll: float, dataset: str = "boston", **more: object) -> dict[str, object]:
    settings = Settings().change({"alpha": alpha, **more})
    return sample.row(dataset, "pep", 2, split, settings, {"ll": ll, "rmse": 3.0 + split})


def _found(rows: list[dict[str, object]]) -> list[powers.Powers]:
    return powers.gather(sample.frame(rows))


def test_differences_are_paired_by_split() -> None:
    """Splits that lie 10 apart, and α = ½ better by 0.1 and 0.3 on them: the split that only one of them has is out."""
    rows = [_run(1.0, 0, -2.0), _run(1.0, 1, -12.0), _run(1.0, 2, -50.0), _run(0.5, 0, -1.9), _run(0.5, 1, -11.7)]
    (found,) = _found(rows)
    assert found.differences(0.5, "ll") == pytest.approx([0.1, 0.3])
    assert found.values(0.5, "ll") == pytest.approx([-1.9, -11.7])
    assert found.differences(1.0, "ll") == []


def test_runs_that_differ_in_more_than_alpha_are_not_mixed() -> None:
    rows = [_run(a, s, -2.0) for a in (0.5, 1.0) for s in (0, 1)]
    rows += [_run(a, 0, 7.0, seed=1) for a in (0.25, 1.0)] + [_run(0.75, 0, 9.0, epochs=3)]
    rows += [{**_run(0.01, 0, 5.0), "status": "FAILED"}]
    (found,) = _found(rows)
    assert sorted(found.runs) == [0.5, 1.0]
    assert found.values(1.0, "ll") == [-2.0, -2.0]


def test_one_alpha_is_no_comparison() -> None:
    rows = [_run(0.5, s, -2.0) for s in range(3)]
    assert _found(rows) == [] and powers.grids(sample.material(rows)) == []


def test_the_table_has_means_and_below_them_the_paired_difference_with_its_own_error() -> None:
    rows = [_run(1.0, s, -2.0 - 10 * s) for s in range(3)] + [_run(0.5, s, -1.9 - 9.9 * s) for s in range(3)]
    by_name = {grid.id: grid for grid in powers.grids(sample.material(rows))}
    lines = to_markdown(by_name["power-ll"]).splitlines()
    assert "| data set and depth | α = 0.5 | α = 1 |" in lines
    difference = next(line for line in lines if line.startswith("| boston 2, less α = 1 |"))
    assert "0.20 (0.06)" in difference and difference.endswith("| — |")
    assert by_name["power-coverage90"].rows == ("boston 2",)  # the nearest to 90 % is best: a difference says nothing


def test_the_figure_shows_the_paired_differences_and_nothing_at_one() -> None:
    rows = [_run(1.0, s, -2.0 - 10 * s) for s in range(3)] + [_run(0.5, s, -1.9 - 10 * s) for s in range(3)]
    rows += [_run(a, 0, -1.0, "energy") for a in (0.25, 1.0)]
    figure = powers.drawn(_found(rows))
    assert len(figure.axes) == 6
    points = figure.axes[0].containers[0].lines[0]
    np.testing.assert_allclose(points.get_xydata(), [[0.5, 0.1], [1.0, 0.0]], atol=1e-12)
