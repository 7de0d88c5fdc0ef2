"""A results folder of version 0.1 is read, predicted from and continued by this one; its runs keep their ids."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from dgpexp.cli.main import main
from dgpexp.plan.plan import Plan
from dgpexp.plan.protocol import Select, read_protocol
from dgpexp.plan.status import cells
from dgpexp.report.model import gather
from dgpexp.runs.execute import execute
from dgpexp.runs.job import Watch
from dgpexp.runs.sessions import Sessions
from dgpexp.store.tidy_table import read_curves, read_runs

OLD = Path(__file__).parent / "version_0_1"
COMPLETE, STOPPED = "sincos-vi-1-s00-bb4d81cd", "sincos-vi-1-s01-79a8ad8f"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OLD, tmp_path / "results"))


def test_its_runs_are_known_by_their_ids_and_states(results: Path) -> None:
    plan = Plan()
    plan.add(read_protocol(str(OLD / "tiny.toml")), "tiny", Select(), results, False, 60.0)
    assert [s.run_id for s in plan.done] == [COMPLETE] and [t.spec.run_id for t, _ in plan.todo] == [STOPPED]
    (cell,) = cells(results, "tiny")
    assert (cell.done, cell.interrupted, cell.left) == (1, 1, 0)
    runs = read_runs(results, "tiny").set_index("run_id")
    assert runs.ll[COMPLETE] == pytest.approx(-2.6956260900328166, abs=0) and runs.version[COMPLETE].startswith("0.")


def test_it_is_reported(results: Path) -> None:
    report = gather(results, "tiny")
    assert [(group.dataset, len(group.runs)) for group in report.groups.values()] == [("sincos", 1)]


def test_its_models_predict_what_they_did(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["predict", COMPLETE, "--results", str(results)])
    assert ended.value.code == 0
    head, *rows = capsys.readouterr().out.splitlines()
    density = head.split(",").index("log_density")
    assert np.mean([float(row.split(",")[density]) for row in rows]) == pytest.approx(-2.6956260900328166, rel=1e-9)


def test_settings_that_are_gone_do_not_differ_from_anything(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results / "runs" / "tiny" / COMPLETE / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps(config | {"settings": config["settings"] | {"natural_rate": 0.0}}))
    with pytest.raises(SystemExit) as ended:
        main(["show", COMPLETE, "--results", str(results)])
    assert ended.value.code == 0 and "natural_rate" not in capsys.readouterr().out


def test_its_checkpoints_are_continued_to_the_numbers_that_it_would_have_reached(results: Path) -> None:
    plan = Plan()
    plan.add(read_protocol(str(OLD / "tiny.toml")), "tiny", Select(), results, False, 60.0)
    (task, _), *_ = plan.todo
    assert execute(task, Sessions(), Watch(lambda event: None, lambda: False)).status == "COMPLETED"
    info = json.loads((task.run_dir / "info.json").read_text())
    assert info["resumed_at"] == 100, "it went on, and did not begin anew"
    curves = read_curves(task.run_dir)
    for name, values in json.loads((OLD / "expected.json").read_text()).items():
        assert curves[name].tolist() == pytest.approx(values, rel=1e-6), name  # processors differ in the last bits
