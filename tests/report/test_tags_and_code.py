"""Which runs a report and a comparison read: by tag, and with a word on the code that made them."""

import json
from pathlib import Path
from typing import Any

import pytest

from dgpexp.runs import code
from tests.store.folders import make_run, spec


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two methods on three splits by the present code, and a fourth split by other code; the first are tagged."""
    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path))
    now = dict(code.modules())
    for method in ("vi", "aepmcm"):
        for split in range(4):
            modules = now if split < 3 else {**now, "inference.vi": "00000000"}
            made = {"code": code.overall(modules), "modules": modules}
            path = make_run(tmp_path, spec(method=method, split=split), profile="small", experiment="my", **made)
            record = json.loads((path / "run.json").read_text())
            meta = {"tags": ["first"]} if split < 3 else {}
            (path / "run.json").write_text(json.dumps({**record, "meta": meta}))
    return tmp_path


def test_compare_says_which_runs_other_code_made_and_takes_a_tag(results: Path, dgpexp: Any) -> None:
    sets = ("compare", "small:method=vi", "small:method=aepmcm")
    sentence = "2 runs were made by other code than the present (inference.vi differs)."
    assert dgpexp(*sets)[2].count(sentence) == 2
    code, out, err = dgpexp(*sets, "--tag", "first", "--json")
    assert code == 0 and err == "" and {row["n"] for row in json.loads(out)["differences"]} == {3}
    code, _, err = dgpexp(*sets, "--tag", "second")
    assert code == 2 and err == "dgpexp: no run of profile 'small' has the tag second.\n"


def test_the_report_says_it_too(results: Path, dgpexp: Any) -> None:
    code, out, _ = dgpexp("report", "--profile", "small", "--json")
    assert code == 0 and "2 runs were made by other code" in json.loads(out)["source"]
    code, out, _ = dgpexp("report", "--profile", "small", "--tag", "first", "--json")
    assert code == 0 and json.loads(out)["source"] == "6 runs of the run store."


def test_committed_results_are_those_of_a_release(tmp_path: Path) -> None:
    from dgpexp.report.source import load

    assert " runs measured earlier by release 0.1" in load(tmp_path, "best").sentence
