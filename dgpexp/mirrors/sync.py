"""Bring a mirror up to date from the files."""

from pathlib import Path

from dgpexp.mirrors.address import Address
from dgpexp.mirrors.background import Mirror
from dgpexp.store.stored_run import stored_runs

_PATIENCE = 30.0  # seconds without any progress after which a database counts as down


def sync(address: Address, results: Path, profiles: list[str]) -> Mirror:
    """Copy every run of these profiles that the database does not have as it is; the counts are the mirror's."""
    mirror = Mirror(address, lambda why: None)
    for profile in profiles:
        for run in stored_runs(results, profile):
            mirror.submit(run.path)
    mirror.finish(_PATIENCE, renew=True)
    return mirror
