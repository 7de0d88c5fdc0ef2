"""Small sweeps for tests: protocols as text, and what they give when nobody disturbs them."""

import json
from pathlib import Path
from typing import Any

from tests.engines.processes import FAKE, run

BOTH = ("sincos", "heteroscedastic")
SMALL_MODELS = {
    "rows": 60,
    "hidden_width": 2,
    "inducing_points": 5,
    "batch_size": 20,
    "train_samples": 2,
    "test_samples": 5,
}


def sweep(*methods: str, datasets: tuple[str, ...] = BOTH, **settings: Any) -> str:
    """A protocol of two splits at depth 2; whatever follows `[profiles.small]` may be added to it."""
    cells = {"datasets": datasets, "methods": methods, "layers": [2], "splits": 2}
    return f"[sweep]\n{_lines(cells)}[settings]\n{_lines(settings)}[profiles.small]\n"


def _lines(table: dict[str, Any]) -> str:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())


# Eight runs of 360 steps for the fake session; in `rigged`, one of each three cannot be factorised (fakes.py).
SWEEP = sweep("vi", "aepmcm", rows=100, batch_size=10, epochs=40, evaluate_every=70) + (
    '[profiles.rigged.sweep]\ndatasets = ["sincos", "step", "heteroscedastic"]\n'
)


def undisturbed(folder: Path, text: str = SWEEP, command: list[str] = FAKE, jobs: int = 2) -> Path:
    """The results of the protocol `text`, which is left in `folder` too, as my.toml."""
    protocol, results = folder / "my.toml", folder / "results"
    protocol.write_text(text)
    code, _, err = run(command, "run", str(protocol), "--jobs", str(jobs), results=results, timeout=600)
    assert code == 0, err
    return results
