"""At most one live process holds a run, whoever asks, whenever it dies."""

import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dgpexp.store import locks
from dgpexp.store.locks import LockLost, acquire, holder, machine
from tests.engines.processes import wait_for
from tests.store.folders import make_lock

ELSEWHERE = {"machine": "another machine", "pid": 1, "process_started": "1"}


def test_a_run_is_claimed_once_until_it_is_released(tmp_path: Path) -> None:
    first = acquire(tmp_path)
    assert first is not None and first.number == 1
    assert acquire(tmp_path) is None
    first.release("INTERRUPTED")
    second = acquire(tmp_path)
    assert second is not None and second.number == 2
    second.release("COMPLETED")
    assert not [p for p in (tmp_path / "claims").iterdir() if p.name.startswith(".")], "no litter"


def test_a_dead_process_of_this_machine_is_taken_over_at_once(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    make_lock(tmp_path, pid=gone.pid, process_started="123")
    taken = acquire(tmp_path)
    assert taken is not None and taken.number == 2
    taken.release("COMPLETED")


def test_a_reused_process_number_does_not_keep_a_lock_alive(tmp_path: Path) -> None:
    make_lock(tmp_path, pid=os.getpid(), process_started="123")
    assert not holder(tmp_path).alive()


@pytest.mark.parametrize(("age", "alive"), [(5.0, True), (locks.STALE_SECONDS + 5, False)])
def test_another_machine_is_judged_by_its_heartbeat(tmp_path: Path, age: float, alive: bool) -> None:
    make_lock(tmp_path, age=age, **ELSEWHERE)
    assert holder(tmp_path).alive() is alive
    assert (acquire(tmp_path) is None) is alive


def test_the_heart_beats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "BEAT_SECONDS", 0.05)
    lock = acquire(tmp_path)
    assert lock is not None
    path = tmp_path / "claims/0001.json"
    os.utime(path, (0, 0))
    wait_for(lambda: time.time() - path.stat().st_mtime < 5)
    lock.release("COMPLETED")


def test_a_lock_that_was_taken_over_is_lost(tmp_path: Path) -> None:
    lock = acquire(tmp_path)
    assert lock is not None
    lock.check()
    make_lock(tmp_path, number=2, **ELSEWHERE)
    with pytest.raises(LockLost):
        lock.check()
    lock.release("INTERRUPTED")


def test_a_torn_lock_counts_as_silent_since_it_was_written(tmp_path: Path) -> None:
    path = make_lock(tmp_path)
    path.write_text("{")
    assert holder(tmp_path).alive()
    os.utime(path, (0, 0))
    assert not holder(tmp_path).alive()


def test_a_retry_is_given_up_if_somebody_else_has_tried_since(tmp_path: Path) -> None:
    make_lock(tmp_path, number=1, released="FAILED")
    make_lock(tmp_path, number=2, released="FAILED")
    assert acquire(tmp_path, expected=1) is None
    lock = acquire(tmp_path, expected=2)
    assert lock is not None
    lock.release("FAILED")


def test_where_there_are_no_hard_links_the_name_is_still_exclusive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    lock = acquire(tmp_path)
    assert lock is not None and holder(tmp_path).content["machine"] == machine()
    assert acquire(tmp_path) is None
    lock.release("COMPLETED")


def _race(folder: str, barrier: "multiprocessing.synchronize.Barrier", won: "multiprocessing.Queue[int]") -> None:
    for round_ in range(30):
        barrier.wait()
        lock = acquire(Path(folder) / str(round_))
        won.put(round_ if lock else -1)
        barrier.wait()  # the winner lives until all have tried


def test_of_many_processes_that_see_a_dead_lock_exactly_one_takes_it_over(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    for round_ in range(30):
        make_lock(tmp_path / str(round_), pid=2**22 + 1, process_started="1")
    barrier, won = context.Barrier(4), context.Queue()
    racers = [context.Process(target=_race, args=(str(tmp_path), barrier, won)) for _ in range(4)]
    for racer in racers:
        racer.start()
    results = [won.get(timeout=60) for _ in range(4 * 30)]
    for racer in racers:
        racer.join()
    assert sorted(r for r in results if r >= 0) == list(range(30))
