"""Sweeps on SLURM, started here for them: a real one where it is installed, else a stand-in for its commands."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.cluster.real_slurm import Slurm, why_not
from tests.engines.cluster.stand_in_slurm import StandIn
from tests.engines.processes import REAL, finish, locks, measurements, run, run_dirs, start, status_of, wait_for
from tests.engines.sweeps import SMALL_MODELS, sweep

SWEEP = sweep("vi", **SMALL_MODELS, max_steps=3000, evaluate_every=1000)
GANG = sweep("rff", datasets=("sincos",), **SMALL_MODELS, features=4, max_steps=1000, evaluate_every=300, shards=2)

CLUSTER = """
queue = "debug"
cores = {cores}
memory = "4GB"
walltime = "00:30:00"
workers = 2
interface = "lo"
logs = "{logs}"
"""


@pytest.fixture(params=[StandIn, pytest.param(Slurm, marks=pytest.mark.skipif(bool(why_not()), reason=why_not()))])
def slurm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn | Slurm]:
    with request.param() as slurm:
        for name, value in slurm.environment.items():
            monkeypatch.setenv(name, value)
        yield slurm


@pytest.mark.slow
@pytest.mark.parametrize(("text", "cores", "workers"), [(SWEEP, 2, 1), (GANG, 1, 2)])
def test_a_job_that_is_cancelled_is_replaced_and_the_bits_are_those_of_a_local_sweep(
    slurm: StandIn | Slurm, tmp_path: Path, text: str, cores: int, workers: int
) -> None:
    """Four runs of one process in a job with two workers; two runs of two processes, each in a job of its own."""
    (tmp_path / "my.toml").write_text(text)
    (tmp_path / "slurm.toml").write_text(CLUSTER.format(logs=tmp_path / "logs", cores=cores))
    protocol, results = str(tmp_path / "my.toml"), tmp_path / "results"
    args = ("run", protocol, "--cluster", str(tmp_path / "slurm.toml"), "--workers", str(workers))
    process = start(REAL, *args, "--checkpoint-every", "0", results=results)
    wait_for(lambda: list(results.rglob("checkpoint.npz")), 300)
    assert len(slurm.jobs()) == 2 // cores
    slurm.cancel(slurm.jobs()[-1])
    code, _, err = finish(process, 600)
    assert code == 0, err
    wait_for(lambda: not slurm.jobs(), 60)  # its jobs are gone with it
    assert {status_of(p) for p in run_dirs(results)} == {"COMPLETED"}
    assert max(len(locks(p)) for p in run_dirs(results)) == 2, "the job died in the middle of a run"
    assert run(REAL, "run", protocol, "--jobs", "2", results=tmp_path / "local", timeout=600)[0] == 0
    assert measurements(results) == measurements(tmp_path / "local")
