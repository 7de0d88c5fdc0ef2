"""Which code made a run: what counts as another code, and what is said about it."""

import json
from pathlib import Path
from typing import Any

import pytest

from dgpexp.runs import code
from dgpexp.store.stored_run import StoredRun
from tests.store.folders import make_run, spec

SOURCE = '''
"""A module."""

def objective(x):
    """Of x."""
    return -x ** 2  # the bound
'''


@pytest.mark.parametrize(
    "same",
    [
        SOURCE.replace("  # the bound", ""),
        SOURCE.replace('"""Of x."""', '"""Other words."""'),
        SOURCE.replace('    """Of x."""\n', ""),
        SOURCE.replace('"""A module."""', ""),
        SOURCE.replace("-x ** 2", "(\n        -(x**2)\n    )"),
    ],
)
def test_comments_docstrings_and_formatting_do_not_count(same: str) -> None:
    assert same != SOURCE and code.digest_of(same) == code.digest_of(SOURCE)


@pytest.mark.parametrize("words", [("** 2", "** 3"), ("-x", "+x"), ("(x)", "(x, y=1)"), ("return", "yield")])
def test_whatever_is_computed_counts(words: tuple[str, str]) -> None:
    assert code.digest_of(SOURCE.replace(*words)) != code.digest_of(SOURCE)


def test_a_text_that_is_not_a_docstring_counts() -> None:
    assert code.digest_of('kind = "a"') != code.digest_of('kind = "b"')


def test_the_modules_are_those_that_decide_numbers() -> None:
    found = code.modules()
    assert {"inference.vi", "training.session", "datasets.splits", "predictive.metrics"} <= found.keys()
    assert not [name for name in found if name.startswith(("report", "cli", "terminal", "runs"))]


def made(results: Path, split: int, modules: dict[str, str] | None) -> StoredRun:
    known: dict[str, Any] = {} if modules is None else {"code": code.overall(modules), "modules": modules}
    return StoredRun(make_run(results, spec(split=split), **known))


def test_runs_of_other_code_are_counted_and_the_modules_named(tmp_path: Path) -> None:
    now = dict(code.modules())
    changed = {**now, "inference.vi": "00000000"}
    without = {k: v for k, v in changed.items() if k != "gp.layer"}
    runs = [made(tmp_path, k, m) for k, m in enumerate([now, changed, without, None])]
    found = code.other_code(runs)
    assert found.other == runs[1:3] and found.unknown == runs[3:]
    assert found.sentences == [
        "2 runs were made by other code than the present (inference.vi, gp.layer differ).",
        "1 run was made by a version that kept no digest of its code.",
    ]
    assert code.other_code(runs[:1]).sentences == []
    assert code.other_code(runs[1:2]).sentences == [
        "1 run was made by other code than the present (inference.vi differs)."
    ]


def test_a_run_that_went_on_under_other_code_is_by_neither(tmp_path: Path) -> None:
    now = dict(code.modules())
    assert code.continued(now) == now and code.continued(None) == {}
    mixed = code.continued({**now, "inference.vi": "00000000"})
    assert mixed["inference.vi"] == f"00000000, then {now['inference.vi']}"
    assert code.other_code([made(tmp_path, 0, mixed)]).differing == {"inference.vi": 1}


def test_a_damaged_digest_is_a_damaged_file(tmp_path: Path) -> None:
    run = make_run(tmp_path, spec())
    content = json.loads((run / "info.json").read_text())
    (run / "info.json").write_text(json.dumps({**content, "modules": ["inference.vi"]}))
    assert StoredRun(run).info == {}
