"""Runs of two processes each on a real dask cluster on loopback; the session is fake but in the last test."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from dgpexp.engines.cluster.dask_engine import DaskEngine
from dgpexp.engines.cluster.gangs import Gang, Order
from dgpexp.runs.job import Job
from tests.engines.cluster.clusters import Cluster, cut_the_power
from tests.engines.processes import (
    FAKE,
    REAL,
    children,
    executing,
    finish,
    is_zombie,
    locks,
    measurements,
    run,
    run_dirs,
    start,
    status_of,
    wait_for,
)
from tests.engines.sweeps import SMALL_MODELS, sweep, undisturbed
from tests.store.folders import spec

MODEL = {**SMALL_MODELS, "features": 4, "batch_size": 14, "max_steps": 250, "evaluate_every": 90, "shards": 2}
SWEEP = sweep("vi", datasets=("sincos",), rows=100, batch_size=10, epochs=60, evaluate_every=170, shards=2)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return undisturbed(tmp_path_factory.mktemp("gangs"), SWEEP)


@pytest.fixture(scope="module")
def protocol(local: Path) -> str:
    return str(local.parent / "my.toml")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.hire(2)
        yield cluster


def on(cluster: Cluster, protocol: str, *more: str) -> tuple[str, ...]:
    return ("run", protocol, "--scheduler", cluster.address, "--workers", "2", "--checkpoint-every", "0.05", *more)


def processes(cluster: Cluster) -> list[int]:
    """Those that dask's workers have started."""
    return [child for worker in cluster.workers for child in children(worker.pid) if not is_zombie(child)]


def _numbers(results: Path) -> Any:
    """What was measured, and the models bit for bit."""
    return measurements(results), [(p / "model.npz").read_bytes() for p in run_dirs(results)]


def test_two_sweeps_of_gangs_on_one_cluster_do_not_wait_for_each_other_for_ever(
    cluster: Cluster, protocol: str, local: Path, tmp_path: Path
) -> None:
    """Both workers are needed by each gang, and each sweep has two."""
    sweeps = [start(FAKE, *on(cluster, protocol), results=tmp_path / name / "results") for name in "ab"]
    for one, name in zip(sweeps, "ab", strict=True):
        code, _, err = finish(one, 300)
        assert code == 0, err
        assert measurements(tmp_path / name / "results") == measurements(local)
        assert all(len(locks(p)) == 1 for p in run_dirs(tmp_path / name / "results")), "none was begun twice"
    held = [lock for name in "ab" for p in run_dirs(tmp_path / name / "results") for lock in locks(p)]
    held.sort(key=lambda lock: lock["since"])
    assert all(a["ended"] <= b["since"] for a, b in pairwise(held)), "one gang at a time"
    wait_for(lambda: not processes(cluster), 5)


@pytest.mark.parametrize("rank", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_when_the_worker_of_a_rank_is_lost_another_gang_goes_on(
    protocol: str, local: Path, tmp_path: Path, rank: int
) -> None:
    results = tmp_path / "results"
    with Cluster(tmp_path / "cluster") as cluster:
        workers = cluster.hire(3)
        process = start(FAKE, *on(cluster, protocol, "--splits", "0"), results=results)
        victim = wait_for(lambda: executing(results), 180)[0]
        first = locks(victim)[0]["parent"][0]
        busy = [worker for worker in workers if children(worker.pid)]
        cut_the_power(next(worker for worker in busy if (worker.pid == first) == (rank == 0)))
        code, _, err = finish(process, 300)
        assert code == 0, err
        wait_for(lambda: not processes(cluster), 5)
    expected = {name: found for name, found in measurements(local).items() if "-s00-" in name}
    assert measurements(results) == expected
    assert len(locks(victim)) == 2 and json.loads((victim / "info.json").read_text())["resumed_at"] > 0


@pytest.mark.parametrize("told", [True, False])
def test_a_run_has_died_with_its_worker_only_if_it_had_begun(tmp_path: Path, told: bool) -> None:
    """A list of workers is up to a second old, and may name one that is gone."""
    engine: Any = DaskEngine(MagicMock(), MagicMock(), None, str)
    job, gang, died = Job(spec(), str(tmp_path), "quick", "uci", "", 0, False, 60.0), Gang(told=told), MagicMock()
    for rank in (0, 1):
        engine._orders[str(rank)] = gang.members[str(rank)] = Order(
            job, ("tcp://gone:1", rank), MagicMock(), gang, rank
        )
    engine._lost("0", died)
    assert not engine._orders
    assert died.give_back.called == told and engine._held == ([] if told else [job])


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_a_sweep_that_ends_takes_its_gang_with_it(
    cluster: Cluster, protocol: str, local: Path, tmp_path: Path, number: int
) -> None:
    process = start(FAKE, *on(cluster, protocol), results=tmp_path)
    (held,) = wait_for(lambda: executing(tmp_path), 180)
    process.send_signal(number)
    code, _, err = finish(process, 300)
    assert code == (130 if number == signal.SIGINT else -number) and "Traceback" not in err
    wait_for(lambda: not processes(cluster), 5)
    assert status_of(held) == "INTERRUPTED" and (held / "checkpoint.npz").is_file()
    assert run(FAKE, *on(cluster, protocol), results=tmp_path)[0] == 0
    assert measurements(tmp_path) == measurements(local)


def test_a_gang_waits_for_enough_threads_and_one_that_differs_is_set_aside(protocol: str, tmp_path: Path) -> None:
    log = tmp_path / "sweep.log"
    with Cluster(tmp_path / "cluster") as cluster, log.open("w") as said:
        cluster.hire()
        cluster.hire(FAKE_WORKER="tests.engines.cluster.odd_worker", ODD="version")
        process = start(FAKE, *on(cluster, protocol, "--splits", "0"), results=tmp_path / "results", stderr=said)
        wait_for(lambda: "has dgpexp 0.0.1 and the sweep " in log.read_text())
        wait_for(lambda: "a run needs 2 threads at once, and they have 1" in log.read_text())
        assert not run_dirs(tmp_path / "results"), "nothing was begun"
        cluster.hire()
        assert finish(process)[0] == 0, log.read_text()
    assert [len(locks(p)) for p in run_dirs(tmp_path / "results")] == [1]


@pytest.fixture
def link() -> Iterator[tuple[str, str]]:
    """Two network namespaces with a cable between them, as two machines: 10.213.0.1 and 10.213.0.2."""
    if os.geteuid() or not shutil.which("ip"):
        pytest.skip("network namespaces need root and ip (Debian: iproute2)")
    names = f"dgpexp-a{os.getpid()}", f"dgpexp-b{os.getpid()}"
    try:
        for name in names:
            _ip("netns", "add", name)
        _ip("link", "add", "cable", "netns", names[0], "type", "veth", "peer", "name", "cable", "netns", names[1])
        for name, host in zip(names, (1, 2), strict=True):
            _ip("-n", name, "address", "add", f"10.213.0.{host}/24", "dev", "cable")
            for device in ("lo", "cable"):
                _ip("-n", name, "link", "set", device, "up")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"network namespaces cannot be made here: {done.stderr.strip()}")


@pytest.mark.slow
def test_a_model_trained_on_two_dask_workers_has_the_bits_of_one_process(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(sweep("rff", datasets=("sincos",), **MODEL))
    args = ("run", str(path), "--checkpoint-every", "0")
    with Cluster(tmp_path / "cluster", fake=False) as cluster:
        cluster.hire(2)
        on_dask = ("--scheduler", cluster.address, "--workers", "2")
        process = start(REAL, *args, *on_dask, results=tmp_path / "dask" / "results")
        wait_for(lambda: executing(tmp_path / "dask" / "results"), 180)
        os.kill(processes(cluster)[0], signal.SIGKILL)
        code, _, err = finish(process, 400)
        assert code == 0, err
        wait_for(lambda: not processes(cluster), 5)
    assert run(REAL, *args, results=tmp_path / "here" / "results", timeout=400)[0] == 0
    assert _numbers(tmp_path / "dask" / "results") == _numbers(tmp_path / "here" / "results")
    assert sorted(len(locks(p)) for p in run_dirs(tmp_path / "dask" / "results")) == [1, 2]


@pytest.mark.slow
def test_when_the_cable_is_cut_both_processes_end_and_the_run_goes_on_with_the_same_bits(link, tmp_path: Path) -> None:
    path, results = tmp_path / "my.toml", tmp_path / "cable" / "results"
    path.write_text(sweep("rff", datasets=("sincos",), **MODEL))
    args = ("run", str(path), "--splits", "0", "--checkpoint-every", "0")
    here, there = (["ip", "netns", "exec", name] for name in link)
    with Cluster(tmp_path / "cluster", fake=False, host="10.213.0.1", within=here) as cluster:
        cluster.hire(within=here)
        cluster.hire(within=there)
        on_dask = ("--scheduler", cluster.address, "--workers", "2")
        process = start([*here, *REAL], *args, *on_dask, results=results)
        wait_for(lambda: executing(results), 300)
        both = processes(cluster)
        assert len(both) == 2
        _ip("-n", link[0], "link", "set", "cable", "down")
        wait_for(lambda: all(is_zombie(pid) for pid in both), 30)
        cluster.hire(within=here)
        code, _, err = finish(process, 400)
        assert code == 0, err
    assert run(REAL, *args, results=tmp_path / "here" / "results", timeout=400)[0] == 0
    assert _numbers(results) == _numbers(tmp_path / "here" / "results")
