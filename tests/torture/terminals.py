"""Terminals that are closed under a sweep: its runs keep their checkpoints, and the same command continues them."""

import random
import shutil
import signal
from pathlib import Path

from dgpexp.files import read_json
from tests.engines.processes import FAKE, run, run_dirs, status_of
from tests.terminal.terminals import Terminal
from tests.torture.kills import wait_a_moment
from tests.torture.tally import Tally


def terminals(folder: Path, undisturbed: Path, count: int, seed: int) -> Tally:
    rng, tally = random.Random(seed), Tally("terminals", f"{count} closed under a sweep")
    command = ("run", str(undisturbed.parent / "my.toml"), "--jobs", "2", "--checkpoint-every", "0")
    for number in range(count):
        terminal, results = Terminal(), folder / f"closed-{number}"
        sweep = terminal.start(FAKE, *command, results=results)
        wait_a_moment(rng, sweep, results, early=0)
        terminal.close()
        code = sweep.wait(timeout=600)
        lost = [path.name for path in run_dirs(results) if not kept(path)]
        if lost or code not in (0, 128 + signal.SIGHUP):
            tally.lost += len(lost) or 1
            tally.notes.append(f"exit code {code}, without a checkpoint: {lost}")
        code, _, err = run(FAKE, *command, results=results, timeout=600)
        tally.said(err)
        tally.compare(results, undisturbed)
        shutil.rmtree(results)
    return tally


def kept(run_dir: Path) -> bool:
    """Whether what was trained of the run is there: it is complete, or was stopped and has a checkpoint."""
    steps = (read_json(run_dir / "info.json") or {}).get("steps")
    if not steps or status_of(run_dir) == "COMPLETED":
        return True
    return status_of(run_dir) == "INTERRUPTED" and (run_dir / "checkpoint.npz").is_file()
