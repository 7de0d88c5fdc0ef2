"""The commands that docs/your-data.md shows, run again by `python -m tools.transcripts [FOLDER]`, with what they print.

A fenced block that begins with `$ ` is a transcript. Its commands are run in FOLDER, one after the other, with the
table that docs/make_flats.py writes there. What each printed is kept in FOLDER, and a command that was run there before
is not run again: an interrupted re-make goes on. Lines of progress are left out, and of many runs all but three.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "your-data.md"
BLOCK = re.compile(r"^```\n(\$ .*?)^```", re.MULTILINE | re.DOTALL)


def remade(text: str, run: Callable[[str], str]) -> str:
    """The document with the output of `run` under every command."""

    def block(match: re.Match[str]) -> str:
        commands = [line[2:] for line in match[1].splitlines() if line.startswith("$ ")]
        return "```\n" + "".join(f"$ {command}\n{shortened(run(command))}" for command in commands) + "```"

    return BLOCK.sub(block, text)


def shortened(printed: str) -> str:
    """Without progress; of the lines of runs, [1/6] and so on, the first two and dots for the others."""
    lines = [line.rstrip() for line in printed.splitlines() if "(sweep: about" not in line]
    runs = [line for line in lines if re.match(r"\[\d+/\d+\] ", line)]
    if len(runs) > 3:
        lines = [line if line != runs[2] else "..." for line in lines if line not in runs[3:]]
    return "".join(f"{line}\n" for line in lines).lstrip("\n")


def runner(folder: Path) -> Callable[[str], str]:
    """Runs commands in `folder`, each once."""
    kept = folder / ".printed"
    kept.mkdir(parents=True, exist_ok=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DGPEXP_")} | {"PATH": path}

    def run(command: str) -> str:
        file = kept / f"{hashlib.sha256(command.encode()).hexdigest()[:12]}.txt"
        if not file.is_file():
            print(command, file=sys.stderr)
            both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, **both)
            file.write_text(done.stdout)
        return file.read_text()

    return run


def main(folder: Path) -> None:
    run = runner(folder)
    run(f"{sys.executable} {ROOT / 'docs' / 'make_flats.py'}")
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(remade(text, run), encoding="utf-8")
    run("dgpexp plot flats")
    (picture,) = (folder / "results" / "plots").glob("flats-*.png")
    shutil.copyfile(picture, ROOT / "docs" / "figures" / "flats.png")
    run("dgpexp report flats")
    (page,) = (folder / "results" / "report").glob("flats-*/index.html")
    shot = ROOT / "docs" / "figures" / "flats_page.png"
    size = "--hide-scrollbars --window-size=1000,1000 --timeout=5000"
    run(f"chromium --headless --no-sandbox --disable-gpu {size} --screenshot={shot} {page.as_uri()}#ask")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()))
