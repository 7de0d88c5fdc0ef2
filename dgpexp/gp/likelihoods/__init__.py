"""Likelihoods p(y | f) of the last layer's units f [C]; `base` says what one is, tasks.LIKELIHOODS which there are."""

from collections.abc import Sequence
from importlib import import_module

from dgpexp.config import Settings
from dgpexp.gp.likelihoods.base import Likelihood
from dgpexp.tasks import likelihood_of

__all__ = ["Likelihood", "make"]


def make(settings: Settings, classes: Sequence[str] = ()) -> Likelihood:
    """The likelihood that the settings ask for, with its initial values; `classes` are the labels, none for numbers."""
    module, name = likelihood_of(settings.likelihood, len(classes)).where.split(".")
    kind: type[Likelihood] = getattr(import_module(f"{__name__}.{module}"), name)
    return kind.start(settings, classes)
