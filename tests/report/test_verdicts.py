"""What was reproduced: the thesis passes its own rules, and a verdict rests on the runs that there are."""

import pytest

from dgpexp.report import verdicts
from dgpexp.report.cells import RECIPE
from dgpexp.report.verdicts import CONTRADICTED, OPEN, REPRODUCED, SUPPORTED
from tests.report import sample

NOTHING = sample.material([], RECIPE)


def by_recipe(rows):
    """The same runs trained by another recipe: the profile of our own."""
    return sample.material([r | {"profile": RECIPE} for r in rows], RECIPE)


def claim(start, thesis=(), recipe=()):
    found = verdicts.claims(sample.material(list(thesis)), by_recipe(recipe))
    return next(v for v in found if v.about.startswith(start))


def section(start, thesis=(), recipe=()):
    found = verdicts.sections(sample.material(list(thesis)), by_recipe(recipe))
    return next(v for v in found if v.about.startswith(start))


@pytest.fixture(scope="module")
def complete():
    return sample.uci(20) + sample.synthetic(10) + sample.big()


def test_the_thesis_s_own_numbers_pass_every_rule_and_without_runs_all_is_open():
    for v in verdicts.claims(sample.material([]), NOTHING):
        assert v.thesis.startswith("holds"), v
        assert (v.verdict, v.done) == (OPEN, 0)
    assert {v.verdict for v in verdicts.sections(sample.material([]), NOTHING)} == {OPEN}


def test_a_complete_protocol_that_resembles_the_thesis_reproduces_it(complete):
    found = verdicts.claims(sample.material(complete), NOTHING)
    outcome = {v.about: v.verdict for v in found}
    assert outcome.pop("AEP on protein takes too long to be run.") == CONTRADICTED, "we filled that column"
    del outcome["All methods have similar RMSE everywhere."]  # these made-up runs scatter too much for it
    assert set(outcome.values()) == {REPRODUCED}
    assert found[0].runs == "1,360 of 1,360", "without naval and wine, whose targets are rounded"
    first, second, third = verdicts.sections(sample.material(complete), NOTHING)
    assert (first.verdict, second.verdict, third.verdict) == (REPRODUCED, REPRODUCED, OPEN)
    assert "flights of other years" in third.evidence, "airline cannot be compared"


def test_a_protocol_cut_short_leaves_the_word_to_our_recipe(complete):
    few = [r for r in complete if r["split"] < 5]
    assert claim("AEPMCM has the best log-likelihood on 6", few).verdict == OPEN
    v = claim("AEPMCM has the best log-likelihood on 6", few, complete)
    assert (v.verdict, v.profile, v.runs) == (SUPPORTED, RECIPE, "1,360 of 1,360")
    worst = [r | {"ll": -9.0} if r["method"] == "aepmcm" else r for r in complete]
    assert claim("AEPMCM has the best log-likelihood on 6", recipe=worst).verdict == CONTRADICTED
    assert claim("AEPMCM has the best log-likelihood on 6", few, worst).verdict == OPEN, "the two disagree"
    assert section("5.1", few, complete).verdict == SUPPORTED
    assert (
        "by the thesis's protocol 460 of 1,840 runs, 0 of 150 numbers complete"
        in section("5.1", few, complete).evidence
    )


def test_one_run_of_aep_on_protein_contradicts_that_there_can_be_none():
    one = sample.uci(1, datasets=("protein",), methods=("aep",), depths=(3,))
    for v in (claim("AEP on protein", one), claim("AEP on protein", recipe=one)):
        assert (v.verdict, v.evidence, v.runs) == (CONTRADICTED, "AEP finished protein at depth 3", "1 of 80")


def test_naval_and_wine_are_not_counted_by_their_log_likelihood(complete):
    rounded = [r | {"ll": 9.0} if r["dataset"] in ("naval", "wine") and r["method"] == "vi" else r for r in complete]
    assert claim("AEPMCM has the best log-likelihood on 6", rounded).verdict == REPRODUCED
    assert section("5.1", rounded).evidence == section("5.1", complete).evidence


def test_cells_with_fewer_splits_than_the_others_of_their_row_do_not_speak():
    rows = sample.uci(3, datasets=("wine",), methods=("aepmcm",))
    few = [r for r in rows if r["layers"] == 2 or r["split"] < {3: 2, 4: 2, 5: 1}[r["layers"]]]
    evidence = claim("On wine", few).evidence
    assert "depth 3" in evidence and "depth 4" in evidence, "depth 2, which has more, is none of this claim's"
    assert "depth 5" not in evidence


def test_runs_that_left_the_protocol_do_not_count():
    short = sample.Settings(epochs=50)
    rows = [sample.row("wine", "aepmcm", d, 0, short, {"ll": 1.0}) for d in (3, 4, 5)]
    assert (claim("On wine", rows).verdict, claim("On wine", rows).runs) == (OPEN, "0 of 60")


def test_splits_are_counted_by_data_set_method_and_depth():
    head, boston, *_, wine = verdicts.splits_done(sample.material(sample.uci(3, datasets=("boston",), depths=(2,))))
    assert head[:3] == ["splits", "VI 2", "VI 3"] and boston[:3] == ["boston", "3/20", "·"] and set(wine[1:]) == {"·"}
