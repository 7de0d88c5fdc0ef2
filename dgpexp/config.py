"""What one run is: its cell (data set, method, depth, split) and its settings, and the id that follows from them.

A `Settings` holds every choice that decides the numbers of a run. Its keys are the keys of experiments/*.toml and of
`--set KEY=VALUE`; a key that is not here does not exist, and a value that its check refuses never reaches a run.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any

from dgpexp.checking import accepted, choice, count, flag, positive, refuse_unknown, setting, share
from dgpexp.errors import UserError
from dgpexp.kernels import KERNELS
from dgpexp.methods import MethodSettings, refuse_foreign
from dgpexp.tasks import AUTO, LIKELIHOODS, LikelihoodSettings, refuse_foreign_likelihood

# Settings that version 0.1 had, with their defaults: its runs name them.
RETIRED = {"natural_rate": 0.0, "feed_inputs": False, "frequencies": "variational"}


@dataclass(frozen=True, kw_only=True)
class Model:
    """Settings of the model."""

    kernel: str = choice("rbf", "Covariance function of every layer.", *KERNELS)
    ard: bool = flag(True, "Give every input of a layer its own lengthscale; false: one for all.")
    inducing_points: int = count(100, "M, the number of inducing points of each layer.")
    hidden_width: int = count(0, "Units of each hidden layer; 0 means min(D, max_hidden_width).", 0)
    max_hidden_width: int = count(30, "Most units that hidden_width = 0 gives.")
    mean_function: str = choice(
        "linear", "Mean function of the hidden layers: linear (4.3.27), or none.", "linear", "none"
    )
    separate_inducing: bool = flag(False, "Give every unit of a layer its own inducing inputs.")
    likelihood: str = choice(
        AUTO, "Likelihood; auto: gaussian for a number, probit for two classes, robustmax for more.", AUTO, *LIKELIHOODS
    )

    def width(self, inputs: int) -> int:
        """Units of a hidden layer of a model with so many inputs."""
        return self.hidden_width or min(inputs, self.max_hidden_width)


@dataclass(frozen=True, kw_only=True)
class Start:
    """Settings of the initial values."""

    kernel_variance: float = positive(1.0, "Initial variance of every kernel.")
    likelihood_noise: float = positive(0.01, "Initial noise variance of the likelihood, in scaled units.")
    learn_noise: bool = flag(True, "Learn the likelihood's noise; false: it stays as it starts.")
    inner_noise: float = positive(0.01, "Initial noise variance after each hidden layer.")
    inner_covariance: float = positive(1e-5, "Initial covariance of hidden layers' whitened inducing values (times I).")
    output_covariance: float = positive(
        1.0, "Initial covariance of the last layer's whitened inducing values (times I)."
    )


@dataclass(frozen=True, kw_only=True)
class Training:
    """Settings of training."""

    jitter: float = positive(1e-6, "Added to the diagonal of Kuu; raised tenfold after a numerical failure.")
    precision: str = choice(
        "float64", "Number format; mixed: M x M work in float64, the rest in float32.", "float64", "mixed"
    )
    seed: int = count(0, "Seed of the random numbers; the same seed gives the same bits.", 0)
    learning_rate: float = positive(0.01, "Learning rate of Adam.")
    cooldown: float = share(0.0, "Share of the steps, at the end, in which the learning rate falls to 0.")
    batch_size: int = count(100, "Rows of a minibatch.")
    shards: int = count(1, "Parts of a minibatch, each with its own gradient: `--workers` may spread them.")
    updates: str = choice(
        "sync",
        "async: `shards` virtual workers take whole minibatches and nobody waits, emulated in one process.",
        "sync",
        "async",
    )
    epochs: int = count(2000, "Passes over the training rows.")
    root_steps: int = count(0, "Train for this many times √N steps, at least least_steps; 0 means by epochs.", 0)
    least_steps: int = count(3000, "Fewest steps that root_steps gives.")
    max_steps: int = count(0, "Stop after this many steps; 0 means never.", 0)
    max_seconds: float = setting(
        0.0,
        "Stop after this many seconds of training; 0 means never.",
        "a number of at least 0",
        lambda v: 0 <= v < float("inf"),
    )
    train_samples: int = count(20, "S, sampled paths of a gradient step (methods that sample).")
    paths: str = choice(
        "marginals",
        "How training paths are sampled: independently per row, or by drawing whole functions (cheaper).",
        "marginals",
        "functions",
    )


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Settings of testing."""

    test_samples: int = count(100, "S, sampled paths of a prediction (methods that sample).")
    shared_paths: bool = flag(False, "Path s of a prediction draws the same random numbers for every row.")
    evaluate_every: int = count(1000, "Steps between two evaluations on the test set; 0 means only at the end.", 0)
    evaluate_rows: int = count(0, "Test rows of evaluations during training, a fixed random part; 0 means all.", 0)
    whole_test: bool = flag(True, "After evaluations on a part of the test set, evaluate on all of it at the end.")
    final_window: int = count(0, "Report medians over the evaluations of this many last steps; 0: the last one.", 0)


@dataclass(frozen=True, kw_only=True)
class Data:
    """Settings of the data."""

    stream: bool = flag(False, "Read the rows of a step from the data set's file: for data larger than memory.")
    all_rows: bool = flag(False, "Train on every row: a final model, with no row left to test it.")
    split_list: str = choice(
        "auto",
        "Splits: auto, the data set's own; rff, the folds of Cutajar et al. (2017); random.",
        "auto",
        "random",
        "rff",
    )
    robust_scaling: bool = flag(
        False, "Scale inputs by median and quartiles, so that outliers do not squeeze the rest."
    )
    rows: int = count(1000, "Rows of a synthetic data set.", 20)
    synthetic_shape: bool = flag(False, "Use random data of the data set's shape: only the seconds mean anything.")


@dataclass(frozen=True, kw_only=True)
class Settings(Data, Evaluation, Training, MethodSettings, LikelihoodSettings, Start, Model):
    """How a model is built, trained and evaluated: flat in files, in groups here.

    The defaults are the thesis's, where it states them. Settings of one method or likelihood stand beside its entry, in
    methods.py or tasks.py.
    """

    def __post_init__(self) -> None:
        for f in fields(self):
            value = accepted(getattr(self, f.name), f.name, f.metadata["check"], f.type)
            object.__setattr__(self, f.name, value)
        if self.stream and self.synthetic_shape:
            raise UserError("stream and synthetic_shape exclude each other: random data has no file to be read from.")
        if self.stream and self.robust_scaling:
            raise UserError("stream and robust_scaling exclude each other: quartiles need all rows in memory.")
        if self.shards > self.batch_size and self.updates == "sync":
            raise UserError(f"shards = {self.shards} is not possible: a minibatch has {self.batch_size} rows.")
        if self.cooldown and self.max_seconds:
            raise UserError("cooldown and max_seconds exclude each other: the step at which a run ends must be known.")
        if self.parameters == "natural" and max(self.inner_covariance, self.output_covariance) > 1:
            raise UserError("inner_covariance and output_covariance are at most 1 with parameters = natural.")
        if self.parameters == "natural" and self.covariance_rate != 1:
            raise UserError("covariance_rate is of R, which a model with parameters = natural does not have.")

    def change(self, changes: Mapping[str, Any]) -> "Settings":
        """These settings with some changed; an unknown key is refused by name."""
        known = sorted(f.name for f in fields(self))
        refuse_unknown(changes, known, "setting", "the settings are:", suggest=True)
        return replace(self, **changes)

    @classmethod
    def recorded(cls, settings: Mapping[str, Any]) -> "Settings":
        """The settings of a run of this version or an older one, whose retired settings must have been at rest."""
        for name, default in RETIRED.items():
            if settings.get(name, default) != default:
                raise UserError(f"it has {name} = {settings[name]}, a setting that only version 0.1 of dgpexp had.")
        return cls(**{name: value for name, value in settings.items() if name not in RETIRED})

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
        refuse_foreign_likelihood(self.settings.likelihood, self.settings.changed())
        if self.layers < 1:
            raise UserError(f"layers = {self.layers} is not possible: a deep GP has at least 1 layer.")
        if not 0 <= self.split < 10_000:  # the last one is found by drawing all before it
            raise UserError(f"split = {self.split} is not possible: splits are counted from 0 to 9999.")

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: the configuration that is recorded, and that `from_dict` reads back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> "RunSpec":
        return cls(**{**d, "settings": Settings.recorded(d["settings"])})

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
        """Seed of the run's random numbers, equal for every method and depth of a split, so that runs are paired."""
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
