"""`make bench-auto`: `DeepGPRegressor("auto")` on small public tables that nothing was chosen on, beside what it mixes.

Every split is fitted once; the mixture and all models that it finished predict the same test rows. An early-stopped
CatBoost (10 folds, RMSEWithUncertainty) joins in where --catboost names a Python that has it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import output
from benchmarks.small_tables import TABLES, command
from dgpexp.datasets.splits import cut, split_indices
from dgpexp.datasets.table import Table
from dgpexp.estimators.auto import Search
from dgpexp.estimators.frames import Columns
from dgpexp.predictive.metrics import score, summary
from dgpexp.predictive.mixture import Mixture
from dgpexp.tables.combined import deep_methods
from dgpexp.tables.protocol import recommended
from dgpexp.tasks import REGRESSION

KEYS = ("ll", "rmse", "crps", "coverage90")
CATBOOST = """
import sys, numpy as np
from catboost import CatBoostRegressor, Pool, cv
a = np.load(sys.argv[1])
x, y, new = a["x"], a["y"], a["new"]
p = dict(loss_function="RMSEWithUncertainty", iterations=2000, learning_rate=0.05, random_seed=0, thread_count=1,
         verbose=False, allow_writing_files=False)
found = cv(Pool(x, y), p, fold_count=10, early_stopping_rounds=100, verbose=False)
best = int(found.filter(like="test-").iloc[:, 1].argmin())
model = CatBoostRegressor(**{**p, "iterations": best + 1}).fit(x, y)
np.savez(sys.argv[2], found=model.predict(new))
"""


def catboost(python: Path, x: np.ndarray, y: np.ndarray, new: np.ndarray) -> Mixture:
    """Its Gaussian for each row."""
    with tempfile.TemporaryDirectory() as folder:
        rows, found = Path(folder) / "rows.npz", Path(folder) / "found.npz"
        np.savez(rows, x=x, y=y, new=new)
        subprocess.run([python, "-c", CATBOOST, rows, found], check=True)
        mean, variance = np.load(found)["found"].T
    return Mixture(mean[None], variance[None])


def measured(folder: Path, name: str, number: int, python: Path | None) -> dict[str, Any]:
    """Numbers of all models on one split, and CPU seconds of the search."""
    command(folder, name)
    target, dropped = TABLES[name][1:]
    frame = pd.read_csv(folder / f"{name}.csv")
    x, y = Columns.learn(inputs := frame.drop(columns=[target, *dropped])).encode(inputs), frame[target].to_numpy(float)
    train, test = split_indices(len(y), number)
    names = tuple(f"x{j}" for j in range(x.shape[1]))
    table = Table(name, x[train], y[train], names, target)
    rounding = cut(Table(name, x, y, names, target), train, test).rounding
    changes = {"evaluate_every": 0, "shared_paths": True, "precision": "float64"}
    recipes = {method: recommended(method)[1].change(changes) for method in deep_methods(len(train))}
    began = time.process_time()
    search = Search(table, recipes, 2, 0, float("inf"), False)
    found = search.run()
    seconds = time.process_time() - began
    numbers: dict[str, dict[str, float]] = {}

    def scored(label: str, predict: Callable[[], Any]) -> None:
        all_of_it = summary(REGRESSION, [score(REGRESSION, predict(), y[test], rounding, full=True)])
        numbers[label] = {key: all_of_it[key] for key in KEYS}

    scored("auto", lambda: found.predict(x[test]))
    for label, member in search.finished.items():
        scored(label, lambda member=member: found.alone(member).predict(x[test]))  # type: ignore[misc]
    if python:
        scored("CatBoost", lambda: catboost(python, x[train], y[train], x[test]))
    held = [inside(found.guaranteed(x[test], 0.9, kind), y[test]) for kind in ("central", "hdr")]
    return {"table": name, "split": number, "seconds": seconds, "weights": dict(found.weights), "models": numbers,
            "guaranteed": dict(zip(("central", "hdr"), held, strict=True))}  # fmt: skip


def inside(ends: np.ndarray, y: np.ndarray) -> float:
    ends = ends[:, None] if ends.ndim == 2 else ends
    return float(((ends[..., 0] <= y[:, None]) & (y[:, None] <= ends[..., 1])).any(1).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to FILE, after every split")
    parser.add_argument("--folder", type=Path, default=Path("build/tables"), help="of files (%(default)s)")
    parser.add_argument("--splits", type=int, default=2, help="of each table (%(default)s)")
    parser.add_argument("--catboost", type=Path, metavar="PYTHON", help="a Python that has CatBoost")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(options.splits):
        for name in TABLES:
            rows.append(measured(options.folder, name, number, options.catboost))
            output.write(options.json, {"rows": rows})
            print(json.dumps(rows[-1]), file=sys.stderr)
    table = output.table_of("Means over splits", "", "model", *KEYS)
    for name in TABLES:
        of = [row for row in rows if row["table"] == name]
        for label in dict.fromkeys(label for row in of for label in row["models"]):
            there = [row["models"][label] for row in of if label in row["models"]]
            table.add_row(name, label, *(f"{np.mean([numbers[key] for numbers in there]):.2f}" for key in KEYS))
    output.console.print(table)


if __name__ == "__main__":
    main()
