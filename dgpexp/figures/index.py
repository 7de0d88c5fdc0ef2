"""index.json in a folder of figures: what is there, for those who show it.

A list of {id, title, caption, command, svg, png}; the file names are relative to the folder.
"""

import base64
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from dgpexp.files import write_atomically

NAME = "index.json"
LARGEST_SVG = 400_000  # bytes; above it the PNG is the smaller page


@dataclass(frozen=True)
class Entry:
    """One figure: its number in the thesis, what to see in it, the command that draws it, and its files."""

    id: str
    title: str
    caption: str
    command: str
    svg: str
    png: str


def read(folder: Path) -> list[Entry]:
    """The figures in `folder` whose files are there; none if it has no index or one that cannot be read."""
    try:
        entries = [Entry(**item) for item in json.loads((folder / NAME).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []
    return [entry for entry in entries if (folder / entry.svg).is_file() and (folder / entry.png).is_file()]


def add(folder: Path, entries: Iterable[Entry]) -> None:
    """Enter figures, in place of what stood under the same numbers; kept in the order of the thesis."""
    merged = {entry.id: entry for entry in read(folder)} | {entry.id: entry for entry in entries}
    ordered = sorted(merged.values(), key=lambda entry: [int(part) for part in entry.id.split(".")])
    text = json.dumps([asdict(entry) for entry in ordered], indent=2, ensure_ascii=False) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / NAME, lambda f: f.write(text.encode()))


def pictures(folder: Path) -> list[dict[str, str]]:
    """The figures with `src`, the image as a data URI: as an image it cannot run scripts, whatever the file holds."""
    return [asdict(entry) | {"src": _image(folder, entry)} for entry in read(folder)]


def _image(folder: Path, entry: Entry) -> str:
    data, media = (folder / entry.svg).read_bytes(), "image/svg+xml"
    if len(data) > LARGEST_SVG:
        data, media = (folder / entry.png).read_bytes(), "image/png"
    return f"data:{media};base64,{base64.b64encode(data).decode()}"
