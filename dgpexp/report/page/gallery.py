"""Figures drawn by dgpexp/figures, found by the index of their folder and carried inside the page.

An index is a list of {id, title, caption, command, svg, png} with paths relative to it. `dgpexp figures` keeps one in
<results>/figures, and the report itself draws section 5.2 into its own folder. What cannot be read is left out.
"""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST_SVG = 400_000  # bytes; above it the PNG is the smaller page


@dataclass(frozen=True)
class Picture:
    """One figure, its image as a data URI: as an image it cannot run scripts, whatever the file holds."""

    id: str
    title: str
    caption: str
    command: str
    src: str


def find(*folders: Path) -> list[Picture]:
    """All figures of all indices, by id."""
    pictures: dict[str, Picture] = {}
    for index in (folder / "index.json" for folder in folders):
        try:
            entries = json.loads(index.read_text())
        except (OSError, ValueError):
            continue
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("id") and (src := _image(index.parent, entry)):
                texts = {name: str(entry.get(name) or "") for name in ("id", "title", "caption", "command")}
                pictures[texts["id"]] = Picture(**texts, src=src)
    return [pictures[name] for name in sorted(pictures)]


def _image(folder: Path, entry: dict[str, Any]) -> str | None:
    for kind, media in (("svg", "image/svg+xml"), ("png", "image/png")):
        try:
            data = (folder / str(entry[kind])).read_bytes()
        except (KeyError, OSError):
            continue
        if kind == "svg" and len(data) > LARGEST_SVG and entry.get("png"):
            continue
        return f"data:{media};base64,{base64.b64encode(data).decode()}"
    return None
