"""The acceptance of distributed sweeps: part of the thesis profile, shortened, on three workers, one of them killed."""

import json
import os
from pathlib import Path

import pytest

from tests.engines.cluster.clusters import Cluster, cut_the_power
from tests.engines.processes import REAL, executing, finish, locks, measurements, run, run_dirs, start, wait_for
from tests.shared import SHARED, needs_shared

PART = ("run", "uci", "--profile", "thesis", "--dataset", "boston", "--dataset", "energy", "--layers", "2")
PART += ("--method", "vi", "--method", "aepmcm", "--splits", "0-3")
SHORTER = ("--max-steps", "300", "--set", "inducing_points=20", "--set", "evaluate_every=100")


@pytest.mark.slow
@needs_shared
def test_sixteen_runs_on_three_workers_of_which_one_is_killed_equal_the_local_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "data"))
    code, _, err = run(REAL, "data", "import", str(SHARED), results=tmp_path, timeout=300)
    assert code == 0, err
    results, local = tmp_path / "results", tmp_path / "local"
    with Cluster(tmp_path / "cluster", fake=False) as cluster:
        workers = {worker.pid: worker for worker in cluster.hire(3)}
        args = ("--scheduler", cluster.address, "--checkpoint-every", "0")
        sweep = start(REAL, *PART, *SHORTER, *args, results=results)
        victim = wait_for(lambda: executing(results), 300)[0]
        cut_the_power(workers[locks(victim)[-1]["parent"][0]])
        code, _, err = finish(sweep, 1500)
    assert code == 0, err
    assert "16 runs completed." in err
    assert run(REAL, *PART, *SHORTER, "--jobs", str(os.cpu_count()), results=local, timeout=1500)[0] == 0
    assert json.loads((victim / "info.json").read_text())["resumed_at"] > 0, "it went on from its checkpoint"
    assert len(measurements(local)) == 16 and measurements(results) == measurements(local)
    assert {p.name: len(locks(p)) for p in run_dirs(results)} == {p.name: 1 + (p == victim) for p in run_dirs(results)}
