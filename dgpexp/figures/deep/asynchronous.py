"""Workers that do not wait: the more of them, the staler their gradients, and the higher the error.

Training of a deep GP on mnist by N workers that share the parameters and never wait for each other, emulated in one
process: each update takes the gradient where its worker had copied the parameters, about N - 1 updates ago. Lines are
means over seeds, bands their range. Above, the test error against updates. Below, the same runs against time, which is
modelled, not measured: a worker computes 41 ms and exchanges 1.4 MB each way over a server's line of 10 Gbit/s, which
all N share. Cutajar et al. (2017, section 3.3, Figure 4) saw this on real machines: time fell less than in proportion
to the workers, and the error rose with their number.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.figures.registry import Unavailable
from dgpexp.methods import method_name
from dgpexp.resources import shipped
from dgpexp.store.tidy_table import UPDATES, read_measured, read_measured_curves, recorded_settings

COMPUTED, BYTES, LINE = 40.6, 1.4e6, 10.0  # ms of a gradient, its bytes, Gbit/s of the server
_CALL, _SHARE = 0.9, 0.94  # as in plan/machines.py


def milliseconds(workers: int) -> float:
    """Of an update: a worker's round through N, unless the server's line, both ways, takes longer."""
    both_ways = 2 * 8 * BYTES / 1e6 / (_SHARE * LINE)
    return max((COMPUTED + _CALL + both_ways) / workers, both_ways)


def draw() -> Figure:
    runs = read_measured(UPDATES)
    if runs.empty:
        raise Unavailable("it needs results/measured/async: `dgpexp run classification --profile async` makes its runs")
    curves = read_measured_curves(shipped("measured", "results/measured") / UPDATES / "curves.csv")
    curves = curves.merge(runs[["run_id", "method"]], on="run_id")
    workers = {row.run_id: recorded_settings(row.settings).get("shards", 1) for row in runs.itertuples()}
    curves["workers"] = curves["run_id"].map(workers)
    methods = list(dict.fromkeys(runs.method))
    figure, axes = canvas.panels(2, len(methods), 2.6, sharey="col")
    for column, method in zip(axes.T, methods, strict=True):
        for colour, (count, found) in zip(
            canvas.LINES, curves[curves.method == method].groupby("workers"), strict=False
        ):
            _line(column, found, int(count), colour)
        seeds = runs[runs.method == method].groupby(runs.run_id.map(workers)).size()
        column[0].set(title=f"{method_name(method)}, {_several(seeds)}", xlabel="updates", ylabel="test error")
        column[1].set(xlabel="seconds, modelled", xscale="log", ylabel="test error")
    axes[0, 0].legend(title="workers")
    return figure


def _line(column: np.ndarray, found: pd.DataFrame, count: int, colour: str) -> None:
    of_step = (1 - found.set_index("step")["accuracy"]).groupby("step").agg(["mean", "min", "max"])
    updates = of_step.index.to_numpy()
    for ax, x in zip(column, (updates, updates * milliseconds(count) / 1e3), strict=True):
        ax.plot(x, of_step["mean"], "o-", color=colour, markersize=3, label=f"{count}")
        ax.fill_between(x, of_step["min"], of_step["max"], color=colour, alpha=0.15, lw=0)


def _several(seeds: "pd.Series[int]") -> str:
    few, many = seeds.min(), seeds.max()
    return f"{many} seeds" if few == many > 1 else f"{few} to {many} seeds" if few != many else "1 seed"
