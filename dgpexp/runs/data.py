"""Having the data before the runs start: what is missing is fetched, what cannot be had is named."""

from collections.abc import Callable, Iterable

from dgpexp.datasets.catalog import find
from dgpexp.datasets.sources import obtain, whereabouts
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
