"""One bad run folder is named and left out; the others are read."""

import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest

from dgpexp.plan.status import cells
from dgpexp.store import tidy_table
from dgpexp.store.run_files import report
from dgpexp.store.stored_run import COMPLETED, STALE, StoredRun, stored_runs
from tests.store.folders import make_lock, make_run, spec

WRONG: list[Any] = [None, [], {}, "text", "\ud800", 1.5, -1, 10**40, True, float("nan"), [1], {"a": [1]}, "[bold"]


@pytest.fixture(autouse=True)
def unheard() -> None:
    report.cache_clear()


def change(path: Path, key: str, value: Any) -> None:
    content = json.loads(path.read_text())
    content[key] = value
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [
        ("info.json", "metrics", [1.0]),
        ("info.json", "metrics", {"ll": "high"}),
        ("info.json", "train_seconds", "long"),
        ("info.json", "experiment", 5),
        ("info.json", "tally", {"labels": ["a"], "confusion": [["many"]], "bins": []}),
        ("config.json", "dataset", None),
        ("config.json", "settings", {"train_samples": 2.5}),
        ("run.json", "host", "here"),
    ],
)
def test_a_value_of_the_wrong_type_is_named_and_costs_no_other_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, file: str, key: str, value: Any
) -> None:
    bad, _ = make_run(tmp_path, spec(split=0)), make_run(tmp_path, spec(split=1))
    change(bad / file, key, value)
    with caplog.at_level(logging.WARNING):
        runs = tidy_table.read_runs(tmp_path, "quick")
    assert (runs.ll == -2.5).sum() >= 1 and len(cells(tmp_path, "quick")) >= 1
    assert f"{bad} is damaged ({file} has an impossible value for '{key}')" in caplog.text


def test_a_changed_number_is_noticed_because_sacred_kept_the_result(tmp_path: Path) -> None:
    run = make_run(tmp_path, spec())
    change(run / "run.json", "result", -2.5)
    assert StoredRun(run).status == COMPLETED
    change(run / "info.json", "metrics", {"rmse": 3.0, "ll": -1.5})
    assert StoredRun(run).status == STALE


@pytest.mark.parametrize("seed", range(60))
def test_whatever_stands_in_a_folder_everything_can_be_read(tmp_path: Path, seed: int) -> None:
    """Values, files and locks replaced at random: the readers answer, and the whole run beside it is counted."""
    rng = random.Random(seed)
    bad, _ = (
        make_run(tmp_path, spec(split=0), rng.choice(["COMPLETED", "RUNNING", "FAILED"])),
        make_run(tmp_path, spec(split=1)),
    )
    lock = make_lock(bad)
    for _ in range(rng.randint(1, 4)):
        path = rng.choice([bad / name for name in ("run.json", "config.json", "info.json", "metrics.json")] + [lock])
        content = json.loads(path.read_text()) if path.stat().st_size else {}
        match rng.choice(["value", "value", "inner", "torn", "other", "empty"]):
            case "value" if isinstance(content, dict) and content:
                change(path, rng.choice(list(content)), rng.choice(WRONG))
            case "inner" if isinstance(content, dict):
                inner = [k for k, v in content.items() if isinstance(v, dict) and v]
                if inner:
                    key = rng.choice(inner)
                    change(path, key, content[key] | {rng.choice(list(content[key])): rng.choice(WRONG)})
            case "torn":
                path.write_bytes(path.read_bytes()[: rng.randint(0, 40)])
                break
            case "other":
                path.write_text(json.dumps(rng.choice(WRONG)))
                break
            case "empty":
                path.write_bytes(b"")
                break
    runs = tidy_table.read_runs(tmp_path, "quick").set_index("run_id")
    assert runs.ll[spec(split=1).run_id] == -2.5
    cells(tmp_path, "quick")
    for run in stored_runs(tmp_path, "quick"):
        tidy_table.read_curves(run.path)
