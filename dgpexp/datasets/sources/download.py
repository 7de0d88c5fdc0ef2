"""Download files by pooch: with checksums, retries and a progress bar, continuing a broken download.

What has arrived is kept in a `.part` file; the next attempt, now or tomorrow in another process, asks the server for
the rest of it (and starts anew if the server will not have that). Only a whole file with the right checksum counts.
"""

import hashlib
import os
from pathlib import Path
from typing import IO, Any

import pooch
import requests
from urllib3.exceptions import MaxRetryError

from dgpexp.errors import RunFailed

RETRIES = 3
_TIMEOUT = (10, 60)  # seconds to connect, seconds without a byte
_BLOCK = 1 << 16


class Unreachable(RunFailed):
    """The address cannot be reached from here; trying again would not help."""


def download(url: str, folder: Path, sha256: str = "") -> Path:
    """Download the file at `url` into `folder` and check it; fail in one sentence."""
    name = hashlib.sha256(url.encode()).hexdigest()[:16]
    pooch.get_logger().setLevel("ERROR")
    registry = pooch.create(
        path=folder,
        base_url="",
        registry={name: f"sha256:{sha256}" if sha256 else None},
        urls={name: url},
        retry_if_failed=RETRIES,
    )
    try:
        return Path(registry.fetch(name, downloader=_resuming(folder / f"{name}.part")))
    except ValueError as error:  # pooch's word for a checksum that does not fit
        raise RunFailed(f"{url} gave a file with another checksum than expected") from error
    except requests.RequestException as error:
        raise RunFailed(f"{url} failed: {_why(error)}") from error


def _resuming(part: Path) -> Any:
    """A downloader for pooch that continues `part`."""

    def get(url: str, output: str, _: Any) -> None:
        have = part.stat().st_size if part.exists() else 0
        headers = {"Accept-Encoding": "identity"}  # a packed body has other offsets than the file
        if have:
            headers["Range"] = f"bytes={have}-"
        try:
            response = requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT)
        except requests.ConnectionError as error:
            if isinstance(error.args[0], MaxRetryError):  # no such host, no route, refused: not a hiccup
                raise Unreachable(f"{url} cannot be reached") from error
            raise
        with response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                part.unlink()  # it is longer than the file: not a beginning of it
            response.raise_for_status()
            continued = response.status_code == requests.codes.partial_content
            with part.open("ab" if continued else "wb") as f:
                _copy(response, f, url, have if continued else 0)
        os.replace(part, output)

    return get


def _copy(response: requests.Response, f: IO[bytes], url: str, have: int) -> None:
    """Write the body as it arrives, with a bar on stderr where somebody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    length = response.headers.get("Content-Length")
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(url.rsplit("/", 1)[-1], total=have + int(length) if length else None, completed=have)
        for block in response.iter_content(_BLOCK):
            f.write(block)
            bar.advance(task, len(block))


def _why(error: requests.RequestException) -> str:
    if error.response is not None:
        return f"the server answered {error.response.status_code}"
    return "the connection broke off" if not isinstance(error, requests.Timeout) else "the server is silent"
