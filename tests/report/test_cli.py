"""`dgpexp report` and `dgpexp compare` as a person types them."""

import json

import pytest

from benchmarks.report import write_store
from dgpexp.cli.main import main
from tests.report import sample


def dgpexp(capsys, *args):
    """Exit code, stdout, stderr."""
    with pytest.raises(SystemExit) as stopped:
        main(list(map(str, args)))
    out = capsys.readouterr()
    return stopped.value.code or 0, out.out, out.err


@pytest.fixture(scope="module")
def worse(tmp_path_factory):
    """boston AEP-2 far worse than published, everything else of it as published."""
    results = tmp_path_factory.mktemp("worse")
    rows = sample.uci(20, datasets=("boston",), depths=(2,))
    write_store(results, [r | {"rmse": 9 + r["split"] / 10} if r["method"] == "aep" else r for r in rows], points=2)
    return results


def test_report_prints_the_page_on_stdout_and_tables_on_stderr(undrawn, results, tmp_path, capsys):
    code, out, err = dgpexp(capsys, "report", "--results", results, "--output", tmp_path / "out")
    assert (code, out.strip()) == (0, str(tmp_path / "out" / "index.html"))
    assert "Table 5.1.1" in err and "2.74 (0.14)" in err and "On sincos AEPMCM sees" in err and "reproduced" in err


def test_check_passes_and_fails(undrawn, results, worse, tmp_path, capsys):
    code, _, err = dgpexp(capsys, "report", "--results", results, "--output", tmp_path / "a", "--check", "--json")
    assert code == 0 and "none of" in err
    code, out, err = dgpexp(capsys, "report", "--results", worse, "--output", tmp_path / "b", "--check", "--json")
    assert code == 1
    assert "1 of 6 complete cells" in err and "boston aep-2 rmse 9.95 (thesis 3.11)" in err
    assert json.loads(out)["profile"] == "thesis", "the report is written and printed all the same"


def test_learning_curves_of_one_run(results, tmp_path, capsys):
    run = sample.big(("airline",))[0]["run_id"]
    code, out, _ = dgpexp(capsys, "report", "--results", results, "--run", run, "--output", tmp_path)
    assert code == 0 and [line.rsplit(".", 1)[1] for line in out.split()] == ["svg", "pdf", "png"]
    assert (tmp_path / f"{run}.svg").stat().st_size > 1000


def test_an_unknown_run_is_one_sentence(results, capsys):
    code, _, err = dgpexp(capsys, "report", "--results", results, "--run", "nothing")
    assert code == 2 and "there is no run 'nothing'" in err


def test_compare(results, capsys):
    args = ("compare", "--results", results, "thesis:method=vi,dataset=boston", "thesis:method=aep,dataset=boston")
    code, out, _ = dgpexp(capsys, *args, "--json")
    cells = [(d["metric"], d["cell"], d["n"]) for d in json.loads(out)["differences"]]
    assert code == 0 and ("rmse", "boston-2", 20) in cells
    code, out, err = dgpexp(capsys, *args)
    assert (code, out) == (0, "") and "95 % interval" in err
