"""Every test of the data sets has a data folder of its own, and no retry makes it wait."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.datasets.sources.server import Server, serving


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    monkeypatch.setenv("DGPEXP_DATA", str(folder))
    return folder


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    with serving() as s:
        yield s
