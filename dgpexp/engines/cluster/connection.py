"""The dask cluster of a sweep: one that is there, by its scheduler's address, or one of SLURM jobs for this sweep."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dgpexp.engines.cluster.lease import Lease
from dgpexp.engines.cluster.slurm import SlurmJobs, read_description
from dgpexp.engines.engine import Engine
from dgpexp.errors import RunFailed, UserError

_CONNECT = 10  # seconds
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")


def _check_address(scheduler: str) -> None:
    """Refuse at once what dask would try for 20 seconds."""
    found = _ADDRESS.fullmatch(scheduler)
    if not found or not 0 < int(found[1]) < 65536:
        raise UserError(f"--scheduler {scheduler} is not an address like tcp://host:8786.")


@contextmanager
def connected(
    scheduler: str | None, file: Path | None, results: Path, most: int | None, runs: int
) -> Iterator[Callable[[bool], Engine]]:
    """What makes the engines of a sweep of so many runs, while its cluster is there."""
    description = read_description(file) if file else {}
    if scheduler is not None:
        _check_address(scheduler)
    try:
        import dask_jobqueue  # noqa: F401 - its absence is better known before anything is started
        from distributed import Client

        from dgpexp.engines.cluster.dask_engine import DaskEngine
    except ImportError:
        raise UserError("dask is not installed: `pip install 'dgpexp[dask]'`.") from None
    for name in [n for n in logging.root.manager.loggerDict if n.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what it has to say is said by us, in one sentence
    with ExitStack() as stack:
        jobs = SlurmJobs(description, min(most or runs, runs)) if file else None
        if jobs is not None:
            stack.callback(jobs.close)
        address = jobs.address if jobs is not None else scheduler
        try:
            client = Client(address, timeout=_CONNECT, set_as_default=False)
        except ValueError as error:
            raise UserError(f"--scheduler {address} is not an address like tcp://host:8786 ({error}).") from None
        except (OSError, TimeoutError):
            raise RunFailed(f"there is no dask scheduler at {address}: start one with `dask scheduler`.") from None
        stack.callback(client.close, timeout=2)
        lease = Lease(results)
        stack.callback(lease.end)

        def trouble() -> str:
            return jobs.trouble if jobs is not None else ""

        yield lambda alone: DaskEngine(client, lease, 1 if alone else most, trouble)
