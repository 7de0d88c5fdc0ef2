"""Sweeps on a real dask cluster of processes on loopback, which are killed; the session alone is fake."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.cluster.clusters import Cluster, cut_the_power
from tests.engines.processes import (
    FAKE,
    ROOT,
    executing,
    finish,
    locks,
    measurements,
    run,
    run_dirs,
    start,
    status_of,
    wait_for,
)
from tests.engines.sweeps import sweep, undisturbed

SWEEP = sweep("vi", rows=100, batch_size=10, epochs=80, evaluate_every=170)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return undisturbed(tmp_path_factory.mktemp("dask"), SWEEP)


@pytest.fixture(scope="module")
def protocol(local: Path) -> str:
    return str(local.parent / "my.toml")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.hire(2)
        yield cluster


def on(cluster: Cluster, protocol: str, *more: str) -> tuple[str, ...]:
    return ("run", protocol, "--scheduler", cluster.address, "--checkpoint-every", "0.05", *more)


def holder(run_dir: Path) -> int:
    """The process number of the dask worker that has it executed."""
    return int(locks(run_dir)[-1]["parent"][0])


def test_a_worker_is_lost_and_another_comes_and_the_bits_are_those_of_a_local_sweep(
    protocol: str, local: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    with Cluster(tmp_path / "cluster") as cluster:
        workers = cluster.hire(2)
        sweep = start(FAKE, *on(cluster, protocol, "--json"), results=results)
        victim = wait_for(lambda: executing(results))[0]
        cut_the_power(next(w for w in workers if w.pid == holder(victim)))
        cluster.hire()
        code, out, err = finish(sweep)
    assert code == 0, err
    assert sorted(json.loads(out)["completed"]) == sorted(measurements(local)), "each is said to be complete once"
    assert measurements(results) == measurements(local)
    assert len(locks(victim)) == 2 and json.loads((victim / "info.json").read_text())["resumed_at"] > 0
    assert all(len(locks(p)) == 1 for p in run_dirs(results) if p != victim), "no other run was executed twice"
    assert not list(results.glob(".sweeps/*"))


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)]
)
def test_stopped_by_a_signal_it_checkpoints_and_says_how_to_continue(
    cluster: Cluster, protocol: str, local: Path, tmp_path: Path, number: int, code: int
) -> None:
    sweep = start(FAKE, *on(cluster, protocol), results=tmp_path)
    wait_for(lambda: len(executing(tmp_path)) == 2)
    sweep.send_signal(number)
    ended, _, err = finish(sweep)
    assert ended == code and "this continues it" in err and "Traceback" not in err
    assert not executing(tmp_path), "it waited until the workers had given their runs back"
    interrupted = [p for p in run_dirs(tmp_path) if status_of(p) == "INTERRUPTED"]
    assert len(interrupted) == 2 and all((p / "checkpoint.npz").is_file() for p in interrupted)
    assert run(FAKE, *on(cluster, protocol), results=tmp_path)[0] == 0
    assert measurements(tmp_path) == measurements(local)


@pytest.mark.slow
def test_after_kill_9_the_workers_stop_and_the_same_command_continues(
    cluster: Cluster, protocol: str, local: Path, tmp_path: Path
) -> None:
    sweep = start(FAKE, *on(cluster, protocol), results=tmp_path)
    wait_for(lambda: len(executing(tmp_path)) == 2)
    sweep.kill()
    finish(sweep)
    code, out, err = run(FAKE, *on(cluster, protocol, "--json"), results=tmp_path)
    assert code == 0 and json.loads(out)["elsewhere"] == [], err
    assert measurements(tmp_path) == measurements(local)


def test_a_cluster_of_another_version_is_refused(protocol: str, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        cluster.hire(FAKE_WORKER="tests.engines.cluster.odd_worker", ODD="version")
        code, _, err = run(FAKE, *on(cluster, protocol), results=tmp_path / "results")
    assert code == 1 and "dgpexp: no worker of the dask cluster fits: the worker on " in err
    assert "has dgpexp 0.0.1 and the sweep " in err and "Traceback" not in err
    assert not run_dirs(tmp_path / "results")


def test_when_the_scheduler_dies_the_sweep_ends_with_a_sentence_and_nothing_is_lost(
    cluster: Cluster, protocol: str, local: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    with Cluster(tmp_path / "cluster") as doomed:
        doomed.hire(2)
        sweep = start(FAKE, *on(doomed, protocol), results=results)
        wait_for(lambda: len(executing(results)) == 2)
        doomed.scheduler.kill()
        code, _, err = finish(sweep)
        assert code == 1 and "dgpexp: the connection to the dask scheduler was lost" in err and "Traceback" not in err
        wait_for(lambda: not executing(results))
        assert all(status_of(p) == "INTERRUPTED" for p in run_dirs(results))
    assert run(FAKE, *on(cluster, protocol), results=results)[0] == 0
    assert measurements(results) == measurements(local)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("odd", "sentence"),
    [
        ("version", "has dgpexp 0.0.1 and the sweep "),
        ("sources", "has other sources of dgpexp "),
        ("folder", "does not see the results folder /proc/self/cwd/results of the sweep"),
    ],
    ids=["version", "sources", "folder"],
)
def test_a_worker_that_differs_refuses_and_the_others_do_the_work(
    protocol: str, tmp_path: Path, odd: str, sentence: str
) -> None:
    """The folder is one whose path means another in every process: that of its working directory."""
    home, away = tmp_path / "home", tmp_path / "away"
    for path in (home, away):
        (path / "results").mkdir(parents=True)
    args = ("--results", "/proc/self/cwd/results", "--splits", "0")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with Cluster(tmp_path / "cluster") as cluster:
        if odd == "folder":
            cluster.hire(cwd=away)
        else:
            cluster.hire(cwd=home, FAKE_WORKER="tests.engines.cluster.odd_worker", ODD=odd)

        def sweep() -> subprocess.CompletedProcess[str]:
            command = [*FAKE, *on(cluster, protocol, *args)]
            return subprocess.run(command, cwd=home, env=environment, text=True, capture_output=True, timeout=60)

        alone = sweep()
        assert alone.returncode == 1 and "dgpexp: no worker of the dask cluster fits: " in alone.stderr
        assert sentence in alone.stderr and "Traceback" not in alone.stderr
        assert not run_dirs(home / "results") and not run_dirs(away / "results"), "nothing was begun"
        cluster.hire(cwd=home)
        together = sweep()
        assert together.returncode == 0 and sentence in together.stderr, together.stderr
        assert [status_of(p) for p in run_dirs(home / "results")] == ["COMPLETED"] * 2


@pytest.mark.slow
def test_runs_on_data_that_no_worker_has_fail_and_say_so(protocol: str, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        cluster.hire(FAKE_WORKER="tests.engines.cluster.odd_worker", ODD="data")
        code, _, err = run(FAKE, *on(cluster, protocol, "--splits", "0"), results=tmp_path / "results")
    assert code == 1 and err.count("FAILED sincos vi-2 split 0: the worker on ") == 1
    assert "has other numbers in sincos than the sweep: `dgpexp data verify sincos` there" in err
    assert not run_dirs(tmp_path / "results")


@pytest.mark.slow
def test_every_thread_of_a_worker_has_its_own_process_and_timed_runs_go_one_at_a_time(
    protocol: str, tmp_path: Path
) -> None:
    timed = tmp_path / "timed.toml"
    timed.write_text("timing = true\n" + SWEEP)
    with Cluster(tmp_path / "cluster") as cluster:
        cluster.hire(threads=2)
        for file, together in ((protocol, True), (str(timed), False)):
            results = tmp_path / Path(file).stem
            code, _, err = run(FAKE, *on(cluster, file, "--splits", "0"), results=results)
            assert code == 0, err
            first, second = sorted((locks(p)[0] for p in run_dirs(results)), key=lambda lock: lock["since"])
            assert (second["since"] < first["ended"]) is together
            assert not together or first["pid"] != second["pid"]


@pytest.mark.slow
def test_a_sweep_waits_for_workers_and_can_be_stopped_meanwhile(protocol: str, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as empty:
        log = tmp_path / "sweep.log"
        with log.open("w") as said:
            sweep = start(FAKE, *on(empty, protocol), results=tmp_path / "results", stderr=said)
        wait_for(lambda: "waiting for workers: the dask scheduler has none now" in log.read_text())
        sweep.send_signal(signal.SIGINT)
        code, _, _ = finish(sweep)
    assert code == 130 and "Traceback" not in log.read_text()
