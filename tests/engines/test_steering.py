"""What a researcher does between sweeps: edit code, run again, look at a failure, tag, throw away. Real run folders."""

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from dgpexp.store.stored_run import StoredRun
from tests.engines.processes import FAKE, ROOT, finish, measurements, run, run_dirs, start, wait_for
from tests.engines.sweeps import SMALL_MODELS, sweep

BRIEF = sweep("vi", datasets=("sincos",), **{**SMALL_MODELS, "epochs": 4})


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands of this process look, too."""
    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results"


@pytest.fixture
def brief(tmp_path: Path) -> str:
    """Two runs of a few steps."""
    path = tmp_path / "my.toml"
    path.write_text(BRIEF)
    return str(path)


@pytest.fixture
def edited(tmp_path: Path) -> tuple[Path, list[str]]:
    """A copy of the sources that can be edited, and the command that runs it."""
    copy = tmp_path / "edited"
    shutil.copytree(ROOT / "dgpexp", copy / "dgpexp", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests", "experiments", "results"):
        os.symlink(ROOT / name, copy / name)
    return copy / "dgpexp", ["env", "-C", str(copy), f"PYTHONPATH={copy}", *FAKE]


def test_edited_code_is_said_and_run_again_keeps_the_old(
    results: Path, brief: str, edited: tuple[Path, list[str]], dgpexp: Any
) -> None:
    package, command = edited
    assert run(FAKE, "run", brief, "--jobs", "1", results=results)[0] == 0
    before = measurements(results)
    module = package / "inference" / "vi.py"
    module.write_text(module.read_text() + "\n# only a comment\n")
    code, _, err = run(command, "run", brief, results=results)
    assert code == 0 and err == "0 runs completed, 2 were complete before.\n", "comments change nothing"
    module.write_text(module.read_text() + "\n_EDITED = 1\n")
    sentence = "2 runs were made by other code than the present (inference.vi differs)."
    _, _, err = run(command, "run", brief, results=results)
    assert f"{sentence} --again runs them anew and keeps the old ones." in err and "0 runs completed" in err
    assert sentence in run(command, "status", results=results)[2]
    code, _, err = run(command, "run", brief, "--again", "--jobs", "1", results=results)
    earlier = results / "earlier" / "1"
    assert code == 0 and f"the old ones are kept in {earlier}" in err and "2 runs completed." in err
    assert measurements(earlier) == before and measurements(results).keys() == before.keys()
    assert run(command, "run", brief, "--again", results=results)[2] == "0 runs completed, 2 were complete before.\n"
    other = "1 run was made by other code than the present (inference.vi differs)."
    assert other in dgpexp("show", str(run_dirs(results)[0]))[1], "to the code that this test itself runs"
    assert "made by the present code" in dgpexp("show", str(run_dirs(earlier)[0]))[1]


def test_a_failed_run_shows_its_traceback(tmp_path: Path, results: Path, dgpexp: Any) -> None:
    protocol = tmp_path / "my.toml"
    protocol.write_text(sweep("vi", datasets=("step",), rows=100, batch_size=10, epochs=20, evaluate_every=70))
    code, _, err = run(FAKE, "run", str(protocol), "--splits", "0", "--traceback", results=results)
    (path,) = run_dirs(results)
    assert code == 1 and f"(dgpexp show {path.name})" in err
    assert "Traceback (most recent call last)" in err and "NumericalFailure" in err and "GaveUp" in err
    _, out, _ = dgpexp("show", path.name)
    assert f"{path.name}: failed" in out and 'raise NumericalFailure("the Cholesky' in out
    assert "last lines of its output" in out and "  recovered: " in out


def test_show_tells_settings_code_numbers_and_files(results: Path, brief: str, dgpexp: Any) -> None:
    labels = ("--note", "a first try", "--tag", "first", "--tag", "small")
    assert run(FAKE, "run", brief, "--splits", "0", "--set", "epochs=5", *labels, results=results)[0] == 0
    (path,) = run_dirs(results)
    _, out, _ = dgpexp("show", "sincos-vi")
    assert "  epochs               5 (profile: 4)" in out and "hidden_width" not in out, "what differs"
    assert "  tags        first small" in out and "  note        a first try" in out
    assert "It was made by the present code." in out and "model.npz" in out and "curve (1 evaluations)" in out
    assert json.loads((path / "run.json").read_text())["meta"]["tags"] == ["first", "small"]


def test_tags_reach_complete_runs_and_select(results: Path, brief: str, dgpexp: Any) -> None:
    assert run(FAKE, "run", brief, "--splits", "0", "--tag", "a", results=results)[0] == 0
    _, _, err = run(FAKE, "run", brief, "--tag", "b", results=results)
    assert "1 runs that were complete were given the note or the tags." in err
    assert [StoredRun(p).tags for p in run_dirs(results)] == [("a", "b"), ("b",)]
    (cell,) = json.loads(dgpexp("status", "--tag", "a", "--json")[1])
    assert (cell["done"], cell["left"]) == (1, 0)
    assert "1 runs written" in dgpexp("export", "--profile", "small", "--tag", "a")[2]
    code, _, err = dgpexp("status", "--tag", "c")
    assert code == 2 and err == "dgpexp: no run has the tag c; `dgpexp status` shows all runs.\n"


def test_status_counts_what_never_began(tmp_path: Path, results: Path, dgpexp: Any) -> None:
    protocol = tmp_path / "my.toml"
    protocol.write_text(sweep("vi", rows=100, batch_size=10, epochs=4000, evaluate_every=70))
    process = start(FAKE, "run", str(protocol), "--jobs", "1", results=results)
    wait_for(lambda: list(results.glob("runs/*/*/metrics.json")))
    process.send_signal(signal.SIGINT)
    assert finish(process)[0] == 130

    def counted(*args: str) -> dict[str, int]:
        cells = json.loads(dgpexp("status", *args, "--json")[1])
        return {kind: sum(cell[kind] for cell in cells) for kind in ("interrupted", "left", "done")}

    assert counted() == {"interrupted": 1, "left": 3, "done": 0}, "although my.toml is named nowhere"
    assert counted(str(protocol)) == {"interrupted": 1, "left": 3, "done": 0}
    assert counted(str(protocol), "--set", "epochs=5,6") == {"interrupted": 0, "left": 8, "done": 0}
    (path,) = run_dirs(results)
    assert dgpexp("rm", path.name, "--yes")[0] == 0
    assert counted() == {"interrupted": 0, "left": 3, "done": 0}, "what is thrown away is not left"


def answers(code: int, out: str, err: str) -> tuple[int, str]:
    assert "Traceback" not in err
    return code, err.strip()


def test_rm_lists_asks_and_can_be_undone(results: Path, undisturbed: Path, dgpexp: Any) -> None:
    shutil.copytree(undisturbed, results)
    ids = [p.name for p in run_dirs(results)]

    def rm(*args: str) -> tuple[int, str, str]:
        code, out, err = dgpexp("rm", *args)
        return code, out, err

    assert answers(*rm()) == (2, "dgpexp: name the runs: an id or the start of one, --profile, --tag or --status.")
    assert answers(*rm("boston"))[0] == 2 and "no run in" in rm("boston")[2]
    code, out, err = rm("sincos-vi")
    assert code == 2 and len(out.splitlines()) == 2 and "Move 2 runs to the trash: say --yes" in err
    assert len(run_dirs(results)) == 8, "nobody said yes"
    assert answers(*rm("sincos-vi", "--yes"))[0] == 0
    assert [p.name for p in run_dirs(results)] == [name for name in ids if not name.startswith("sincos-vi")]
    (trashed, _) = run_dirs(results / "trash" / "1")
    shutil.move(trashed, results / "runs" / "small" / trashed.name)
    assert measurements(results)[trashed.name] == measurements(undisturbed)[trashed.name]
    assert answers(*rm("--status", "failed", "--profile", "small"))[0] == 2
    assert answers(*rm("--empty", "sincos"))[0] == 2
    assert answers(*rm("--empty", "--yes")) == (0, "1 run deleted.")
    assert not (results / "trash").exists() and "is empty" in rm("--empty")[2]


def test_rm_refuses_a_run_that_is_being_executed(tmp_path: Path, dgpexp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.store.folders import make_lock, make_run, spec

    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path))
    make_run(tmp_path, spec(split=1))
    make_lock(make_run(tmp_path, spec(), "RUNNING"))
    code, _, err = dgpexp("rm", "boston", "--yes")
    assert code == 2 and "is being executed: stop that first (Ctrl-C); nothing was moved." in err
    assert len(run_dirs(tmp_path)) == 2
