"""Which cluster a sweep is sent to, before anything is sent."""

import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from dgpexp.cli.main import main
from dgpexp.engines.cluster import connection, slurm
from dgpexp.errors import UserError
from tests.engines.cluster.stand_in_slurm import StandIn
from tests.engines.processes import wait_for

SLURM = """
queue = "long"
account = "thesis"
cores = 4
memory = "8GB"
walltime = "12:00:00"
workers = 10
job_extra = ["--constraint=avx2"]
environment = ["export DGPEXP_DATA=/shared/data"]
"""


@pytest.fixture
def dgpexp(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path / "results"))

    def call(*args: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stop:
            main(["run", "synthetic", "--profile", "quick", *args])
        return int(stop.value.code or 0), capsys.readouterr().err

    return call


def test_an_address_without_a_scheduler_is_refused_in_a_sentence(dgpexp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_CONNECT", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        code, err = dgpexp("--scheduler", address)
    assert code == 1 and err == f"dgpexp: there is no dask scheduler at {address}: start one with `dask scheduler`.\n"


def test_a_scheduler_that_accepts_and_stays_silent_is_not_waited_for(
    dgpexp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_CONNECT", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hang_up = threading.Timer(60, silent.close)  # ends those who wait on, and so this test
        hang_up.start()
        address, began = f"tcp://127.0.0.1:{silent.getsockname()[1]}", time.monotonic()
        code, err = dgpexp("--scheduler", address)
        hang_up.cancel()
    assert code == 1 and err == f"dgpexp: there is no dask scheduler at {address}: start one with `dask scheduler`.\n"
    assert time.monotonic() - began < 60, "dask alone takes minutes"


def test_a_listener_that_is_not_dask_is_refused_in_the_same_sentence(dgpexp: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as web:

        def answer() -> None:
            with web.accept()[0] as connection:
                connection.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        code, err = dgpexp("--scheduler", f"127.0.0.1:{web.getsockname()[1]}")
    assert code == 1 and "there is no dask scheduler at 127.0.0.1:" in err


def test_an_address_of_tls_without_certificates_says_where_they_are_named(dgpexp: Any) -> None:
    code, err = dgpexp("--scheduler", "tls://127.0.0.1:8786")
    assert code == 2 and "needs certificates, and dask's configuration names none (distributed.comm.tls)" in err


@pytest.mark.parametrize("address", ["carrier://pigeon:1", "", " ", "host", "tcp://host:99999"])
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_what_is_no_address_is_refused_too(dgpexp: Any, address: str, more: tuple[str, ...]) -> None:
    code, err = dgpexp("--scheduler", address, *more)
    shown = address if address.strip() else f"'{address}'"
    assert code == 2 and err == f"dgpexp: --scheduler {shown} is not an address like tcp://host:8786.\n"


def test_without_dask_it_says_what_to_install(dgpexp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert dgpexp("--scheduler", "tcp://x:1") == (2, "dgpexp: dask is not installed: `pip install 'dgpexp[dask]'`.\n")


def test_a_cluster_is_there_or_is_made(dgpexp: Any, tmp_path: Path) -> None:
    (tmp_path / "slurm.toml").write_text(SLURM)
    code, err = dgpexp("--scheduler", "tcp://x:1", "--cluster", str(tmp_path / "slurm.toml"))
    assert code == 2 and "--scheduler and --cluster exclude each other" in err


def test_without_slurm_a_cluster_of_its_jobs_cannot_be_made(
    dgpexp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "slurm.toml").write_text(SLURM)
    code, err = dgpexp("--cluster", str(tmp_path / "slurm.toml"))
    assert code == 1 and "dgpexp: there is no SLURM on this machine (no sbatch): use a login node.\n" in err


def test_fewer_workers_than_a_run_has_processes_are_refused(dgpexp: Any, tmp_path: Path) -> None:
    (tmp_path / "slurm.toml").write_text(SLURM.replace("workers = 10", "workers = 2"))
    shards = ("--set", "shards=3", "--workers", "3", "--method", "vi")
    code, err = dgpexp(*shards, "--cluster", str(tmp_path / "slurm.toml"))
    assert code == 2 and "workers = 2 is not possible: a run has 3 processes." in err


def test_jobs_that_slurm_refuses_are_trouble_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm, "_ASK_EVERY", 0.1)
    with StandIn() as stand_in:
        monkeypatch.setenv("PATH", stand_in.environment["PATH"])
        stand_in.refuse()
        jobs = slurm.SlurmJobs({"cores": 1, "memory": "1GB", "workers": 2, "interface": "lo"}, 2)
        try:
            wait_for(lambda: jobs.trouble)
        finally:
            jobs.close()
    assert jobs.trouble == "SLURM refuses the jobs of --cluster: sbatch: error: the queue is full."


def test_the_script_of_a_slurm_job(tmp_path: Path) -> None:
    (tmp_path / "slurm.toml").write_text(SLURM)
    made = slurm.make_cluster(slurm.read_description(tmp_path / "slurm.toml"), [])
    try:
        script = made.job_script()
    finally:
        made.close()
    for line in ("-J dgpexp", "-p long", "-A thesis", "--cpus-per-task=4", "--mem=8G", "-t 12:00:00"):
        assert f"#SBATCH {line}\n" in script
    assert "#SBATCH --constraint=avx2\n" in script and "\nexport DGPEXP_DATA=/shared/data\n" in script
    assert f"{sys.executable} -m distributed.cli.dask_worker tcp://" in script
    assert "--nthreads 1 " in script and "--nworkers 4 " in script, "one worker of one thread for every core"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("queue", "que"), "unknown key 'que'; the keys are queue, account, cores, "),
        (("cores = 4", "cores = 0"), "cores = 0 is not possible: it accepts a whole number of at least 1"),
        (('"8GB"', "8"), "memory = 8 is not possible: it accepts a text"),
        (('["--constraint=avx2"]', "[1]"), "job_extra = [1] is not possible: it accepts a list of texts"),
        (("workers = 10\n", ""), "workers is missing; a SLURM cluster needs cores, memory, workers"),
        (("cores = 4", "cores 4"), "cannot be read as TOML"),
    ],
    ids=["unknown", "too-small", "type", "list", "missing", "not-toml"],
)
def test_a_description_that_is_wrong_is_refused_by_name(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    (tmp_path / "slurm.toml").write_text(SLURM.replace(*change))
    with pytest.raises(UserError) as error:
        slurm.read_description(tmp_path / "slurm.toml")
    assert sentence in str(error.value)
