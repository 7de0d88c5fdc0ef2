"""The course of a run depends on step numbers alone: from any snapshot it goes on as if nothing had happened."""

from pathlib import Path

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.datasets import load_split
from dgpexp.errors import NumericalFailure
from dgpexp.runs import checkpoint
from dgpexp.runs.course import Course, GaveUp, evaluated_rows
from tests.engines import fakes
from tests.engines.fakes import FakeSession

SETTINGS = Settings(rows=100, batch_size=10, max_steps=450, evaluate_every=70)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fakes, "SECONDS_A_STEP", 0.0)


class Stumbling(FakeSession):
    """Fails once the step passes each of these numbers, until the jitter is high enough for it."""

    failures = ((130, 5e-6), (260, 5e-5))

    def advance(self, n: int) -> float:
        value = super().advance(n)
        for step, jitter in self.failures:
            if self.step > step and self.jitter < jitter:
                raise NumericalFailure(f"failed after step {step}")
        return value


def begin(kind: type[FakeSession] = FakeSession, start: checkpoint.Snapshot | None = None, s: Settings = SETTINGS):
    session = kind("vi", 2, s, load_split("sincos", 0, rows=s.rows), 7)
    return Course(session, s, 90, 10, start), session


def outcome(course: Course) -> tuple[object, ...]:
    while not course.finished:
        course.advance()
    return course.evaluations, course.recoveries, course.final(), course.good.state["values"].tolist()


@pytest.mark.parametrize("kind", [FakeSession, Stumbling])
def test_from_every_snapshot_the_rest_is_the_same_to_the_last_bit(kind: type[FakeSession], tmp_path: Path) -> None:
    course, _ = begin(kind)
    snapshots = {}
    while not course.finished:
        course.advance()
        snapshots[course.good_step, len(course.recoveries)] = course.good
    expected = outcome(course)
    assert len(snapshots) >= 5
    for snapshot in snapshots.values():
        checkpoint.save(tmp_path / "c.npz", snapshot, {"run": "a"})
        read = checkpoint.load(tmp_path / "c.npz", {"run": "a"})
        assert read is not None
        assert outcome(begin(kind, read)[0]) == expected


def test_a_numerical_failure_goes_back_and_raises_the_jitter(tmp_path: Path) -> None:
    course, session = begin(Stumbling)
    outcome(course)
    steps = [(r["back_to"], r["jitter"]) for r in course.recoveries]
    assert steps == [(100, pytest.approx(1e-5)), (200, pytest.approx(1e-4))]
    assert session.jitter == pytest.approx(1e-4) and session.step == 450
    assert [e["step"] for e in course.evaluations] == [70, 140, 210, 280, 350, 420, 450], "each evaluation once"


def test_after_three_recoveries_it_gives_up_with_the_reason() -> None:
    class Hopeless(Stumbling):
        failures = ((130, 1.0),)

    course, _ = begin(Hopeless)
    with pytest.raises(GaveUp, match=r"failed after step 130 \(after step 100, although the jitter was raised"):
        outcome(course)


def test_what_is_no_longer_finite_is_a_failure_too() -> None:
    class Poisoned(FakeSession):
        def advance(self, n: int) -> float:
            value = super().advance(n)
            if self.step == 200:
                self.values = self.values * np.nan
            return value

    with pytest.raises(GaveUp, match="values is no longer finite"):
        outcome(begin(Poisoned)[0])


def test_final_values_are_medians_over_the_last_window() -> None:
    s = SETTINGS.change({"evaluate_every": 50, "final_window": 100})
    course, _ = begin(s=s)
    outcome(course)
    lls = {e["step"]: e["ll"] for e in course.evaluations}
    assert course.final()["ll"] == pytest.approx((lls[400] + lls[450]) / 2)
    assert course.final()["crps"] == 1.0, "evaluations in the window have everything"
    assert "crps" not in course.evaluations[0]


def test_seconds_of_training_bound_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fakes, "SECONDS_A_STEP", 0.001)
    course, session = begin(s=SETTINGS.change({"max_seconds": 0.1}))
    outcome(course)
    assert 100 <= session.step < 150 and course.evaluations[-1]["step"] == session.step


def test_looks_on_the_way_see_the_same_random_part_of_the_test_set() -> None:
    s = SETTINGS.change({"evaluate_rows": 4})
    rows = evaluated_rows(s, 50)
    assert rows is not None and len(set(rows)) == 4 and (rows == evaluated_rows(s, 50)).all()
    assert evaluated_rows(s, 4) is None and evaluated_rows(SETTINGS, 50) is None
    assert begin(s=s)[0].whole_test() is not None and begin()[0].whole_test() is None


@pytest.mark.parametrize(("whole", "counted"), [(True, None), (False, 4)])
def test_classes_are_counted_over_what_the_run_reports(
    whole: bool, counted: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(FakeSession, "tally", lambda self, rows, between: asked.append(rows))
    assert begin(s=SETTINGS.change({"evaluate_rows": 4, "whole_test": whole}))[0].tally() is None
    assert asked[0] is None if counted is None else len(asked[0]) == counted


def test_a_checkpoint_of_other_data_or_half_a_checkpoint_is_none(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    checkpoint.save(path, begin()[0].good, {"data": 1})
    assert checkpoint.load(path, {"data": 2}) is None
    path.write_bytes(path.read_bytes()[:-40])
    assert checkpoint.load(path, {"data": 1}) is None
    assert checkpoint.load(tmp_path / "nothing.npz", {}) is None
    assert [p.name for p in tmp_path.iterdir()] == ["c.npz"]
