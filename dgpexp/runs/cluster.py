"""The dask cluster of a sweep: one that is there, by its scheduler's address, or one of SLURM jobs for this sweep."""

import logging
import math
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dgpexp.errors import RunFailed, UserError
from dgpexp.runs.engine import Engine
from dgpexp.runs.lease import Lease

if TYPE_CHECKING:
    from dask_jobqueue import SLURMCluster

_CONNECT = 10  # seconds
_ABSENT = "dask is not installed: `pip install 'dgpexp[dask]'`."

# key of the TOML file -> its type, and dask-jobqueue's name for it
_KEYS: dict[str, tuple[type, str]] = {
    "queue": (str, "queue"),
    "account": (str, "account"),
    "cores": (int, "cores"),
    "memory": (str, "memory"),
    "walltime": (str, "walltime"),
    "workers": (int, ""),
    "interface": (str, "interface"),
    "logs": (str, "log_directory"),
    "job_extra": (list, "job_extra_directives"),
    "environment": (list, "job_script_prologue"),
}
_ACCEPTS: dict[type, tuple[str, Callable[[Any], bool]]] = {
    str: ("a text", bool),
    int: ("a whole number of at least 1", lambda value: value >= 1),
    list: ("a list of texts", lambda value: all(isinstance(line, str) for line in value)),
}
_NEEDED = ("cores", "memory", "workers")


@contextmanager
def connected(
    scheduler: str | None, file: Path | None, results: Path, most: int | None, runs: int
) -> Iterator[Callable[[bool], Engine]]:
    """What makes the engines of a sweep of so many runs, while its cluster is there."""
    description = read_description(file) if file else {}
    try:
        from distributed import Client

        from dgpexp.runs.dask_engine import DaskEngine
    except ImportError:
        raise UserError(_ABSENT) from None
    for name in [n for n in logging.root.manager.loggerDict if n.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what it has to say is said by us, in one sentence
    cluster = slurm(description) if file else None
    try:
        if cluster is not None:
            jobs = math.ceil(min(description["workers"], most or runs, runs) / description["cores"])
            cluster.adapt(minimum_jobs=jobs, maximum_jobs=jobs)  # a job that ends is replaced
        address = cluster.scheduler_address if cluster is not None else scheduler
        try:
            client = Client(address, timeout=_CONNECT, set_as_default=False)
        except ValueError as error:
            raise UserError(f"--scheduler {address} is not an address like tcp://host:8786 ({error}).") from None
        except (OSError, TimeoutError):
            raise RunFailed(f"there is no dask scheduler at {address}: start one with `dask scheduler`.") from None
        lease = Lease(results)
        try:
            yield lambda alone: DaskEngine(client, lease, 1 if alone else most)
        finally:
            lease.end()
            client.close(timeout=2)
    finally:
        if cluster is not None:
            cluster.close()


def read_description(file: Path) -> dict[str, Any]:
    """The TOML file that describes a SLURM cluster; what it does not accept is refused by name."""
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{file} cannot be read as TOML: {error}.") from None
    for key, value in found.items():
        if key not in _KEYS:
            raise UserError(f"{file}: unknown key '{key}'; the keys are {', '.join(_KEYS)}.")
        accepts, right = _ACCEPTS[_KEYS[key][0]]
        if type(value) is not _KEYS[key][0] or not right(value):
            raise UserError(f"{file}: {key} = {value!r} is not possible: it accepts {accepts}.")
    for key in _NEEDED:
        if key not in found:
            raise UserError(f"{file}: {key} is missing; a SLURM cluster needs {', '.join(_NEEDED)}.")
    return found


def slurm(description: dict[str, Any]) -> "SLURMCluster":
    """A cluster of SLURM jobs, each with one worker of one thread for every core; it has no jobs yet."""
    try:
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise UserError(_ABSENT) from None
    options = {name: description[key] for key, (_, name) in _KEYS.items() if name and key in description}
    return SLURMCluster(
        **options,
        processes=description["cores"],
        job_name="dgpexp",
        silence_logs="critical",
        scheduler_options={"dashboard": False},
    )
