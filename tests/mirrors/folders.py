"""A run folder as a complete run of dgpexp leaves it, made by Sacred and our observer in a moment."""

from pathlib import Path

from dgpexp.runs.record import Failed, Record, RunObserver, record
from tests.store.folders import spec


def recorded(folder: Path, dataset: str = "boston", fail: bool = False) -> Path:
    """The folder of one run with two evaluations."""

    def body(record: Record) -> float:
        for step, ll in ((10, -1.0), (20, -0.5)):
            record.evaluation({"step": step, "ll": ll, "rmse": 2.0})
        record.note(metrics={"ll": -0.5, "rmse": 2.0}, steps=20)
        print("a line of output \0")
        record.beat()
        if fail:
            raise ValueError("the reason")
        return -0.5

    run = spec(dataset, "aepmcm", 3)
    try:
        record(run, RunObserver(folder, lambda: True), {"profile": "quick", "experiment": "uci"}, body)
    except Failed:
        assert fail
    return folder / run.run_id
