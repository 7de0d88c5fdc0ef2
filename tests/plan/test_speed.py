"""How fast this machine is, as it is measured once and remembered."""

import time
from dataclasses import replace

import pytest

from dgpexp.config import Settings
from dgpexp.plan import speed
from dgpexp.plan.cost import step_work
from dgpexp.training.session import Session


def test_time_that_other_processes_take_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step takes 3 ms of the processor, and an hour of the clock on the wall."""
    clocks = {"processor": 0.0, "wall": 0.0}

    def kept_waiting(session: Session, steps: int) -> float:
        clocks["processor"] += 0.003 * steps
        clocks["wall"] += 3600.0 * steps
        return 0.0

    monkeypatch.setattr(Session, "advance", kept_waiting)
    monkeypatch.setattr(time, "process_time", lambda: clocks["processor"])
    monkeypatch.setattr(time, "perf_counter", lambda: clocks["wall"])
    found = speed.measure("vi", 1, Settings(inducing_points=5, train_samples=1))
    assert found.seconds_per_step == pytest.approx(0.003)


def test_natural_parameters_are_counted_about_as_they_are_measured() -> None:
    """`make bench` has 1.95 for this shape (docs/performance.md)."""
    base = Settings(train_samples=10, paths="functions", hidden_width=8)
    natural = replace(base, parameters="natural")
    assert 1.5 < step_work("aepmcm", 3, natural, 8) / step_work("aepmcm", 3, base, 8) < 2.5
