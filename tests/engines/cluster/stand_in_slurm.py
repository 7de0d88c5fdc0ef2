"""A stand-in for SLURM: its `sbatch`, `squeue` and `scancel` start, list and end job scripts as processes here.

It has a node for every job and no queue. What dgpexp and dask-jobqueue ask of SLURM is answered as SLURM answers it.
"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.engines.processes import ROOT, is_zombie, wait_for


class StandIn:
    """While entered, `environment` leads to the commands; a job is a process group, whose number is the job's."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="slurm-")
        self._path = Path(self._folder.name)
        self.environment = {"PATH": f"{self._path}:{os.environ['PATH']}"}

    def __enter__(self) -> "StandIn":
        (self._path / "jobs").mkdir()
        for name in ("sbatch", "squeue", "scancel"):
            script = self._path / name
            command = f"{sys.executable} -m {__spec__.name} {self._path / 'jobs'} {name}"
            script.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {command} "$@"\n')
            script.chmod(0o755)
        return self

    def __exit__(self, *_: object) -> None:
        for job in (self._path / "jobs").iterdir():
            with suppress(ProcessLookupError):  # its workers may outlive the script
                os.killpg(int(job.name), signal.SIGKILL)
        wait_for(lambda: not self.jobs())
        self._folder.cleanup()

    def refuse(self) -> None:
        """Accept jobs in principle, and none that comes."""
        (self._path / "full").touch()

    def jobs(self) -> list[str]:
        return living(self._path / "jobs")

    def cancel(self, job: str) -> None:
        subprocess.run([self._path / "scancel", job], check=True)


def living(jobs: Path) -> list[str]:
    return [path.name for path in jobs.iterdir() if not is_zombie(int(path.name))]


def submit(jobs: Path, script: str) -> int:
    """Start the script in a session of its own, its output where its directives say."""
    lines = (line.split() for line in Path(script).read_text().splitlines() if line.startswith("#SBATCH"))
    log = Path({words[1]: words[-1] for words in lines}.get("-o", os.devnull).replace("%J", str(os.getpid())))
    log.parent.mkdir(parents=True, exist_ok=True)
    copy = jobs.parent / f"{os.getpid()}.sh"  # the script is deleted once it was submitted
    copy.write_text(Path(script).read_text())
    with log.open("ab") as out:
        job = subprocess.Popen(
            ["bash", copy], stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        ).pid
    (jobs / str(job)).touch()
    return job


def main(folder: str, command: str, *options: str) -> None:
    jobs = Path(folder)
    if command == "squeue":
        print("\n".join(living(jobs)))
    elif command == "scancel":
        for job in set(options) & set(living(jobs)):
            os.killpg(int(job), signal.SIGTERM)
    elif "--test-only" in options:
        return
    elif (jobs.parent / "full").exists():
        sys.exit("sbatch: error: the queue is full")
    else:
        print(f"Submitted batch job {submit(jobs, options[-1])}")


if __name__ == "__main__":
    main(*sys.argv[1:])
