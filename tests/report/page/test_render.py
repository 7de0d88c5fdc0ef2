"""Grids as text: what is bold, how numbers are written, and LaTeX that LaTeX would take."""

import re

import pytest
from rich.console import Console

from dgpexp.methods import method_name
from dgpexp.numerals import fixed, with_error
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.page.latex import escape, to_latex
from dgpexp.report.page.render import mark, to_markdown, to_rich
from dgpexp.report.published import METHODS, UCI
from dgpexp.report.tables import regression
from tests.report import sample


def constant(values, metric, dataset="boston"):
    """{(method, depth): (mean, half-range)}: two splits each."""
    return [
        sample.row(dataset, m, d, k, sample.REGRESSION, {"rmse": 1.0, "ll": 1.0, metric: v + s * (2 * k - 1)})
        for (m, d), (v, s) in values.items()
        for k in range(2)
    ]


def grid(values, metric):
    return regression.grid(metric, sample.material(constant(values, metric)))


def bold(values, metric):
    g = grid(values, metric)
    return {(g.cells[p].method, g.cells[p].layers) for p in g.best()}


def test_best_within_one_standard_error_lower_is_better():
    # The best has standard error 0.1 (half-range 0.1 of two values): up to 1.1 is as good.
    values = {("vi", 2): (1.0, 0.1), ("aep", 2): (1.09, 0.0), ("aepmcm", 2): (1.2, 0.0)}
    assert bold(values, "rmse") == {("vi", 2), ("aep", 2)}
    assert bold(values, "crps") == {("vi", 2), ("aep", 2)}


def test_best_is_highest_for_the_log_likelihood_and_nearest_for_coverage():
    values = {("vi", 2): (0.80, 0.0), ("aep", 2): (0.93, 0.0), ("aepmcm", 2): (0.99, 0.0)}
    assert bold(values, "ll") == {("aepmcm", 2)}
    assert bold(values, "coverage90") == {("aep", 2)}


def test_one_easy_split_does_not_beat_the_mean_of_two():
    rows = constant({("vi", 2): (1.0, 0.1), ("aep", 2): (1.5, 0.1)}, "rmse")
    rows.append(sample.row("boston", "vi", 3, 0, sample.REGRESSION, {"rmse": 0.1}))
    g = regression.grid("rmse", sample.material(rows))
    assert {(g.cells[p].method, g.cells[p].layers) for p in g.best()} == {("vi", 2)}


def test_one_number_alone_is_not_best():
    assert bold({("vi", 2): (1.0, 0.1)}, "rmse") == set()


def test_depth_one_and_new_methods_get_columns_and_new_data_sets_rows():
    rows = constant({("vi", 1): (1.0, 0.1)}, "rmse")
    rows.append(sample.row("boston", "vi", 2, 0, sample.REGRESSION, {"rmse": 1.0}) | {"method": "rff"})
    rows.append(sample.row("boston", "vi", 2, 0, sample.REGRESSION, {"rmse": 1.0}) | {"dataset": "yacht"})
    g = regression.grid("rmse", sample.material(rows))
    assert ("VI", "1") in [(c.group, c.label) for c in g.columns]
    assert (g.columns[-1].group, g.columns[-1].label) == ("RFF", "2")
    assert g.rows[-1] == "yacht"


def test_a_grid_too_wide_for_a_page_has_its_data_sets_across():
    many = {(m, d): (1.0, 0.1) for m in ("vi", "aep", "aepmcm", "pep") for d in (1, 2, 3, 4, 5)}
    wide = grid(many, "rmse").sheet(14)
    assert list(wide.heads) == list(UCI) and [name for name, _ in wide.lines][:2] == ["VI 1", "VI 2"]
    assert [name for name, _ in grid({("vi", 2): (1.0, 0.1)}, "rmse").sheet(14).lines] == list(UCI)


def test_numbers_as_text():
    assert fixed(-2.3, 2) == "−2.30" and fixed(-0.001, 2) == "0.00" and fixed(None, 2) == "" == fixed(float("nan"), 1)
    assert with_error(2.744, 0.135, 2) == "2.74 (0.14)" or with_error(2.744, 0.135, 2) == "2.74 (0.13)"
    assert METRICS["rmse"].decimals([0.0004]) == 5, "naval"
    assert METRICS["ll"].decimals([-2.3], [0.04]) == 2


@pytest.mark.parametrize(("n", "text"), [(20, "✓"), (5, "5/20")])
def test_marks(n, text):
    rows = [sample.row("boston", "vi", 3, k, sample.REGRESSION, {"rmse": 2.7 + 0.1 * (k % 2)}) for k in range(n)]
    g = regression.grid("rmse", sample.material(rows))
    assert mark(g.cells[0, 1]).startswith(text)


def test_markdown_has_a_line_a_data_set():
    lines = to_markdown(grid({("vi", 3): (2.7, 0.1)}, "rmse")).splitlines()
    boston = next(line for line in lines if line.startswith("| boston"))
    assert boston.count("|") == 14
    assert "2.70 (0.10)<br>*2.74 (0.14)*<br>2/20" in boston


def test_latex_is_balanced_and_every_row_has_all_columns():
    text = to_latex(grid({("vi", 3): (2.7, 0.1), ("aep", 3): (9.0, 0.1)}, "rmse"))
    assert text.count("{") == text.count("}")
    assert r"\textbf{2.70 (0.10)}" in text and r"\toprule" in text and r"\bottomrule" in text
    width = len(re.search(r"\\begin\{tabular\}\{(l r*)", text.replace("{l", "{l ")).group(1).replace(" ", ""))
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {len(re.split(r"(?<!\\)&", line)) for line in body} == {width}


def test_latex_has_splits_and_the_mark_of_other_settings_where_they_are_due():
    rows = sample.uci(3, datasets=("boston",), methods=("vi",), depths=(2,))
    assert "{\\tiny 3/20}" in to_latex(regression.grid("rmse", sample.material(rows)))
    ours = sample.uci(3, datasets=("boston",), methods=("aepmcm",), depths=(2,))  # with our parameters
    text = to_latex(regression.grid("rmse", sample.material(ours)))
    assert "{\\tiny 3/20$\\dagger$}" in text and "other settings than the profile has today" in text


def test_latex_escapes_everything():
    assert escape("50 % of a_b & {c} −1 \\x") == r"50 \% of a\_b \& \{c\} $-$1 \textbackslash{}x"


def test_a_wide_table_comes_in_parts_that_fit_the_terminal():
    values = {(method, depth): (-2.31, 0.09) for method in METHODS for depth in (2, 3)}
    shown = {}
    for width in (160, 80):
        console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
        console.print(to_rich(grid(values, "ll"), console))
        shown[width] = console.export_text()
        assert max(map(len, shown[width].splitlines())) <= width and "…" not in shown[width]
        assert all(f"{method_name(m)} {d}" in shown[width] for m, d in values), "no name is cut short"
    assert [text.count("data set ") for text in shown.values()] == [1, 2]
    assert "AEPMCM 4" not in shown[160], "what we have no numbers of is left to the page"


def test_the_terminal_table_shows_ours_and_theirs():
    console = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(to_rich(grid({("vi", 3): (2.7, 0.1)}, "rmse"), console))
    shown = console.export_text()
    assert "2.70 (0.10)" in shown and "2.74 (0.14)" in shown and "2/20" in shown
