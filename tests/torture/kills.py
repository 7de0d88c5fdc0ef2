"""Sweeps and workers that are killed or stopped at random moments, and continued by the same command."""

import os
import random
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path

from tests.engines.processes import FAKE, children, run, start
from tests.torture.tally import SWEEP, Tally

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def undisturbed(folder: Path) -> tuple[str, Path]:
    """The protocol of the attacks, and what it gives when nobody disturbs it."""
    protocol, results = folder / "torture.toml", folder / "undisturbed"
    if not results.exists():
        protocol.write_text(SWEEP)
        code, _, err = run(FAKE, "run", str(protocol), "--jobs", "2", results=results, timeout=600)
        assert code == 0, err
    return str(protocol), results


def kills(folder: Path, count: int, seed: int) -> Tally:
    """So many signals; whenever the sweep is complete, its numbers are compared and a new one begins."""
    protocol, expected = undisturbed(folder)
    rng, done, rounds = random.Random(seed), 0, 0
    tally = Tally("kills", f"{count} signals to sweeps and workers")
    while done < count:
        results, log, rounds = folder / f"killed-{rounds}", folder / f"killed-{rounds}.log", rounds + 1
        ended = None
        while ended != 0:
            with log.open("a") as said:
                sweep = start(
                    FAKE, "run", protocol, "--jobs", "2", "--checkpoint-every", "0", results=results, stderr=said
                )
            while (ended := sweep.poll()) is None and done < count:
                time.sleep(rng.uniform(0.2, 2.5))
                victims = [sweep.pid, *children(sweep.pid)]
                if sweep.poll() is None:
                    with suppress(ProcessLookupError):
                        os.kill(rng.choice(victims), rng.choice(SIGNALS))
                        done += 1
            ended = sweep.wait(timeout=600)
            if ended in (1, 2):
                tally.notes.append(f"exit code {ended}: {log}")
                break
        tally.said(log.read_text())
        tally.compare(results, expected)
        shutil.rmtree(results)
    return tally
