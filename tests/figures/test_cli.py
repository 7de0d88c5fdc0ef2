"""`dgpexp figures` from the outside."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from dgpexp.cli.commands.figures import figures
from dgpexp.errors import RunFailed, UserError


def test_list_names_all_figures_and_draws_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(figures, ["--list"])
    assert result.exit_code == 0
    assert "2.3.1  fitc" in result.stdout and "4.3.5  deep-pathology" in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_draws_what_is_named_where_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path))
    result = CliRunner().invoke(figures, ["2.2.2"])
    assert result.exit_code == 0 and result.stdout.strip() == str(tmp_path / "figures")
    assert (tmp_path / "figures" / "2.2.2-polynomial-kernels.svg").is_file()


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write the figures to"):
        CliRunner().invoke(figures, ["2.2.2", "--output", str(tmp_path / "file" / "x")], catch_exceptions=False)


def test_a_figure_asked_for_by_name_that_cannot_be_drawn_is_an_error_after_the_others(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.datasets", None)  # as if it were not installed
    with pytest.raises(RunFailed, match="not drawn: mauna-loa"):
        CliRunner().invoke(figures, ["2.4.1", "4.0.2", "--output", str(tmp_path)], catch_exceptions=False)
    assert (tmp_path / "4.0.2-two-layer-prior.png").is_file()
