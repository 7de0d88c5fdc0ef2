"""One run, executed here and now: who comes second does not do it again."""

import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from dgpexp.memory import peak_mib
from dgpexp.runs import execute as module
from dgpexp.runs.events import Ended
from dgpexp.runs.execute import execute
from dgpexp.runs.job import Job, Watch
from dgpexp.runs.sessions import Sessions
from dgpexp.store.locks import Lock, acquire
from tests.engines.fakes import FakeSession
from tests.engines.processes import executions, locks, measured
from tests.store.folders import spec


def executed(task: Job) -> Ended:
    with redirect_stdout(StringIO()):  # what Sacred would keep
        return execute(task, Sessions(FakeSession), Watch(lambda event: None, lambda: False))


def test_a_run_that_another_ends_between_the_look_and_the_lock_is_not_executed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Job(spec(dataset="sincos", rows=40, max_steps=25), str(tmp_path), "quick", "my", "", 0, False, 60.0)
    run = task.spec.run_id

    def too_late(*args: object, **kwargs: object) -> Lock | None:
        monkeypatch.setattr(module, "acquire", acquire)
        assert executed(task) == Ended(run=run, status="COMPLETED", metrics=measured(task.run_dir)["metrics"])
        before.append(measured(task.run_dir))
        return acquire(*args, **kwargs)

    before: list[object] = []
    monkeypatch.setattr(module, "acquire", too_late)
    assert executed(task) == Ended(run=run, status="COMPLETED", already=True)
    assert [measured(task.run_dir)] == before
    assert [lock["released"] for lock in locks(task.run_dir)] == ["COMPLETED", "PASSED"]
    assert len(executions(task.run_dir)) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can set a peak back")
def test_the_recorded_memory_is_of_the_run_and_not_of_what_its_process_did_before(tmp_path: Path) -> None:
    large = np.ones(300 * 2**20, dtype=np.uint8)
    del large
    before = peak_mib()
    task = Job(spec(dataset="sincos", rows=40, max_steps=25), str(tmp_path), "quick", "my", "", 0, False, 60.0)
    executed(task)
    assert 0 < json.loads((task.run_dir / "info.json").read_text())["peak_memory_mib"] < before - 200
