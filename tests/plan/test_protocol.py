"""A protocol file says exactly which runs there are, and refuses what it cannot mean."""

import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dgpexp.config import parse_setting
from dgpexp.datasets import CATALOG
from dgpexp.errors import UserError
from dgpexp.methods import METHODS
from dgpexp.plan.plan import Plan, experiment_name
from dgpexp.plan.protocol import Select, read_protocol, shipped_protocols

SMALL = """
[sweep]
datasets = ["boston"]
methods = ["vi", "aep"]
layers = [2]
splits = 3
[settings]
epochs = 7
[profiles.quick.sweep]
splits = 1
"""


def own(folder: Path, text: str = SMALL) -> str:
    path = folder / "my.toml"
    path.write_text(text)
    return str(path)


def test_the_thesis_section_5_1() -> None:
    runs = read_protocol("uci").runs("thesis")
    assert len(runs) == len({r.run_id for r in runs}) == 8 * 3 * 4 * 20
    epochs = {r.dataset: r.settings.epochs for r in runs}
    assert {d for d, e in epochs.items() if e == 500} == {"naval", "power", "protein"}
    assert {e for d, e in epochs.items() if d not in ("naval", "power", "protein")} == {2000}
    for r in runs:
        s = r.settings
        assert (s.inducing_points, s.batch_size, s.learning_rate, s.train_samples, s.test_samples) == (
            *(100, 100, 0.01),
            *(20, 100),
        )
        assert s.inner_noise == (1e-5 if r.method == "vi" else 0.01)
        assert s.likelihood_noise == 0.01 and s.max_steps == 0 and s.hidden_width == 0
        author = ("natural", "author", 2e-5)  # of the code of AEPMCM
        ours = ("moments", "protocol", 1e-6)
        assert (s.parameters, s.initial_values, s.jitter) == (author if r.method == "aepmcm" else ours)


def test_random_features_have_the_folds_and_settings_of_their_paper() -> None:
    runs = [*read_protocol("uci").runs("rff"), *read_protocol("classification").runs("rff")]
    ours = [r for r in runs if r.method == "rff"]
    assert Counter(r.dataset for r in ours) == {"power": 3, "protein": 3, "spambase": 5, "eeg": 5}
    for s in (r.settings for r in ours):
        assert (s.features, s.hidden_width, s.batch_size, s.learning_rate, s.frozen_steps) == (100, 3, 100, 0.01, 4000)
        assert s.max_steps > 2 * s.frozen_steps and s.mean_function == "none" and s.cooldown == 0
    assert {r.settings.split_list for r in runs if r.dataset in ("power", "protein")} == {"rff"}
    assert len({r.settings.max_steps for r in runs}) == 1  # one clock
    mnist = read_protocol("classification").runs("rff-mnist")
    assert [(r.method, r.layers, r.settings.features, r.settings.batch_size) for r in mnist] == [
        ("rff", layers, 500, 1000) for layers in (1, 2, 3)
    ]


@pytest.mark.parametrize("method", ["vi", "aepmcm"])
@pytest.mark.parametrize("profile", ["best", "lean"])
def test_a_recipe_is_one_for_all_experiments(profile: str, method: str) -> None:
    recipe = read_protocol("uci").settings(profile, "boston", method)
    for name in ("synthetic", "airline", "year"):
        protocol = read_protocol(name)
        thesis, ours = (protocol.settings(p, protocol.sweep(p)["datasets"][0], method) for p in ("thesis", profile))
        changed = ["cooldown", "root_steps", "least_steps", "covariance_rate", "paths", "precision"]
        if protocol.timing:  # whose seconds are compared: S is swept, and all have as many rows
            assert ours.batch_size == 50
            thesis = thesis.change({"batch_size": 50, "train_samples": ours.train_samples})
        else:
            changed += ["batch_size", "train_samples"]
        assert ours == replace(thesis, **{key: getattr(recipe, key) for key in changed})


def test_best_has_lean_for_all_methods_but_vi() -> None:
    """Their runs are the same runs, with the same ids."""
    best, lean = (
        {r.run_id for r in read_protocol("uci").runs(profile, Select(methods=("aep", "aepmcm", "pep")))}
        for profile in ("best", "lean")
    )
    assert best == lean
    one = read_protocol("uci").settings("best", "boston", "vi")
    assert (one.train_samples, one.batch_size, one.root_steps, one.least_steps) == (1, 1000, 100, 5000)


LIKE = """
[profiles.best]
like = "uci"
[profiles.best.settings]
batch_size = 7
[profiles.best.methods.vi]
jitter = 1e-5
"""


def test_a_profile_like_anothers_keeps_what_stands_in_its_own_file(tmp_path: Path) -> None:
    mine = read_protocol(own(tmp_path, SMALL + LIKE)).settings("best", "boston", "vi")
    theirs = read_protocol("uci").settings("best", "boston", "vi")
    assert (mine.batch_size, mine.jitter, mine.epochs) == (7, 1e-5, 7)
    assert (mine.root_steps, mine.cooldown) == (theirs.root_steps, theirs.cooldown)


def test_the_thesis_section_5_2() -> None:
    runs = read_protocol("synthetic").runs("thesis")
    assert Counter((r.dataset, r.method) for r in runs) == {
        (d, m): 10 for d in ("sincos", "heteroscedastic", "step") for m in ("vi", "aep", "aepmcm")
    }
    for r in runs:
        s = r.settings
        assert (r.layers, s.inducing_points, s.batch_size, s.hidden_width, s.epochs) == (3, 50, 50, 3, 500)
        assert s.mean_function == "none" and s.learning_rate == 0.01


@pytest.mark.parametrize("name", ["year", "airline"])
def test_the_thesis_section_5_3_has_five_models(name: str) -> None:
    protocol = read_protocol(name)
    assert protocol.timing
    runs = protocol.runs("thesis")
    models = {(r.method, 0 if r.method == "aep" else r.settings.train_samples) for r in runs}
    assert len(runs) == 5 and models == {("vi", 10), ("vi", 20), ("aepmcm", 10), ("aepmcm", 20), ("aep", 0)}
    for r in runs:
        s = r.settings
        assert (r.layers, s.hidden_width, s.inducing_points, s.batch_size) == (3, 8, 100, 100)
        assert (s.evaluate_every, s.final_window) == (100, 2000) and s.evaluate_rows > 0


def test_quick_shows_every_method_data_set_and_sampling_of_the_thesis() -> None:
    for name in shipped_protocols():
        protocol = read_protocol(name)
        thesis, quick = protocol.runs(protocol.default_profile), protocol.runs("quick")
        assert {(r.dataset, r.method) for r in thesis} == {(r.dataset, r.method) for r in quick}
        assert protocol.sweep("quick").get("samples") == protocol.sweep(protocol.default_profile).get("samples")
        assert not {r.run_id for r in thesis} & {r.run_id for r in quick}


def test_classification_has_the_folds_of_the_paper_and_mnist_its_one_split() -> None:
    runs = read_protocol("classification").runs("best", Select(layers=(2,), methods=("vi",)))
    assert Counter(r.dataset for r in runs) == {"spambase": 5, "eeg": 5, "higgs_sample": 5, "mnist": 1}
    assert {r.settings.split_list for r in runs} == {"auto"} and {r.settings.likelihood for r in runs} == {"auto"}
    with pytest.raises(UserError, match="likelihood = probit does not fit a target that is one of 10 classes"):
        read_protocol("classification").runs("best", Select(datasets=("mnist",), changes={"likelihood": "probit"}))
    with pytest.raises(UserError, match=r"nvc needs a Gaussian likelihood, not probit: .* vi, .*aepmcm, pep"):
        read_protocol("classification").runs("best", Select(datasets=("eeg",), methods=("nvc",)))


def test_all_data_sets_of_the_protocols_are_in_the_catalog() -> None:
    assert shipped_protocols() == ["airline", "classification", "synthetic", "uci", "year"]
    assert all(d in CATALOG for name in shipped_protocols() for d in read_protocol(name).tables["sweep"]["datasets"])


def test_selections_narrow_and_may_ask_for_a_depth_beyond_the_protocol() -> None:
    select = Select(datasets=("boston",), methods=("vi",), layers=(1,), splits=(3, 5), changes={"epochs": 2})
    runs = read_protocol("uci").runs("thesis", select)
    assert [(r.dataset, r.method, r.layers, r.split, r.settings.epochs) for r in runs] == [
        ("boston", "vi", 1, 3, 2),
        ("boston", "vi", 1, 5, 2),
    ]
    with pytest.raises(UserError, match="'sincos' is not a data set of uci"):
        read_protocol("uci").runs("thesis", Select(datasets=("sincos",)))


def test_the_uci_sets_have_their_published_splits_and_all_else_as_many_as_one_likes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the UCI sets have 20 splits, counted from 0: no split 20; `--splits 0-19`"):
        read_protocol("uci").runs("quick", Select(splits=(19, 20)))
    for free in (read_protocol("synthetic"), read_protocol(own(tmp_path))):
        assert {run.split for run in free.runs("quick", Select(splits=(20,)))} == {20}


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    protocol = read_protocol(own(tmp_path))
    assert (protocol.name, protocol.default_profile) == ("my", "quick")
    assert len(protocol.runs("quick")) == 2
    assert all(r.settings.epochs == 7 for r in protocol.runs("quick"))
    without = read_protocol(own(tmp_path, SMALL.split("[profiles")[0]))
    assert without.default_profile == "my" and len(without.runs("my")) == 6


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (SMALL + "[sweeps]", "unknown key 'sweeps'; it accepts about, datasets"),
        (
            SMALL.replace("splits = 3", "splits = 0"),
            "splits = 0 is not possible: it accepts a whole number from 1 to",
        ),
        (SMALL.replace("splits = 3", ""), "lacks splits"),
        (SMALL.replace("[2]", '["2"]'), "layers = .* it accepts a list of depths"),
        (SMALL.replace("epochs = 7", "epoch = 7"), r"\[settings\]: unknown setting 'epoch' \(did you mean 'epochs'"),
        (SMALL.replace("epochs = 7", "epochs = 7.5"), "epochs = 7.5 is not possible: it accepts a whole number"),
        (SMALL + "[methods.em]", f"unknown method 'em'; the methods are {', '.join(METHODS)}"),
        (SMALL.replace('"boston"', '"bostn"'), "did you mean 'boston'"),
        (SMALL + "[profiles.quick.settings]\njitter = -1", r"\[profiles.quick\] \[settings\]: jitter = -1"),
        (SMALL + "[profiles.fast]\nlike = 'uci'", "uci has no profile 'fast' of its own to be like"),
        (SMALL + "[profiles.best]\nlike = 'csv'", "csv has no profile 'best' of its own to be like"),
        (SMALL + "[profiles.best]\nlike = 3", "like = 3 is not possible: it accepts the name of an experiment"),
        (SMALL + "timing", "is not TOML"),
        ("settings = 3\n" + SMALL.replace("[settings]\nepochs = 7", ""), "must be a table"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read_protocol(own(tmp_path, text))


def test_unknown_experiments_and_profiles_are_named() -> None:
    with pytest.raises(UserError, match="no experiment 'uic'; name one of airline, classification, synthetic, uci"):
        read_protocol("uic")
    with pytest.raises(UserError, match="no profile 'fast'; its profiles are: thesis, best, lean, rff, quick"):
        read_protocol("uci").runs("fast")


GRID = SMALL.replace(
    'methods = ["vi", "aep"]', 'methods = ["vi", "pep", "aep"]\ninducing_points = [50, 100]\nalpha = [0.2, 0.9]'
)


def test_a_list_of_values_of_a_setting_is_a_grid(tmp_path: Path) -> None:
    """Every combination is run; a setting of other methods does not vary this one."""
    runs = read_protocol(own(tmp_path, GRID)).runs("quick")
    found = sorted((r.method, r.settings.inducing_points, r.settings.alpha) for r in runs)
    both = (50, 100)
    assert found == [
        *(("aep", m, 0.5) for m in both),
        *(("pep", m, alpha) for m in both for alpha in (0.2, 0.9)),
        *(("vi", m, 0.5) for m in both),
    ]


def test_the_command_of_a_run_of_a_grid_makes_that_run_and_names_no_other_experiment(tmp_path: Path) -> None:
    protocol, plan = read_protocol(own(tmp_path, GRID)), Plan()
    plan.add(protocol, "quick", Select(), tmp_path, False, 60.0)
    for job, _ in plan.todo:
        words = shlex.split(job.command)
        changes = dict(parse_setting(words[i + 1]) for i, word in enumerate(words) if word == "--set")
        select = Select(("boston",), (job.spec.method,), (2,), (0,), changes=changes)
        assert [run.run_id for run in protocol.runs("quick", select)] == [job.spec.run_id]
        assert job.experiment == experiment_name(protocol, select) == "my"


def test_a_grid_of_the_command_line_is_an_experiment_for_each_value(tmp_path: Path) -> None:
    plan, select = Plan(), Select(methods=("vi",), grid={"epochs": (5, 6), "batch_size": (10, 20)})
    plan.add(read_protocol(own(tmp_path)), "quick", select, tmp_path, False, 60.0)
    assert len(plan.todo) == 4
    assert {job.experiment for job, _ in plan.todo} == {
        f"my+batch_size={b}+epochs={e}" for b in (10, 20) for e in (5, 6)
    }


def test_runs_are_counted_before_they_are_made(tmp_path: Path) -> None:
    protocol = read_protocol(own(tmp_path))
    select = Select(splits=tuple(range(1000)), grid={"epochs": tuple(range(1, 1001))})
    assert protocol.count("quick", select) == 2 * 10**6
    assert protocol.count("quick", Select()) == len(protocol.runs("quick")) == 2
    assert read_protocol("uci").count("thesis", Select()) == 1920


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("inducing_point = [5]", "unknown key 'inducing_point'"),
        ("inducing_points = 5", "accepts a list, each a whole number of at least 1"),
        ("inducing_points = [5, 0]", "inducing_points = 0 is not possible"),
        ("inducing_points = []", "accepts a list"),
    ],
)
def test_a_grid_that_cannot_be_meant_is_refused(tmp_path: Path, line: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read_protocol(own(tmp_path, SMALL.replace("splits = 3", f"splits = 3\n{line}", 1)))
