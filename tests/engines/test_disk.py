"""A disk that is full and a folder that must not be written: one sentence, nothing lost."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.engines.processes import FAKE, ROOT, finish, measurements, run, start, status_of
from tests.engines.sweeps import SWEEP


def mounts_are_possible() -> bool:
    return shutil.which("unshare") is not None and subprocess.run(
        ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True
    ).returncode == 0  # fmt: skip


needs_mounts = pytest.mark.skipif(not mounts_are_possible(), reason="needs unshare and user namespaces")


@needs_mounts
def test_a_full_disk_stops_the_sweep_in_one_sentence_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(SWEEP)
    command = ("run", str(tmp_path / "my.toml"), "--method", "vi", "--splits", "0", "--jobs", "1")
    assert run(FAKE, *command, results=tmp_path / "expected")[0] == 0
    results = tmp_path / "results"
    results.mkdir()
    # The disk has room for the sources and the beginning of a run; a file takes the rest once the run has begun.
    script = f"""
mount -t tmpfs -o size=4m none {results}
"$@" & sweep=$!
while ! ls {results}/runs/*/*/metrics.json; do sleep 0.05; done
dd if=/dev/zero of={results}/filler bs=4k
wait $sweep; echo "exit $?"
rm {results}/filler
cp -r {results}/runs {tmp_path}/kept
""".replace("; do sleep", " >/dev/null 2>&1; do sleep").replace("bs=4k", "bs=4k 2>/dev/null")
    shell = ["unshare", "-rm", "sh", "-c", script, "sh"]
    slow = (*command, "--set", "epochs=80", "--checkpoint-every", "0.1")
    _, out, err = finish(start([*shell, *FAKE], *slow, results=results))
    assert "exit 1" in out, err
    assert "the disk is full" in err and "Traceback" not in err
    assert "run the same command again" in err
    for path in (tmp_path / "kept").glob("*/*-*/*.json"):
        assert json.loads(path.read_text()).get("status") != "FAILED", "each file is whole, and no run is to blame"
    shutil.copytree(tmp_path / "kept", results / "runs")
    assert run(FAKE, *slow, results=results)[0] == 0
    assert {m["status"] for m in measurements(results).values()} == {"COMPLETED"}


@needs_mounts
def test_a_read_only_folder_is_reported_and_can_still_be_read(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(SWEEP)
    command = ("run", str(tmp_path / "my.toml"), "--method", "vi", "--splits", "0")
    results = tmp_path / "results"
    assert run(FAKE, *command, "--dataset", "sincos", results=results)[0] == 0
    shell = ["unshare", "-rm", "sh", "-c", f'mount --bind -o ro {results} {results} && cd {ROOT} && "$@"', "sh"]
    code, _, err = run([*shell, *FAKE], *command, results=results)
    assert code == 1 and "cannot write results" in err and "Read-only file system" in err and "Traceback" not in err
    code, out, _ = run([*shell, *FAKE], "status", "--json", results=results)
    assert code == 0 and sum(cell["done"] for cell in json.loads(out)) == 1
    assert status_of(next(results.glob("runs/*/sincos-*"))) == "COMPLETED"


def test_a_results_folder_that_is_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(SWEEP)
    (tmp_path / "results").write_text("")
    code, _, err = run(FAKE, "run", str(tmp_path / "my.toml"), "--splits", "0", results=tmp_path / "results")
    assert code == 1 and "cannot write results" in err and "Traceback" not in err
