"""Execute one run, here and now: lock it, train it with checkpoints, record it. Any engine can call this."""

from contextlib import suppress

from dgpexp.files import writable
from dgpexp.runs.job import BUSY, Job, Outcome, Watch
from dgpexp.runs.sessions import Sessions
from dgpexp.store.locks import LockLost, acquire
from dgpexp.store.stored_run import COMPLETED, FAILED, INTERRUPTED, StoredRun

PASSED = "PASSED"  # how a lock is released by whoever found the run ended by another process


def execute(job: Job, sessions: Sessions, watch: Watch) -> Outcome:
    """Execute the run unless it is complete or somebody else does. StoreError passes: it concerns every run."""
    from dgpexp.runs.attempt import Attempt  # imports Sacred

    run_dir = job.run_dir
    if StoredRun(run_dir).status == COMPLETED:
        return Outcome(COMPLETED, already=True)
    with writable(run_dir):
        lock = acquire(run_dir, expected=job.locks if job.retry else None, sweep=job.sweep)
    if lock is None:
        return Outcome(BUSY)
    outcome = Outcome(INTERRUPTED)
    try:
        status = StoredRun(run_dir).written  # again: somebody may have ended it while we came
        if status == COMPLETED or (status == FAILED and not job.retry):
            outcome = Outcome(status, already=True)
        else:
            outcome = Attempt(job, lock, sessions, watch).outcome()
    except LockLost:
        outcome = Outcome(BUSY)
    finally:
        with suppress(OSError):
            lock.release(PASSED if outcome.already else outcome.status)
    return outcome
