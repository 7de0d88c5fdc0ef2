"""`dgpexp compare A B`: which runs a set names, how they are paired, and which way round the answer is."""

from pathlib import Path

import pytest

from benchmarks.report import write_store
from dgpexp.config import Settings
from dgpexp.errors import UserError
from dgpexp.report.statistics.compare import compare, over_datasets, parse, printed, title
from dgpexp.report.statistics.paired import paired
from tests.report import sample

MIXED = sample.REGRESSION.change({"precision": "mixed"})


def runs(values, settings=sample.REGRESSION, dataset="boston", method="vi", **more):
    return [sample.row(dataset, method, 3, k, settings, {"rmse": v, "ll": -v}, **more) for k, v in enumerate(values)]


def between(folder, a, b, metrics=("ll",)):
    return compare(parse(a, folder), parse(b, folder), metrics).differences


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    results = tmp_path_factory.mktemp("compare")
    rows = runs([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) + runs([1.1, 2.3, 3.2, 4.4, 5.1, 6.3], MIXED)
    rows += runs([0.5, 1.5, 2.5, 3.5], method="aepmcm")
    write_store(results, rows, points=2)
    write_store(results, runs([1.5, 2.5, 3.5], Settings(train_samples=5), profile="quick"), points=2)
    return results


def test_parse(tmp_path):
    (tmp_path / "runs" / "thesis").mkdir(parents=True)
    s = parse(f"{tmp_path}@thesis:precision=mixed,layers=3", Path("results"))
    assert (s.results, s.profile, s.wanted) == (tmp_path, "thesis", {"precision": "mixed", "layers": "3"})
    assert parse("quick", Path("results")).results == Path("results")


@pytest.mark.parametrize("text", ["thesis:precision", "thesis:=1", ":layers=3", "thesis:layers="])
def test_parse_refuses_in_one_sentence(text):
    with pytest.raises(UserError):
        parse(text, Path("results"))


def test_two_settings_are_paired_split_by_split(folder):
    (d,) = between(folder, "thesis:precision=float64,method=vi", "thesis:precision=mixed", ("rmse",))
    differences = [0.1, 0.3, 0.2, 0.4, 0.1, 0.3]
    assert (d.cell, d.n, d.difference) == ("boston-vi-3", 6, pytest.approx(sum(differences) / 6))
    by_hand = paired("rmse", differences, [0.0] * 6, 1 / 9)
    assert (d.low, d.high, d.p) == pytest.approx((by_hand.low, by_hand.high, by_hand.p))
    assert d.p < 0.05 and d.better == "A", "B has the higher RMSE"


def test_orientation(folder):
    (d,) = between(folder, "thesis:precision=float64,method=vi", "thesis:precision=mixed", ("ll",))
    assert d.difference < 0 and d.better == "A", "B has the lower log-likelihood"


def test_what_the_sets_fix_differently_need_not_agree(folder):
    (d,) = between(folder, "thesis:method=vi,precision=float64", "thesis:method=aepmcm", ("rmse",))
    assert (d.cell, d.n, d.difference) == ("boston-3", 4, pytest.approx(-0.5))


def test_two_profiles_with_another_s(folder):
    (d,) = between(folder, "thesis:method=vi,precision=float64", "quick", ("rmse",))
    assert (d.cell, d.n) == ("boston-vi-3", 3) and d.difference == pytest.approx(0.5)


def test_two_folders(folder, tmp_path):
    write_store(tmp_path, runs([2.0, 3.0]), points=2)
    (d,) = between(folder, f"{tmp_path}@thesis", "thesis:method=vi,precision=float64", ("rmse",))
    assert (d.n, d.difference) == (2, pytest.approx(-1.0))


def test_an_ambiguous_set_is_refused_with_what_tells_its_runs_apart(folder):
    with pytest.raises(UserError, match=r"differ in precision; narrow it, e.g. 'thesis:method=vi,precision="):
        between(folder, "thesis:method=vi", "quick")


def test_s_is_paired_where_there_are_several(tmp_path):
    write_store(tmp_path, sample.big(("airline",)), points=2)
    cells = {d.cell for d in between(tmp_path, "thesis:method=vi", "thesis:method=aepmcm")}
    assert cells == {"airline-3 S=10", "airline-3 S=20"}


@pytest.mark.parametrize(("a", "b"), [("aep", "aepmcm"), ("aepmcm", "aep")])
def test_aep_which_samples_nothing_is_paired_with_every_s(tmp_path, a, b):
    write_store(tmp_path, sample.big(("airline",)), points=2)
    found = between(tmp_path, f"thesis:method={a}", f"thesis:method={b}")
    assert {d.cell for d in found} == {"airline-3 S=10", "airline-3 S=20"}
    assert len({d.mean_second if a == "aep" else d.mean_first for d in found}) == 1, "the one run of AEP, twice"


def test_a_single_pair_has_an_interval_over_its_test_points_which_names_no_winner(tmp_path):
    rows = runs([2.0], ll_stderr=0.03) + runs([1.0], method="aepmcm", ll_stderr=0.04)
    rows += runs([3.0], method="aepmcm", dataset="energy") + runs([2.0], dataset="energy")
    write_store(tmp_path, rows, points=2)
    ll, before, rmse, _ = between(tmp_path, "thesis:method=vi", "thesis:method=aepmcm", ("ll", "rmse"))
    assert (ll.low, ll.high) == pytest.approx((1 - 1.96 * 0.05, 1 + 1.96 * 0.05))
    assert ll.over_points and ll.better == "" and printed(ll)[5] == "0.902 to 1.098 (points)"
    assert before.low is None and printed(before)[5] == "", "nothing is known of its points"
    assert rmse.low is None and not rmse.over_points, "only the log-likelihood is a mean over points"


def test_two_pairs_have_an_interval_over_pairs_whatever_their_points_say(tmp_path):
    write_store(tmp_path, runs([2.0, 3.0], ll_stderr=9.0) + runs([1.0, 2.2], method="aepmcm", ll_stderr=9.0), points=2)
    (d,) = between(tmp_path, "thesis:method=vi", "thesis:method=aepmcm")
    by_hand = paired("ll", [1.0, 0.8], [0.0, 0.0], 1 / 9)
    assert (d.low, d.high) == pytest.approx((by_hand.low, by_hand.high)) and not d.over_points


@pytest.mark.parametrize(
    ("a", "sentence"),
    [("thesis:colour=red", "neither a column"), ("none", "no finished run"), ("thesis:layers=9", "no")],
)
def test_mistakes_are_one_sentence(folder, a, sentence):
    with pytest.raises(UserError, match=sentence):
        between(folder, a, "quick")


def test_numbers_and_classes_share_no_table_and_no_count(tmp_path):
    names = ("boston", "concrete", "energy", "kin8nm", "naval", "eeg")
    rows = []
    for method, gain in (("vi", 0.0), ("aepmcm", 0.01)):
        for name in names:
            of_classes = {"accuracy": 0.95 + gain} if name == "eeg" else {}
            rows += runs([1.0 - gain, 2.0 - gain], dataset=name, method=method, **of_classes)
    write_store(tmp_path, rows, points=2)
    found = between(tmp_path, "thesis:method=vi", "thesis:method=aepmcm", ("ll", "accuracy"))
    assert [d.dataset for d in found if d.family == "ll"] == list(names[:5])
    assert [(d.dataset, title(d)) for d in found if d.family == "ll of classes"] == [
        ("eeg", "test log-likelihood of classes")
    ]
    assert over_datasets(found) == {}, "five sets of numbers, and one of classes"
    assert printed(found[-1])[2:5] == ("95.000", "96.000", "1.000"), "in percent, as its title says"


def test_data_sets_are_counted_once_each_by_who_is_ahead(tmp_path):
    names = ("boston", "concrete", "energy", "kin8nm", "naval", "power")
    rows = []
    for i, name in enumerate(names):
        rows += runs([1.0, 2.0], dataset=name) + runs([0.9, 1.9] if i else [1.2, 2.2], dataset=name, method="aepmcm")
    for method, v in (("vi", 5.0), ("aepmcm", 4.7)):  # boston at depth 2, one split: better, but worse on two of 3
        rows.append(sample.row("boston", method, 2, 0, sample.REGRESSION, {"rmse": v, "ll": -v}))
    write_store(tmp_path, rows, points=2)
    found = between(tmp_path, "thesis:method=vi", "thesis:method=aepmcm", ("ll", "rmse"))
    counted = over_datasets(found)
    assert [(c.a_ahead, c.b_ahead) for c in counted.values()] == [(1, 5), (1, 5)], "a lower RMSE is ahead"
    assert counted["ll"].p == pytest.approx(14 / 64)
    assert counted["ll"].sentence() == "Of 6 data sets A is ahead on 1, B on 5 (sign test: p = 0.22)."
    assert over_datasets([d for d in found if d.dataset != "power"]) == {}, "five are too few"


def test_settings_that_differ_besides_what_was_asked_for_are_named_and_cost_the_winner(tmp_path):
    short = sample.REGRESSION.change({"max_steps": 1500})
    rows = runs([2.0, 3.1, 4.2, 5.0]) + runs([1.0, 2.0, 3.0, 4.1], short, method="aepmcm")
    write_store(tmp_path, rows, points=2)
    sets = [parse(f"thesis:method={method}", tmp_path) for method in ("vi", "aepmcm")]
    found = compare(*sets, ("ll",))
    assert found.confounds == {"max_steps": "0, 1500"} and found.differences[0].better == ""
    assert compare(*sets, ("ll",), confounded=True).differences[0].better == "B"


def test_what_a_method_brings_along_and_what_was_asked_for_are_no_confounds(tmp_path):
    theirs = sample.REGRESSION.change({"inner_noise": 0.01, "parameters": "natural"})  # as experiments/uci.toml has it
    write_store(tmp_path, runs([2.0, 3.1, 4.2]) + runs([1.0, 2.0, 3.0], theirs, method="aepmcm"), points=2)
    assert compare(*(parse(f"thesis:method={m}", tmp_path) for m in ("vi", "aepmcm")), ("ll",)).confounds == {}
    cooled = runs([1.0, 2.0], sample.REGRESSION.change({"cooldown": 0.5}), experiment="uci+cooldown=0.5")
    write_store(tmp_path, cooled, points=2)
    sets = [parse(f"thesis:method=vi,experiment={name}", tmp_path) for name in ("uci", "uci+cooldown=0.5")]
    assert compare(*sets, ("ll",)).confounds == {}
