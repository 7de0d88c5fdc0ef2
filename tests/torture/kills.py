"""Sweeps and workers that are killed or stopped at random moments, and continued by the same command."""

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from tests.engines.processes import FAKE, children, run_dirs, start
from tests.torture.tally import Tally

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def kills(folder: Path, undisturbed: Path, count: int, seed: int) -> Tally:
    """So many signals; whenever the sweep is complete, its numbers are compared and a new one begins.

    A sweep gives up a run whose workers are killed one after the other before it comes further, and says so with exit
    code 1: the same command continues it, as after any other end. One that nobody disturbed has no such excuse.
    """
    protocol = str(undisturbed.parent / "my.toml")
    rng, done, training, rounds = random.Random(seed), 0, 0, 0
    tally = Tally("kills", "")
    while done < count:
        results, log, rounds = folder / f"killed-{rounds}", folder / f"killed-{rounds}.log", rounds + 1
        ended = None
        while ended != 0:
            with log.open("a") as said:
                command = ("run", protocol, "--jobs", "2", "--checkpoint-every", "0")
                sweep, before, sent = start(FAKE, *command, results=results, stderr=said), _progress(results), done
            while (ended := sweep.poll()) is None and done < count:
                wait_a_moment(rng, sweep, results)
                victims, trained = [sweep.pid, *children(sweep.pid)], _progress(results) != before
                if sweep.poll() is None:
                    with suppress(ProcessLookupError):
                        os.kill(rng.choice(victims), rng.choice(SIGNALS))
                        done, training = done + 1, training + trained
            ended = sweep.wait(timeout=600)
            if ended == 2 or (ended == 1 and done == sent):
                tally.notes.append(f"exit code {ended}: {log.read_text()[-300:]}")
                break
        tally.said(log.read_text())
        tally.compare(results, undisturbed)
        shutil.rmtree(results)
    tally.size = f"{count} signals, {training} of them in mid-run"
    return tally


def wait_a_moment(rng: random.Random, sweep: "subprocess.Popen[str]", results: Path, early: float = 0.3) -> None:
    """With probability `early` a second or two, while processes start; else until a run has come further, and a bit."""
    if rng.random() < early:
        time.sleep(rng.uniform(0, 2.5))
        return
    before, until = _progress(results), time.monotonic() + 60
    while _progress(results) == before and sweep.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(rng.uniform(0, 0.5))


def _progress(results: Path) -> dict[Path, int]:
    """When each checkpoint was written."""
    found = {}
    for path in run_dirs(results):
        with suppress(FileNotFoundError):
            found[path] = (path / "checkpoint.npz").stat().st_mtime_ns
    return found
