"""The checklist: the thesis passes its own claims, and ours are judged only when the runs are there."""

import pytest

from dgpexp.report.cells import group
from dgpexp.report.published import load
from dgpexp.report.statistics import claims
from tests.report import sample


def find(found, start):
    return next(c for c in found if c.text.startswith(start))


def test_the_thesis_s_own_numbers_pass_every_rule():
    for claim in claims.check({}, load()):
        assert claim.thesis.startswith("held"), claim
        assert claim.status == claims.OPEN


def test_complete_runs_that_resemble_the_thesis_hold():
    found = claims.check(group(sample.thesis()), load())
    for start in ("AEPMCM has the best log-likelihood on 6", "On wine", "On sincos", "A gradient step"):
        assert find(found, start).status == claims.HELD, find(found, start)
    assert find(found, "AEP on protein").status == claims.NOT_HELD, "we filled that column"


@pytest.mark.parametrize("splits", [1, 19])
def test_unfinished_sweeps_leave_a_claim_open_with_what_is_known(splits):
    found = claims.check(group(sample.frame(sample.uci(splits, datasets=("wine",)))), load())
    wine = find(found, "On wine")
    assert wine.status == claims.OPEN
    assert wine.evidence.startswith("0 of 3 cells complete; so far: depth 3: 0.")


def test_a_depth_with_one_lucky_split_does_not_speak_for_its_data_set():
    rows = sample.uci(3, datasets=("wine",), methods=("aepmcm",))
    few = sample.frame([r for r in rows if r["layers"] == 2 or r["split"] < {3: 2, 4: 2, 5: 1}[r["layers"]]])
    wine = find(claims.check(group(few), load()), "On wine")
    assert "depth 3" in wine.evidence and "depth 4" in wine.evidence, "depth 2, which has more, is none of this claim's"
    assert "depth 5" not in wine.evidence


def test_a_wrong_result_is_not_held():
    rows = [dict(r, ll=-1.0) for r in sample.uci(20, datasets=("wine",), methods=("aepmcm",))]
    assert find(claims.check(group(sample.frame(rows)), load()), "On wine").status == claims.NOT_HELD


def test_a_miniature_is_never_judged():
    rows = sample.uci(20, datasets=("wine",), profile="quick")
    wine = find(claims.check(group(sample.frame(rows)), load()), "On wine")
    assert wine.status == claims.MINIATURE and wine.evidence.startswith("shortened or changed protocol; depth 3")
