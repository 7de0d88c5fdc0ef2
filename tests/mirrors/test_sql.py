"""SQLite, as Sacred's users read it; PostgreSQL is in test_postgres.py."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from dgpexp.mirrors.background import Mirror
from dgpexp.mirrors.copy import Copy, Down, Rejected, read
from dgpexp.mirrors.sql import SqlMirror, shorten, tables
from dgpexp.mirrors.url import parse
from tests.mirrors.folders import recorded


def copy_of(path: Path) -> Copy:
    copy = read(path)
    assert copy is not None
    return copy


def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/mirror.db"


def rows(tmp_path: Path, query: str) -> list[Any]:
    with sqlite3.connect(tmp_path / "mirror.db") as connection:
        return connection.execute(query).fetchall()


def test_sacreds_own_models_read_the_run(tmp_path: Path) -> None:
    path = recorded(tmp_path / "runs")
    assert SqlMirror(parse(database(tmp_path))).put(copy_of(path))
    with Session(sa.create_engine(database(tmp_path))) as session:
        run = session.query(tables.Run).one().to_json()
    assert run["_id"] == path.name and run["status"] == "COMPLETED" and run["result"] == -0.5
    assert run["config"]["dataset"] == "boston" and run["captured_out"] == "a line of output \n"
    assert run["start_time"] <= run["heartbeat"] <= run["stop_time"] and run["host"]["hostname"]
    assert "dgpexp/config.py" in [source["filename"] for source in run["experiment"]["sources"]]
    assert any(d.startswith("numpy==") for d in run["experiment"]["dependencies"])


def test_it_says_what_sacreds_observer_says(tmp_path: Path) -> None:
    """The same run by Sacred's SqlObserver and by us: the same columns hold the same things."""
    from sacred.observers import SqlObserver

    path = recorded(tmp_path / "runs")
    copy = copy_of(path)
    theirs = SqlObserver(f"sqlite:///{tmp_path}/sacred.db")
    about = {**copy.experiment, "sources": []}
    theirs.started_event(about, "main", copy.record["host"], copy.time("start_time"), copy.config, {}, path.name)
    theirs.heartbeat_event(copy.info, copy.output, copy.time("heartbeat"), -0.5)
    theirs.completed_event(copy.time("stop_time"), -0.5)
    theirs.session.remove()
    SqlMirror(parse(database(tmp_path))).put(copy)
    found = []
    for name in ("sacred", "mirror"):
        with sqlite3.connect(tmp_path / f"{name}.db") as connection:
            connection.row_factory = sqlite3.Row
            row = dict(connection.execute("SELECT * FROM run, host WHERE run.host_id = host.host_id").fetchone())
        row["config"], row["info"] = json.loads(row["config"]), json.loads(row["info"])
        found.append({k: v for k, v in row.items() if k != "comment"})
    assert found[0] == found[1]


def test_the_second_time_nothing_is_written_and_a_change_is(tmp_path: Path) -> None:
    path = recorded(tmp_path / "runs")
    mirror = SqlMirror(parse(database(tmp_path)))
    assert [mirror.put(copy_of(path)) for _ in range(3)] == [True, False, False]
    before = (tmp_path / "mirror.db").read_bytes()
    assert not SqlMirror(parse(database(tmp_path))).put(copy_of(path))
    assert (tmp_path / "mirror.db").read_bytes() == before
    (path / "metrics.json").write_text(json.dumps({"ll": {"steps": [1], "values": [0.0], "timestamps": [""]}}))
    assert mirror.put(copy_of(path))
    ((content,),) = rows(tmp_path, "SELECT content FROM artifact WHERE filename = 'metrics.json'")
    assert json.loads(content)["ll"]["steps"] == [1]


def test_sources_hosts_and_versions_are_stored_once_for_many_runs(tmp_path: Path) -> None:
    mirror = SqlMirror(parse(database(tmp_path)))
    paths = [recorded(tmp_path / "runs", name) for name in ("boston", "energy", "power")]
    for path in paths:
        mirror.put(copy_of(path))
    assert rows(tmp_path, "SELECT count(*) FROM run") == [(3,)]
    assert rows(tmp_path, "SELECT count(*) FROM host") == rows(tmp_path, "SELECT count(*) FROM experiment") == [(1,)]
    assert rows(tmp_path, "SELECT max(n) FROM (SELECT count(*) n FROM source GROUP BY filename)") == [(1,)]


def test_many_mirrors_may_begin_at_once(tmp_path: Path) -> None:
    paths = [recorded(tmp_path / "runs", name) for name in ("boston", "energy")]
    told = list[str]()
    mirrors = [Mirror(parse(database(tmp_path)), told.append) for _ in range(4)]
    for mirror in mirrors:
        for path in paths:
            mirror.submit(path)
    for mirror in mirrors:
        mirror.finish(60)
    assert told == [] and sum(mirror.written for mirror in mirrors) == 2
    assert rows(tmp_path, "SELECT count(*) FROM run") == rows(tmp_path, "SELECT count(*) FROM artifact") == [(2,)]


def test_the_latest_copy_of_a_run_wins(tmp_path: Path) -> None:
    """The same run in two results folders: the same numbers, other times. Mirrors of both do not undo each other."""
    older, newer = recorded(tmp_path / "a"), recorded(tmp_path / "b")
    mirror = SqlMirror(parse(database(tmp_path)))
    assert [mirror.put(copy_of(path)) for path in (newer, older, newer)] == [True, False, False]
    assert [mirror.put(copy_of(path)) for path in (older, newer)] == [False, False]


def test_a_failed_run_has_its_reason_and_a_folder_without_a_record_is_nothing(tmp_path: Path) -> None:
    SqlMirror(parse(database(tmp_path))).put(copy_of(recorded(tmp_path / "runs", fail=True)))
    ((status, trace),) = rows(tmp_path, "SELECT status, fail_trace FROM run")
    assert status == "FAILED" and "ValueError: the reason" in trace
    (tmp_path / "empty").mkdir()
    assert read(tmp_path / "empty") is None


def test_what_is_too_long_for_tables_that_sacred_made_is_shortened(tmp_path: Path) -> None:
    tables.Base.metadata.create_all(sa.create_engine(database(tmp_path)))
    path = recorded(tmp_path / "runs")
    mirror = SqlMirror(parse(database(tmp_path)))
    assert [mirror.put(copy_of(path)) for _ in range(2)] == [True, False]
    ((short, whole),) = rows(tmp_path, "SELECT run_id, comment FROM run")
    assert len(short) == 24 and short == f"boston-aepmcm-3-{path.name[-8:]}" and whole == path.name
    assert shorten("short", 24) == "short" and shorten(None, 3) is None


def test_a_database_that_holds_something_else_is_not_written(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "mirror.db") as connection:
        connection.execute("CREATE TABLE run (something INTEGER)")
    with pytest.raises((Down, Rejected), match="no such column"):
        SqlMirror(parse(database(tmp_path))).put(copy_of(recorded(tmp_path / "runs")))
