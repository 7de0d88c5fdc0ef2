"""A real SLURM on this machine alone, in a folder of its own: munged, slurmctld and slurmd as Debian ships them."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from tests.engines.processes import wait_for

CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def why_not() -> str:
    """Why SLURM cannot be started here; empty if it can be tried."""
    needed = ("munged", "slurmctld", "slurmd", "sbatch", "scancel")
    missing = [name for name in needed if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")]
    if missing:
        return f"SLURM is not installed: no {', '.join(missing)} (Debian: slurm-wlm, munge)"
    return "" if os.geteuid() == 0 else "slurmd needs root"


class Slurm:
    """While entered, `environment` leads to a cluster of one node."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self._daemons: list[subprocess.Popen[bytes]] = []
        self._configuration = self._folder / "slurm.conf"
        self.environment = {"SLURM_CONF": str(self._configuration)}

    def __enter__(self) -> "Slurm":
        folder = self._folder
        for name in ("state", "spool"):
            (folder / name).mkdir()
        folder.chmod(0o755)  # munged insists on a folder that its clients can enter
        (folder / "key").write_bytes(os.urandom(128))
        (folder / "key").chmod(0o400)
        text = CONFIGURATION.format(host=socket.gethostname(), folder=folder, ports=_free_ports())
        self._configuration.write_text(text)
        files = {"key-file": "key", "socket": "munge.socket", "pid-file": "munge.pid", "log-file": "munge.log"}
        options = [f"--{option}={folder / name}" for option, name in files.items()]
        self._start("munged", "--foreground", "--force", f"--seed-file={folder / 'seed'}", *options)
        wait_for((folder / "munge.socket").exists, 20)
        self._start("slurmctld", "-D", "-f", str(self._configuration))
        self._start("slurmd", "-D", "-f", str(self._configuration))
        wait_for(lambda: "idle" in self._ask("sinfo", "--noheader"), 60)
        return self

    def __exit__(self, *_: object) -> None:
        self._ask("scancel", "--user", "root", "--signal", "KILL")
        for daemon in reversed(self._daemons):
            daemon.terminate()
            daemon.wait(timeout=30)
        shutil.rmtree(self._folder, ignore_errors=True)

    def jobs(self) -> list[str]:
        return self._ask("squeue", "--noheader", "--format=%i").split()

    def cancel(self, job: str) -> None:
        self._ask("scancel", job)

    def _ask(self, *command: str) -> str:
        env = {**os.environ, **self.environment}
        return subprocess.run(command, env=env, text=True, capture_output=True, timeout=60).stdout

    def _start(self, name: str, *args: str) -> None:
        program = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
        assert program is not None
        env = {**os.environ, **self.environment}
        with open(self._folder / f"{name}.out", "wb") as log:
            self._daemons.append(subprocess.Popen([program, *args], env=env, stdout=log, stderr=log))


def _free_ports() -> list[int]:
    sockets = [socket.socket() for _ in range(2)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [int(s.getsockname()[1]) for s in sockets]
    for s in sockets:
        s.close()
    return ports
