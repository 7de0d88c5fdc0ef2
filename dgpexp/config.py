"""What one run is: its cell (data set, method, depth, split) and its settings, and the id that follows from them.

A `Settings` holds every choice that decides the numbers of a run. Its keys are the keys of experiments/*.toml and of
`--set KEY=VALUE`; a key that is not here does not exist, and a value that its check refuses never reaches a run.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from dgpexp.checking import Check, accepted, refuse_unknown
from dgpexp.errors import UserError
from dgpexp.methods import refuse_foreign
from dgpexp.tasks import AUTO, LIKELIHOODS

KERNELS = ("rbf", "matern32", "matern52", "arccosine")


_MOST = 10**12  # of anything that is counted: sizes and costs are still exact as doubles


def _setting(default: Any, about: str, accepts: str, test: Callable[[Any], bool]) -> Any:
    return field(default=default, metadata={"about": about, "check": Check(accepts, test)})


def _count(default: int, about: str, least: int = 1) -> Any:
    return _setting(default, about, f"a whole number of at least {least}", lambda v: least <= v <= _MOST)


def _positive(default: float, about: str) -> Any:
    return _setting(default, about, "a positive number", lambda v: 0 < v < float("inf"))


def _choice(default: str, about: str, *options: str) -> Any:
    return _setting(default, about, "one of " + ", ".join(options), lambda v: v in options)


def _flag(default: bool, about: str) -> Any:
    return _setting(default, about, "true or false", lambda v: True)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a model is built, trained and evaluated. The defaults are the thesis's, where it states them."""

    # the model
    kernel: str = _choice("rbf", "covariance function of every layer", *KERNELS)
    ard: bool = _flag(True, "a lengthscale for every input of a layer; false: one for all")
    inducing_points: int = _count(100, "M, inducing points of a layer")
    hidden_width: int = _count(0, "units of a hidden layer; 0 means min(D, max_hidden_width)", 0)
    max_hidden_width: int = _count(30, "the most units that hidden_width = 0 gives")
    mean_function: str = _choice("linear", "of the hidden layers: (4.3.27) or none", "linear", "none")
    separate_inducing: bool = _flag(False, "inducing inputs of their own for every unit of a layer")
    likelihood: str = _choice(
        AUTO, "auto: gaussian for a number, probit for two classes, robustmax for more", AUTO, *LIKELIHOODS
    )
    features: int = _count(100, "R, random frequencies of a layer (rff)")
    frequencies: str = _choice(
        "variational", "of random features (rff); resampled: anew at every step", "fixed", "variational", "resampled"
    )
    feed_inputs: bool = _flag(False, "give the network's inputs to every layer, beside the layer below (rff)")
    parameters: str = _choice(
        "moments",
        "of the inducing values: moments, whitened, or natural, the tied factor's own (aep, aepmcm)",
        "moments",
        "natural",
    )
    # initial values
    initial_values: str = _choice(
        "protocol",
        "of inducing values and lengthscales; author: U, mu ~ N(0, 1), and lengthscales of 1 above layer 1",
        "protocol",
        "author",
    )
    kernel_variance: float = _positive(1.0, "initial variance of every kernel")
    likelihood_noise: float = _positive(0.01, "initial noise variance of the likelihood, in scaled units")
    learn_noise: bool = _flag(True, "whether that noise is learned; false: it stays as it is")
    inner_noise: float = _positive(0.01, "initial noise variance after a hidden layer")
    inner_covariance: float = _positive(1e-5, "initial covariance of whitened hidden inducing values, times I")
    output_covariance: float = _positive(1.0, "the same in the last layer")
    # the objective
    alpha: float = _setting(
        0.5,
        "power of a factor (pep): 1 is AEPMCM, towards 0 VI",
        "a number above 0 and at most 1",
        lambda v: 0 < v <= 1,
    )
    # numbers
    jitter: float = _positive(1e-6, "added to the diagonal of Kuu; raised tenfold after a numerical failure")
    precision: str = _choice("float64", "mixed: M x M work in float64, the rest in float32", "float64", "mixed")
    seed: int = _count(0, "another seed gives other numbers; the same seed the same to the last bit", 0)
    # training
    learning_rate: float = _positive(0.01, "of Adam, whose other parameters are the usual ones")
    natural_rate: float = _setting(
        0.0,
        "step of natural gradients in the last layer (vi), in the place of Adam; 0, or robust-max: none",
        "a number from 0 to 1",
        lambda v: 0 <= v <= 1,
    )
    cooldown: float = _setting(
        0.0,
        "last part of the steps, in which the rate falls to 0",
        "a number from 0 to 1",
        lambda v: 0 <= v <= 1,
    )
    batch_size: int = _count(100, "rows of a minibatch")
    epochs: int = _count(2000, "passes over the training rows")
    root_steps: int = _count(0, "train for so many times √N steps, at least 3000; 0 means by epochs", 0)
    max_steps: int = _count(0, "stop after so many steps; 0 means never", 0)
    max_seconds: float = _setting(
        0.0,
        "stop after so many seconds of training; 0 means never",
        "a number of at least 0",
        lambda v: 0 <= v < float("inf"),
    )
    train_samples: int = _count(20, "S, sampled paths of a gradient step (VI, AEPMCM)")
    frozen_steps: int = _count(0, "first steps, in which only the weights of random features move (rff)", 0)
    paths: str = _choice(
        "marginals", "how they pass hidden layers: row by row, or by cheap draws of functions", "marginals", "functions"
    )
    # evaluation
    test_samples: int = _count(100, "S, sampled paths of a prediction (VI, AEPMCM)")
    shared_paths: bool = _flag(False, "in a prediction, path s draws the same random numbers for every row")
    evaluate_every: int = _count(1000, "steps between two evaluations on the test set; 0 means only at the end", 0)
    evaluate_rows: int = _count(0, "a fixed random part of the test set for those evaluations; 0: all of it", 0)
    whole_test: bool = _flag(True, "after evaluations on a part of the test set, one on all of it at the end")
    final_window: int = _count(0, "report medians over the evaluations of the last so many steps; 0: the last", 0)
    # the data: which splits; large or generated
    stream: bool = _flag(False, "read the rows of a step from the data set's file: for data larger than memory")
    all_rows: bool = _flag(False, "train on every row: a final model, which no row is left to test")
    split_list: str = _choice(
        "auto", "auto: the data set's own splits; rff: the folds of Cutajar et al. (2017)", "auto", "random", "rff"
    )
    robust_scaling: bool = _flag(False, "scale inputs by median and quartiles: outliers do not squeeze the rest")
    rows: int = _count(1000, "rows of a synthetic data set", 20)
    synthetic_shape: bool = _flag(False, "random data of the data set's shape: only the seconds mean anything")

    def __post_init__(self) -> None:
        for f in fields(self):
            value = accepted(getattr(self, f.name), f.name, f.metadata["check"], f.type)
            object.__setattr__(self, f.name, value)
        if self.stream and self.synthetic_shape:
            raise UserError("stream and synthetic_shape exclude each other: random data has no file to be read from.")
        if self.stream and self.robust_scaling:
            raise UserError("stream and robust_scaling exclude each other: quartiles need all rows in memory.")
        if self.cooldown and self.max_seconds:
            raise UserError("cooldown and max_seconds exclude each other: the step at which a run ends must be known.")
        if self.parameters == "natural" and max(self.inner_covariance, self.output_covariance) > 1:
            raise UserError("inner_covariance and output_covariance are at most 1 with parameters = natural.")

    def change(self, changes: Mapping[str, Any]) -> "Settings":
        """These settings with some changed; an unknown key is refused by name."""
        known = sorted(f.name for f in fields(self))
        refuse_unknown(changes, known, "setting", "the settings are:", suggest=True)
        return replace(self, **changes)

    def changed(self) -> dict[str, Any]:
        """The settings that differ from their defaults."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """One run: a cell of a table and one of its splits, with everything that decides its numbers."""

    dataset: str
    method: str
    layers: int
    split: int
    settings: Settings

    def __post_init__(self) -> None:
        refuse_foreign(self.method, self.settings.changed())
        if self.layers < 1:
            raise UserError(f"layers = {self.layers} is not possible: a deep GP has at least 1 layer.")
        if not 0 <= self.split < 10_000:  # the last one is found by drawing all before it
            raise UserError(f"split = {self.split} is not possible: splits are counted from 0 to 9999.")

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: the configuration that is recorded, and that `from_dict` reads back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> "RunSpec":
        return cls(**{**d, "settings": Settings(**d["settings"])})

    @cached_property
    def run_id(self) -> str:
        """Readable and unique: the cell, the split, and a digest of everything, e.g. `boston-aepmcm-3-s00-1f2e3d4c`.

        Settings at their defaults stay out of the digest, so that a new setting does not orphan the runs made before
        it. A default must therefore never change its meaning: tests/test_config.py pins them.
        """
        cell = {"dataset": self.dataset, "method": self.method, "layers": self.layers, "split": self.split}
        identity = {**cell, "settings": self.settings.changed()}
        canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(canonical.encode()).hexdigest()[:8]
        return f"{self.dataset}-{self.method}-{self.layers}-s{self.split:02d}-{digest}"

    @property
    def seed(self) -> int:
        """Of the run's random numbers: the same for every method and depth of a split, so that these are paired."""
        key = f"{self.settings.seed}/{self.dataset}/{self.split}"
        return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") >> 1


def parse_setting(text: str) -> tuple[str, Any]:
    """`KEY=VALUE` of the command line as a key and a value of the setting's type."""
    key, equals, word = text.partition("=")
    if not equals:
        raise UserError(f"--set {text} is not understood: write --set KEY=VALUE, e.g. --set epochs=50.")
    kinds = {f.name: f.type for f in fields(Settings)}
    if kinds.get(key) is str or key not in kinds:  # an unknown key is refused by Settings.change, with its name
        return key, word
    for read in (_truth, int, float):
        try:
            return key, read(word)
        except ValueError:
            continue
    return key, word


def _truth(word: str) -> bool:
    if word not in ("true", "false"):
        raise ValueError(word)
    return word == "true"
