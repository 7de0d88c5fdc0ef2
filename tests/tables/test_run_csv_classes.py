"""`dgpexp run csv` on a column of words, from the file to the probabilities of new rows."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engines.processes import REAL, run, run_dirs, status_of

SMALL = ("--profile", "quick", "--set", "inducing_points=8", "--set", "test_samples=5", "--jobs", "1")


def write_flowers(path: Path, rows: int, seed: int = 0) -> Path:
    """Three species that two measurements tell apart."""
    rng = np.random.default_rng(seed)
    centres = {"aster": (0, 0), "briar": (4, 0), "clover": (0, 4)}
    lines = ["petal,sepal,species"]
    for i in range(rows):
        species = list(centres)[i % 3]
        petal, sepal = np.array(centres[species]) + 0.5 * rng.normal(size=2)
        lines.append(f"{petal},{sepal},{species}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_words_are_classified_and_new_rows_get_probabilities(
    tmp_path: Path, dgpexp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, flowers = tmp_path / "results", write_flowers(tmp_path / "flowers.csv", 90)
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("DGPEXP_RESULTS", str(results))
    args = ("run", "csv", str(flowers), "--target", "species", "--splits", "0", "--max-steps", "150")
    code, _, err = run(REAL, *args, *SMALL, results=results)
    assert code == 0 and "the target 'species' is one of 3 classes (aster, briar, clover)." in err, err
    (path,) = run_dirs(results)
    assert status_of(path) == "COMPLETED"
    info = json.loads((path / "info.json").read_text())
    assert info["metrics"]["accuracy"] == 1.0 and info["metrics"]["ll"] > -0.2 and "rmse" not in info["metrics"]

    (tmp_path / "new.csv").write_text("sepal,petal\n0.1,4.1\n3.9,-0.1\n")
    code, out, err = dgpexp("predict", path.name, "--input", str(tmp_path / "new.csv"), "--samples", "2")
    assert code == 0, err
    rows = list(csv.DictReader(out.splitlines()))
    assert [r["class"] for r in rows] == ["briar", "clover"]
    for r in rows:
        p = [float(r[f"p({label})"]) for label in ("aster", "briar", "clover")]
        assert float(r["probability"]) == max(p) and sum(p) == pytest.approx(1) and r["sample_1"] in r["class"]

    code, out, _ = dgpexp("predict", path.name)
    tested = list(csv.DictReader(out.splitlines()))
    assert np.mean([float(r["log_density"]) for r in tested]) == pytest.approx(info["metrics"]["ll"], rel=1e-6)
    assert all(r["y"] == r["class"] for r in tested)
    code, _, err = dgpexp("predict", path.name, "--quantiles", "0.5")
    assert code == 2 and "predicts classes, which have no quantiles" in err
