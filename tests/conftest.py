"""Before anything imports numpy: one BLAS thread. On a busy machine, two that wait for each other take far longer.

The signals of a foreground job: under nohup, or in the background of a shell, some are inherited as ignored. And the
sweep of the fake session that many tests disturb: its protocol, and its results when nobody does. Shapes are checked
(dgpexp/gp/shapes.py).
"""

import gc
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from dgpexp import quietly
from tests.browser import driver  # noqa: F401

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["DGPEXP_CHECK_SHAPES"] = "1"
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
gc.disable()  # while everything is imported
quietly.import_tensorflow()


def pytest_collection_finish() -> None:
    """Spare the garbage collector what was imported, a million objects: every fit of an estimator asks for one."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.unfreeze()  # Hypothesis, which pytest imports at the end, looks for what refers to what


@pytest.fixture
def protocol(tmp_path: Path) -> str:
    from tests.engines.sweeps import SWEEP

    path = tmp_path / "my.toml"
    path.write_text(SWEEP)
    return str(path)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.engines.sweeps import undisturbed

    return undisturbed(tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture
def dgpexp(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """A command in this process: its exit code, and what it wrote on stdout and stderr."""
    from dgpexp.cli.main import main

    def call(*args: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(list(args))
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return call
