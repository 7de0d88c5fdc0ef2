"""A sweep on a real SLURM, started here for it."""

from pathlib import Path

import pytest

from tests.engines.cluster.fake_slurm import Slurm, why_not
from tests.engines.processes import REAL, finish, locks, measurements, run, run_dirs, start, status_of, wait_for
from tests.engines.sweeps import SMALL_MODELS, sweep

SWEEP = sweep("vi", **SMALL_MODELS, max_steps=3000, evaluate_every=1000)

CLUSTER = """
queue = "debug"
cores = 2
memory = "4GB"
walltime = "00:30:00"
workers = 2
interface = "lo"
logs = "{logs}"
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_a_job_that_is_cancelled_is_replaced_and_the_bits_are_those_of_a_local_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my.toml").write_text(SWEEP)
    (tmp_path / "slurm.toml").write_text(CLUSTER.format(logs=tmp_path / "logs"))
    protocol, results = str(tmp_path / "my.toml"), tmp_path / "results"
    with Slurm() as slurm:
        monkeypatch.setenv("SLURM_CONF", str(slurm.configuration))
        args = ("run", protocol, "--cluster", str(tmp_path / "slurm.toml"), "--checkpoint-every", "0")
        sweep = start(REAL, *args, results=results)
        wait_for(lambda: list(results.rglob("checkpoint.npz")), 180)
        (job,) = slurm.ask("squeue", "--noheader", "--format=%i").split()
        slurm.ask("scancel", job)
        code, _, err = finish(sweep, 400)
        assert code == 0, err
        wait_for(lambda: not slurm.ask("squeue", "--noheader"), 60)  # its jobs are gone with it
    assert [status_of(p) for p in run_dirs(results)] == ["COMPLETED"] * 4
    assert max(len(locks(p)) for p in run_dirs(results)) == 2, "the job died in the middle of a run"
    assert run(REAL, "run", protocol, "--jobs", "2", results=tmp_path / "local", timeout=400)[0] == 0
    assert measurements(results) == measurements(tmp_path / "local")
