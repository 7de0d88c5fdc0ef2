"""Figure 6.0.3: virtual workers that wait for nobody, from the runs of the profile `async`."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.figures.registry import Unavailable
from dgpexp.methods import METHODS, method_name
from dgpexp.plan.machines import StepCost
from dgpexp.resources import shipped
from dgpexp.store.stored_run import COMPLETED
from dgpexp.store.tidy_table import UPDATES, read_measured, read_measured_curves, recorded_settings

GIGABITS = 10
_MEASURED = ("measured", "results/measured")
_LINES = ("-", "--", "-.", ":")


def virtual_workers() -> Figure:
    """Workers that wait for nobody: less time for an update, and a larger error after it.

    A deep GP of two layers on mnist by N virtual workers, whose parameters are about N - 1 updates old (profile
    `async`), after Figure 4 of Cutajar et al. (2017). Error on 1,000 test images: mean of three seeds, with their range
    as a band. Left against updates, where more workers can only lose. Right against time, which is modelled and not
    measured: steps of one core, and a network of 10 Gbit/s to one server of parameters. Workers help until that server
    has enough to do.
    """
    runs, curves = read_measured(UPDATES), read_measured_curves(shipped(*_MEASURED) / UPDATES / "curves.csv")
    if runs.empty:
        raise Unavailable(f"the runs of the profile {UPDATES} are not committed")
    figure: Figure = drawn(gather(runs), lambda run_id: curves[curves["run_id"] == run_id])
    return figure


def gather(runs: pd.DataFrame) -> pd.DataFrame:
    """The finished runs of the profile, with columns for N, `workers`, and the rows of a minibatch, `batch`."""
    done = runs[(runs["status"] == COMPLETED) & (runs["profile"] == UPDATES)]
    settings = [recorded_settings(text) for text in done["settings"]]
    sizes: dict[str, Any] = {
        "workers": [s.get("shards") for s in settings],
        "batch": [s.get("batch_size") for s in settings],
    }
    return done.assign(**sizes).sort_values(["workers", "run_id"])


@canvas.for_page()
def drawn(runs: pd.DataFrame, curve: Callable[[str], pd.DataFrame]) -> Figure:
    """A row for each method: error against updates, and where the cost of its step is known, against modelled time."""
    methods, costs = [name for name in METHODS if name in set(runs["method"])], _costs()
    figure, axes = canvas.panels(len(methods), 2, 0.5 + 2.3 * len(methods), sharey="row")
    for (left, right), method in zip(axes, methods, strict=True):
        for line, (workers, same) in zip(_LINES, runs[runs["method"] == method].groupby("workers"), strict=False):
            seen = [course for run in same["run_id"] if "accuracy" in (course := curve(str(run)).set_index("step"))]
            if not seen:
                continue
            error = 100 * (1 - pd.concat([course["accuracy"] for course in seen], axis=1))
            style = {"label": str(workers), "ls": line, "color": canvas.LINES[_LINES.index(line)]}
            _line(left, error.index.to_numpy(), error.to_numpy(), style)
            if method in costs:
                each = costs[method].between_updates(int(same["batch"].iloc[0]), int(str(workers)), GIGABITS)
                _line(right, 1e-3 * each * error.index.to_numpy(), error.to_numpy(), style)
        left.set(title=method_name(method), ylabel="test error, %", xlabel="updates", yscale="log")
        right.set(title=f"modelled, {GIGABITS} Gbit/s", xlabel="seconds, modelled", xscale="log")
        right.set_visible(method in costs)
        for ax in (left, right):
            ax.grid(True)
            canvas.plain_decades(ax.yaxis)
        canvas.plain_decades(right.xaxis)
        left.margins(x=0.08)
    axes[0, 0].legend(title="workers", ncols=2)
    return figure


def _line(ax: Axes, x: np.ndarray, error: np.ndarray, style: dict[str, Any]) -> None:
    ax.fill_between(x, error.min(axis=1), error.max(axis=1), color=style["color"], alpha=0.15, linewidth=0)
    ax.plot(x, error.mean(axis=1), **style)


def _costs() -> dict[str, StepCost]:
    """What a step of each method takes on one core (`make bench-gang`); nothing where that was not measured."""
    path = shipped(*_MEASURED) / "bench" / "gang.json"
    content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {method: StepCost(**cost) for method, cost in content.get("costs", {}).items()}
