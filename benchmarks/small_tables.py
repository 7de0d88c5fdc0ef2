"""`make bench-tables`: the default of `dgpexp run csv` on small public tables that no recipe was chosen on.

Three tables of 392 to 400 rows, as a package of the Python registry ships them, go through the command as a user would
type it; its results stand beside an exact GP's on the same splits. The runs are kept in FOLDER, and continue there.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks import output
from dgpexp.datasets.catalog import Package
from dgpexp.datasets.sources.packages import take_from_package
from dgpexp.numerals import with_error
from dgpexp.report.statistics.stats import average
from dgpexp.store.stored_run import stored_runs

ISLP = {"name": "ISLP", "version": "0.6.0"}
# sha256 of the file, target, columns left out
TABLES = {
    "Auto": ("387b35512e265608328881d7299f768f8010e21d27acd53e5a07456ea9ee3ff7", "mpg", ("name",)),
    "Carseats": ("8ba4a46c31388d1149ac621ca55463302a6bc4fb64eed067ffae0d1ff71cfab8", "Sales", ()),
    "Credit": ("ebf2021c34aacdbb6b4a96cdaadea89991a944eb1cedb15ce519e7220c51a74d", "Balance", ("ID",)),
}
EXACT = "an exact GP"


def command(folder: Path, table: str) -> list[str]:
    """What a user types, with the file that it needs in `folder`."""
    sha256, target, dropped = TABLES[table]
    path = folder / f"{table}.csv"
    if not path.is_file():
        take_from_package(Package(**ISLP, member=f"ISLP/data/{table}.csv", sha256=sha256), folder)
    without = [word for column in dropped for word in ("--drop", column)]
    return ["run", "csv", str(path), "--target", target, *without, "--jobs", "1"]


def dgpexp(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "dgpexp", *words, "--results", str(folder / "results")],
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def measured(folder: Path, table: str) -> dict[str, Any]:
    """Log-likelihood, RMSE and coverage of ours and of an exact GP, a number a split; minutes of training, all runs."""
    dgpexp(folder, *command(folder, table))
    runs = [run for run in stored_runs(folder / "results", "best") if run.run_id.startswith(f"{table.lower()}-")]
    minutes = sum(run.info["train_seconds"] for run in runs) / 60
    models = json.loads(dgpexp(folder, "report", table.lower(), "--json"))["models"]
    exact = next(model for model in models if model["name"].startswith(EXACT))
    return {"table": table, "minutes": minutes, **_numbers("ours", models[0]), **_numbers("exact", exact)}


def _numbers(name: str, model: dict[str, Any]) -> dict[str, list[float]]:
    splits = [model["numbers"][split] for split in sorted(model["numbers"], key=int)]
    return {f"{name}_{key}": [numbers[key] for numbers in splits] for key in ("ll", "rmse", "coverage90")}


def row(found: dict[str, Any]) -> list[str]:
    """Means (standard errors) over splits, the paired difference of log-likelihoods, and the coverage of both."""
    ll = [average(found[f"{name}_ll"]) for name in ("ours", "exact")]
    apart = average([a - b for a, b in zip(found["ours_ll"], found["exact_ll"], strict=True)])
    shares = (f"{100 * average(found[f'{name}_coverage90']).mean:.0f}" for name in ("ours", "exact"))
    figures = (with_error(s.mean, s.stderr, 2) for s in (*ll, apart))
    return [found["table"], *figures, *shares, f"{found['minutes']:.1f}"]


HEAD = ("", "LL", "exact GP", "difference", "90 % cover", "exact GP", "minutes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to FILE")
    parser.add_argument("--folder", type=Path, default=Path("build/tables"), help="of files and runs (%(default)s)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = [measured(options.folder, table) for table in TABLES]
    table = output.table_of("Small tables: mean (standard error) over splits", *HEAD)
    for found in rows:
        table.add_row(*row(found))
    output.console.print(table)
    output.write(options.json, {"rows": rows})


if __name__ == "__main__":
    main()
