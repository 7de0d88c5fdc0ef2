"""The last lines of `dgpexp reproduce`: a check, the verdicts, and where the page is."""

import pytest

from benchmarks.report import write_store
from dgpexp.report import reproduced
from dgpexp.terminal.conclusion import conclude
from tests.report import sample


@pytest.fixture
def lines(tmp_path, monkeypatch, capsys):
    """Of a miniature of twelve runs, the committed ones of which all have another log-likelihood."""
    quick = sample.uci(1, datasets=("boston", "wine"), depths=(2, 3), profile="quick")
    write_store(tmp_path, quick, points=2)
    other = sample.frame([row | {"ll": row["ll"] + 1} for row in quick])
    monkeypatch.setattr(reproduced, "read_measured", lambda profile: other)
    said = []
    conclude(tmp_path, "quick", said.append)
    return said, capsys.readouterr().err


def test_the_runs_that_differ_are_named_with_both_numbers(lines):
    said, _ = lines
    assert said[0].startswith("Reproducibility: 0 of 12 runs equal the committed ones to the printed digits")
    assert said[1].startswith("  boston ") and ", committed −" in said[1]
    assert said[11] == "  and 2 more, on its page", "ten, and the page has the rest"


def test_it_ends_with_the_verdicts_on_the_thesis_and_the_pages(lines, tmp_path):
    said, table = lines
    assert "5.2 Predictive distributions" in table and "reproduced" in table and "40 of 40" in table
    assert said[-2:] == [
        f"The report is {tmp_path}/report/thesis/index.html.",
        f"The page of the miniature is {tmp_path}/report/quick/index.html.",
    ]
    assert said[-3].startswith("Profile thesis:"), "the verdicts are those of the committed runs"
