"""MLflow, as its users see it: a real server on loopback, and an SQLite file without one."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from dgpexp.errors import UserError
from dgpexp.mirrors.background import connect
from dgpexp.mirrors.copy import Copy, Down, moment, read
from dgpexp.mirrors.url import parse
from tests.engines.processes import FAKE, run, run_dirs, wait_for
from tests.engines.sweeps import SMALL_MODELS, sweep
from tests.mirrors.folders import recorded

pytest.importorskip("mlflow", reason="MLflow is not installed: pip install 'dgpexp[mlflow]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow's own, of which it has many


class Server:
    """One MLflow server, not started yet."""

    def __init__(self, folder: Path):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self) -> None:
        where = ["--host", "127.0.0.1", "--port", str(self.port), "--workers", "1"]
        store = ["--backend-store-uri", f"sqlite:///{self.folder}/mlflow.db"]
        quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        env = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
        command = [sys.executable, "-m", "mlflow", "server", *where, *store]
        self._process = subprocess.Popen(command, cwd=self.folder, env=env, start_new_session=True, **quiet)
        wait_for(self._answers, 120)

    def _answers(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as page:
                return bool(page.status == 200)
        except OSError:
            assert self._process.poll() is None, "the server ended"
            return False

    def stop(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)  # with its children
        self._process.wait()

    @property
    def url(self) -> str:
        return f"mlflow+http://127.0.0.1:{self.port}"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with MLflow's tables, which take seconds to make, and nothing in them."""
    path = tmp_path_factory.mktemp("empty") / "mlflow.db"
    there(f"mlflow+sqlite:///{path}")
    return path


@pytest.fixture
def database(empty: Path, tmp_path: Path) -> str:
    return f"mlflow+sqlite:///{shutil.copy(empty, tmp_path)}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, empty: Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("mlflow")
    shutil.copy(empty, folder)
    server = Server(folder)
    yield server
    server.stop()


def there(url: str) -> dict[str, Any]:
    """What MLflow has, by the run id in a tag."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=url.removeprefix("mlflow+"))
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    return {found.data.tags["dgpexp.run_id"]: found for found in client.search_runs(ids)}


def curve(url: str, found: Any, name: str) -> list[tuple[int, float, int]]:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=url.removeprefix("mlflow+"))
    points = client.get_metric_history(found.info.run_id, name)
    return sorted((point.step, point.value, point.timestamp) for point in points)


def milliseconds(text: str) -> int:
    from datetime import UTC

    time = moment(text)
    assert time is not None
    return int(time.replace(tzinfo=UTC).timestamp() * 1000)


def copied(path: Path) -> Copy:
    copy = read(path)
    assert copy is not None
    return copy


def test_a_sweep_reaches_the_server_also_if_it_was_down_meanwhile(tmp_path: Path, server: Server) -> None:
    """The sweep goes on with one sentence, `sync` catches up, and a second `sync` writes nothing."""
    protocol, results = tmp_path / "my.toml", tmp_path / "results"
    protocol.write_text(sweep("vi", datasets=("sincos",), **{**SMALL_MODELS, "epochs": 30, "evaluate_every": 20}))
    labels = ("--tag", "first", "--note", "a try")
    code, _, err = run(FAKE, "run", str(protocol), *labels, "--quiet", "--observer", server.url, results=results)
    assert code == 0 and err.count("\n") == 1 and "the runs go on, and `dgpexp sync" in err
    server.start()
    for written, same in ((2, 0), (0, 2)):
        code, out, _ = run(FAKE, "sync", "--observer", server.url, "--json", results=results)
        assert code == 0 and [(o["written"], o["up_to_date"]) for o in json.loads(out)] == [(written, same)]
    found = there(server.url)
    assert sorted(found) == [path.name for path in run_dirs(results)]
    for path in run_dirs(results):
        mine, record = found[path.name], json.loads((path / "run.json").read_text())
        info, metrics = (json.loads((path / name).read_text()) for name in ("info.json", "metrics.json"))
        assert mine.info.status == "FINISHED" and mine.info.run_name == path.name
        assert (mine.info.start_time, mine.info.end_time) == tuple(
            milliseconds(record[name]) for name in ("start_time", "stop_time")
        ), "its original times"
        ll = metrics["ll"]
        points = zip(ll["steps"], ll["values"], map(milliseconds, ll["timestamps"]), strict=True)
        assert curve(server.url, mine, "ll") == list(points)
        assert mine.data.metrics["final/rmse"] == info["metrics"]["rmse"]
        assert mine.data.params["dataset"] == "sincos" and mine.data.params["epochs"] == "30"
        assert mine.data.tags["tag.first"] == "true" and mine.data.tags["mlflow.note.content"] == "a try"
        assert mine.data.tags["dgpexp.code"] == info["code"]


def test_a_run_that_goes_on_adds_its_new_points_and_one_made_anew_is_another(tmp_path: Path, database: str) -> None:
    target, copy = connect(parse(database)), copied(recorded(tmp_path / "runs"))
    part = {name: {key: values[:1] for key, values in curve.items()} for name, curve in copy.metrics.items()}
    begun = Copy(copy.path, {**copy.record, "status": "RUNNING"}, copy.config, {}, part, "")
    late = {name: {**curve, "timestamps": ["2030-01-01T00:00:00"] * 2} for name, curve in copy.metrics.items()}
    goes_on = Copy(copy.path, copy.record, copy.config, {"metrics": {"ll": -0.5}}, late, "")
    assert [target.put(one) for one in (begun, begun, goes_on, goes_on)] == [True, False, True, False]
    (found,) = there(database).values()
    first, second = curve(database, found, "ll")
    assert first[:2] == (10, -1.0) and second[:2] == (20, -0.5), "a point that was there is not sent again"
    assert found.info.status == "FINISHED"
    anew = Copy(copy.path, copy.record, copy.config, {"started": "2031-01-01T00:00:00+00:00"}, copy.metrics, "")
    assert target.put(anew) and not target.put(anew) and not target.put(goes_on)


def test_many_points_are_sent_in_batches(tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow.tracking import MlflowClient

    sizes: list[int] = []
    send = MlflowClient.log_batch

    def counted(self: Any, run_id: str, metrics: Any = (), params: Any = (), tags: Any = (), **rest: Any) -> Any:
        sizes.append(len(metrics))
        return send(self, run_id, metrics=metrics, params=params, tags=tags, **rest)

    monkeypatch.setattr(MlflowClient, "log_batch", counted)
    copy = copied(recorded(tmp_path / "runs"))
    many = {"ll": {"steps": list(range(2500)), "values": [0.5] * 2500, "timestamps": ["2026-01-01T00:00:00"] * 2500}}
    connect(parse(database)).put(Copy(copy.path, copy.record, copy.config, {}, many, ""))
    assert [size for size in sizes if size] == [1000, 1000, 500]


def test_a_failed_run_is_failed_there_too(tmp_path: Path, database: str) -> None:
    connect(parse(database)).put(copied(recorded(tmp_path / "runs", fail=True)))
    (found,) = there(database).values()
    assert found.info.status == "FAILED" and found.data.tags["dgpexp.error"] == "ValueError: the reason"


def test_a_server_that_is_not_there_is_down(tmp_path: Path) -> None:
    target = connect(parse("mlflow+http://127.0.0.1:9"))
    with pytest.raises(Down, match="the server does not answer"):
        target.put(copied(recorded(tmp_path / "runs")))


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mlflow+http://", "names no server"),
        ("mlflow+http://host:port", "names no server"),
        ("mlflow+sqlite:///", "names no file"),
        ("mlflow+sqlite:////no/such/folder/x.db", "there is no folder"),
        ("mlflow://host", "is no database that dgpexp knows"),
    ],
)
def test_an_address_that_cannot_work_is_refused(url: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        parse(url)
