"""What a data set asks for, a number or a class, and the likelihoods that fit it. Needs no TensorFlow.

A task decides the metrics, a likelihood what its target must be and whether that is scaled.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dgpexp.checking import flag, setting
from dgpexp.errors import UserError


@dataclass(frozen=True)
class Task:
    """One kind of target."""

    name: str
    scaled: bool  # whether y is brought to zero mean and unit deviation, unless the likelihood is of counts
    headline: tuple[str, ...]  # the metrics that are watched during a run, the first of them its result


REGRESSION = Task("regression", scaled=True, headline=("ll", "rmse"))
CLASSIFICATION = Task("classification", scaled=False, headline=("ll", "accuracy"))
TASKS = {task.name: task for task in (REGRESSION, CLASSIFICATION)}


@dataclass(frozen=True)
class LikelihoodEntry:
    """One likelihood, and where its mathematics are."""

    name: str
    where: str  # module.Class in dgpexp/gp/likelihoods
    fits: Callable[[int], bool]  # a target of so many classes, 0 for a number
    counts: bool = False  # whether its target must be 0, 1, 2, ..., which is not scaled
    settings: tuple[str, ...] = ()  # of LikelihoodSettings, that others do not read


@dataclass(frozen=True, kw_only=True)
class LikelihoodSettings:
    """The settings of single likelihoods."""

    degrees_of_freedom: float = setting(
        4.0,
        "Initial degrees of freedom of the Student-t likelihood: the fewer, the heavier its tails.",
        "a number above 2",
        lambda v: 2 < v < float("inf"),
    )
    learn_degrees: bool = flag(True, "Learn the degrees of freedom of the Student-t likelihood; false: hold them.")


AUTO = "auto"
_OF_T = ("degrees_of_freedom", "learn_degrees")
# The first that fits is AUTO's. To add a likelihood, write its class (gp/likelihoods/base.py) and its line here.
LIKELIHOODS: Mapping[str, LikelihoodEntry] = {
    entry.name: entry
    for entry in (
        LikelihoodEntry("gaussian", "gaussian.Gaussian", lambda classes: classes == 0),
        LikelihoodEntry("studentt", "student_t.StudentT", lambda classes: classes == 0, settings=_OF_T),
        LikelihoodEntry("poisson", "poisson.Poisson", lambda classes: classes == 0, counts=True),
        LikelihoodEntry("probit", "probit.Probit", lambda classes: classes == 2),
        LikelihoodEntry("robustmax", "robust_max.RobustMax", lambda classes: classes >= 2),
        LikelihoodEntry("softmax", "softmax.Softmax", lambda classes: classes >= 2),
    )
}


def task_of(classes: Sequence[str]) -> Task:
    """The task of a target with these classes, none if it is a number."""
    return CLASSIFICATION if classes else REGRESSION


def recorded_task(info: Mapping[str, Any] | None) -> Task:
    """The task that a run's info.json names; version 0.1, which named none, knew regression alone."""
    return TASKS.get((info or {}).get("task", ""), REGRESSION)


def likelihood_of(wanted: str, classes: int) -> LikelihoodEntry:
    """The likelihood for a target of so many classes, 0 if it is a number; one that does not fit gets a sentence."""
    kind = f"one of {classes} classes" if classes else "a number"
    fitting = [entry for entry in LIKELIHOODS.values() if entry.fits(classes)]
    if wanted == AUTO:
        return fitting[0]
    if LIKELIHOODS[wanted] not in fitting:
        names = " or ".join(entry.name for entry in fitting)
        doubt = ", or say --task regression if it is a quantity" if classes and LIKELIHOODS[wanted].fits(0) else ""
        raise UserError(f"likelihood = {wanted} does not fit a target that is {kind}: use {names}{doubt}.")
    return LIKELIHOODS[wanted]


def refuse_foreign_likelihood(likelihood: str, changed: Iterable[str]) -> None:
    """Refuse a changed setting that belongs to another likelihood than the one with this name."""
    for name in changed:
        owners = [entry.name for entry in LIKELIHOODS.values() if name in entry.settings]
        if owners and likelihood not in owners:
            raise UserError(f"{name} is a setting of likelihood = {' or '.join(owners)}: {likelihood} has none.")
