"""The figures of README.md and docs/, in docs/figures: `python -m tools.figures [NAME]...` makes all, or those named.

airline, ranks, power and workers are drawn from results/measured in seconds. python fits its example, sincos trains
three models by the thesis's protocol (kept in build/figures and continued), flats runs docs/your-data.md again.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from dgpexp.drawing import canvas
from dgpexp.figures.predictive import of_runs
from dgpexp.report import tables
from dgpexp.report.model import gather
from dgpexp.report.plots.draw import ranks
from dgpexp.store.tidy_table import read_runs

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "figures"
BUILD = ROOT / "build" / "figures"


def of_report(profile: str, figure: str) -> Callable[[Path], None]:
    """A figure of the page of a profile, from its committed runs."""

    def draw(destination: Path) -> None:
        with tempfile.TemporaryDirectory() as empty:
            report = gather(Path(empty), profile)
        sketch = next(s for s in (*tables.all_figures(report), *ranks(report)) if s.name == figure)
        with tempfile.TemporaryDirectory() as folder, canvas.for_page():
            canvas.save(sketch.figure, Path(folder) / figure)
            shutil.copyfile(Path(folder) / f"{figure}.png", destination)

    return draw


def sincos(destination: Path) -> None:
    """Figure 5.2.1, of split 0."""
    _run("-m", "dgpexp", "run", "synthetic", "--dataset", "sincos", "--splits", "0", "--results", str(BUILD))
    of_runs.draw(read_runs(BUILD, "thesis"), BUILD, BUILD / "drawn")
    shutil.copyfile(BUILD / "drawn" / "5.2.1-sincos.png", destination)


def python(_: Path) -> None:
    _run("docs/python_example.py")


def flats(_: Path) -> None:
    _run("-m", "tools.transcripts", str(BUILD / "flats"))


FIGURES: dict[str, Callable[[Path], None]] = {
    "airline": of_report("thesis", "5.3.2"),
    "ranks": of_report("best", "ranks-crps"),
    "power": of_report("lean", "power"),
    "workers": of_report("async", "workers"),
    "python": python,
    "sincos": sincos,
    "flats": flats,
    "flats_page": flats,
}


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True)


def main() -> None:
    names = sys.argv[1:] or list(FIGURES)
    if unknown := set(names) - set(FIGURES):
        sys.exit(f"unknown figure {', '.join(sorted(unknown))}: there are {', '.join(FIGURES)}.")
    for name in names:
        FIGURES[name](FOLDER / f"{name}.png")
        print(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
