"""Connect a sweep to a dask cluster: to one that runs, by its scheduler's address, or to SLURM jobs of its own."""

import asyncio
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from dgpexp.engines.cluster.lease import Lease
from dgpexp.engines.cluster.slurm import SlurmJobs, read_description
from dgpexp.engines.sweep import Engine
from dgpexp.errors import RunFailed, UserError

_CONNECT = 10  # seconds
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")


def check_address(scheduler: str) -> None:
    """Refuse what cannot be an address before anything is tried."""
    found = _ADDRESS.fullmatch(scheduler)
    if not found or not 0 < int(found[1]) < 65536:
        shown = scheduler if scheduler.strip() else f"'{scheduler}'"
        raise UserError(f"--scheduler {shown} is not an address like tcp://host:8786.")


def _check_scheduler(address: str) -> None:
    """Ask whoever listens there what it is: dask itself would wait for minutes for one that stays silent."""
    try:
        kind = asyncio.run(asyncio.wait_for(_identity(address), _CONNECT)).get("type")
    except TypeError:  # no certificates
        raise UserError(
            f"--scheduler {address} needs certificates, and dask's configuration names none (distributed.comm.tls)."
        ) from None
    except Exception:  # what is not dask may answer anything
        raise RunFailed(f"there is no dask scheduler at {address}: start one with `dask scheduler`.") from None
    if kind != "Scheduler":
        raise RunFailed(f"at {address} there is a dask {str(kind).lower()}: name the address of its scheduler.")


async def _identity(address: str) -> dict[str, Any]:
    from distributed.comm.core import connect
    from distributed.core import send_recv
    from distributed.security import Security

    comm = await connect(address, timeout=_CONNECT, **Security().get_connection_args("client"))
    try:
        return dict(await send_recv(comm, op="identity"))
    finally:
        comm.abort()


@contextmanager
def connected(
    scheduler: str | None, file: Path | None, results: Path, most: int | None, runs: int, ranks: int = 1
) -> Iterator[Callable[[bool], Engine]]:
    """Yield what makes the engines of a sweep of `runs` runs of `ranks` processes, while its cluster is there."""
    description = read_description(file) if file else {}
    if file and description["workers"] < ranks:
        raise UserError(f"{file}: workers = {description['workers']} is not possible: a run has {ranks} processes.")
    try:
        import dask_jobqueue  # noqa: F401 - its absence is better known before anything is started
        from distributed import Client

        from dgpexp.engines.cluster.dask_engine import DaskEngine
    except ImportError:
        raise UserError("dask is not installed: `pip install 'dgpexp[dask]'`.") from None
    for name in [n for n in logging.root.manager.loggerDict if n.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what it has to say is said by us, in one sentence
    with ExitStack() as stack:
        jobs = SlurmJobs(description, ranks * min(most or runs, runs)) if file else None
        if jobs is not None:
            stack.callback(jobs.close)
        address = jobs.address if jobs is not None else str(scheduler)
        _check_scheduler(address)
        try:
            client = Client(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, TimeoutError):  # it has gone since
            raise RunFailed(f"there is no dask scheduler at {address}: start one with `dask scheduler`.") from None
        stack.callback(client.close, timeout=2)
        lease = Lease(results)
        stack.callback(lease.end)

        def trouble() -> str:
            return jobs.trouble if jobs is not None else ""

        yield lambda alone: DaskEngine(client, lease, 1 if alone else most, trouble, ranks)
