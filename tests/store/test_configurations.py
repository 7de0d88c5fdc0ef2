"""Runs stand together only where nothing but the split differs."""

from dgpexp.store.configurations import configurations
from tests.store.folders import make_run, spec


def test_only_the_split_differs_in_a_configuration(tmp_path):
    for run, status, profile in (
        (spec(split=1), "COMPLETED", "quick"),
        (spec(split=0), "COMPLETED", "quick"),
        (spec(split=2), "FAILED", "quick"),
        (spec(split=0, max_steps=10), "COMPLETED", "quick"),
        (spec(split=0), "COMPLETED", "best"),
        (spec(split=0, layers=3), "FAILED", "quick"),
        (spec(split=0, all_rows=True), "COMPLETED", "quick"),
        (spec(split=0, synthetic_shape=True), "COMPLETED", "quick"),
    ):
        make_run(tmp_path, run, status, profile)
    found = {(c.profile, c.spec.settings.max_steps): c for c in configurations(tmp_path, "boston-vi")}
    assert set(found) == {("quick", 0), ("quick", 10), ("best", 0)}
    one = found["quick", 0]
    assert [run.spec.split for run in one.runs] == [0, 1] and [run.status for run in one.others] == ["FAILED"]
    assert [c.profile for c in configurations(tmp_path, profile="best")] == ["best"]
    assert configurations(tmp_path, "boston-aep") == []
