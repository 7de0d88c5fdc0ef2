"""Sweeps with a mirror as people run them: real processes, the session alone is fake."""

import json
import os
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.engines.processes import FAKE, children, finish, measurements, run, run_dirs, start, status_of, wait_for

ONE = ("--method", "vi", "--splits", "0", "--jobs", "2")
PASSWORD = "Sent1nel"


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that accepts connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(20)
        yield f"postgresql://me:{PASSWORD}@127.0.0.1:{server.getsockname()[1]}/runs"


def rows(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_a_sweep_is_mirrored_and_sync_writes_only_what_is_missing(
    tmp_path: Path, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, database, second = tmp_path / "results", tmp_path / "mirror.db", tmp_path / "second.db"
    monkeypatch.setenv("DGPEXP_OBSERVER", f"sqlite:///{database}")
    code, _, err = run(FAKE, "run", protocol, *ONE, results=results)
    assert code == 0 and "mirror" not in err, err
    query = "SELECT run_id, status, json_extract(info, '$.metrics.ll') FROM run ORDER BY run_id"
    expected = [(k, "COMPLETED", v["metrics"]["ll"]) for k, v in sorted(measurements(results).items())]
    assert rows(database, query) == expected
    monkeypatch.setenv("DGPEXP_OBSERVER", f"sqlite:///{database} sqlite:///{second}")
    code, out, err = run(FAKE, "sync", "--profile", "small", "--json", results=results)
    assert code == 0 and [(o["written"], o["up_to_date"]) for o in json.loads(out)] == [(0, 2), (2, 0)]
    assert "nothing written, 2 were up to date." in err and "2 runs written" in err
    assert rows(second, query) == expected


def test_a_server_that_never_answers_delays_and_harms_nothing(tmp_path: Path, protocol: str, silent: str) -> None:
    results, other = tmp_path / "results", tmp_path / "mirror.db"
    observers = ("--observer", silent, "--observer", f"sqlite:///{other}")
    code, _, err = run(FAKE, "run", protocol, *ONE, "--quiet", *observers, results=results)
    assert code == 0
    assert err.count("dgpexp sync") == err.count("\n") == 1 and "me:***@127.0.0.1" in err, "one sentence, even if quiet"
    assert len(rows(other, "SELECT * FROM run WHERE status = 'COMPLETED'")) == 2, "the other mirror does not wait"


def test_no_password_is_anywhere(tmp_path: Path, protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the output, the files, or the arguments and the environment of our children."""
    results = tmp_path / "results"
    typed = [f"{scheme}://me:{PASSWORD}@127.0.0.1:1/runs" for scheme in ("postgresql", "mongodb")]  # nobody is there
    monkeypatch.setenv("DGPEXP_OBSERVER", typed[0])
    long = ("--set", "epochs=4000", "--jobs", "1", "--method", "vi")
    sweep = start(FAKE, "run", protocol, *long, "-v", f"--observer={typed[0]}", "--observer", typed[1], results=results)
    wait_for(lambda: list(results.glob("runs/*/*/metrics.json")))
    workers = children(sweep.pid)
    assert workers
    for pid in workers:
        for what in ("cmdline", "environ"):
            assert PASSWORD.encode() not in Path(f"/proc/{pid}/{what}").read_bytes(), what
    sweep.send_signal(signal.SIGINT)
    code, out, err = finish(sweep)
    assert code == 130 and "this continues it" in err and "'--observer=postgresql://me:***@127.0.0.1:1/runs'" in err
    assert PASSWORD not in out + err
    assert {status_of(p) for p in run_dirs(results)} == {"INTERRUPTED"}
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) > 5 and not [path for path in kept if PASSWORD.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    "words",
    [
        ("run", "P", "--observer", f"mysql://me:{PASSWORD}@host/runs"),
        ("run", "P", "--observer", f"postgresql://me:{PASSWORD}@host:port/runs"),
        ("run", "P", f"postgresql://me:{PASSWORD}@host/runs"),
        ("run", f"postgresql://me:{PASSWORD}@host/runs"),
        ("reproduce", "--observer", "sqlite:////no/such/folder/mirror.db"),
        ("sync", "--observer", f"mongodb://me:{PASSWORD}/@host"),
        ("sync", "--profile", "nobody", "--observer", "sqlite:///new.db"),
        ("sync",),
    ],
    ids=lambda words: words[0],
)
def test_wrong_input_is_one_sentence_and_nothing_runs(
    words: tuple[str, ...], tmp_path: Path, protocol: str, dgpexp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path / "results"))
    code, _, err = dgpexp(*(protocol if word == "P" else word for word in words))
    assert code == 2 and "Traceback" not in err and PASSWORD not in err
    assert not (tmp_path / "results").exists() and not os.path.exists("new.db")
