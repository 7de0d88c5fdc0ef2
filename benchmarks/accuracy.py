"""The race of `make bench-peers`: seconds of training until the test log-likelihood on power reaches given values.

Everybody as its users run it (contestants/usual.py), on split 0, one thread. The learners take turns of a few seconds,
so that a slow minute is shared; only training is on the clock, never evaluation or the building of graphs.
"""

import time

from benchmarks import threads

threads.single()

from benchmarks import output  # noqa: E402

GOALS = (-2.9, -2.85, -2.8, -2.75)


def learners(split):  # type: ignore[no-untyped-def]
    from benchmarks.contestants import usual

    return [
        usual.dgpexp("vi", "float64", 20, split),
        usual.dgpexp("vi", "float64", 1, split),  # what GPflux's tutorial draws
        usual.dgpexp("vi", "mixed", 1, split),
        usual.dgpexp("aepmcm", "float64", 20, split),
        usual.dgpexp("aepmcm", "mixed", 10, split),
        usual.gpflux(split),
        usual.gpytorch(split),
    ]


class Race:
    """One learner's clock and what it has reached."""

    def __init__(self, learner, turn: float) -> None:  # type: ignore[no-untyped-def]
        self.learner, self.turn, self.seconds, self.steps = learner, turn, 0.0, 0
        self.curve: list[tuple[float, int, float]] = []
        learner.advance(1)  # builds the graph
        start = time.perf_counter()
        learner.advance(5)
        self._steps_a_turn = max(1, round(5 * turn / (time.perf_counter() - start)))

    def run(self) -> None:
        """A turn of training, then a look at the test rows."""
        start = time.perf_counter()
        self.learner.advance(self._steps_a_turn)
        self.seconds += time.perf_counter() - start
        self.steps += self._steps_a_turn
        self.curve.append((self.seconds, self.steps, self.learner.log_likelihood()))

    def reached(self, goal: float) -> float | None:
        """Seconds of training at the first look that is at least as good as `goal`."""
        return next((seconds for seconds, _, ll in self.curve if ll >= goal), None)

    @property
    def best(self) -> float:
        return max(ll for _, _, ll in self.curve)


def main() -> None:
    parser = output.arguments(__doc__ or "", blocks=40, seconds=3.0)
    options = parser.parse_args()
    threads.configure_tensorflow()
    from dgpexp.datasets import load_split
    from dgpexp.errors import UserError

    try:
        split = load_split("power", 0)
    except UserError as error:
        output.console.print(f"No race: {error}")
        return

    races = [Race(learner, options.seconds) for learner in learners(split)]
    for _ in range(options.blocks):
        for race in races:
            if race.reached(max(GOALS)) is None:
                race.run()
    goals = [f"LL ≥ {goal}" for goal in GOALS]
    title = f"Seconds of training on power, at most {options.blocks * options.seconds:.0f}"
    table = output.Table("", *goals, "best LL", "ms a step", title=title, title_justify="left")
    for race in races:
        cells = ["-" if (s := race.reached(goal)) is None else f"{s:.0f}" for goal in GOALS]
        table.add_row(race.learner.name, *cells, f"{race.best:.3f}", f"{1e3 * race.seconds / race.steps:.1f}")
    output.console.print(table)
    curves = {race.learner.name: race.curve for race in races}
    output.write(options.json, {"goals": GOALS, "columns": ["seconds", "steps", "ll"], "curves": curves})


if __name__ == "__main__":
    main()
