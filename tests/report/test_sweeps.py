"""The report of an experiment of the user's own: its tables and figures, and nothing about the thesis."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.store.folders import make_run, spec

TOML = """
[sweep]
datasets = ["boston", "yacht"]
methods = ["vi", "pep"]
layers = [2]
splits = 2
inducing_points = [5, 50]
alpha = [0.2, 0.9]
[profiles.small]
"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every run of the file; LL is the number of inducing points."""
    from dgpexp.plan.protocol import read_protocol

    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path))
    (tmp_path / "my.toml").write_text(TOML.replace('"yacht"', '"wine"'))
    for run in read_protocol(str(tmp_path / "my.toml")).runs("small"):
        numbers = {"ll": float(run.settings.inducing_points), "rmse": run.settings.alpha + run.split}
        make_run(tmp_path, run, profile="small", experiment="my", metrics=numbers)
    return tmp_path


def test_a_table_for_each_metric_and_a_figure_for_each_number_that_was_swept(results: Path, dgpexp: Any) -> None:
    code, out, err = dgpexp("report", str(results / "my.toml"), "--json")
    assert code == 0, err
    found = json.loads(out)
    assert sorted(found["tables"]) == ["sweep-ll", "sweep-rmse"], "and no table of the thesis"
    assert found["claims"] == [] and found["verdicts"] == []
    rows = found["tables"]["sweep-ll"]
    assert len(rows) == 2 * (2 + 4), "two data sets; α does not vary VI"
    assert all(row["n"] == 2 and row["mean"] in (5, 50) for row in rows)
    page = Path(found["page"])
    assert "Your experiment" in page.read_text() and "Section 5.1" not in page.read_text()
    drawn = {path.stem for path in page.parent.rglob("figure-sweep-*.svg")}
    assert drawn == {"figure-sweep-inducing_points", "figure-sweep-alpha"}


def test_runs_of_the_thesis_have_no_such_table(tmp_path: Path) -> None:
    from dgpexp.report.model import gather

    make_run(tmp_path, spec(), profile="thesis", experiment="uci")
    make_run(tmp_path, spec(epochs=7), profile="thesis", experiment="uci+epochs=7")
    assert not [grid for grid in gather(tmp_path, "thesis").grids if grid.section.id == "sweeps"]
