"""`make bench-races`: seconds of training until the test log-likelihood reaches given values, ours and the peers'.

Splits of power, kin8nm and protein, three layers, one thread. A race is a data set and a seed: every contestant is a
process, they share one core, and take turns that grow with the time they have had. Only training is on the clock, in
processor time; building graphs and evaluating (on at most 1,000 test rows, by 100 paths) is not. A contestant stops at
the last goal or at the limit. Two races run side by side where there are two cores.

The peers race with the settings by which they come farthest on power, seed 0, in half the time, out of those in PEERS.
"""

import statistics
from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from benchmarks import output, threads, workers

GOALS = {"power": (-2.9, -2.85, -2.8), "kin8nm": (1.0, 1.1, 1.2), "protein": (-2.95, -2.9, -2.85)}
LIMIT = 3.0  # times as fast as the fastest peer: the promise, at every goal; and a last goal that no peer reaches
SHORTEST, GROWTH = 0.5, 0.2  # of a turn: seconds, and a share of the training so far

OURS: dict[str, tuple[str, dict[str, Any]]] = {
    name: ("dgpexp", {"method": name.lower(), "profile": "best"}) for name in ("VI", "AEPMCM", "PEP")
}
PEERS: dict[str, tuple[str, list[dict[str, Any]]]] = {  # as documented ({}), and what else is tried
    "GPflux": (
        "gpflux",
        [
            {},
            {"rate": 0.02},
            {"rate": 0.005},
            {"batch": 300},
            {"batch": 1000},
            {"samples": 5},
            {"inner": 1e-1},
            {"noise": 0.1},
            {"noise": 0.1, "batch": 300, "rate": 0.02},
        ],
    ),
    "GPyTorch": (
        "gpytorch",
        [{}, {"batch": 256}, {"batch": 256, "samples": 1}, {"batch": 256, "samples": 1, "rate": 0.03}],
    ),
}
Curve = list[tuple[float, int, float]]  # seconds of training, steps, test log-likelihood
_CORES: SimpleQueue[int] = SimpleQueue()  # that are free


class Learner:
    """A contestant's clock and what it has reached."""

    def __init__(self, name: str, program: str, options: Mapping[str, Any], core: int) -> None:
        self.name, self.curve, self._per_step = name, Curve(), 0.0
        self.worker = workers.learner(name, program, core, **options)

    def run(self, goal: float, seconds: float) -> bool:
        """A turn of training, then an evaluation; whether there is more to do."""
        if not self._per_step:
            self._per_step = max(1e-6, self.worker.advance(3)[1] / 3)
        before, steps, _ = self.curve[-1] if self.curve else (0.0, 0, 0.0)
        turn = max(1, round(max(SHORTEST, GROWTH * before) / self._per_step))
        took = self.worker.advance(turn)[1]
        self._per_step = took / turn
        self.curve.append((before + took, steps + turn, self.worker.log_likelihood()))
        return self.curve[-1][2] < goal and self.curve[-1][0] < seconds


def race(contestants: Mapping[str, tuple[str, dict[str, Any]]], goal: float, seconds: float) -> dict[str, Curve]:
    """The curves of all contestants, who take turns on a core that nobody else has."""
    core = _CORES.get()
    try:
        learners = [Learner(name, program, options, core) for name, (program, options) in contestants.items()]
        with workers.closing([learner.worker for learner in learners]):
            racing = learners
            while racing:
                racing = [learner for learner in racing if learner.run(goal, seconds)]
        return {learner.name: learner.curve for learner in learners}
    finally:
        _CORES.put(core)


def best_variants(lanes: Executor, seconds: float) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """The settings by which each peer comes farthest on power in some seconds, and how far each variant comes."""
    tried = [(peer, program, variant) for peer, (program, variants) in PEERS.items() for variant in variants]

    def one(job: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
        peer, program, variant = job
        curve = race({peer: (program, {**variant, "dataset": "power", "seed": 0})}, float("inf"), seconds)[peer]
        return {"peer": peer, "variant": variant, "ll": max(ll for _, _, ll in curve), "curve": curve}

    found = list(lanes.map(one, tried))
    best = {peer: max((f for f in found if f["peer"] == peer), key=lambda f: f["ll"])["variant"] for peer in PEERS}
    return best, found


def reached(curve: Curve, goal: float) -> float | None:
    """Seconds of training at the first evaluation that is at least as good as `goal`."""
    return next((seconds for seconds, _, ll in curve if ll >= goal), None)


def judged(curves: dict[str, list[Curve]], goal: float, last: bool) -> dict[str, Any]:
    """Median seconds to a goal over the seeds (None: most do not reach it), and whether each of ours keeps its promise.

    Where no peer reaches the goal, the time that the slowest had is what the ratio is at least.
    """
    found = {name: [reached(curve, goal) for curve in of_seeds] for name, of_seeds in curves.items()}
    median = {name: statistics.median(s if s is not None else float("inf") for s in of) for name, of in found.items()}
    had = min(curve[-1][0] for name in PEERS for curve in curves[name])
    fastest = min(median[name] for name in PEERS)
    never = all(s is None for name in PEERS for s in found[name])
    ratio = {name: min(fastest, had) / median[name] for name in OURS}
    return {
        "goal": goal,
        "seconds": {name: m if m < float("inf") else None for name, m in median.items()},
        "ratio": ratio,
        "at_least": fastest == float("inf"),
        "kept": {name: r >= LIMIT and (never or not last) for name, r in ratio.items()},
    }


def table(results: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    """Rows for people: seconds to each goal, and of ours how many times as long the fastest peer takes."""
    rows = [["LL at least", *OURS, *PEERS, "promise"]]
    for dataset, goals in results.items():
        for g in goals:
            seconds = {name: "never" if s is None else f"{s:.1f} s" for name, s in g["seconds"].items()}
            sign = "> " if g["at_least"] else ""
            ours = [seconds[name] + (f" ({sign}{g['ratio'][name]:.1f})" if g["seconds"][name] else "") for name in OURS]
            missed = [name for name in OURS if not g["kept"][name]]
            verdict = f"**missed** by {', '.join(missed)}" if missed else "kept"
            rows.append([f"{dataset} {g['goal']}", *ours, *(seconds[name] for name in PEERS), verdict])
    return rows


def main() -> None:
    parser = output.arguments(__doc__ or "", blocks=0, seconds=30.0)
    parser.add_argument("--dataset", action="append", choices=GOALS, help="only this one; repeatable")
    parser.add_argument("--seeds", type=int, default=3, help="starts of every contestant (default %(default)s)")
    options = parser.parse_args()
    names = options.dataset or list(GOALS)
    for core in threads.cores()[:2]:
        _CORES.put(core)
    with ThreadPoolExecutor(_CORES.qsize()) as lanes:
        best, tried = best_variants(lanes, options.seconds / 2)
        shown = output.table_of(f"The peers on power in {options.seconds / 2:.0f} s", "", "settings", "LL")
        for t in tried:
            shown.add_row(t["peer"], str(t["variant"] or "as documented"), f"{t['ll']:.3f}")
        output.console.print(shown)
        contestants = OURS | {peer: (PEERS[peer][0], settings) for peer, settings in best.items()}

        def one(job: tuple[str, int]) -> dict[str, Curve]:
            which = {"dataset": job[0], "seed": job[1]}
            named = {name: (program, {**settings, **which}) for name, (program, settings) in contestants.items()}
            return race(named, GOALS[job[0]][-1], options.seconds)

        jobs = [(dataset, seed) for dataset in names for seed in range(options.seeds)]
        found = dict(zip(jobs, lanes.map(one, jobs), strict=True))
    curves = {d: {name: [found[d, s][name] for s in range(options.seeds)] for name in contestants} for d in names}
    results = {d: [judged(curves[d], goal, goal == GOALS[d][-1]) for goal in GOALS[d]] for d in names}
    head, *rows = table(results)
    shown = output.table_of("Seconds of training (the fastest peer's, as a multiple of ours)", *head)
    for row in rows:
        shown.add_row(*row)
    output.console.print(shown)
    about = {"limit_s": options.seconds, "contestants": contestants, "tried": tried}
    output.write(options.json, {**about, "results": results, "curves": curves})


if __name__ == "__main__":
    main()
