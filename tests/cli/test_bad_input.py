"""What people and machines get wrong: a sentence and an exit code, and nothing is substituted or written elsewhere."""

import gzip
import json
import os
import re
import stat
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dgpexp.datasets.formats import zips
from dgpexp.engines.local import WorkerProcess
from dgpexp.errors import UserError
from dgpexp.files import write_atomically
from dgpexp.plan import speed
from dgpexp.tables.own_table import read_own
from dgpexp.training.predictor import Predictor
from tests.store.folders import make_run, spec

SMALL = '[sweep]\ndatasets = ["sincos"]\nmethods = ["vi"]\nlayers = [1]\nsplits = 1\n'


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ("run uci --max-seconds inf --dry-run", "'inf' is not a number of seconds"),
        ("run uci --checkpoint-every nan --dry-run", "'nan' is not a number of seconds"),
        ("run uci --splits 999999999 --dry-run", "numbers from 0 to 9999 are accepted"),
        ("run uci --layers 0-999999999 --dry-run", "numbers from 0 to 9999 are accepted"),
        ("run uci --set max_seconds=inf --dry-run", "max_seconds = inf is not possible"),
        ("run uci --set epochs=1" + "0" * 400 + " --dry-run", "is not possible: it accepts a whole number"),
        ("report --profile nope", "there is no profile 'nope'; the profiles are:"),
        ("report --profile ../../../escape", "cannot be the name of a profile"),
        ("export --profile ../../../escape", "cannot be the name of a profile"),
        ("export --profile quick --output ", "it names no file"),
        ("compare nope@quick quick", "there is no results folder 'nope'"),
        ("predict x --seed -1", "-1 is not in the range"),
        ("predict x --samples 1000000000", "1000000000 is not in the range"),
    ],
)
def test_impossible_words_are_refused_with_what_is_accepted(dgpexp: Any, args: str, sentence: str) -> None:
    code, out, err = dgpexp(*args.split(" "))
    assert code == 2 and sentence in err and out == ""


@pytest.mark.parametrize(
    "scheduler", ["nonsense", "tcp://", "tcp://host", "host:99999", "http://h:1", "tcp://h:x", ":1"]
)
def test_a_malformed_scheduler_is_refused_at_once(dgpexp: Any, tmp_path: Path, scheduler: str) -> None:
    (tmp_path / "my.toml").write_text(SMALL)
    code, _, err = dgpexp("run", str(tmp_path / "my.toml"), "--scheduler", scheduler)
    assert code == 2 and f"--scheduler {scheduler} is not an address like tcp://host:8786" in err


def test_a_size_that_slurm_cannot_mean_is_refused(dgpexp: Any, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(SMALL)
    (tmp_path / "slurm.toml").write_text('cores = 1\nmemory = "lots"\nworkers = 1\n')
    code, _, err = dgpexp("run", str(tmp_path / "my.toml"), "--cluster", str(tmp_path / "slurm.toml"))
    assert code == 2 and "memory = 'lots' is not possible: it accepts a size like 4GB" in err


def test_a_profile_of_ones_own_cannot_lead_out_of_the_results(dgpexp: Any, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(SMALL + '[profiles."../../../escape".settings]\nepochs = 1\n')
    code, _, err = dgpexp("run", str(tmp_path / "my.toml"), "--dry-run")
    assert code == 2 and "cannot be the name of a profile" in err


def test_committed_results_that_stand_in_are_announced(dgpexp: Any) -> None:
    code, out, err = dgpexp("compare", "quick:method=vi,layers=2", "quick:method=vi,layers=3", "--json")
    announced = re.compile(r"measured earlier by release 0\.1\.0(, [\d.]+)* and committed with dgpexp")
    assert code == 0 and announced.search(err)
    assert announced.search(json.loads(out)["sources"]["quick:method=vi,layers=2"])


def test_a_folder_without_runs_is_not_replaced_by_committed_ones(dgpexp: Any, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    code, _, err = dgpexp("compare", f"{tmp_path / 'other'}@thesis", "thesis")
    assert code == 2 and "has no runs of profile 'thesis'" in err


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"not a zip", "foreign", "truncated"])
def test_a_model_that_cannot_be_read_is_a_sentence(dgpexp: Any, tmp_path: Path, content: bytes | str) -> None:
    run = make_run(tmp_path / "results", spec(dataset="sincos", rows=40))
    np.savez(run / "model.npz", something=np.zeros(1000))
    if content != "foreign":
        whole = (run / "model.npz").read_bytes()
        (run / "model.npz").write_bytes(whole[: len(whole) // 2] if isinstance(content, str) else content)
    code, out, err = dgpexp("predict", run.name)
    assert code == 2 and out == "" and "is damaged, or is not a model that dgpexp wrote" in err


def test_the_model_of_another_run_is_refused(dgpexp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path / "results", spec(dataset="sincos", rows=40))
    (run / "model.npz").write_bytes(b"")
    for other in ({"method": "aep"}, {"layers": 3}, {"features": ("x", "z")}):
        model = SimpleNamespace(**{"method": "vi", "layers": 2, "features": ("x",), **other})
        monkeypatch.setattr(Predictor, "load", lambda path, model=model: model)
        for command in ("predict", "plot"):
            code, out, err = dgpexp(command, run.name)
            assert code == 2 and out == "" and "is the model of another run: remove that folder" in err


def test_json_is_what_every_parser_reads(dgpexp: Any, tmp_path: Path) -> None:
    make_run(tmp_path / "results", spec(), metrics={"ll": float("nan"), "rmse": float("inf")})
    code, out, _ = dgpexp("status", "--json")
    (run,) = (run for cell in json.loads(out, parse_constant=pytest.fail) for run in cell["runs"])
    assert code == 0 and run["ll"] is None and run["rmse"] is None


def test_a_deleted_model_says_how_to_get_it_again(dgpexp: Any, tmp_path: Path) -> None:
    run = make_run(tmp_path / "results", spec(dataset="sincos"), command="dgpexp run synthetic --splits 0")
    code, _, err = dgpexp("predict", run.name)
    assert code == 2 and "`dgpexp run synthetic --splits 0` trains it again" in err


def test_a_complete_run_that_lost_its_config_is_named_and_mended_by_its_command(dgpexp: Any, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(SMALL)
    run = make_run(tmp_path / "results", spec(dataset="sincos", layers=1), profile="my")
    whole = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text('{"dataset": "sin')
    _, _, err = dgpexp("status")
    assert f"{run} is damaged (config.json is not JSON)" in err
    code, _, err = dgpexp("run", str(tmp_path / "my.toml"))
    assert code == 0 and "1 complete runs had lost their config.json: it is written again" in err
    assert json.loads((run / "config.json").read_text()) == whole


def test_a_run_that_failed_before_is_still_a_failure(dgpexp: Any, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(SMALL)
    make_run(tmp_path / "results", spec(dataset="sincos", layers=1), "FAILED", profile="my", metrics=None)
    code, _, err = dgpexp("run", str(tmp_path / "my.toml"))
    assert code == 1 and "1 runs have failed before; --retry-failed tries them again" in err


def test_square_brackets_are_not_markup(dgpexp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "[/bold] data [red]"))
    code, out, _ = dgpexp("data", "list")
    assert code == 0 and "energy" in out


def test_without_a_home_the_speed_is_kept_elsewhere_and_other_versions_are_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert speed.cache_file().name == "speed.json"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    speed.cache_file().parent.mkdir()
    for kept in ("[]", '{"cpu": 1}', json.dumps({"cpu": speed.cpu(), "samples": [{"method": "vi", "speed": 1}]})):
        speed.cache_file().write_text(kept)
        assert speed.remembered() == []


@pytest.mark.parametrize(("value", "sentence"), [("1e308", "is too large"), ("1e-200", "varies by")])
def test_numbers_whose_squares_are_none_are_refused(tmp_path: Path, value: str, sentence: str) -> None:
    rows = "".join(f"{i},{i}e-201\n" if value == "1e-200" else f"{i},{value}\n" for i in range(30))
    (tmp_path / "t.csv").write_text("x,y\n" + rows)
    with pytest.raises(UserError, match=sentence):
        read_own(tmp_path / "t.csv", "y")


def test_a_zip_that_never_ends_is_given_up(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("energy.csv", b"0" * 1_000_000)
    (tmp_path / "out").mkdir()
    with pytest.raises(UserError, match="unpacks to more than"):
        zips.unpack(tmp_path / "bomb.zip", ["energy.csv"], tmp_path / "out", left=100_000)


def test_a_zip_of_zips_has_no_more_room_than_one(tmp_path: Path) -> None:
    for name, inside in (("inner.zip", None), ("bomb.zip", "inner.zip")):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as bomb:
            for number in range(4):
                content = (tmp_path / inside).read_bytes() if inside else b"0" * 20_000
                bomb.writestr(f"{number}/{inside or 'energy.csv'}", content)
    (tmp_path / "out").mkdir()
    with pytest.raises(UserError, match="unpacks to more than"):
        zips.unpack(tmp_path / "bomb.zip", ["energy.csv"], tmp_path / "out", left=100_000)
    assert len(zips.unpack(tmp_path / "bomb.zip", ["energy.csv"], tmp_path / "out", left=400_000)) == 16


def test_whatever_lies_in_a_folder_that_is_imported_is_a_sentence(
    dgpexp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "data"))
    with zipfile.ZipFile(tmp_path / "whole.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("energy.csv", b"1,2\n" * 200)
    zipped, rng = (tmp_path / "whole.zip").read_bytes(), np.random.default_rng(0)
    folder = tmp_path / "folder"
    folder.mkdir()
    for whole, names in ((zipped, ("a.zip", "b.xlsx", "airline.npz")), (gzip.compress(zipped), ("boston.csv.gz",))):
        for name in names:
            for number in range(20):
                damaged = np.frombuffer(whole, np.uint8).copy()
                damaged[rng.integers(3, len(whole), 5)] = rng.integers(0, 256, 5)
                place = folder / str(number)
                place.mkdir(exist_ok=True)
                (place / name).write_bytes(damaged.tobytes())
    code, _, err = dgpexp("data", "import", str(folder))
    assert code == 1 and "0 data sets taken" in err and "should not have happened" not in err


def test_writing_follows_links_spares_devices_and_respects_the_umask(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "link.csv", lambda f: f.write(b"new"))
    finally:
        os.umask(before)
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "real.csv").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "real.csv").stat().st_mode) == 0o640
    write_atomically(Path("/dev/null"), lambda f: f.write(b"new"))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(Path("/dev/full"), lambda f: f.write(b"new"))
    write_atomically(tmp_path / ("n" * 250 + ".csv"), lambda f: f.write(b"new"))


def test_a_killed_worker_is_not_explained_by_what_its_libraries_printed() -> None:
    worker = WorkerProcess(0, ["sh", "-c", "echo 'Could not find cuda drivers' >&2; kill -9 $$"])
    worker.process.wait()
    assert worker.last_words() == "its process was killed (SIGKILL, perhaps for want of memory)"
    worker = WorkerProcess(0, ["sh", "-c", "echo 'ImportError: no such module' >&2; exit 1"])
    worker.process.wait()
    assert "exit code 1: ImportError: no such module" in worker.last_words()
