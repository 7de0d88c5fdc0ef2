"""What the page shows of runs: plain texts, so that the template holds no logic. Tables it takes as they are."""

import json
import math
from dataclasses import asdict
from typing import Any

import pandas as pd

from dgpexp.config import Settings
from dgpexp.methods import SAMPLING
from dgpexp.numerals import fixed
from dgpexp.predictive.metrics import METRICS, RUNS
from dgpexp.report.cells import Group, called
from dgpexp.store.tidy_table import on_random_data

_SHOWN = [metric for metric in METRICS.values() if RUNS in metric.shown]


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
        title = f"{g.dataset} · {called(g.method, g.samples)} · depth {g.layers}"
        title += " · random numbers" if g.random else ""
        parts = [f"{len(g.runs)} finished", *(f"{n} {s.lower()}" for s, n in sorted(g.unfinished.items()))]
        if g.elsewhere:
            parts.append(f"{g.elsewhere} finished with other settings")
        entries.append({
            "anchor": g.anchor, "key": g.method, "title": title, "summary": ", ".join(parts), "rows": views,
            "heads": [m.brief for m in shown],
            "split_label": "seed" if g.section == "synthetic" else "split",
        })  # fmt: skip
    configs = [{"number": k, "runs": int(counts[s]), **_configuration(s)} for s, k in numbers.items()]
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


def _configuration(settings: str) -> dict[str, str]:
    """How settings differ from the defaults, which are the thesis's; and all of them."""
    try:
        actual = json.loads(settings)
    except ValueError:
        return {"summary": "settings not recorded", "json": settings}
    default = asdict(Settings())
    summary = ", ".join(f"{k} = {v}" for k, v in actual.items() if default.get(k) != v) or "the defaults"
    return {"summary": summary, "json": json.dumps(actual, indent=1, sort_keys=True)}


def _short(commit: str) -> str:
    """A commit by its first digits; `+changes` behind it stays."""
    digits, plus, rest = commit.partition("+")
    return f"{digits[:12]}{plus}{rest}"


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
