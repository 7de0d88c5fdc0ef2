"""A small table of one's own, and runs on it."""

from pathlib import Path

import numpy as np
import pytest

from dgpexp.config import RunSpec, Settings
from dgpexp.tables.own_table import OwnTable, read_own


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def own(tmp_path: Path, data_folder: Path) -> OwnTable:
    rng = np.random.default_rng(0)
    rows = [f"{a},{'abc'[i % 3]},{100 + 10 * a + rng.normal()}" for i, a in enumerate(rng.normal(size=60))]
    (tmp_path / "flats.csv").write_text("area,city,rent\n" + "\n".join(rows))
    table = read_own(tmp_path / "flats.csv", "rent")
    table.keep()
    return table


ABOUT = {
    "features": ["area", "city=a", "city=b", "city=c"],
    "levels": {"city": ["a", "b", "c"]},
    "target": "rent",
    "n_train": 54,
    "n_test": 6,
}


def spec(own: OwnTable, split: int, **settings: object) -> RunSpec:
    chosen = Settings(max_steps=10).change(settings)
    return RunSpec(dataset=own.dataset.name, method="aepmcm", layers=2, split=split, settings=chosen)
