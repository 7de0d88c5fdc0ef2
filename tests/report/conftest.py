"""One small report, built once: a results folder with runs of many kinds, and the page made of it."""

from pathlib import Path

import pytest

from benchmarks.report import write_store
from dgpexp.report.build import write
from dgpexp.report.model import gather
from tests.report import sample

HOSTILE = "<script>alert('run')</script> & \"quoted\""


def small_rows() -> list[dict]:
    """Two complete data sets, one partly run with a failure, section 5.2, the flights, and random numbers as year."""
    rows = sample.uci(20, datasets=("boston", "energy"), depths=(2, 3))
    rows += sample.uci(7, datasets=("wine",), depths=(3,))
    rows[-1] |= {"status": "FAILED", "error": HOSTILE}
    return rows + sample.synthetic(10) + sample.big(("airline",)) + sample.big(("year",), random=True)


def build_report(results: Path, profile: str, output: Path | None = None) -> Path:
    """Write the report of one profile; returns its folder."""
    return write(gather(results, profile), results, output)


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    write_store(folder, small_rows(), points=20)
    return folder


@pytest.fixture(scope="session")
def built(results: Path) -> Path:
    """The report of the thesis profile."""
    return build_report(results, "thesis")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports without figures, for tests of everything else: drawing is what takes the time."""

    monkeypatch.setattr("dgpexp.report.build.draw", lambda *_: [])
