"""A real PostgreSQL of our own: Debian's binaries, a private socket in a temporary folder, a password."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.engines.processes import wait_for

PASSWORD = "Sent1nel/p@ss:word"
_USER = "owner"


def binaries() -> Path | None:
    """The newest version of Debian's package, or whatever is on the path."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    found = str(folders[-1]) if folders else shutil.which("initdb")
    return Path(found).parent if found else None


def _account() -> dict[str, Any]:
    """PostgreSQL refuses to be root: then it is Debian's `postgres`, or nobody."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


class Unavailable(Exception):
    """PostgreSQL is installed but does not work here."""


class Server:
    """One server, which may be killed, frozen and started again."""

    def __init__(self, bin_dir: Path):
        self._bin, self._account = bin_dir, _account()
        self.folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: a socket's path has at most 107 characters
        if self._account:
            os.chown(self.folder, self._account["user"], self._account["group"])
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        login = ["-U", _USER, f"--pwfile={secret}", "--auth=scram-sha-256"]
        make = [str(bin_dir / "initdb"), "-D", str(self.folder / "data"), "-E", "UTF8", "--no-sync", *login]
        done = subprocess.run(make, capture_output=True, text=True, cwd="/", **self._account)
        if done.returncode != 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise Unavailable(done.stderr.strip().splitlines()[-1])
        secret.unlink()
        try:
            self.start()
        except AssertionError:
            self.stop()
            raise Unavailable("the server does not start") from None

    def start(self) -> None:
        def starts() -> bool:  # after kill -9 the old server's children need a moment to go
            with open(self.folder / "log", "ab") as log:
                options = ["-c", "listen_addresses=", "-c", "fsync=off", "-k", str(self.folder)]
                command = [str(self._bin / "postgres"), "-D", str(self.folder / "data"), *options]
                self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **self._account)
            return bool(wait_for(lambda: self._answers() or self.process.poll() is not None)) and self._answers()

        wait_for(starts)

    def _answers(self) -> bool:
        import psycopg

        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        self.signal(signal.SIGCONT)  # what is frozen would not notice
        self.process.kill()
        self.process.wait()

    def pids(self) -> list[int]:
        """The server and all its children."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [self.process.pid, *(int(word) for word in children.split())]

    def signal(self, number: int) -> None:
        for pid in self.pids():
            os.kill(pid, number)

    def stop(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str = "postgres", user: str = _USER, password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{quote(password, safe='')}@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres", user: str = _USER) -> list[Any]:
        with self.connect(database, user, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def connect(self, database: str = "postgres", user: str = _USER, **options: Any) -> Any:
        import psycopg

        words = {"host": str(self.folder), "user": user, "password": PASSWORD, "dbname": database}
        return psycopg.connect(**words, connect_timeout=5, **options)
