"""MongoDB: against mongomock, which behaves as a server does, and against Sacred's own MongoObserver on the same.

No MongoDB server is packaged for Debian or Python; the driver itself is tested against ports that do not answer.
"""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gridfs
import mongomock
import mongomock.gridfs
import pymongo
import pytest

from dgpexp.mirrors import mongo
from dgpexp.mirrors.copy import Down, moment
from dgpexp.mirrors.mongo import MongoMirror, allowed, number
from dgpexp.mirrors.url import parse
from tests.mirrors.folders import recorded
from tests.mirrors.test_sql import copy_of

URL = "mongodb://localhost/mirror"


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """One fake server for all clients of a test."""
    mongomock.gridfs.enable_gridfs_integration()
    fake = mongomock.MongoClient(URL)
    monkeypatch.setattr(pymongo, "MongoClient", lambda url, **options: fake)
    yield fake


def test_a_run_is_what_sacreds_observer_makes_of_it(client: Any, tmp_path: Path) -> None:
    from sacred.observers import MongoObserver

    path = recorded(tmp_path / "runs")
    copy = copy_of(path)
    assert MongoMirror(parse(URL)).put(copy)
    key = number(path.name)
    ours = client.mirror.runs.find_one({"_id": key})
    assert 0 < key < 2**53 and ours["meta"]["comment"] == path.name

    database = client.sacred
    observer = MongoObserver.create_from(
        database.runs, gridfs.GridFS(database), metrics_collection=database.metrics, failure_dir=tmp_path
    )
    about, meta = {**copy.experiment, "sources": []}, {**copy.record["meta"], "comment": path.name}
    observer.started_event(about, "main", copy.record["host"], copy.time("start_time"), copy.config, meta, key)
    info: dict[str, Any] = {}
    series = {k: {**v, "timestamps": [moment(t) for t in v["timestamps"]]} for k, v in copy.metrics.items()}
    observer.log_metrics(series, info)
    observer.heartbeat_event(info, copy.output, copy.time("heartbeat"), -0.5)
    observer.completed_event(copy.time("stop_time"), -0.5)
    theirs = database.runs.find_one({"_id": key})

    assert ours.keys() == theirs.keys()
    for name in ("_id", "format", "command", "host", "config", "meta", "status", "result", "captured_out"):
        assert ours[name] == theirs[name], name
    assert {m["name"] for m in ours["info"]["metrics"]} == {m["name"] for m in theirs["info"]["metrics"]}
    assert ours["info"]["final_metrics"] == {"ll": -0.5, "rmse": 2.0}
    for name in ("ll", "rmse"):
        mine, other = (d.metrics.find_one({"run_id": key, "name": name}) for d in (client.mirror, database))
        assert mine.keys() == other.keys() and (mine["steps"], mine["values"]) == (other["steps"], other["values"])
        assert str(mine["_id"]) in [m["id"] for m in ours["info"]["metrics"]]


def test_names_of_columns_become_keys_that_mongodb_takes() -> None:
    assert allowed({"levels": {"petal.length": ["a.b"], "$cost": [{"x.y": 1}]}}) == {
        "levels": {"petal,length": ["a.b"], "@cost": [{"x,y": 1}]}
    }


def test_sources_are_in_gridfs_once_for_many_runs(client: Any, tmp_path: Path) -> None:
    for name in ("boston", "energy"):
        MongoMirror(parse(URL)).put(copy_of(recorded(tmp_path / "runs", name)))
    run = client.mirror.runs.find_one({})
    assert client.mirror["fs.files"].count_documents({}) == len(run["experiment"]["sources"])
    key = dict(run["experiment"]["sources"])["dgpexp/config.py"]
    kept = gridfs.GridFS(client.mirror).get(key).read()
    assert kept == (Path(__file__).parents[2] / "dgpexp/config.py").read_bytes()


def test_the_second_time_nothing_is_written_and_the_latest_copy_wins(client: Any, tmp_path: Path) -> None:
    older, newer = recorded(tmp_path / "a"), recorded(tmp_path / "b")
    assert [MongoMirror(parse(URL)).put(copy_of(p)) for p in (older, older, newer, older, newer)] == [
        True, False, True, False, False,
    ]  # fmt: skip
    assert client.mirror.runs.count_documents({}) == 1 and client.mirror.metrics.count_documents({}) == 2


def test_a_failed_run_has_its_reason(client: Any, tmp_path: Path) -> None:
    MongoMirror(parse(URL)).put(copy_of(recorded(tmp_path / "runs", fail=True)))
    run = client.mirror.runs.find_one({})
    assert run["status"] == "FAILED" and "ValueError: the reason" in "".join(run["fail_trace"])


@pytest.mark.parametrize("listens", [False, True], ids=["nobody listens", "nobody answers"])
def test_a_server_that_is_not_there_is_down(listens: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mongo, "_TIMEOUTS", dict.fromkeys(mongo._TIMEOUTS, 300))
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if listens:
            server.listen()
        url = f"mongodb://me:SECRET@127.0.0.1:{server.getsockname()[1]}/runs"
        with pytest.raises(Down) as caught:
            MongoMirror(parse(url)).put(copy_of(recorded(tmp_path / "runs")))
    assert "SECRET" not in str(caught.value)
