"""How fast this machine is, as it is measured once and remembered."""

import time

import pytest

from dgpexp.config import Settings
from dgpexp.plan import speed
from dgpexp.training.session import Session


def test_time_that_other_processes_take_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    advance = Session.advance

    def kept_waiting(session: Session, steps: int) -> float:
        time.sleep(0.2)
        return advance(session, steps)

    monkeypatch.setattr(Session, "advance", kept_waiting)
    found = speed.measure("vi", 1, Settings(inducing_points=5, train_samples=1))
    assert 0 < found.seconds_per_step < 0.02  # of the clock on the wall, 0.04 and more
