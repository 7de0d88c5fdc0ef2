"""Events survive the way between two processes."""

import json
import math

import pytest

from dgpexp.runs.events import (
    TRAINING,
    Broken,
    Died,
    Ended,
    Event,
    Note,
    Progress,
    Ready,
    Refused,
    Started,
    from_json,
    to_json,
)

EVENTS = [
    Ready(),
    Started(run="boston"),
    Progress(run="boston", phase=TRAINING, step=25, total=100, numbers={"objective": -1.5, "ll": None}),
    Ended(run="boston", status="COMPLETED", metrics={"ll": -2.5}),
    Broken(reason="the disk is full"),
    Refused(run="boston", reason="other data", dataset="boston"),
    Died(reason="killed by signal 9"),
    Note(text="waiting for workers"),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_the_same_after_its_way_through_json(event: Event) -> None:
    assert from_json(json.loads(json.dumps(to_json(event), allow_nan=False))) == event


def test_numbers_that_are_not_finite_become_null() -> None:
    sent = to_json(Progress(run="boston", phase=TRAINING, numbers={"objective": math.nan}))
    assert from_json(sent) == Progress(run="boston", phase=TRAINING, numbers={"objective": None})
