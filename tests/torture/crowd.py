"""Many sweeps at once in one folder: they share the runs, and each run is done once."""

import json
from pathlib import Path

from tests.engines.processes import FAKE, finish, start
from tests.torture.tally import Tally


def crowd(folder: Path, undisturbed: Path, processes: int) -> Tally:
    results, protocol = folder / "crowd", str(undisturbed.parent / "my.toml")
    sweeps = [start(FAKE, "run", protocol, "--jobs", "1", "--json", results=results) for _ in range(processes)]
    tally = Tally("crowd", f"{processes} sweeps at once")
    completed: list[str] = []
    for sweep in sweeps:
        code, out, err = finish(sweep, timeout=600)
        tally.said(err)
        if code == 0:
            completed += json.loads(out)["completed"]
        else:
            tally.lost += 1
            tally.notes.append(err.strip()[-300:])
    tally.compare(results, undisturbed)
    tally.doubled += len(completed) - len(set(completed))
    return tally
