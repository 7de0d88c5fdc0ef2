"""The time that is left of a sweep: the speed of training, and what a run costs besides, are told apart."""

import time

import pytest

from dgpexp.runs.events import TRAINING, Ended, Progress, Started
from dgpexp.terminal.clock import Clock
from tests.store.folders import spec

RUNS = [spec(split=n) for n in range(4)]


class Sweep:
    """A clock, and the events of runs at given seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, runs=RUNS):
        self.runs, self.clock, self.now = runs, Clock(runs), 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def start(self, now: float, run: int) -> None:
        self.now = now
        self.clock.hear(Started(run=self.runs[run].run_id))

    def train(self, now: float, run: int, percent: int) -> None:
        self.now = now
        self.clock.hear(Progress(run=self.runs[run].run_id, phase=TRAINING, step=percent, total=100))

    def end(self, now: float, run: int) -> None:
        self.now = now
        self.clock.hear(Ended(run=self.runs[run].run_id, status="COMPLETED"))


@pytest.fixture
def sweep(monkeypatch: pytest.MonkeyPatch) -> Sweep:
    return Sweep(monkeypatch)


def test_a_slow_start_is_not_taken_for_slow_training(sweep: Sweep) -> None:
    sweep.start(0, 0)
    assert sweep.clock.left() is None
    sweep.train(30, 0, 1)  # half a minute to load and trace, and one step in a hundred
    assert sweep.clock.left() is None
    sweep.train(31, 0, 11)  # 10 s of training a run: 8.9 s of this one, and three more that start in 30 s each
    assert sweep.clock.left() == pytest.approx(8.9 + 3 * (10 + 30))


def test_what_ended_runs_cost_besides_training_is_expected_of_the_others(sweep: Sweep) -> None:
    sweep.start(0, 0)
    sweep.train(5, 0, 0)
    sweep.train(15, 0, 100)
    sweep.end(17, 0)  # 10 s of training, 7 s besides
    assert sweep.clock.left() == pytest.approx(3 * 17)
    sweep.start(17, 1)
    sweep.train(20, 1, 50)  # continued from its checkpoint: what was done before is neither left nor our speed
    assert sweep.clock.left() == pytest.approx(5 + 2 * (10 + (7 + 3) / 2))


def test_runs_at_once_share_the_time(sweep: Sweep) -> None:
    for run in (0, 1):
        sweep.start(0, run)
        sweep.train(0, run, 0)
        sweep.train(5, run, 50)
    assert sweep.clock.left() == pytest.approx((2 * 5 + 2 * 10) / 2)
    for run in (0, 1):
        sweep.train(10, run, 100)
        sweep.end(10, run)
    sweep.end(10, 2)
    assert sweep.clock.left() == pytest.approx(10), "the last run has one core, however many there are"


def test_max_seconds_ends_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = Sweep(monkeypatch, [spec(max_seconds=60.0), spec(split=1, max_seconds=60.0)])
    sweep.start(0, 0)
    sweep.train(0, 0, 0)
    sweep.train(20, 0, 1)  # 2000 s at this speed, if nothing stopped it
    assert sweep.clock.left() == pytest.approx(40 + 60)


def test_runs_too_short_to_be_watched_still_tell_the_time(sweep: Sweep) -> None:
    sweep.start(0, 0)
    sweep.end(2, 0)
    assert sweep.clock.left() == pytest.approx(3 * 2)
