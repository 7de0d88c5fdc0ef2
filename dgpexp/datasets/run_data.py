"""The data of runs: what is missing is fetched before they start, and what one run is trained and tested on."""

from collections.abc import Callable, Iterable

from dgpexp.config import RunSpec
from dgpexp.datasets import Split, load_split
from dgpexp.datasets.catalog import find
from dgpexp.datasets.random_data import random_split
from dgpexp.datasets.sources.chain import obtain, whereabouts
from dgpexp.errors import UserError


def fetch_missing(names: Iterable[str], say: Callable[[str], None]) -> dict[str, str]:
    """Get every data set that is not here; returns those that cannot be had, with a sentence about what to do."""
    missing = {}
    for name in dict.fromkeys(names):
        dataset = find(name)
        if whereabouts(dataset)[0]:
            continue
        try:
            obtain(dataset, say)
        except UserError as error:
            missing[name] = str(error)
    return missing


def split_of(spec: RunSpec) -> Split:
    """What the run is trained and tested on."""
    settings = spec.settings
    if settings.synthetic_shape:
        return random_split(spec.dataset)
    kind = (settings.rows, settings.stream, settings.split_list, settings.all_rows, settings.robust_scaling)
    return load_split(spec.dataset, spec.split, *kind)
