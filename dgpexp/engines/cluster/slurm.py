"""Start a dask cluster of SLURM jobs for one sweep, described by a TOML file and made by dask-jobqueue."""

import getpass
import math
import os
import re
import subprocess
import tempfile
import threading
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dgpexp.checking import Check, accepted, refuse_unknown, within
from dgpexp.errors import RunFailed, UserError

if TYPE_CHECKING:
    from dask_jobqueue import SLURMCluster

_ASK_EVERY = 10.0  # seconds between two questions which jobs there are
_MAY_FAIL = 3  # jobs in a row that end before a worker of theirs was seen
_REFUSED = "SLURM refuses the jobs of --cluster: {}."
_ENDED = "the SLURM jobs end before their workers come: see the jobs' output (`logs`)."

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
_CHECKS = {
    str: Check("a text", bool),
    int: Check("a whole number of at least 1", lambda value: value >= 1),
    list: Check("a list of texts", lambda value: all(isinstance(line, str) for line in value)),
}
_MEMORY = re.compile(r"[0-9]+(\.[0-9]+)? ?([kKMGTP]i?)?B?")
_NEEDED = ("cores", "memory", "workers")


def read_description(file: Path) -> dict[str, Any]:
    """Read the description of the jobs, and refuse unknown keys and impossible values by name."""
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{file} cannot be read as TOML: {error}.") from None
    with within(str(file)):
        refuse_unknown(found, _KEYS, "key", "the keys are")
        for key, value in found.items():
            kind = _KEYS[key][0]
            accepted(value, key, _CHECKS[kind], kind)
    if not _MEMORY.fullmatch(found.get("memory", "1GB")):
        raise UserError(f"{file}: memory = '{found['memory']}' is not possible: it accepts a size like 4GB.")
    for key in _NEEDED:
        if key not in found:
            raise UserError(f"{file}: {key} is missing; a SLURM cluster needs {', '.join(_NEEDED)}.")
    return found


def make_cluster(description: dict[str, Any], refusals: list[str]) -> "SLURMCluster":
    """Start a scheduler here, without jobs yet; each job will have one single-threaded worker per core.

    A job that SLURM refuses is as one that ended at once: dask would wait for it. The reason is added to `refusals`.
    """
    from dask_jobqueue import SLURMCluster
    from dask_jobqueue.slurm import SLURMJob

    class Submitted(SLURMJob):
        async def _submit_job(self, script_filename: str) -> str:
            try:
                return str(await super()._submit_job(script_filename))
            except RuntimeError as error:
                refusals.append(str(error).strip().splitlines()[-1])
                return "Submitted batch job 0"

    options = {name: description[key] for key, (_, name) in _KEYS.items() if name and key in description}
    return SLURMCluster(
        **options,
        job_cls=Submitted,
        processes=description["cores"],
        job_name="dgpexp",
        silence_logs="critical",
        scheduler_options={"dashboard": False, "dashboard_address": ":0"},  # its usual port may be taken
    )


class SlurmJobs:
    """The SLURM jobs that execute `processes` at once; a job that ends (walltime, node) is replaced."""

    def __init__(self, description: dict[str, Any], processes: int):
        self._wanted = math.ceil(min(description["workers"], processes) / description["cores"])
        self._refusals: list[str] = []
        self._cluster = make_cluster(description, self._refusals)
        self._seen: set[str] = set()  # jobs whose workers have come
        self._failed = 0
        self._over = threading.Event()
        self.trouble = ""  # why it is of no use to wait any longer
        try:
            self._try_script()
        except BaseException:
            self._cluster.close()
            raise
        self._cluster.scale(jobs=self._wanted)
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return str(self._cluster.scheduler_address)

    def close(self) -> None:
        """Cancel the remaining jobs."""
        self._over.set()
        self._thread.join()
        self._cluster.close()

    def _try_script(self) -> None:
        """Ask SLURM whether it would accept a job: dask-jobqueue would only write its answer to a log."""
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
            script.write(self._cluster.job_script())
            script.flush()
            command = ["sbatch", "--test-only", script.name]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            except FileNotFoundError:
                raise RunFailed("there is no SLURM on this machine (no sbatch): use a login node.") from None
            except subprocess.TimeoutExpired:
                raise RunFailed("SLURM does not answer (sbatch --test-only): try again later.") from None
        if done.returncode:
            raise RunFailed(_REFUSED.format((done.stderr.strip().splitlines() or ["no reason given"])[-1]))

    def _keep(self) -> None:
        while not self._over.wait(_ASK_EVERY) and not self.trouble:
            names = {str(worker["name"]) for worker in self._cluster.scheduler_info["workers"].values()}
            jobs = {name: job.job_id for name, job in list(self._cluster.workers.items()) if job.job_id}
            self._seen |= {name for name in jobs if any(n == name or n.startswith(f"{name}-") for n in names)}
            living = _living()
            ended = [name for name, job_id in jobs.items() if living is not None and job_id not in living]
            if ended:
                self._failed = 0 if self._seen.intersection(jobs) else self._failed + len(ended)
                if self._failed >= _MAY_FAIL:
                    self.trouble = _REFUSED.format(self._refusals[-1]) if self._refusals else _ENDED
                self._cluster.sync(self._cluster.scale_down, ended)
                self._cluster.scale(jobs=self._wanted)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container whose user has no name
        return str(os.getuid())


def _living() -> set[str] | None:
    """The numbers of this user's jobs that wait or run; None if SLURM does not say."""
    command = ["squeue", "--noheader", "--format=%i", f"--user={_user()}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return set(done.stdout.split()) if done.returncode == 0 else None
