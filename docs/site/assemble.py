"""What the site is made of: the Markdown of the repository where it stands, so that links between documents hold.

A hook of mkdocs (mkdocs.yml names it). Pages of the site alone are in pages/.
"""

import os
import re
import shutil
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from dgpexp.figures import index

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "build" / "results"  # where `make docs` draws and reports
FIGURES, REPORT = RESULTS / "figures", RESULTS / "report" / "thesis"
SOURCES = ("*.md", "docs/*.*", "docs/figures/*", "experiments/*.*", "results/*/README.md")
_LINK = re.compile(r"\]\(([^)#:]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """The documents under their own paths, and what `make docs` has drawn and reported."""
    found = {path.relative_to(ROOT).as_posix(): path for pattern in SOURCES for path in ROOT.glob(pattern)}
    found |= {f"figures/{path.name}": path for path in FIGURES.glob("*.svg")}
    found |= {"report/index.html": REPORT / "index.html"}
    for uri, path in found.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to folders lead to what describes them, as on a code host; the gallery gets its pictures."""
    if page.file.src_uri == "gallery.md":
        markdown += "".join(map(_picture, index.read(FIGURES)))
    return _LINK.sub(lambda match: f"]({_described(match[1], ROOT / Path(page.file.src_uri).parent)})", markdown)


def on_post_build(config: Any) -> None:
    """The report as it is, with its tables and figures: its Markdown is for download."""
    shutil.copytree(REPORT, Path(config.site_dir) / "report", dirs_exist_ok=True)


def _picture(entry: index.Entry) -> str:
    return (
        f"\n## {entry.id} {entry.title}\n\n![{entry.title}](figures/{entry.svg})\n\n{entry.caption}\n\n"
        f"```\n{entry.command}\n```\n"
    )


def _described(link: str, folder: Path) -> str:
    """The README of the folder that is linked, or of one above it."""
    target = folder / link
    if not target.is_dir():
        return link
    while not (target / "README.md").is_file():
        target = target.parent
    return Path(os.path.relpath(target / "README.md", folder)).as_posix()
