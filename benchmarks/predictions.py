"""`make bench-predictions`: processor time to predict 100,000 rows, mean and deviation or three quantiles.

Two layers, M = 100 inducing points, 8 inputs, S = 100 paths, one thread. What a prediction costs does not depend on
how long the model was trained, so a few steps are enough.
"""

import time

from benchmarks import threads

threads.single()

import numpy as np  # noqa: E402

from benchmarks import output  # noqa: E402
from dgpexp import DeepGPRegressor  # noqa: E402

ROWS, MEASURED = 100_000, 20_000
METHODS, PRECISIONS = ("vi", "pep"), ("mixed", "float64")
LEVELS = (0.05, 0.5, 0.95)
LIMIT = 5.0  # seconds with quantiles, in the precision of the recipe


def main() -> None:
    options = output.arguments(__doc__ or "", blocks=5, seconds=0.0).parse_args()
    threads.pin()
    rng = np.random.default_rng(0)
    x, new = rng.normal(size=(2000, 8)), rng.normal(size=(MEASURED, 8))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=len(x))
    table = output.table_of(f"Processor seconds of {ROWS:,} rows", "", *PRECISIONS)
    found = []
    for method in METHODS:
        models = [DeepGPRegressor(method, steps=30, settings={"precision": p}).fit(x, y) for p in PRECISIONS]
        for what in ("mean, deviation", "three quantiles"):
            seconds: list[list[float]] = [[] for _ in models]
            for _ in range(options.blocks):
                for model, of_model in zip(models, seconds, strict=True):
                    start = time.process_time()
                    model.predict(new, return_std=True) if "mean" in what else model.predict_quantiles(new, LEVELS)
                    of_model.append((time.process_time() - start) * ROWS / MEASURED)
            medians = dict(zip(PRECISIONS, map(float, np.median(seconds, axis=1)), strict=True))
            found.append({"method": method, "what": what, **medians})
            table.add_row(f"{method}, {what}", *(f"{m:.1f}" for m in medians.values()))
    output.console.print(table)
    worst = max(row["mixed"] for row in found)
    output.console.print(f"{'kept' if worst <= LIMIT else 'MISSED'}: at most {LIMIT:.0f} s in mixed precision.")
    output.write(options.json, {"limit": LIMIT, "rows": found})


if __name__ == "__main__":
    main()
