"""The tables that README.md and docs/ quote, as they must be now. `python -m tools.quotes` writes them again.

    <!-- quote: thesis/table-5.2.1 -->
    | ... |
    <!-- end -->

stands for the table that `dgpexp report --profile thesis` makes of results/measured/thesis, `thesis/table-5.1.2 at
depth 2` for its columns of that depth (`... of kin8nm,naval`: and of these data sets), `compare A B --metric ll` for
what `dgpexp compare A B --metric ll` prints of these runs, `ahead A B ...` for how far AEPMCM's log-likelihood is
ahead of VI's and AEP's in these sets (`dgpexp compare A,method=vi A,method=aepmcm --metric ll` and its like), `tried
A METRIC B C ...` for the differences of B, C, ... from A, a row each (`dgpexp compare A B --metric METRIC`), `verdicts
all` for what was reproduced (`short`: claims without the evidence; `counts`: as lines, the claims counted), `splits P
Q` for the splits that these profiles have;
`bench/promises` (`make bench-record`), `bench/races`, `bench/recipe`, `bench/auto`, `bench/gang` and `bench/gold`
(`make bench-races` and so on) are made of results/measured/bench. A table of the relatives whose runs are not there yet
is quoted as a sentence that says so.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import auto_tables, gang, races
from dgpexp.methods import method_name
from dgpexp.numerals import fixed, with_error
from dgpexp.report.cells import RECIPE
from dgpexp.report.model import Report, gather
from dgpexp.report.page.render import to_markdown
from dgpexp.report.statistics import compare
from dgpexp.report.statistics.paired import Difference
from dgpexp.report.statistics.stats import average
from dgpexp.report.verdicts import CONTRADICTED, OPEN, REPRODUCED, SUPPORTED, splits_done

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
QUOTE = re.compile(r"(<!-- quote: (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
VERDICTS = (REPRODUCED, SUPPORTED, CONTRADICTED, OPEN)
RELATIVES = ("power-", "folds-")  # tables that a report has once there are such runs
KINDS = {"quiet hidden layer": True, "noisy": False}  # of the problems of `bench/gold`
GOLD = {"mcmc": "MCMC itself", "second chain": "a second chain, less the first"}
NOT_YET = "Not measured yet.\n"


def current(name: str) -> str:
    """The table of this name from the committed results."""
    kind, *rest = name.split()
    makers: dict[str, Callable[..., str]] = {
        "compare": lambda a, b, _, metric: _compared(a, b, metric),
        "ahead": _ahead,
        "tried": _tried,
        "verdicts": _verdicts,
        "splits": _splits,
    }
    if kind in makers:
        return makers[kind](*rest)
    folder, _, table = name.partition("/")
    if table in ("gold", "gang", "races") and not (
        _bench(table).is_file() and {"rows", "results"} & {*_measured(table)}
    ):
        return NOT_YET
    if folder == "bench":
        made = {"promises": _promises, "races": _races, "recipe": _recipe, "auto": _auto, "gold": _gold}
        return (made | {"gang": _gang})[table]()
    number, _, depth = table.removeprefix("table-").partition(" at depth ")
    depth, _, names = depth.partition(" of ")
    tables = _tables(folder)
    if number not in tables and number.startswith(RELATIVES):
        return NOT_YET
    return _at_depth(tables[number], depth, names) if depth else tables[number]


@cache
def _tables(profile: str) -> dict[str, str]:
    """The tables of a report by number: the lines of the grid, without what is written around it."""
    grids = _report(profile).grids
    return {g.id: "".join(f"{line}\n" for line in to_markdown(g).splitlines() if line.startswith("|")) for g in grids}


@cache
def _report(profile: str) -> Report:
    with tempfile.TemporaryDirectory() as nothing_here:
        return gather(Path(nothing_here), profile)


def _at_depth(table: str, depth: str, names: str) -> str:
    """The data sets, all or those named, and the columns `VI 2`, `AEP 2`, ... of a table."""
    head, _, *rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    kept = [0, *(i for i, name in enumerate(head) if name.endswith(f" {depth}"))]
    rows = [cells for cells in rows if not names or cells[0] in names.split(",")]
    return _markdown([[cells[i] for i in kept] for cells in (head, *rows)])


def _verdicts(how: str) -> str:
    """What was reproduced, each section and claim with the runs that it rests on."""
    report = _report("thesis")
    if how == "counts":
        first = {v: "; ".join(v.evidence.split("; ")[:2]) for v in report.verdicts}
        lines = [f"- {v.about}: **{v.verdict}**, {v.runs} runs (`{v.profile}`). {says}." for v, says in first.items()]
        counted = Counter(v.verdict for v in report.claims)
        claims = ", ".join(f"{counted[verdict]} {verdict}" for verdict in VERDICTS if counted[verdict])
        return "".join(f"{line}\n" for line in [*lines, f"- Its {len(report.claims)} claims: {claims}."])
    rows = [["section or claim", "verdict", "ours", "runs"]]
    every = report.claims if how == "short" else [*report.verdicts, *report.claims]
    rows += [[v.about, f"**{v.verdict}**", v.evidence, f"{v.runs} (`{v.profile}`)"] for v in every]
    return _markdown([[*row[:2], row[3]] for row in rows] if how == "short" else rows)


def _splits(*profiles: str) -> str:
    """Splits done of each data set: a column for each profile and depth, every method's in it, or one if equal."""
    done = {profile: splits_done(_report(profile)) for profile in profiles}
    rows: list[list[str]] = []
    for i, (dataset, *_) in enumerate(done[profiles[0]]):
        row = [dataset]
        for profile, grid in done.items():
            by_depth: dict[str, list[str]] = {}
            for head, cell in zip(grid[0][1:], grid[i][1:], strict=True):
                by_depth.setdefault(head.split()[-1], []).append(cell.partition("/")[0].replace("·", "0"))
            if not i:
                row += [f"{profile} {depth}" for depth in by_depth]
            else:
                row += [cells[0] if len(set(cells)) == 1 else ", ".join(cells) for cells in by_depth.values()]
        rows.append(row)
    return _markdown(rows)


def _ahead(*sets: str) -> str:
    """AEPMCM - VI and AEPMCM - AEP in log-likelihood: difference, 95 % interval and pairs of every cell of the sets."""
    rows = [["runs", "cell", "AEPMCM − VI", "95 % interval", "pairs", "AEPMCM − AEP", "95 % interval", "pairs"]]
    for text in sets:
        against = {}
        for other in ("vi", "aep"):
            found = _differences(f"{text},method={other}", f"{text},method=aepmcm", "ll")
            against[other] = {d.cell: compare.printed(d) for d in found}
        for cell in sorted({*against["vi"], *against["aep"]}):
            both = (against[other].get(cell, ("",) * len(compare.HEAD)) for other in ("vi", "aep"))
            rows.append([text, cell, *(printed[i] for printed in both for i in (4, 5, 1))])
    return _markdown(rows)


def _tried(a: str, metric: str, *sets: str) -> str:
    """What each set, a row, has more than A of a metric, cell by cell, and the number of pairs."""
    found = [{d.cell: compare.printed(d) for d in _differences(a, text, metric)} for text in sets]
    cells = sorted({cell for of_set in found for cell in of_set})
    rows = [[f"{metric}, B - A", *cells]]
    for text, of_set in zip(sets, found, strict=True):
        entries = (of_set.get(cell) for cell in cells)
        rows.append([text.partition(":")[2].replace(",", ", "), *(f"{e[4]} ({e[1]})" if e else "" for e in entries)])
    return _markdown(rows)


def _differences(a: str, b: str, metric: str) -> list[Difference]:
    with tempfile.TemporaryDirectory() as nothing_here:
        sets = (compare.parse(text, Path(nothing_here)) for text in (a, b))
        return compare.compare(*sets, (metric,)).differences


def _compared(a: str, b: str, metric: str) -> str:
    """B - A cell by cell, over the pairs that both have."""
    found = _differences(a, b, metric)
    table = _markdown([list(compare.HEAD), *(list(compare.printed(d)) for d in found)])
    counted = "\n".join(c.sentence() for c in compare.over_datasets(found).values())
    return f"{table}\n{counted}\n" if counted else table


def _promises() -> str:
    """Every promised ratio of processor times (quartiles), its limit and whether it is kept."""
    rows = [["a step", "ratio", "ms of the second", "measured", "promise", ""]]
    for group, found in _measured("steps")["groups"].items():
        ms = {t["name"]: f"{t['cpu_ms']:.1f}" for t in found["timings"]}
        for p in found["promises"]:
            ratio = f"{p['median']:.2f} ({p['lower']:.2f}-{p['upper']:.2f})"
            verdict = {True: "kept", False: "**missed**", None: ""}[p["kept"]]
            rows.append([group, p["ratio"], ms[p["ratio"].split(" / ")[1]], ratio, p["limit"], verdict])
    return _markdown(rows)


def _races() -> str:
    """Seconds of training until the test log-likelihood reaches each goal, ours beside the peers', and the promise."""
    return _markdown(races.table(_measured("races")["results"]))


def _gang() -> str:
    """A step of one process and of two that share it, by the wall clock."""
    return _markdown([["ms a step", *gang.HEAD], *(gang.cells(row) for row in _measured("gang")["rows"])])


def _recipe() -> str:
    """Training time of a run by our recipe, and its share of the thesis's: cells of a data set in a row."""
    cells = {(c["dataset"], c["method"], c["depth"]): c for c in _measured("recipe")["cells"]}
    columns = list(dict.fromkeys((method, depth) for _, method, depth in cells))
    rows = [[f"{RECIPE}, s; {RECIPE} / thesis", *(f"{method_name(method)} {depth}" for method, depth in columns)]]
    for dataset in dict.fromkeys(dataset for dataset, _, _ in cells):
        found = (cells[dataset, method, depth] for method, depth in columns)
        rows.append([dataset, *(f"{c[f'{RECIPE}_s']:.0f}; {c['median']:.3f}" for c in found)])
    return _markdown(rows)


def _auto() -> str:
    """`auto` beside its members and CatBoost, on tables that it was not chosen on."""
    return _markdown([list(auto_tables.HEAD), *auto_tables.lines(_measured("auto")["rows"])])


def _gold() -> str:
    """How far each method is from the posterior, sampled: mean gap (standard error) over the problems of each kind."""
    problems = _measured("gold")["rows"]
    kinds = {name: [p for p in problems if (p["inner_noise"] < 0.01) == quiet] for name, quiet in KINDS.items()}
    rows = [["", *(f"{name}: {metric}" for name in kinds for metric in ("LL", "CRPS"))]]
    for key in [key for key in problems[0] if isinstance(problems[0][key], dict)]:
        cells = [_gap(of_kind, key, metric) for of_kind in kinds.values() for metric in ("ll", "crps")]
        rows.append([GOLD.get(key) or f"{method_name(key)}, less MCMC", *cells])
    return _markdown(rows)


def _gap(problems: list[dict[str, Any]], key: str, metric: str) -> str:
    if key == "mcmc":
        return fixed(average([p[key][metric] for p in problems]).mean, 3)
    s = average([p[key][metric] - p["mcmc"][metric] for p in problems])
    return with_error(s.mean, s.stderr, 3)


def _measured(name: str) -> dict[str, Any]:
    return json.loads(_bench(name).read_text(encoding="utf-8"))


def _bench(name: str) -> Path:
    return ROOT / "results" / "measured" / "bench" / f"{name}.json"


def _markdown(rows: list[list[str]]) -> str:
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def quotes() -> Iterator[tuple[str, str, str]]:
    """Where a table is quoted, what is quoted, and what it must be."""
    for document in DOCUMENTS:
        for match in QUOTE.finditer(document.read_text(encoding="utf-8")):
            yield f"{document.name}: {match[2]}", match[3], current(match[2])


def refresh() -> None:
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        fresh = QUOTE.sub(lambda m: m[1] + current(m[2]) + m[4], text)
        if fresh != text:
            document.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    refresh()
