"""Figures 5.2.1 and 5.2.2 from models in a run store."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.report import write_store
from dgpexp.datasets import load_split, synthetic
from dgpexp.figures import index
from dgpexp.figures.deep.trained import train
from dgpexp.figures.predictive import grid_predictions, multimodality, of_runs
from dgpexp.predictive.mixture import Mixture
from dgpexp.store.tidy_table import COLUMNS
from tests.report import sample
from tests.report.conftest import build_report

ROWS = 40


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A model.npz; barely trained, for what is drawn does not matter here."""
    path = tmp_path_factory.mktemp("model") / "model.npz"
    split = load_split("sincos", 0, rows=ROWS)
    train(split, "vi", 1, 3, inducing_points=5, test_samples=7).save(path)
    return path.read_bytes()


def store(results: Path, model: bytes | None, **cell: object) -> dict[str, object]:
    """A row of the table of runs, and its folder with a model in it."""
    row = dict.fromkeys(COLUMNS) | {
        "profile": "quick", "dataset": "sincos", "method": "vi", "layers": 3, "split": 0, "status": "COMPLETED",
        "started": "2026-01-01", "settings": json.dumps({"rows": ROWS}),
    } | cell  # fmt: skip
    row["run_id"] = "-".join(str(row[k]) for k in ("dataset", "method", "split", "started"))
    folder = results / "runs" / "quick" / str(row["run_id"])
    folder.mkdir(parents=True)
    if model is not None:
        (folder / "model.npz").write_bytes(model)
    return row


def test_finished_runs_become_figures_a_table_and_entries_of_the_index(tmp_path: Path, model: bytes) -> None:
    rows = [store(tmp_path, model, method=m, split=s) for m, s in (("vi", 0), ("vi", 1), ("aepmcm", 1))]
    rows += [store(tmp_path, model, dataset="heteroscedastic", method="aep")]
    entries = of_runs.draw(pd.DataFrame(rows), tmp_path, tmp_path / "out")
    assert [e.id for e in entries] == ["5.2.1", "5.2.2"] and entries == index.read(tmp_path / "out")
    assert "--profile quick" in entries[0].command
    table = pd.read_csv(tmp_path / "out" / "multimodality.csv")
    assert list(table.method) == ["truth", "vi", "aepmcm"] and list(table.runs.iloc[1:]) == [2, 1]
    assert table.near_first_se.iloc[1] == 0.0 and np.isnan(table.near_first_se.iloc[2])
    assert "| VI | 2 |" in (tmp_path / "out" / "multimodality.md").read_text()


def test_what_is_unfinished_or_left_no_model_is_left_out(tmp_path: Path, model: bytes) -> None:
    rows = [store(tmp_path, None), store(tmp_path, model, method="aep", status="FAILED")]
    rows += [store(tmp_path, model, method="aepmcm", layers=2)]
    rows += [store(tmp_path, b"torn", split=s) for s in (1, 2)]
    assert of_runs.draw(pd.DataFrame(rows), tmp_path, tmp_path / "out") == []
    assert of_runs.draw(pd.DataFrame(columns=list(COLUMNS)), tmp_path, tmp_path / "out") == []
    assert not (tmp_path / "out").exists()


def test_panels_show_one_split_that_most_methods_have(tmp_path: Path, model: bytes) -> None:
    cells = [("vi", 0), ("vi", 1), ("aep", 1), ("vi", 2), ("aep", 2)]
    rows = [store(tmp_path, model, method=m, split=s) for m, s in cells]
    rows += [store(tmp_path, model, method="vi", split=1, started="2026-01-02")]
    trained = of_runs._trained(pd.DataFrame(rows), "sincos", tmp_path)
    assert len(trained) == 5  # the later of two runs of a cell
    assert [(r.method, r.split) for r in of_runs._one_split(trained)] == [("vi", 1), ("aep", 1)]
    assert of_runs._one_split(trained)[0].folder.name.endswith("2026-01-02")


def test_a_prediction_is_computed_once_for_a_model(tmp_path: Path, model: bytes, monkeypatch) -> None:
    from dgpexp.training.predictor import Predictor

    (tmp_path / "model.npz").write_bytes(model)
    first = grid_predictions.predictions(tmp_path, "sincos")
    assert first.means.shape[1] == grid_predictions.POINTS
    with monkeypatch.context() as patch:
        patch.delattr(Predictor, "load")
        again = grid_predictions.predictions(tmp_path, "sincos")
        assert np.array_equal(first.means, again.means) and np.array_equal(first.variances, again.variances)
    for spoilt in (b"", b"PK"):
        (tmp_path / grid_predictions.CACHE).write_bytes(spoilt)
        assert np.array_equal(grid_predictions.predictions(tmp_path, "sincos").means, first.means)
    grid_predictions._write(tmp_path / grid_predictions.CACHE, "another model", first)
    (tmp_path / "model.npz").write_bytes(b"not a model")
    with pytest.raises(Exception, match="not a model"):
        grid_predictions.predictions(tmp_path, "sincos")


def test_the_true_density_measures_as_two_branches() -> None:
    x = grid_predictions.grid("sincos")
    truth = multimodality.of_sincos(Mixture(synthetic.branches("sincos", x), np.ones((2, len(x)))))
    assert truth.near_first == pytest.approx(0.477, abs=0.001) == truth.near_second
    assert truth.valley > 0.99 and truth.two_peaks == 1.0


def test_the_report_shows_section_5_2_and_its_table(tmp_path: Path, model: bytes, monkeypatch) -> None:
    write_store(tmp_path, sample.synthetic(1), points=3)
    for folder in (tmp_path / "runs" / "thesis").glob("sincos-*"):
        (folder / "model.npz").write_bytes(model)
    monkeypatch.setattr("dgpexp.report.build.draw", lambda *_: [])
    output = build_report(tmp_path, "thesis")
    page = (output / "index.html").read_text()
    assert 'id="gallery-5.2.1"' in page and 'id="multimodality"' in page and 'id="gallery"' not in page
    assert (output / "figures" / "5.2.1-sincos.pdf").is_file() and (output / "figures" / "multimodality.md").is_file()
