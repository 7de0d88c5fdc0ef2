"""What the page shows of grids, tests and runs: plain dictionaries of text, so that the template holds no logic."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

import pandas as pd

from dgpexp.config import Settings
from dgpexp.datasets.catalog import CATALOG
from dgpexp.methods import SAMPLING, method_name
from dgpexp.numerals import fixed
from dgpexp.predictive.metrics import METRICS, RUNS
from dgpexp.report.cells import Cell, Group
from dgpexp.report.grid import Grid
from dgpexp.report.model import Report
from dgpexp.report.page.render import mark, ours, signed, theirs
from dgpexp.report.statistics.comparisons import WinTieLoss
from dgpexp.report.statistics.paired import Difference
from dgpexp.store.tidy_table import on_random_data

_WIDEST = 14  # columns that a page of 1280 px has room for
_SHOWN = [metric for metric in METRICS.values() if RUNS in metric.shown]


def slug(text: str) -> str:
    return text.replace(".", "-")


def linked_grids(report: Report) -> list[dict[str, Any]]:
    """The thesis's tables of another report, where it has numbers, as they stand on the page of this one."""
    return [
        grid_view(g.trimmed(), [f"../{report.profile}/tables/table-{g.id}.{k}" for k in ("csv", "md", "tex")], report)
        for g in report.thesis_grids
        if not g.empty
    ]


def grid_view(grid: Grid, files: list[str], elsewhere: Report | None = None) -> dict[str, Any]:
    """A grid as rows of ready texts; the columns in groups if they have any. `elsewhere`: its runs are on that page."""
    bold = grid.best()
    groups: list[list[Any]] = []
    for j, column in enumerate(grid.columns):
        if groups and groups[-1][0] == column.group:
            groups[-1][2] += 1
        else:
            groups.append([column.group, grid.cells[0, j].method, 1])
    turned = len(grid.columns) > _WIDEST  # then data sets go across, methods with their depths down
    grouped = bool(grid.columns[0].group) and not turned
    starts = {j for j in range(len(grid.columns)) if j and grid.columns[j].group != grid.columns[j - 1].group}
    entries = [
        [_entry(grid, i, j, (i, j) in bold, grouped and (j in starts or j == 0)) for j in range(len(grid.columns))]
        for i in range(len(grid.rows))
    ]
    heads = [(c.label, grouped and (j in starts or j == 0)) for j, c in enumerate(grid.columns)]
    names = [(name, "" if grouped else grid.cells[i, 0].method) for i, name in enumerate(grid.rows)]
    if turned:
        entries = [list(line) for line in zip(*entries, strict=True)]
        names = [(f"{c.group} {c.label}", grid.cells[0, j].method) for j, c in enumerate(grid.columns)]
        heads = [(name, False) for name in grid.rows]
    rows = [(*name, line) for name, line in zip(names, entries, strict=True)]
    return {
        "slug": slug(grid.id if elsewhere is None else f"{elsewhere.profile}-{grid.id}"),
        "page": "" if elsewhere is None else f"../{elsewhere.profile}/index.html",
        "number": grid.id if grid.numbered else "", "title": grid.title,
        "caption": grid.caption, "corner": "method" if turned else grid.corner, "groups": groups if grouped else [],
        "heads": heads, "matrix": grouped or turned,
        "rows": rows, "notes": grid.notes, "files": files,
    }  # fmt: skip


def _entry(grid: Grid, i: int, j: int, best: bool, edge: bool) -> dict[str, Any]:
    c = grid.cells[i, j]
    return {
        "ours": ours(grid, i, j), "theirs": theirs(c), "mark": mark(c), "verdict": c.verdict, "note": c.note,
        "anchor": c.anchor, "best": best, "edge": edge, "sort": c.mean if c.n else "",
    }  # fmt: skip


def number_views(grids: list[Grid]) -> list[dict[str, Any]]:
    """One line per cell of the thesis's tables."""
    return [_number(grid, c, i, j) for grid in grids for (i, j), c in sorted(grid.cells.items())]


def _number(grid: Grid, c: Cell, i: int, j: int) -> dict[str, Any]:
    return {
        "table": grid.id, "dataset": c.dataset, "key": c.method, "layers": c.layers, "metric": METRICS[c.metric].brief,
        "method": method_name(c.method) + (f"-{c.samples}" if c.samples else ""),
        "n": c.n, "expected": c.expected, "ours": ours(grid, i, j), "theirs": theirs(c), "anchor": c.anchor,
        "sort": c.mean if c.n else "", "their_sort": c.published.mean if c.published else "",
        "difference": signed(c.difference), "difference_sort": "" if c.difference is None else c.difference,
        "verdict": c.verdict, "note": c.note,
    }  # fmt: skip


def test_views(tests: list[Difference]) -> list[dict[str, Any]]:
    views = []
    for t in tests:
        views.append({
            "metric": METRICS[t.metric].brief, "dataset": t.dataset, "layers": t.layers, "first": method_name(t.first),
            "second": method_name(t.second), "n": t.n, "difference": t.shown(t.difference),
            "difference_value": t.difference, "interval": t.interval,
            "p": _p(t.p), "p_value": "" if t.p is None else t.p, "adjusted": _p(t.adjusted),
            "adjusted_value": "" if t.adjusted is None else t.adjusted,
            "better": method_name(t.better) if t.better else ("" if t.p is None else "tie"),
        })  # fmt: skip
    return views


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def wtl_views(lines: list[WinTieLoss]) -> list[dict[str, Any]]:
    names: dict[str, Callable[[str], str]] = {
        "first": method_name,
        "second": method_name,
        "metric": lambda m: METRICS[m].brief,
    }
    return [{k: names[k](v) if k in names else v for k, v in asdict(w).items()} for w in lines]


def run_views(frame: pd.DataFrame, groups: list[Group]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The runs of every table entry, and the configurations that they refer to by number."""
    numbers: dict[str, int] = {}
    entries = []
    frame = frame.assign(settings=frame["settings"].fillna("").astype(str)) if len(frame) else frame
    counts: Any = frame["settings"].value_counts() if len(frame) else {}
    frame = frame.assign(random=on_random_data(frame))
    by_cell = dict(list(frame.groupby(["dataset", "method", "layers", "random"]))) if len(frame) else {}
    for g in groups:
        rows = by_cell[g.dataset, g.method, g.layers, g.random]
        if g.section == "big" and g.method in SAMPLING:
            rows = rows[rows["train_samples"] == g.samples]
        shown = [m for m in _SHOWN if rows[m.key].notna().any() and not g.random]
        views = []
        for r in rows.sort_values(["split", "run_id"]).to_dict("records"):
            number = numbers.setdefault(r["settings"], len(numbers) + 1)
            views.append(_run(r, number, [m.key for m in shown]))
        title = f"{g.dataset} · {method_name(g.method)}{f'-{g.samples}' if g.samples else ''} · depth {g.layers}"
        title += " · random numbers" if g.random else ""
        parts = [f"{len(g.runs)} finished", *(f"{n} {s.lower()}" for s, n in sorted(g.unfinished.items()))]
        if g.elsewhere:
            parts.append(f"{g.elsewhere} finished with other settings")
        entries.append({
            "anchor": g.anchor, "key": g.method, "title": title, "summary": ", ".join(parts), "rows": views,
            "heads": [m.brief for m in shown],
            "split_label": "seed" if g.section == "synthetic" else "split",
        })  # fmt: skip
    configs = [
        {"number": k, "runs": int(counts[s]), "summary": _difference(s), "json": _pretty(s)} for s, k in numbers.items()
    ]
    return entries, configs


def _run(r: dict[Any, Any], config: int, shown: list[str]) -> dict[str, Any]:
    def number(name: str, decimals: int, scale: float = 1.0) -> str:
        value = r[name]
        return "" if pd.isna(value) or not math.isfinite(value) else fixed(scale * float(value), decimals)

    return {
        "run_id": r["run_id"], "split": int(r["split"]) if not pd.isna(r["split"]) else "", "config": config,
        "status": str(r["status"]).lower(), "error": r["error"] or "", "command": r["command"] or "",
        "numbers": [number(name, 4) for name in shown],
        "steps": number("steps", 0), "ms": number("seconds_per_step", 1, 1000.0),
        "hours": number("train_seconds", 2, 1 / 3600),
    }  # fmt: skip


def _difference(settings: str) -> str:
    """How a configuration differs from the defaults, which are the thesis's."""
    try:
        actual = json.loads(settings)
    except ValueError:
        return "settings not recorded"
    default = asdict(Settings())
    return ", ".join(f"{k} = {v}" for k, v in actual.items() if default.get(k) != v) or "the defaults"


def _pretty(settings: str) -> str:
    try:
        return json.dumps(json.loads(settings), indent=1, sort_keys=True)
    except ValueError:
        return settings


def _short(commit: str) -> str:
    """A commit by its first digits; `+changes` behind it stays."""
    digits, plus, rest = commit.partition("+")
    return f"{digits[:12]}{plus}{rest}"


def dataset_views(names: Iterable[str]) -> list[dict[str, Any]]:
    """Rows and inputs of data sets."""
    found = [CATALOG[name] for name in names]
    return [{"name": d.name, "inputs": d.inputs, "rows_said": f"{d.rows:,}"} for d in found]


def machine_views(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Hours and runs by machine and version."""
    if frame.empty:
        return []
    keys = ["cpu", "version", "commit", "tensorflow"]
    known = frame.assign(**{k: frame[k].fillna("").replace("", "not recorded") for k in keys})
    views = []
    for names, rows in known.groupby(keys, sort=True):
        started = sorted(s[:10] for s in rows["started"].fillna("") if s)
        views.append({
            **dict(zip(keys, names, strict=True)), "commit": _short(str(names[2])), "runs": len(rows),
            "hours": fixed(float(rows["train_seconds"].fillna(0).sum()) / 3600, 1),
            "started": f"{started[0]} to {started[-1]}" if started else "",
        })  # fmt: skip
    return views
