"""What a run is: its settings are checked, its id says everything and stays."""

import hashlib
import json
from dataclasses import asdict

import pytest

from dgpexp.config import RunSpec, Settings, parse_setting
from dgpexp.errors import UserError


def spec(**changes: object) -> RunSpec:
    cell = {"dataset": "boston", "method": "vi", "layers": 3, "split": 4, "settings": Settings()}
    return RunSpec(**{**cell, **changes})


def test_every_choice_is_in_the_id() -> None:
    ids = {
        spec().run_id,
        spec(layers=2).run_id,
        spec(method="aep").run_id,
        spec(split=5).run_id,
        spec(settings=Settings(epochs=1)).run_id,
        spec(settings=Settings(seed=1)).run_id,
    }
    assert len(ids) == 6
    assert spec().run_id.startswith("boston-vi-3-s04-")


def test_defaults_are_pinned_because_ids_rely_on_them() -> None:
    """A new setting may be added at a default that changes nothing; an old default may not change (see run_id)."""
    assert asdict(Settings()) == {
        "kernel": "rbf",
        "ard": True,
        "inducing_points": 100,
        "hidden_width": 0,
        "max_hidden_width": 30,
        "mean_function": "linear",
        "separate_inducing": False,
        "likelihood": "auto",
        "features": 100,
        "parameters": "moments",
        "initial_values": "protocol",
        "covariance_rate": 1.0,
        "kernel_variance": 1.0,
        "likelihood_noise": 0.01,
        "learn_noise": True,
        "degrees_of_freedom": 4.0,
        "learn_degrees": True,
        "inner_noise": 0.01,
        "inner_covariance": 1e-05,
        "output_covariance": 1.0,
        "alpha": 0.5,
        "jitter": 1e-06,
        "precision": "float64",
        "seed": 0,
        "learning_rate": 0.01,
        "cooldown": 0.0,
        "batch_size": 100,
        "shards": 1,
        "updates": "sync",
        "epochs": 2000,
        "root_steps": 0,
        "least_steps": 3000,
        "max_steps": 0,
        "max_seconds": 0.0,
        "train_samples": 20,
        "frozen_steps": 0,
        "chain_step": 0.05,
        "chain_friction": 0.05,
        "chain_share": 0.3,
        "paths": "marginals",
        "test_samples": 100,
        "shared_paths": False,
        "evaluate_every": 1000,
        "evaluate_rows": 0,
        "whole_test": True,
        "final_window": 0,
        "stream": False,
        "all_rows": False,
        "split_list": "auto",
        "robust_scaling": False,
        "rows": 1000,
        "synthetic_shape": False,
    }
    identity = json.dumps(
        {"dataset": "boston", "layers": 3, "method": "vi", "settings": {}, "split": 4}, separators=(",", ":")
    )
    assert spec().run_id.endswith(hashlib.sha256(identity.encode()).hexdigest()[:8])


def test_a_spec_survives_json() -> None:
    run = spec(settings=Settings(epochs=3, kernel="matern32"))
    assert RunSpec.from_dict(json.loads(json.dumps(run.as_dict()))) == run


def test_runs_of_version_0_1_are_read_unless_they_used_a_setting_that_is_gone() -> None:
    run = spec(settings=Settings(epochs=3)).as_dict()
    old = run | {
        "settings": run["settings"] | {"natural_rate": 0.0, "feed_inputs": False, "frequencies": "variational"}
    }
    assert RunSpec.from_dict(old) == RunSpec.from_dict(run)
    with pytest.raises(UserError, match=r"natural_rate = 0.1, a setting that only version 0\.1 of dgpexp had"):
        RunSpec.from_dict(run | {"settings": run["settings"] | {"natural_rate": 0.1}})


def test_natural_parameters_are_those_of_a_tied_factor() -> None:
    spec(method="aep", settings=Settings(parameters="natural"))
    with pytest.raises(UserError, match="parameters is a setting of aep and aepmcm and pep: vi has no use for it"):
        spec(method="vi", settings=Settings(parameters="natural"))
    with pytest.raises(UserError, match="at most 1 with parameters = natural"):
        Settings(parameters="natural", output_covariance=2.0)
    with pytest.raises(UserError, match="covariance_rate is of R, which a model with parameters = natural does not"):
        Settings(parameters="natural", covariance_rate=0.1)
    with pytest.raises(UserError, match="rff has no use for it"):
        spec(method="rff", settings=Settings(covariance_rate=0.1))


def test_seeds_are_shared_by_the_methods_of_a_split_and_by_nothing_else() -> None:
    assert spec(method="aep", layers=2).seed == spec().seed
    assert len({spec().seed, spec(split=5).seed, spec(dataset="wine").seed, spec(settings=Settings(seed=1)).seed}) == 4
    assert 0 <= spec().seed < 2**31


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("epochs=50", ("epochs", 50)),
        ("inner_noise=1e-5", ("inner_noise", 1e-5)),
        ("separate_inducing=true", ("separate_inducing", True)),
        ("kernel=rbf", ("kernel", "rbf")),
    ],
)
def test_settings_of_the_command_line(text: str, expected: tuple[str, object]) -> None:
    assert parse_setting(text) == expected
    Settings().change(dict([expected]))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("epochs=fifty", "epochs = 'fifty' is not possible: it accepts a whole number of at least 1"),
        ("epochs=1.5", "epochs = 1.5 is not possible"),
        ("inner_noise=-1", "inner_noise = -1 is not possible: it accepts a positive number"),
        ("kernel=rfb", "one of rbf, matern32, matern52"),
        ("epoch=5", "unknown setting 'epoch' .did you mean 'epochs'"),
    ],
)
def test_impossible_settings_are_refused_with_what_is_accepted(text: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        Settings().change(dict([parse_setting(text)]))


def test_a_setting_without_a_value_is_explained() -> None:
    with pytest.raises(UserError, match="write --set KEY=VALUE"):
        parse_setting("epochs")
