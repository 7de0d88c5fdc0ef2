"""One model trained by several processes: the bits of one process, whatever becomes of the others."""

import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import RunSpec, Settings
from dgpexp.engines.local import GangProcess, LocalEngine, WorkerProcess, free_addresses
from dgpexp.engines.sweep import Sweep
from dgpexp.errors import RunFailed
from dgpexp.methods import METHODS
from dgpexp.plan.plan import Plan
from dgpexp.plan.protocol import Select, read_protocol
from dgpexp.runs import checkpoint
from dgpexp.runs.job import GANG_LOST
from dgpexp.runs.sessions import Sessions
from tests.engines.processes import REAL, children, finish, is_zombie, measurements, run, run_dirs, start, wait_for
from tests.engines.sweeps import SMALL_MODELS, sweep

MODEL = {**SMALL_MODELS, "features": 4, "batch_size": 14, "max_steps": 400, "evaluate_every": 90, "epochs": 100}
ONE = ("--splits", "0", "--checkpoint-every", "0")  # a minibatch of 14 rows: the last of 54 has 12
FAILING = [sys.executable, "-m", "tests.engines.failing_worker"]
KILLING = [sys.executable, "-m", "tests.engines.killing_worker"]


def _protocol(folder: Path, *methods: str, shards: int = 2, **settings: Any) -> str:
    path = folder / "my.toml"
    path.write_text(sweep(*methods, datasets=("sincos",), **{**MODEL, "shards": shards, **settings}))
    return str(path)


def _numbers(results: Path) -> Any:
    """What was measured, and the models bit for bit."""
    return measurements(results), [(p / "model.npz").read_bytes() for p in run_dirs(results)]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of one process that computes both shards."""
    results = tmp_path_factory.mktemp("alone") / "results"
    code, _, err = run(REAL, "run", _protocol(results.parent, "rff"), *ONE, results=results, timeout=300)
    assert code == 0, err
    return results


def _gang(results: Path, *more: str) -> Any:
    """A sweep whose run is trained by two processes."""
    return start(REAL, "run", _protocol(results.parent, "rff"), *ONE, "--workers", "2", *more, results=results)


def _ranks(process: Any) -> list[int]:
    """The processes of the run that it executes, rank 0 first, once there are two."""
    return sorted(wait_for(lambda: found if len(found := children(process.pid)) == 2 else None, 120))


def _reached(results: Path) -> int:
    return max([0, *(checkpoint.step(p / "checkpoint.npz") for p in run_dirs(results))])


def _listening(pid: int) -> list[int]:
    """The ports that a process listens at."""
    inodes = {os.readlink(fd)[8:-1] for fd in Path(f"/proc/{pid}/fd").iterdir() if "socket:" in os.readlink(fd)}
    tables = [Path(f"/proc/{pid}/net/{name}").read_text().splitlines() for name in ("tcp", "tcp6")]
    lines = [line.split() for table in tables for line in table]
    return [int(line[1].rpartition(":")[2], 16) for line in lines if line[3] == "0A" and line[9] in inodes]


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)]
)
def test_killed_replaced_and_stopped_the_bits_are_those_of_one_process(alone, tmp_path, number, code):
    """The process of a shard is killed, and another takes its place; then a signal stops all; one process finishes."""
    results = tmp_path / "results"
    process = _gang(results)
    first = _ranks(process)
    wait_for(lambda: _reached(results), 120)
    os.kill(first[1], signal.SIGKILL)
    wait_for(lambda: all(is_zombie(pid) for pid in first), 30)
    reached = _reached(results)
    wait_for(lambda: _reached(results) > reached, 120)
    ranks = _ranks(process)
    ports = [port for pid in ranks for port in _listening(pid)]
    assert not {*ranks} & {*first} and len(ports) >= 2
    process.send_signal(number)
    ended, _, err = finish(process, 60)
    assert ended == code, err
    wait_for(lambda: all(is_zombie(pid) for pid in ranks), 5)
    assert not any(_answers(port) for port in ports)
    assert reached < _reached(results) < MODEL["max_steps"]
    code, _, err = run(REAL, "run", _protocol(tmp_path, "rff"), *ONE, results=results, timeout=300)
    assert code == 0, err
    assert _numbers(results) == _numbers(alone)
    claims = list((run_dirs(results)[0] / "claims").glob("*.json"))
    assert len(claims) == 3, "each attempt went on from the checkpoint of the one before"


@pytest.mark.slow
def test_a_failure_in_one_process_raises_the_jitter_once_in_all(tmp_path):
    found = {}
    for workers in (1, 2):
        results = tmp_path / str(workers)
        plan = Plan()
        plan.add(read_protocol(_protocol(tmp_path, "rff")), "small", Select(splits=(0,)), results, False, 0.0)
        done = Sweep(plan, lambda alone, n=workers: LocalEngine(1, FAILING, n), lambda event: None).run(lambda: False)
        assert len(done.completed) == 1, done
        found[workers] = _numbers(results)
        info = json.loads((run_dirs(results)[0] / "info.json").read_text())
        assert info["recoveries"] == 1
        assert info["jitter"] == pytest.approx(1e-5)
    assert found[1] == found[2]


@pytest.mark.parametrize(("differs", "named"), [(0, "sources of dgpexp"), (3, "data")])
def test_processes_that_differ_are_refused_before_the_first_step(monkeypatch, differs, named):
    class Ring:
        """Two processes, of which the second differs in one of the things that are compared."""

        compared = 0

        def gather(self, rows):
            other = rows + (self.compared == differs)
            self.compared += 1
            return tf.constant(np.concatenate([rows, other]))

    sessions = Sessions()
    sessions._ring = Ring()
    monkeypatch.setattr(sessions, "identity", lambda spec: {"data": "a digest"})
    with pytest.raises(RunFailed, match=f"process 1 of 2 has other {named} than process 0"):
        sessions.compare(RunSpec(dataset="sincos", method="rff", layers=2, split=0, settings=Settings(shards=2)))


def _ring(rank: int, addresses: list[str], deadline: int) -> WorkerProcess:
    """A process that takes its place in a ring, and ends as a worker does."""
    code = (
        "import os\nfrom dgpexp import quietly\nquietly.import_tensorflow()\n"
        "from dgpexp.training.ring import Ring\n"
        f"try:\n    Ring({rank}, {addresses}, {deadline})\n"
        f"except Exception as error:\n    os.write(2, str(error).encode())\nos._exit({GANG_LOST})"
    )
    return WorkerProcess(0, [sys.executable, "-c", code])


def test_a_process_that_never_comes_is_waited_for_until_the_deadline():
    process = _ring(0, free_addresses(2), 3)
    process.process.wait(60)
    assert "did not find each other" in process.last_words()
    process.close()


def test_a_taken_port_is_a_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        process = _ring(0, [address, *free_addresses(1)], 30)
        process.process.wait(60)
    assert "could not listen" in process.last_words()
    assert address in process.last_words()
    process.close()


def test_rank_0_is_ended_when_it_does_not_notice_that_another_ended(monkeypatch):
    monkeypatch.setattr("dgpexp.engines.local.NOTICE", 0.0)
    deaf, ends = [sys.executable, "-c", "input()"], [sys.executable, "-c", "1 / 0"]
    gang = GangProcess(0, deaf, 2)
    gang._others = [WorkerProcess(0, ends)]
    gang._others[0].process.wait()
    wait_for(lambda: (gang.tend(), gang.process.poll())[1] is not None, 10)
    assert "of process 1 of its 2" in gang.last_words()
    assert "ZeroDivisionError" in gang.last_words()
    gang.close()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--set", "shards=2", "--workers", "3"), "use --workers 2, or none"),
        (("--workers", "2"), "use --set shards=2"),
        (
            ("--set", "updates=async", "--set", "shards=2", "--workers", "2"),
            "updates = async, which one process emulates",
        ),
        (("--set", "shards=0"), "shards"),
    ],
)
def test_a_number_of_processes_that_does_not_fit_is_refused(dgpexp, tmp_path, arguments, sentence):
    code, _, err = dgpexp("run", "synthetic", *arguments, "--results", str(tmp_path))
    assert code == 2
    assert sentence in err
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shards", [2, 3])
def test_every_method_has_the_bits_of_one_process(method, shards, tmp_path):
    protocol = _protocol(tmp_path, method, shards=shards, **({} if method == "rff" else {"features": 100}))
    found = []
    for workers in (1, shards):
        results = tmp_path / str(workers)
        code, _, err = run(REAL, "run", protocol, *ONE, "--workers", str(workers), results=results, timeout=500)
        assert code == 0, err
        found.append(_numbers(results))
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("when", ["start", "training"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_process_that_is_killed_or_stopped_ends_the_gang_and_it_goes_on(alone, tmp_path, rank, when, number):
    process = _gang(tmp_path / "results")
    ranks = _ranks(process)
    if when == "training":
        wait_for(lambda: _reached(tmp_path / "results"), 120)
    os.kill(ranks[rank], number)
    if when == "training":
        wait_for(lambda: all(is_zombie(pid) for pid in ranks), 30)
    code, _, err = finish(process, 500)
    assert code == 0, err
    assert _numbers(tmp_path / "results") == _numbers(alone)


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
def test_a_process_that_is_killed_in_an_evaluation_costs_no_bit(alone, tmp_path, monkeypatch, rank):
    monkeypatch.setenv("KILL", str(rank))
    monkeypatch.setenv("KILLED", str(tmp_path / "killed"))
    plan, results = Plan(), tmp_path / "results"
    plan.add(read_protocol(_protocol(tmp_path, "rff")), "small", Select(splits=(0,)), results, False, 0.0)
    done = Sweep(plan, lambda alone: LocalEngine(1, KILLING, 2), lambda event: None).run(lambda: False)
    assert len(done.completed) == 1, done
    assert (tmp_path / "killed").exists()
    assert _numbers(results) == _numbers(alone)
    assert len(list(run_dirs(results)[0].glob("claims/*.json"))) == 2


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(3, 1), (1, 3)])
def test_what_some_processes_began_others_finish(tmp_path, workers):
    protocol, folders = _protocol(tmp_path, "rff", shards=3), [tmp_path / name for name in ("stopped", "not")]
    first = ("run", protocol, *ONE, "--workers", str(workers[0]))
    process = start(REAL, *first, results=folders[0])
    wait_for(lambda: _reached(folders[0]), 240)
    process.terminate()
    assert finish(process)[0] == 143
    assert 0 < _reached(folders[0]) < MODEL["max_steps"]
    for folder, command in ((folders[0], (*first[:-1], str(workers[1]))), (folders[1], first)):
        code, _, err = run(REAL, *command, results=folder, timeout=500)
        assert code == 0, err
    assert _numbers(folders[0]) == _numbers(folders[1])


@pytest.mark.slow
def test_the_same_command_twice_has_the_same_bits(tmp_path):
    protocol = _protocol(tmp_path, "aepmcm", features=100)
    for name in ("a", "b"):
        code, _, err = run(REAL, "run", protocol, *ONE, "--workers", "2", results=tmp_path / name, timeout=300)
        assert code == 0, err
    assert _numbers(tmp_path / "a") == _numbers(tmp_path / "b")
