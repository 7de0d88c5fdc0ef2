"""Runs with --synthetic-shape keep the data set's name; the setting in their folder keeps them out of its numbers."""

import json
from pathlib import Path

import pytest

from benchmarks.report import write_store
from dgpexp.errors import UserError
from dgpexp.report.build import write
from dgpexp.report.model import gather
from dgpexp.report.source import usual_profile
from dgpexp.report.statistics.compare import compare, parse
from dgpexp.store.tidy_table import read_measured, write_measured
from tests.engines.processes import FAKE, run, run_dirs
from tests.report import sample

RANDOM = sample.REGRESSION.change({"synthetic_shape": True})


def boston(settings=RANDOM, rmse: float = 9.0, splits: int = 20, **more: object) -> list[dict]:
    values = {"rmse": rmse, "ll": -9.0}
    return [sample.row("boston", m, 2, k, settings, values, **more) for m in ("vi", "aepmcm") for k in range(splits)]


def test_what_the_runner_recorded_with_the_option_is_nobody_s_number(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "no-data"))
    selected = ("--dataset", "boston", "--method", "vi", "--layers", "2", "--splits", "0", "--max-steps", "100")
    code, _, err = run(FAKE, "run", "uci", "--profile", "thesis", *selected, "--synthetic-shape", results=tmp_path)
    assert code == 0, err
    (made,) = (path.name for path in run_dirs(tmp_path))
    found = gather(tmp_path, "thesis")
    assert list(found.source.random.run_id) == [made] and made not in set(found.source.runs.run_id)
    assert "1 more on random numbers" in found.source.sentence


@pytest.mark.parametrize("experiment", ["uci+synthetic_shape=true", "uci", "mine"])
def test_twenty_random_runs_are_no_verdict_test_or_rank_whatever_their_experiment_is_called(tmp_path, experiment):
    write_store(tmp_path, boston(experiment=experiment), points=2)
    write_store(tmp_path, sample.uci(2, datasets=("energy",), depths=(2,)), points=2)
    found = gather(tmp_path, "thesis")
    assert {c.verdict for c in found.thesis_cells if c.dataset == "boston"} == {"empty"}
    assert {c.n for g in found.grids for c in g.cells.values() if c.dataset == "boston"} == {0}
    assert {t.dataset for t in found.tests} == {"energy"} and found.rankings == [] and found.regressions == []


def test_random_runs_do_not_mix_with_real_ones_of_the_same_cell(tmp_path):
    write_store(tmp_path, boston() + boston(sample.REGRESSION, rmse=2.74, splits=7), points=2)
    cell = next(c for c in gather(tmp_path, "thesis").grid("5.1.1").cells.values() if (c.dataset, c.n) == ("boston", 7))
    assert cell.mean == pytest.approx(2.74) and cell.note == "7 of 20 splits so far"  # nothing of "other settings"


def test_the_timing_table_shows_their_seconds_alone_and_says_so(tmp_path):
    write_store(tmp_path, sample.big(("year",), random=True) + sample.big(("airline",)), points=2)
    found = gather(tmp_path, "thesis")
    year = found.grid("5.3.1")
    assert {c.metric for c in year.cells.values() if c.n} == {"seconds_per_step"}
    assert {c.verdict for c in year.cells.values() if c.n} == {"not comparable"}
    assert "AEPMCM-10, AEPMCM-20, VI-10, VI-20, AEP: on random numbers in the shape of year" in year.notes[0]
    assert not any("random" in note for note in found.grid("5.3.2").notes)
    slow = next(c for c in found.claims if c.about.startswith("A gradient step of AEP"))
    assert slow.runs == "2 of 4" and "year" not in slow.evidence

    folder = write(found, tmp_path)
    assert not (folder / "figures" / "figure-5.3.1.svg").exists() and (folder / "figures" / "figure-5.3.2.svg").exists()
    block = (folder / "index.html").read_text().partition('id="cell-year-vi-3-10-random"')[2].partition("</details>")[0]
    assert "random numbers" in block and "RMSE" not in block and "ms/step" in block


def test_a_real_run_takes_the_place_of_a_random_one_in_the_timing_table(tmp_path):
    real = sample.row("year", "vi", 3, 0, sample.BIG_SETTINGS.change({"train_samples": 10}), {"rmse": 9.0, "ll": -3.6})
    write_store(tmp_path, [*sample.big(("year",), random=True), real], points=2)
    year = gather(tmp_path, "thesis").grid("5.3.1")
    row = year.rows.index("VI-10")
    assert [year.cells[row, j].mean for j in range(3)] == [0.025, 9.0, -3.6]
    assert "VI-10" not in next(note for note in year.notes if "random" in note)


def test_compare_pairs_real_runs_only(tmp_path):
    write_store(tmp_path, boston(), points=2)

    def compared() -> list[int]:
        sets = [parse(f"thesis:method={method}", tmp_path) for method in ("vi", "aepmcm")]
        return [d.n for d in compare(*sets, ("rmse",)).differences]

    (tmp_path / "measured" / "thesis").mkdir(parents=True)
    (tmp_path / "measured" / "thesis" / "runs.csv").write_text("run_id\n")  # nothing was measured earlier either
    with pytest.raises(UserError, match="no finished run"):
        compared()
    write_store(tmp_path, boston(sample.REGRESSION, rmse=2.74, splits=7), points=2)
    assert compared() == [7]


def test_an_exported_random_run_is_still_a_random_run(tmp_path):
    write_store(tmp_path, sample.big(("year",), random=True), points=2)
    copy = tmp_path / "copy" / "measured" / "thesis" / "runs.csv"
    assert write_measured(tmp_path, "thesis", copy) == 5
    assert not copy.with_name("curves.csv").exists()  # no figure may be drawn of them
    assert all(json.loads(text)["synthetic_shape"] for text in read_measured("thesis", copy.parents[1]).settings)
    found = gather(tmp_path / "copy", "thesis")
    assert found.source.runs.empty and len(found.source.random) == 5


def test_random_runs_do_not_decide_which_profile_is_reported(tmp_path):
    write_store(tmp_path, boston(splits=1), points=2)
    write_store(tmp_path, boston(sample.REGRESSION, splits=1, profile="quick"), points=2)
    (tmp_path / "measured" / "thesis").mkdir(parents=True)
    (tmp_path / "measured" / "thesis" / "runs.csv").write_text("run_id\n")  # nothing was measured earlier either
    assert usual_profile(tmp_path) == "quick"
