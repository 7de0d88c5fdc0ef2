"""A real PostgreSQL: read by SQL, killed in mid-run, frozen, and closed to writing."""

import os
import signal
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from dgpexp.mirrors.background import Mirror
from dgpexp.mirrors.copy import read
from dgpexp.mirrors.url import parse
from tests.engines.processes import FAKE, finish, measurements, run, run_dirs, start, status_of, wait_for
from tests.mirrors.folders import recorded
from tests.mirrors.postgres import PASSWORD, Server, Unavailable, binaries

pytestmark = pytest.mark.skipif(binaries() is None, reason="needs PostgreSQL (Debian: apt-get install postgresql)")
ONE = ("--method", "vi", "--splits", "0", "--jobs", "2")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    folder = binaries()
    assert folder is not None
    try:
        server = Server(folder)
    except Unavailable as error:
        pytest.skip(f"PostgreSQL cannot be started here: {error}")
    yield server
    server.stop()


@pytest.fixture
def database(server: Server) -> str:
    """A new, empty one."""
    name = f"runs_{uuid.uuid4().hex[:8]}"
    server.execute(f"CREATE DATABASE {name}")
    return name


def mirrored(server: Server, database: str) -> list[Any]:
    query = "SELECT run_id, status, (info::json -> 'metrics' ->> 'll')::float8 FROM run ORDER BY run_id"
    return server.execute(query, database)


def expected(results: Path) -> list[Any]:
    return [(k, v["status"], v["metrics"]["ll"]) for k, v in sorted(measurements(results).items())]


def versions(server: Server, database: str) -> list[Any]:
    """Which transaction wrote each row: equal before and after if nothing was written."""
    names = ("run", "artifact", "source", "dependency", "host", "experiment")
    return [server.execute(f"SELECT xmin::text, ctid::text FROM {name} ORDER BY 2", database) for name in names]


def no_password(tmp_path: Path, *texts: str) -> bool:
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    return not any(word in "".join(texts) or any(word.encode() in b for b in kept) for word in (PASSWORD, "Sent1nel"))


def test_its_death_in_mid_run_costs_one_sentence_and_sync_completes_the_mirror(
    server: Server, database: str, tmp_path: Path, protocol: str, dgpexp: Any
) -> None:
    results, url = tmp_path / "results", server.url(database)
    long = (*ONE, "--set", "epochs=400", "--observer", url)  # 7 s each
    sweep = start(FAKE, "run", protocol, *long, results=results)

    def running() -> bool:
        there = server.execute("SELECT to_regclass('run') IS NOT NULL", database) == [(True,)]
        return there and [status for _, status, _ in mirrored(server, database)] == ["RUNNING", "RUNNING"]

    wait_for(running)
    server.kill()
    assert {status_of(p) for p in run_dirs(results)} == {"RUNNING"}
    code, out, err = finish(sweep)
    assert code == 0 and err.count("dgpexp sync") == 1 and "Traceback" not in err, err
    assert {status_of(p) for p in run_dirs(results)} == {"COMPLETED"}

    server.start()
    with closing(server.connect(database)) as other:  # and once more, in the middle of a transaction
        other.execute("LOCK TABLE run")
        sync = start(FAKE, "sync", "--observer", url, results=results)
        wait_for(lambda: server.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
        server.kill()
        code, _, gone = finish(sync)
    assert code == 1 and "2 could not be written" in gone and gone.count("\n") == 1, gone
    server.start()
    code, _, back = dgpexp("sync", "--observer", url, "--results", str(results))
    assert code == 0 and "2 runs written" in back, back
    assert mirrored(server, database) == expected(results)
    before = versions(server, database)
    code, _, again = dgpexp("sync", "--observer", url, "--results", str(results))
    assert code == 0 and "nothing written, 2 were up to date" in again
    assert versions(server, database) == before
    assert no_password(tmp_path, out, err, gone, back, again)


def test_a_frozen_server_delays_no_step_and_the_end_is_bounded(
    server: Server, database: str, tmp_path: Path, protocol: str, dgpexp: Any
) -> None:
    results, url = tmp_path / "results", server.url(database)
    assert run(FAKE, "run", protocol, *ONE, "--dataset", "sincos", "--observer", url, results=results)[0] == 0
    server.signal(signal.SIGSTOP)
    try:
        code, out, err = run(FAKE, "run", protocol, *ONE, "--observer", url, results=results)
    finally:
        server.signal(signal.SIGCONT)
    assert code == 0 and err.count("dgpexp sync") == 1 and "Traceback" not in err, err
    assert {status_of(p) for p in run_dirs(results)} == {"COMPLETED"}
    code, _, err = dgpexp("sync", "--observer", url, "--results", str(results))
    assert code == 0 and "1 were up to date" in err and mirrored(server, database) == expected(results)
    assert no_password(tmp_path, out, err)


def test_a_role_that_may_only_read_is_told_once(
    server: Server, database: str, tmp_path: Path, protocol: str, dgpexp: Any
) -> None:
    reader = f"reader_{os.getpid()}"
    server.execute(f"CREATE ROLE {reader} LOGIN PASSWORD '{PASSWORD}'")
    results, url = tmp_path / "results", server.url(database, reader)
    code, out, err = run(FAKE, "run", protocol, *ONE, "--observer", url, results=results)
    assert code == 0 and err.count("dgpexp sync") == 1 and "permission denied" in err and "Traceback" not in err, err
    code, _, again = dgpexp("sync", "--observer", url, "--results", str(results))
    assert code == 1 and "2 could not be written (permission denied" in again
    wrong = server.url(database, reader, "Sent1nel-but-wrong")
    code, _, refused = dgpexp("sync", "--observer", wrong, "--results", str(results))
    assert code == 1 and "password authentication failed" in refused
    assert no_password(tmp_path, out, err, again, refused)


def test_many_mirrors_may_begin_at_once(server: Server, database: str, tmp_path: Path) -> None:
    """Sweeps on several machines make the tables and write the same runs at the same moment."""
    paths = [recorded(tmp_path / "runs", name) for name in ("boston", "energy", "power")]
    told = list[str]()
    mirrors = [Mirror(parse(server.url(database)), told.append) for _ in range(4)]
    for mirror in mirrors:
        for path in paths:
            mirror.submit(path)
    for mirror in mirrors:
        mirror.finish(60)
    assert told == [] and sorted(mirror.written + mirror.same for mirror in mirrors) == [3] * 4
    assert sum(mirror.written for mirror in mirrors) == 3
    assert server.execute("SELECT count(*), count(DISTINCT run_id) FROM run", database) == [(3, 3)]
    counts = "SELECT (SELECT count(*) FROM artifact), (SELECT count(*) FROM experiment), (SELECT count(*) FROM host)"
    assert server.execute(counts, database) == [(3, 1, 1)]


def test_tables_that_sacred_made_take_our_runs_too(server: Server, database: str, tmp_path: Path) -> None:
    """PostgreSQL enforces Sacred's 24 characters of run id and 16 of a version."""
    from dgpexp.mirrors.sql import SqlMirror, tables

    address = parse(server.url(database))
    tables.Base.metadata.create_all(sa.create_engine(sa.make_url(address.url).set(drivername="postgresql+psycopg")))
    path = recorded(tmp_path / "runs", "heteroscedastic")
    copy = read(path)
    assert copy is not None
    assert [SqlMirror(address).put(copy) for _ in range(2)] == [True, False]
    short = f"heteroscedastic-{path.name[-8:]}"
    assert server.execute("SELECT run_id, comment FROM run", database) == [(short, path.name)]
