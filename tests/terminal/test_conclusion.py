"""The last lines of `dgpexp reproduce`: a check, where the pages are, and the verdicts; and its exit code."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.report import write_store
from dgpexp.cli.commands.reproduce import in_order, reproduce, thesis_first
from dgpexp.plan.plan import Plan
from dgpexp.plan.protocol import Select, read_protocol
from dgpexp.report import reproduced
from dgpexp.report.build import gather
from dgpexp.terminal import conclusion, reporter, sweeping
from tests.report import sample


def commit(monkeypatch, rows, apart):
    """Commit `rows` with a log-likelihood so far away; another seed moves it by 0.1."""
    moved = [row | {"ll": row["ll"] + apart} for row in rows]
    copies = {"quick": moved, "quick/seeds": [sample.other_seed(row, ll=row["ll"] + 0.1) for row in moved]}
    monkeypatch.setattr(reproduced, "read_measured", lambda profile: sample.frame(copies[profile]))


@pytest.fixture
def lines(tmp_path, monkeypatch, capsys):
    """Of a miniature of twelve runs, the committed ones of which all have another log-likelihood."""
    quick = sample.uci(1, datasets=("boston", "wine"), depths=(2, 3), profile="quick")
    write_store(tmp_path, quick, points=2)
    commit(monkeypatch, quick, apart=9)
    said = []
    assert conclusion.conclude(tmp_path, "quick", said.append) is False
    return said, capsys.readouterr().err


def test_the_runs_that_differ_are_named_with_both_numbers(lines):
    said, _ = lines
    assert said[0].startswith("Reproducibility: 0 of 12 runs equal the committed ones to the printed digits, 0 lie")
    assert said[1].startswith("  different: boston ") and ", committed " in said[1]
    assert said[11] == "  and 2 more, on its page", "ten, and the page has the rest"


def test_it_ends_with_the_verdicts_on_the_thesis_after_the_pages(lines, tmp_path):
    said, table = lines
    assert "5.2 Predictive distributions" in table and "reproduced" in table and "40 of 40" in table
    assert said[-2] == f"The page of the miniature is {tmp_path}/report/quick/index.html."
    assert said[-1].startswith(f"The report is {tmp_path}/report/thesis/index.html: profile thesis, ")


@pytest.mark.parametrize(("apart", "code"), [(0.0, 3), (0.05, 3), (9.0, 1)])
def test_only_a_run_farther_away_than_seeds_are_fails(tmp_path, monkeypatch, apart, code):
    """The experiments of uci are complete, and there are no data for the others (3); equal, near and far numbers."""
    runs = read_protocol("uci").runs("quick", Select(datasets=("boston",)))
    cells = [(spec.dataset, spec.method, spec.layers, spec.split, spec.settings) for spec in runs]
    rows = [sample.row(*cell, {"rmse": 3.0, "ll": -2.4}, profile="quick") for cell in cells]
    write_store(tmp_path, rows, points=2)
    commit(monkeypatch, rows, apart)
    monkeypatch.setattr("dgpexp.datasets.loading.is_here", lambda name: False)
    monkeypatch.setattr(sweeping, "fetch_missing", lambda names, say: {name: "not here." for name in names})
    monkeypatch.setattr(conclusion, "reports_beside", lambda results, profile: [gather(results, profile)])
    monkeypatch.setattr(reporter.Reporter, "_draw_theory", lambda self: None)
    monkeypatch.setattr(reporter.Reporter, "finish", lambda self, say: True)
    result = CliRunner().invoke(reproduce, ["--results", str(tmp_path)], catch_exceptions=False)
    said = result.stderr.splitlines()
    assert result.exit_code == code
    assert said[0].endswith(f"into {tmp_path}; 6 are complete already.") and said[0][:7] == "73 runs"
    assert said[1].endswith("data sets that are not here, at their sites and in packages ...")
    assert said[2].startswith("73 runs are left out, whose data cannot be had from here: ") and "airline" in said[2]
    assert ("different: boston" in result.stderr) == (code == 1)


def test_the_experiments_of_the_thesis_come_first_and_the_largest_of_the_others_last():
    names = ["mnist", "protein", "spambase", "sincos", "boston"]
    assert sorted(names, key=thesis_first) == ["protein", "sincos", "boston", "spambase", "mnist"]


@pytest.mark.parametrize(("profile", "waits"), [("quick", False), ("thesis", True)])
def test_only_the_seconds_of_a_full_profile_need_the_machine_to_themselves(profile, waits):
    """So that the miniature's airline and year come before its classification."""
    plan = Plan()
    for name in ("classification", "airline"):
        plan.add(read_protocol(name), profile if name == "airline" else "quick", Select(), Path("none"), False, 60)
    (first, alone), *_, (last, _) = in_order(plan.todo, profile)
    assert (first.spec.dataset, last.spec.dataset, alone) == ("airline", "mnist", waits)
