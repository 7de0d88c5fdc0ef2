"""The thread beside a sweep: a database that is down, silent or refuses costs nobody anything but a sentence."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dgpexp.mirrors import background
from dgpexp.mirrors.background import Mirror
from dgpexp.mirrors.copy import Copy, Down, Rejected
from dgpexp.mirrors.url import MirrorUrl, parse
from tests.engines.processes import wait_for
from tests.store.folders import make_run, spec

ADDRESS = parse("postgresql://me:SECRET@host/runs")


class Database:
    """Remembers what it was given; `trouble` is called first and may raise, or block."""

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.trouble: Callable[[Copy], None] = lambda copy: None

    def put(self, copy: Copy) -> bool:
        self.trouble(copy)
        new = copy.run_id not in self.runs
        self.runs.append(copy.run_id)
        return new


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    fake = Database()
    monkeypatch.setattr(background, "connect", lambda address: fake)
    return fake


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [make_run(tmp_path, spec(split=k)) for k in range(3)]


def test_everything_submitted_is_written_in_order(database: Database, runs: list[Path]) -> None:
    mirror = Mirror(ADDRESS, pytest.fail)
    for path in runs:
        mirror.submit(path)
    mirror.finish(30)
    assert database.runs == [path.name for path in runs] and mirror.written == 3 and not mirror.pending


def test_a_database_that_comes_back_gets_what_it_missed(database: Database, runs: list[Path]) -> None:
    def down(copy: Copy) -> None:
        raise Down("connection refused for SECRET")

    database.trouble, told = down, list[str]()
    mirror = Mirror(ADDRESS, told.append)
    mirror.submit(runs[0])
    wait_for(lambda: told)
    mirror.submit(runs[1])
    database.trouble = lambda copy: None
    mirror.finish(30)  # the end is one more try
    assert database.runs == [runs[0].name, runs[1].name] and told == ["connection refused for ***"]


def test_a_database_that_stays_down_is_told_once(database: Database, runs: list[Path]) -> None:
    def down(copy: Copy) -> None:
        raise Down("gone")

    database.trouble, told = down, list[str]()
    mirror = Mirror(ADDRESS, told.append)
    for path in runs:
        mirror.submit(path)
    mirror.finish(30)
    assert told == ["gone"] and set(mirror.pending) == set(runs) and not database.runs


def test_nobody_waits_for_a_database_that_never_answers(database: Database, runs: list[Path]) -> None:
    answer, told = threading.Event(), list[str]()
    database.trouble = lambda copy: (answer.wait(), None)[1]
    mirror = Mirror(ADDRESS, told.append)
    for path in runs:
        mirror.submit(path)  # returns at once
    mirror.finish(0.3)
    assert told == ["it did not answer in time"] and len(mirror.pending) == 3
    answer.set()


def test_one_run_that_is_refused_does_not_hold_up_the_others(database: Database, runs: list[Path]) -> None:
    def refuse(copy: Copy) -> None:
        if copy.run_id == runs[0].name:
            raise Rejected("permission denied")
        if copy.run_id == runs[1].name:
            raise RuntimeError("something unforeseen")

    database.trouble, told = refuse, list[str]()
    mirror = Mirror(ADDRESS, told.append)
    for path in runs:
        mirror.submit(path)
    mirror.finish(30)
    assert database.runs == [runs[2].name] and mirror.refused == 2 and told == ["permission denied"]


def test_a_change_during_the_copy_is_copied_too(database: Database, runs: list[Path]) -> None:
    mirror: Mirror
    changed = threading.Event()

    def change(copy: Copy) -> None:
        if not changed.is_set():
            changed.set()
            mirror.submit(runs[0])

    mirror = Mirror(ADDRESS, pytest.fail)
    database.trouble = change
    mirror.submit(runs[0])
    mirror.finish(30)
    assert database.runs == [runs[0].name] * 2


def test_a_library_that_cannot_even_connect_is_only_told(monkeypatch: pytest.MonkeyPatch, runs: list[Path]) -> None:
    def connect(address: MirrorUrl) -> Database:
        raise ImportError(f"no driver for {address.url}")

    monkeypatch.setattr(background, "connect", connect)
    told = list[str]()
    mirror = Mirror(ADDRESS, told.append)
    mirror.submit(runs[0])
    mirror.finish(30)
    assert told == ["ImportError: no driver for postgresql://me:***@host/runs"]
