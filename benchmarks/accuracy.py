"""The race of `make bench-peers`: seconds of training until the test log-likelihood on power reaches given values.

Everybody as its users run it (contestants/usual.py), on split 0, one thread, a process each. They take turns of a few
seconds, so that a slow minute is shared; only training is on the clock, never evaluation or the building of graphs.
"""

from typing import Any

from benchmarks import output, workers

GOALS = (-2.9, -2.85, -2.8, -2.75)


def begin() -> list[workers.Worker]:
    """Who takes part; S = 1 is what GPflux's tutorial draws, 20 what the thesis's code does."""
    one = {"train_samples": 1}
    ours: dict[str, tuple[str, str, dict[str, Any]]] = {
        "VI float64 S=20": ("vi", "thesis", {}),
        "VI float64 S=1": ("vi", "thesis", one),
        "VI as in best": ("vi", "best", {}),
        "AEPMCM float64 S=20": ("aepmcm", "thesis", {}),
        "AEPMCM as in best": ("aepmcm", "best", {}),
    }
    return [
        *(
            workers.learner(f"dgpexp {name}", "dgpexp", method=method, profile=profile, changes=changes)
            for name, (method, profile, changes) in ours.items()
        ),
        workers.learner("GPflux VI float64 S=1", "gpflux"),
        workers.learner("GPyTorch VI float32 S=10", "gpytorch"),
    ]


class Race:
    """One learner's clock and what it has reached."""

    def __init__(self, worker: workers.Worker, turn: float) -> None:
        self.worker, self.seconds, self.steps = worker, 0.0, 0
        self.curve: list[tuple[float, int, float]] = []
        self._steps_a_turn = max(1, round(5 * turn / worker.advance(5)[0]))

    def run(self) -> None:
        """A turn of training, then an evaluation on the test rows."""
        self.seconds += self.worker.advance(self._steps_a_turn)[0]
        self.steps += self._steps_a_turn
        self.curve.append((self.seconds, self.steps, self.worker.log_likelihood()))

    def reached(self, goal: float) -> float | None:
        """Seconds of training at the first evaluation that is at least as good as `goal`."""
        return next((seconds for seconds, _, ll in self.curve if ll >= goal), None)


def main() -> None:
    options = output.arguments(__doc__ or "", blocks=40, seconds=3.0).parse_args()
    from dgpexp.datasets import load_split
    from dgpexp.errors import UserError

    try:
        load_split("power", 0)
    except UserError as error:
        output.console.print(f"No race on power: {error}")
        return

    with workers.closing(begin()) as everybody:
        races = [Race(worker, options.seconds) for worker in everybody]
        for _ in range(options.blocks):
            for race in races:
                if race.reached(max(GOALS)) is None:
                    race.run()
    title = f"Seconds of training on power, at most {options.blocks * options.seconds:.0f}"
    goals = [f"LL ≥ {goal}" for goal in GOALS]
    table = output.table_of(title, "", *goals, "best LL", "ms a step")
    for race in races:
        cells = ["-" if (s := race.reached(goal)) is None else f"{s:.0f}" for goal in GOALS]
        best = max(ll for _, _, ll in race.curve)
        table.add_row(race.worker.name, *cells, f"{best:.3f}", f"{1e3 * race.seconds / race.steps:.1f}")
    output.console.print(table)
    curves = {race.worker.name: race.curve for race in races}
    output.write(options.json, {"goals": GOALS, "columns": ["seconds", "steps", "ll"], "curves": curves})


if __name__ == "__main__":
    main()
